/* Periodic tasks: Linux has no tick; its grid is that of port_sleep_ticks(), whole ticks of the common clock from 0 on.
 */
#include "port.h"

static uint64_t tick(void) { return port_clock_hz() / port_tick_hz(); }

uint64_t port_tick_edge(void) {
    uint64_t now = port_clock();
    return now - now % tick();
}

uint64_t port_period_begin(struct port_period *period, uint32_t ticks) {
    period->ticks = ticks;
    period->last = port_tick_edge();
    return period->last + ticks * tick();
}

void port_period_sleep(struct port_period *period) {
    period->last += period->ticks * tick();
    port_sleep_until(period->last); /* clock_nanosleep() to an absolute time, as real-time programs do */
}
