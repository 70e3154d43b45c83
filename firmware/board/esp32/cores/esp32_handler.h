/* The handler of the kernel's cross-core interrupt on a core. It is an entry of ESP-IDF's table of handlers. */
#ifndef ESP32_HANDLER_H
#define ESP32_HANDLER_H

#include <stdint.h>

typedef void (*esp32_handler_t)(void *arg);

struct esp32_handler {
    esp32_handler_t call;
    void *arg;
};

/* Returns the present entry. For tasks; on a RISC-V chip the work is done by a task of ESP-IDF on that core. */
struct esp32_handler esp32_handler_get(uint32_t core);

/* Replaces the handler; its argument stays the same. For tasks, as above. */
void esp32_handler_put(uint32_t core, esp32_handler_t call);

#endif
