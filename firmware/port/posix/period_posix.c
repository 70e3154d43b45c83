/* Periodic tasks. Linux does not show its tick to programs, so a nominal tick is used, which begins with the program.
 * Its edges (moments at which it is due) are therefore not those of Linux's own tick, which since 6.2 are at whole
 * ticks of the system's clock. */
#include "port.h"
#include "port_posix.h"

static uint64_t tick(void) { return port_clock_hz() / port_tick_hz(); }

uint64_t port_tick_edge(void) {
    uint64_t now = port_clock();
    return now - (now - port_posix_began()) % tick();
}

uint64_t port_period_begin(struct port_period *period, uint32_t ticks) {
    period->ticks = ticks;
    period->last = port_tick_edge();
    return period->last + ticks * tick();
}

void port_period_sleep(struct port_period *period) {
    period->last += period->ticks * tick();
    port_sleep_until(period->last); /* clock_nanosleep() to an absolute time, as in real-time programs */
}
