/* The handler of the kernel's cross-core interrupt on a core: an entry of ESP-IDF's table of handlers */
#ifndef ESP32_HANDLER_H
#define ESP32_HANDLER_H

#include <stdint.h>

typedef void (*esp32_handler_t)(void *arg);

struct esp32_handler {
    esp32_handler_t call;
    void *arg;
};

/* The present entry. From tasks; on a RISC-V chip it uses a task of ESP-IDF on that core. */
struct esp32_handler esp32_handler_get(uint32_t core);

/* Sets another handler, with the same argument. From tasks, as above. */
void esp32_handler_put(uint32_t core, esp32_handler_t call);

#endif
