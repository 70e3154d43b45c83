// Reads the firmware's clock across a wrap of TIMER's low word, 200 times, each time beginning a cycle later. With the
// start-up of the simulator's examples (sim/examples/chip.c).
#include <stdint.h>

#include "chip.h"
#include "rp2040_clock.h"
#include "rp2_clocks.h"

#define READINGS 64u
#define TRIALS 200
#define HIGH 3u

uint64_t port_clock(void);

// The examples' start-up has done what is asked for here, but for the PWM block.
void rp2_clocks_reset_blocks(uint32_t blocks) {
    REGISTER(0x4000c000 + 0x3000) = blocks;
    while ((REGISTER(0x4000c008) & blocks) != blocks) {
    }
}

static uint64_t readings[READINGS];
static uint32_t wraps, wrong, least = UINT32_MAX, most;

static void read_across_a_wrap(uint32_t cycles_later) {
    REGISTER(0x40054004) = UINT32_MAX - 16; // TIMELW, taken over by TIMEHW
    REGISTER(0x40054000) = HIGH;
    rp2040_clock_align();
    for (volatile uint32_t i = 0; i < cycles_later / 8; i++) {
    }
    switch (cycles_later % 8) {
#define LATER(n)                                                                                                       \
    case n:                                                                                                            \
        __asm__ volatile("nop");                                                                                       \
        __attribute__((fallthrough));
        LATER(7) LATER(6) LATER(5) LATER(4) LATER(3) LATER(2) LATER(1) default : break;
    }
    for (uint32_t i = 0; i < READINGS; i++) {
        readings[i] = port_clock();
    }
    const uint64_t wrap = ((uint64_t)HIGH + 1) * 125u << 32;
    wraps += readings[0] < wrap && readings[READINGS - 1] > wrap;
    for (uint32_t i = 1; i < READINGS; i++) {
        const uint64_t step = readings[i] - readings[i - 1];
        wrong += step > 1000;
        least = step < least ? (uint32_t)step : least;
        most = step > most && step <= 1000 ? (uint32_t)step : most;
    }
}

void example(void) {
    rp2040_clock_start();
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        read_across_a_wrap(trial);
    }
    print_number("wraps", wraps);
    print_number("wrong", wrong);
    print_number("least", least);
    print_number("most", most);
}
