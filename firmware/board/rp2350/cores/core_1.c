/* Starts core 1, for the kernel's port. */
#include "port_freertos.h"
#include "rp2350_cores.h"
#include "rp2350_cycles.h"
#include "rp2350_watchdog.h"
#include "rp2_launch.h"

static void (*core_1_entry)(void);

/* The first C function of this firmware that core 1 runs. Interrupts stay masked until core 1's first task runs. */
__attribute__((used)) static void begin_core_1(void) {
    rp2350_cycles_begin();
    rp2350_cores_set_traps();
    rp2350_watchdog_start_beat();
    core_1_entry();
    board_panic("the scheduler has not started", "", 1);
}

/* Where the boot ROM jumps to, on core 1's main stack */
__attribute__((naked)) static void enter_core_1(void) {
    __asm volatile("    csrci mstatus, 8      \n" /* MIE */
                   "    .option push          \n"
                   "    .option norelax       \n"
                   "    la   gp, __global_pointer$ \n"
                   "    .option pop           \n"
                   "    j    begin_core_1     \n");
}

static bool go_on(void) { return true; }

void vPortLaunchCore1(void (*entry)(void)) {
    core_1_entry = entry;
    (void)rp2_launch_core_1((uintptr_t)vPortTraps + 1U, (uintptr_t)&rp2_cores_stacks[1][CORES_STACK_WORDS],
                            (uintptr_t)enter_core_1, go_on);
}
