// Core 1 starts late (raspberrypi/pico-sdk#606: over 100 us from multicore_launch_core1 to the first instruction of the
// function): the code that starts it is in flash, and none of it in the cache. `--from start_core_1 --to first` is the
// time in question. The same image for SRAM is the cure that the thread tries ("build with no_flash to confirm").
#include "chip.h"

static volatile uint32_t started;

__attribute__((noipa)) static void first(void) {
    started = SYST_CVR;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

void example(void) {
    start_core_1(first);
    while (started == 0) {
    }
}
