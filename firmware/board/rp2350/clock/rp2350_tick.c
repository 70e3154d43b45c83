/* port_tick_edge(): the kernel's port sets the moments of its tick on the common clock itself. */
#include "port_freertos.h"
#include "rp2_clocks.h"

#define TICK_CYCLES (CLOCKS_SYS_HZ / configTICK_RATE_HZ)
_Static_assert(CLOCKS_SYS_HZ % configTICK_RATE_HZ == 0, "a tick is a whole number of cycles");

uint64_t port_tick_edge(void) {
    uint64_t now = port_clock();
    return now - (now - ullPortFirstTick()) % TICK_CYCLES;
}
