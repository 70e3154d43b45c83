/* Who takes the kernel's cross-core interrupt on a core: what stands in ESP-IDF's table of handlers. */
#ifndef ESP32_HANDLER_H
#define ESP32_HANDLER_H

#include <stdint.h>

typedef void (*esp32_handler_t)(void *arg);

struct esp32_handler {
    esp32_handler_t call;
    void *arg;
};

/* What stands there. From tasks; on a RISC-V chip it asks a task of ESP-IDF's on that core. */
struct esp32_handler esp32_handler_get(uint32_t core);

/* Puts another handler there, and leaves its argument as it is. From tasks, likewise. */
void esp32_handler_put(uint32_t core, esp32_handler_t call);

#endif
