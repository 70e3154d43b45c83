#include "rp2040_cycles.h"

#include "port.h"
#include "rp2040_registers.h"
#include "rp2_board.h"
#include "rp2_clocks.h"

/* A core's count is this many cycles ahead of base + C × TIMER (base: below), as in rp2040_clock.c */
#define AHEAD 512U
#define CYCLES_PER_US (CLOCKS_SYS_HZ / CLOCKS_US_HZ)
#define CORES 2U

#define SYST_MOST 0xffffffU
#define SYST_ENABLE 1U
#define SYST_CLK_SYS 4U

/* One struct for each core, from which port_cycles() (rp2040_cycles.S) computes the core's 64-bit count */
extern struct cycles_counter {
    uint32_t counter; /* address of the counting register */
    uint32_t unused;
    uint64_t base; /* base + C × TIMER (rp2040_clock.h) is the count less AHEAD, modulo 2^64 */
} rp2040_cycles_counters[CORES];
struct cycles_counter rp2040_cycles_counters[CORES];
_Static_assert(sizeof(struct cycles_counter) == 16, "rp2040_cycles.S shifts by 4");

void rp2040_cycles_begin(void) {
    SYST_RVR = SYST_MOST;
    SYST_CVR = 0;
    SYST_CSR = SYST_CLK_SYS | SYST_ENABLE;
}

static uint32_t begun(void) { return (0U - SYST_CVR) & SYST_MOST; }

BOARD_IN_SRAM(microseconds) static uint64_t microseconds(void) {
    uint32_t high;
    uint32_t low;
    do {
        high = TIMER_TIMERAWH;
        low = TIMER_TIMERAWL;
    } while (high != TIMER_TIMERAWH);
    return (uint64_t)high << 32U | low;
}

/* Configures the PWM slice of a core, but does not start it. Returns the address of the slice's registers. */
static uint32_t prepare(uint32_t core) {
    uint32_t channel = PWM_CHANNEL(1U + core);
    PWM_CSR(channel) = 0;
    PWM_TOP(channel) = 0xffff;
    PWM_DIV(channel) = 1U << 4U; /* every cycle */
    return channel;
}

BOARD_IN_SRAM(count_from) static void count_from(uint64_t count, uint32_t core, uint32_t channel) {
    PWM_CTR(channel) = (uint32_t)count & 0xffffU;
    PWM_CSR(channel) = 1; /* on: it counts from here */
    uint64_t before = microseconds();
    uint64_t now;
    do {
        now = microseconds();
    } while (now == before);
    /* This line runs within about ten cycles after TIMER's edge, far fewer than AHEAD. The slice began at the low 16
     * bits of `count`, so its counter now tells how many cycles have passed since then. */
    uint64_t counted = count + ((PWM_CTR(channel) - count) & 0xffffU);
    rp2040_cycles_counters[core].base = counted - AHEAD - now * CYCLES_PER_US;
    rp2040_cycles_counters[core].counter = (uint32_t)(uintptr_t)&PWM_CTR(channel);
}

void rp2040_cycles_start(uint32_t core, uint64_t count) { count_from(count, core, prepare(core)); }

void rp2040_cycles_go_on(void) {
    uint32_t channel = prepare(0);
    count_from(begun(), 0, channel);
}

uint64_t port_cycles_hz(void) { return CLOCKS_SYS_HZ; }

uint32_t port_cycles_bits(void) { return CYCLES_BITS; }
