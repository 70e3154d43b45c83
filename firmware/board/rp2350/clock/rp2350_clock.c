#include "rp2350_clock.h"

#include "port.h"
#include "rp2350_cycles.h"
#include "rp2350_registers.h"
#include "rp2_board.h"
#include "rp2_clocks.h"

#define CYCLES_PER_US (CLOCKS_SYS_HZ / CLOCKS_US_HZ)

/* A load from APB returns what TIMER0 is this many cycles after a load of the instruction before it (DS 2.2.4). */
#define TIMER_LATER 3U

/* MTIME begins with a number above C, so that the bounds in find_phase() are not negative. */
#define START 512U

static uint32_t phase;

/* Runs `twos` loops of 2 cycles and `threes` loops of 3 cycles, or a little more. The caller varies both numbers, so
 * that its readings of TIMER0 come at every cycle of a microsecond. */
static void let_pass(uint32_t twos, uint32_t threes) {
    __asm volatile("1: addi %0, %0, -1\n"
                   "   bnez %0, 1b\n"
                   "2: nop\n"
                   "   addi %1, %1, -1\n"
                   "   bnez %1, 2b"
                   : "+r"(twos), "+r"(threes));
}

/* Returns what TIMER0 and MTIME read at one moment. Interrupts are masked at start, and core 1 sleeps. The function is
 * in SRAM, so that no fetch from flash comes between. */
BOARD_IN_SRAM(read_together) static uint32_t read_together(uint32_t *time) {
    uint32_t before;
    uint32_t us;
    __asm volatile("lw %0, (%2)\n"
                   "lw %1, (%3)"
                   : "=&r"(before), "=r"(us)
                   : "r"(&SIO_MTIME), "r"(&TIMER_TIMERAWL));
    *time = before + TIMER_LATER;
    return us;
}

/* Finds the phase. While TIMER0 reads `us`, MTIME is between C × us + phase and C × us + phase + C - 1 (C is
 * CYCLES_PER_US). A few hundred readings at random moments leave only one phase that fits all of them. */
static uint32_t find_phase(void) {
    uint32_t low = 0;
    uint32_t high = UINT16_MAX;
    uint32_t random = 1;
    while (low < high) {
        uint32_t time;
        uint32_t us = read_together(&time);
        uint32_t most = time - us * CYCLES_PER_US;
        high = most < high ? most : high;
        low = most - (CYCLES_PER_US - 1U) > low ? most - (CYCLES_PER_US - 1U) : low;
        random = random * 1664525U + 1013904223U; /* the generator of Numerical Recipes */
        let_pass(1U + (random >> 27U), 1U + (random >> 24U) % 8U);
    }
    return low;
}

uint32_t rp2350_clock_phase(void) { return phase; }

void rp2350_clock_start(void) {
    SIO_MTIME_CTRL = 0;
    SIO_MTIME = START;
    SIO_MTIMEH = 0;
    SIO_MTIME_CTRL = SIO_MTIME_CTRL_EN | SIO_MTIME_CTRL_FULLSPEED;
    rp2_clocks_reset_blocks(RESET_TIMER);
    TIMER_DBGPAUSE = 0; /* neither counter stops while a debugger halts a core */
    phase = find_phase();
}

uint64_t port_clock_hz(void) { return CLOCKS_SYS_HZ; }

const char *port_clock_name(void) { return "MTIME at clk_sys"; }

uint64_t port_cycles_hz(void) { return CLOCKS_SYS_HZ; }

uint32_t port_cycles_bits(void) { return CYCLES_BITS; }
