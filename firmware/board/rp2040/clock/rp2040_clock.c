#include "rp2040_clock.h"

#include "port.h"
#include "rp2040_registers.h"
#include "rp2_board.h"
#include "rp2_clocks.h"

/* The PWM counter is set this many cycles ahead of CYCLES_PER_US × TIMER. Its lead at an edge of TIMER is a few cycles
 * smaller, because it is set a few cycles after an edge. */
#define AHEAD 512U
#define MOST_APART 12U
#define COUNTER_MASK 0xffffU
#define CYCLES_PER_US (CLOCKS_SYS_HZ / CLOCKS_US_HZ)

_Static_assert(CYCLES_PER_US == IC_CLOCK_MHZ && IC_CLOCK_MHZ <= 255, "rp2040_clock.S multiplies by it, a byte");

static uint32_t phase PORT_SHARED(clock_phase);

/* Runs `threes` loops of 3 cycles and `fours` loops of 4 cycles. The caller varies both numbers, so that its readings
 * of TIMER come at every cycle of a microsecond. If a microsecond has a multiple of 3 cycles, loops of 3 cycles alone
 * would reach only every third cycle of it; the same holds for 4. */
static void let_pass(uint32_t threes, uint32_t fours) {
    __asm volatile(".syntax unified\n"
                   "1: subs %0, #1\n"
                   "   bne 1b\n"
                   "2: nop\n"
                   "   subs %1, #1\n"
                   "   bne 2b"
                   : "+l"(threes), "+l"(fours)::"cc");
}

/* Returns the values of TIMER and of the PWM counter at one moment. The counter is read 4 cycles before and 4 cycles
 * after TIMER (DS 2.1.3), so its value when TIMER is read is halfway between the two. Returns false if the bus delayed
 * the reads. The function is in SRAM, because fetches from flash might delay the reads every time. */
BOARD_IN_SRAM(read_together) static bool read_together(uint32_t *us, uint32_t *count) {
    uint32_t before;
    uint32_t after;
    uint32_t mask;
    __asm volatile("mrs %3, primask\n"
                   "cpsid i\n"
                   "ldr %0, [%4]\n"
                   "ldr %1, [%5]\n"
                   "ldr %2, [%4]\n"
                   "msr primask, %3"
                   : "=&l"(before), "=&l"(*us), "=&l"(after), "=&r"(mask)
                   : "l"(&PWM_CH0_CTR), "l"(&TIMER_TIMERAWL)
                   : "memory");
    uint32_t apart = (after - before) & COUNTER_MASK;
    *count = before + apart / 2U;
    return apart <= MOST_APART;
}

/* Finds the phase of the common clock, its value when TIMER becomes 0. While TIMER reads `us`, the clock is between C ×
 * us + phase and C × us + phase + C - 1 (C is CYCLES_PER_US). A few hundred readings at random moments leave only one
 * phase that fits all of them. */
static uint32_t find_phase(void) {
    uint32_t low = 0;
    uint32_t high = COUNTER_MASK;
    uint32_t random = 1;
    while (low < high) {
        uint32_t us;
        uint32_t count;
        if (read_together(&us, &count)) {
            uint32_t most = (count - us * CYCLES_PER_US) & COUNTER_MASK;
            high = most < high ? most : high;
            low = most - (CYCLES_PER_US - 1U) > low ? most - (CYCLES_PER_US - 1U) : low;
        }
        random = random * 1664525U + 1013904223U; /* the generator of Numerical Recipes */
        let_pass(1U + (random >> 27U), 1U + (random >> 24U) % 8U);
    }
    return low;
}

uint32_t rp2040_clock_phase(void) { return phase; }

BOARD_IN_SRAM(rp2040_clock_align) void rp2040_clock_align(void) {
    uint32_t before = TIMER_TIMERAWL;
    uint32_t now;
    do {
        now = TIMER_TIMERAWL;
    } while (now == before);
    /* This store comes a few cycles after TIMER's edge, whatever code the compiler generates. So the correction that
     * rp2040_clock.h describes stays far from both ends of its range. */
    PWM_CH0_CTR = (now * CYCLES_PER_US + AHEAD) & 0xffffU;
    PWM_CH0_CSR = 1; /* on */
}

void rp2040_clock_start(void) {
    rp2_clocks_reset_blocks(RESET_TIMER | RESET_PWM);
    TIMER_DBGPAUSE = 0; /* otherwise TIMER would stop while a debugger halts a core, but the PWM counter would
                           continue */
    PWM_CH0_TOP = 0xffff;
    PWM_CH0_DIV = 1U << 4U; /* counts every cycle */
    rp2040_clock_align();
    phase = find_phase();
}

uint64_t port_clock_hz(void) { return CLOCKS_SYS_HZ; }

const char *port_clock_name(void) { return "TIMER (1 us) refined by a PWM counter at clk_sys"; }
