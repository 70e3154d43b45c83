// One lock around a kernel that both cores enter (ArduPilot/ardupilot#32995: more threads on core 1 took the main loop
// of core 0 from 296 to 225 Hz, as "every SMP spinlock acquire on one core stalls the other"). Core 0 runs a control
// loop, core 1 eight threads that each do little; each waits for something in the kernel. With CURED, core 1 has one of
// these threads, which does the work of all.
#include "chip.h"

#define LOCK REGISTER(SIO + 0x100 + 4 * 8)

// Code and stacks are in SRAM4 and SRAM5: neither core waits for the memory of the other.
#define ON_CORE_0 __attribute__((noinline, section(".sram4")))
#define ON_CORE_1 __attribute__((noinline, section(".sram5")))

enum { TURNS = 200, WAITS = 4, STEPS = 16, THREADS = 8, LIST = 16 };

static volatile uint32_t ready[LIST];

#define ENTER_KERNEL                                                                                                   \
    while (LOCK == 0) {                                                                                                \
    }                                                                                                                  \
    for (unsigned i = 0; i < LIST; i++) {                                                                              \
        ready[i] = ready[i] + i;                                                                                       \
    }                                                                                                                  \
    LOCK = 0;

// Some of up to twice as many steps as are meant, so that the cores do not fall into step with each other.
#define WORK(seed, steps)                                                                                              \
    seed = 1664525 * seed + 1013904223;                                                                                \
    for (volatile uint32_t i = (seed >> 16) % (2 * (steps)); i > 0; i = i - 1) {                                       \
    }

ON_CORE_0 static void wait_in_control_loop(void){ENTER_KERNEL} ON_CORE_1 static void wait_in_thread(void){ENTER_KERNEL}

ON_CORE_0 static void control_loop(void) {
    uint32_t seed = 1;
    for (int turn = 0; turn < TURNS * WAITS; turn++) {
        WORK(seed, STEPS)
        wait_in_control_loop();
    }
}

ON_CORE_1 static void threads(void) {
#ifdef CURED
    enum { WORK_OF = THREADS };
#else
    enum { WORK_OF = 1 };
#endif
    uint32_t seed = 2;
    for (;;) {
        WORK(seed, WORK_OF * STEPS / 2)
        wait_in_thread();
    }
}

void example(void) {
    LOCK = 0;
    start_core_1(threads);
    const uint32_t before = SYST_CVR;
    control_loop();
    print_number("cycles:", (before - SYST_CVR) & 0xffffff);
}
