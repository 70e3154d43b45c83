// A core with priority on the bus (raspberrypi/pico-sdk#2123: core 1, which serves a bus of another computer, has
// BUS_PRIORITY; core 0 becomes slow). Core 1 samples the pins into memory in a tight loop; core 0 sums up an array.
// Both are in flash. With EQUAL, the priorities are equal; with CURED, core 0 does not need flash.
#include "chip.h"

#define RESETS_RESET_CLEAR REGISTER(0x4000f000)
#define RESETS_RESET_DONE REGISTER(0x4000c008)
#define RESET_BUSCTRL (1u << 1)
#define BUS_PRIORITY REGISTER(0x40030000)
#define PROC1 (1u << 4)
#define GPIO_IN REGISTER(SIO + 4)

enum { ROUNDS = 100, WORDS = 64 };

static volatile uint32_t data[8];
static volatile uint32_t array[WORDS];

__attribute__((noipa)) static void sample_pins(void) {
    RESETS_RESET_CLEAR = RESET_BUSCTRL;
    while ((RESETS_RESET_DONE & RESET_BUSCTRL) == 0) {
    }
#ifndef EQUAL
    BUS_PRIORITY = PROC1;
#endif
    for (;;) {
        data[0] = GPIO_IN;
        data[1] = GPIO_IN;
        data[2] = GPIO_IN;
        data[3] = GPIO_IN;
        data[4] = GPIO_IN;
        data[5] = GPIO_IN;
        data[6] = GPIO_IN;
        data[7] = GPIO_IN;
    }
}

#ifdef CURED
__attribute__((section(".sram4")))
#endif
__attribute__((noipa)) static uint32_t sum_up(void) {
    uint32_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++) {
            sum += array[i];
        }
    }
    return sum;
}

void example(void) {
    start_core_1(sample_pins);
    (void)sum_up();
    const uint32_t before = SYST_CVR;
    (void)sum_up();
    print_number("cycles:", (before - SYST_CVR) & 0xffffff);
}
