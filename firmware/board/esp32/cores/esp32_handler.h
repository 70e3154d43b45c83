/* The handler of the kernel's cross-core interrupt on a core: an entry of ESP-IDF's table of interrupt handlers. */
#ifndef ESP32_HANDLER_H
#define ESP32_HANDLER_H

#include <stdint.h>

typedef void (*esp32_handler_t)(void *arg);

struct esp32_handler {
    esp32_handler_t call;
    void *arg;
};

/* Returns a core's current entry. Call it in a task; on a RISC-V chip a task of ESP-IDF on that core does the work. */
struct esp32_handler esp32_handler_get(uint32_t core);

/* Replaces the handler; its argument stays the same. Call it in a task, too. */
void esp32_handler_put(uint32_t core, esp32_handler_t call);

#endif
