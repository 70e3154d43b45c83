// Reads the firmware's counter of core 0 across a wrap of TIMER's low word, of the counter's own low word, and of its 16
// bits in hardware, 200 times, each time beginning a cycle later. With the start-up of the simulator's examples
// (sim/examples/chip.c).
#include <stdint.h>

#include "chip.h"
#include "rp2040_clock.h"
#include "rp2_clocks.h"
#include "rp2040_cycles.h"

#define READINGS 64u
#define TRIALS 200
#define HIGH 3u

uint64_t port_cycles(void);

// The examples' start-up has done what is asked for here, but for the PWM block.
void rp2_clocks_reset_blocks(uint32_t blocks) {
    REGISTER(0x4000c000 + 0x3000) = blocks;
    while ((REGISTER(0x4000c008) & blocks) != blocks) {
    }
}

static uint64_t readings[READINGS];
static uint32_t timer_wraps, word_wraps, hardware_wraps, wrong, least = UINT32_MAX, most;

static void read_across_a_wrap(uint32_t cycles_later, uint64_t count) {
    REGISTER(0x40054004) = UINT32_MAX - 16; // TIMELW, taken over by TIMEHW
    REGISTER(0x40054000) = HIGH;
    rp2040_cycles_start(0, count);
    for (volatile uint32_t i = 0; i < cycles_later / 8; i++) {
    }
    switch (cycles_later % 8) {
#define LATER(n)                                                                                                       \
    case n:                                                                                                            \
        __asm__ volatile("nop");                                                                                       \
        __attribute__((fallthrough));
        LATER(7) LATER(6) LATER(5) LATER(4) LATER(3) LATER(2) LATER(1) default : break;
    }
    const uint32_t before = REGISTER(0x40054028);
    for (uint32_t i = 0; i < READINGS; i++) {
        readings[i] = port_cycles();
    }
    timer_wraps += REGISTER(0x40054028) < before;
    word_wraps += (uint32_t)readings[READINGS - 1] < (uint32_t)readings[0];
    hardware_wraps += (uint16_t)readings[READINGS - 1] < (uint16_t)readings[0];
    wrong += readings[0] - count > 3000;
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
        read_across_a_wrap(trial, ((uint64_t)HIGH << 32) - 3000);
    }
    print_number("timer", timer_wraps);
    print_number("word", word_wraps);
    print_number("hardware", hardware_wraps);
    print_number("wrong", wrong);
    print_number("least", least);
    print_number("most", most);
}
