/* Implements the sleep functions of port.h on FreeRTOS. */
#include "port_freertos.h"

TickType_t port_freertos_ticks_until(uint64_t when) {
    if (when == PORT_FOREVER) {
        return portMAX_DELAY;
    }
    uint64_t now = port_clock();
    if (now >= when) {
        return 0;
    }
    /* Because the first of these ticks comes after less than a whole tick period, a delay may end early. So callers
     * read the clock again. */
    uint64_t ticks = (when - now) / (port_clock_hz() / configTICK_RATE_HZ) + 1U;
    return ticks < portMAX_DELAY / 2U ? (TickType_t)ticks : portMAX_DELAY / 2U;
}

void port_sleep_until(uint64_t when) {
    for (TickType_t ticks = port_freertos_ticks_until(when); ticks > 0; ticks = port_freertos_ticks_until(when)) {
        vTaskDelay(ticks);
    }
}

void port_sleep_ticks(uint32_t ticks) { vTaskDelay(ticks); }
