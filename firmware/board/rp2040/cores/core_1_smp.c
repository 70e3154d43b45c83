/* Starts core 1 in builds with one kernel for both cores (SMP): FreeRTOS's RP2040 port launches core 1 with the
 * functions in this file, and core 1 then enters the scheduler. */
#include "pico/multicore.h"
#include "port_freertos.h"
#include "rp2040_cores.h"
#include "rp2040_cycles.h"
#include "rp2040_watchdog.h"
#include "rp2_launch.h"

static void (*core_1_entry)(void);

/* The first function of this firmware that core 1 runs, after the boot ROM */
static void begin_core_1(void) {
    __asm volatile("cpsid i" ::: "memory"); /* interrupts stay masked until core 1's first task runs */
    rp2040_cycles_start(1, 0);
    rp2040_watchdog_start_beat();
    core_1_entry();
    board_panic("the scheduler has not started", "", 1);
}

static bool go_on(void) { return true; }

void multicore_launch_core1(void (*entry)(void)) {
    core_1_entry = entry;
    (void)rp2_launch_core_1(rp2040_cores_table(1), (uintptr_t)&rp2_cores_stacks[1][CORES_STACK_WORDS],
                            (uintptr_t)begin_core_1, go_on);
}
