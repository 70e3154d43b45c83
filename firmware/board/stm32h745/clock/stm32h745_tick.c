#include "stm32h745_tick.h"

#include "port_freertos.h"
#include "stm32h745_clocks.h"
#include "stm32h745_registers.h"

/* The period of the kernel tick, in cycles of the core's clock and of the common clock */
#define TICK_CYCLES (CLOCKS_CORE_HZ / configTICK_RATE_HZ)
#define TICK_CLOCK (CLOCKS_BUS_HZ / configTICK_RATE_HZ)
#define RATIO (CLOCKS_CORE_HZ / CLOCKS_BUS_HZ)
_Static_assert(CLOCKS_BUS_HZ % configTICK_RATE_HZ == 0 && CLOCKS_CORE_HZ % CLOCKS_BUS_HZ == 0,
               "a tick is a whole number of both");

/* Number of pairs of readings (SysTick, common clock) from each of which an edge of the kernel tick is computed. The
 * bus may delay the reading of the common clock, but never the reading of SysTick. A delay makes the edge appear later,
 * so the earliest result is the right one. */
#define READINGS 32U

/* The moment of one past edge of the kernel tick, on the common clock */
static uint64_t known_edge;

static uint64_t read_edge(void) {
    uint32_t mask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    uint32_t systick = SYST_CVR;
    uint64_t now = port_clock();
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
    uint32_t since = (TICK_CYCLES - systick) % TICK_CYCLES; /* SysTick counts down from TICK_CYCLES - 1 */
    return now - since / RATIO;
}

void stm32h745_tick_start(void) {
    known_edge = read_edge();
    for (uint32_t i = 1; i < READINGS; i++) {
        uint64_t later = (read_edge() - known_edge) % TICK_CLOCK;
        if (later > TICK_CLOCK / 2U) { /* the new edge is earlier */
            known_edge -= TICK_CLOCK - later;
        }
    }
}

uint64_t port_tick_edge(void) {
    uint64_t now = port_clock();
    return now - (now - known_edge) % TICK_CLOCK;
}
