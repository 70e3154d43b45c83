/* Periodic tasks, with the kernel's vTaskDelayUntil() */
#include "port_freertos.h"

/* port_period_begin() waits until 1/4 of a tick period after an edge of the kernel tick. Core 0 counts the edge within
 * a few microseconds; without the wait, core 1 could see the edge before it is counted. */
#define COUNTED_AFTER 4U

static uint64_t tick(void) { return port_clock_hz() / configTICK_RATE_HZ; }

uint64_t port_period_begin(struct port_period *period, uint32_t ticks) {
    uint64_t edge;
    TickType_t count;
    do {
        edge = port_tick_edge();
        count = xTaskGetTickCount();
    } while (port_clock() - edge < tick() / COUNTED_AFTER || port_tick_edge() != edge);
    period->ticks = ticks;
    period->last = count;
    return edge + ticks * tick();
}

void port_period_sleep(struct port_period *period) {
    TickType_t last = (TickType_t)period->last;
    (void)xTaskDelayUntil(&last, period->ticks);
    period->last = last;
}
