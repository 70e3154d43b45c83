#include "clock.h"

#include "clocks.h"
#include "port.h"
#include "registers.h"

/* How far the PWM counter is set ahead of 125 × TIMER, less the cycles from TIMER's edge until it is set. */
#define AHEAD 512U
#define CYCLES_PER_US (CLOCKS_SYS_HZ / CLOCKS_US_HZ)

_Static_assert(CYCLES_PER_US == 125, "clock.S multiplies by 125");

void clock_start(void) {
    clocks_reset_blocks(RESET_TIMER | RESET_PWM);
    TIMER_DBGPAUSE = 0; /* else TIMER would stand still while a debugger halts a core, and the PWM counter run on */
    PWM_CH0_TOP = 0xffff;
    PWM_CH0_DIV = 1U << 4U; /* every cycle */
    clock_align();
}

void clock_align(void) {
    uint32_t before = TIMER_TIMERAWL;
    uint32_t now;
    do {
        now = TIMER_TIMERAWL;
    } while (now == before);
    /* Within a few cycles of the edge, so that the correction stays clear of both ends whatever the compiler makes of
     * this. */
    PWM_CH0_CTR = (now * CYCLES_PER_US + AHEAD) & 0xffffU;
    PWM_CH0_CSR = 1; /* on */
}

uint64_t port_clock_hz(void) { return CLOCKS_SYS_HZ; }

const char *port_clock_name(void) { return "TIMER (1 us) refined by a PWM counter at clk_sys"; }
