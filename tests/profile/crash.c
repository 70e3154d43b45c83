// A program that executes an undefined instruction: on core 1 with ON_CORE_1, with a handler that never returns with
// HANDLED.
#include "chip.h"

__attribute__((noipa)) static void bad(void) { __asm__ volatile("nop; udf #0"); }

__attribute__((noipa)) static void work(void) {
    for (;;) {
        __asm__ volatile("nop");
    }
}

void example(void) {
#ifdef HANDLED
    set_handler(-13, work); // HardFault
#endif
#ifdef ON_CORE_1
    start_core_1(bad);
    work();
#else
    bad();
#endif
}
