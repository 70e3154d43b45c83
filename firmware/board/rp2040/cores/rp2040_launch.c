/* Implements port_launch.h. A task on core 1 keeps the core's state in its stack and below, and spins with its
 * interrupts masked until core 0 resets the core. The boot ROM then starts the core in `lands`, which sets all of it up
 * again and returns to the task. Only the kernel's core 0 has a tick, so no time is lost. */
#include "port_launch.h"

#include <stdatomic.h>

#include "hardware/irq.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "port_freertos.h"
#include "rp2040_cores.h"
#include "rp2040_registers.h"
#include "rp2_launch.h"
#include "rp2_start.h"

/* Time in which the boot ROM has certainly emptied core 1's FIFO, sent a 0 and gone to sleep; it takes some 60
 * cycles */
#define BOOT_US 20U
#define LOOKS 1000000U /* at the FIFO, for a word that the boot ROM answers within a few microseconds */
#define PRIORITIES 8U  /* registers of four interrupts each */

static struct {
    uint32_t *stack;     /* the task's, with its registers */
    uint32_t main_stack; /* of the core's handlers */
    uint32_t enabled;
    uint32_t system_priorities;
    uint32_t priorities[PRIORITIES];
    uint64_t first;
    uint32_t mask; /* of core 0 */
    uint32_t looks;
    atomic_bool stands_by;
} core_1;

bool port_code_cache_empty(void) {
    bool cached = rp2_code_is_in_flash() && (XIP_CTRL & XIP_CTRL_EN) != 0;
    if (cached) {
        XIP_FLUSH = 1;
        (void)XIP_FLUSH; /* waits until the cache is empty */
    }
    return cached;
}

bool port_core_resets(void) { return true; }

/* ---- core 1 ---- */

__attribute__((used)) static void keep(uint32_t *stack, uint32_t main_stack) {
    core_1.stack = stack;
    core_1.main_stack = main_stack;
    core_1.enabled = NVIC_ISER;
    core_1.system_priorities = SHPR3;
    for (uint32_t i = 0; i < PRIORITIES; i++) {
        core_1.priorities[i] = NVIC_IPR(4U * i);
    }
    atomic_store(&core_1.stands_by, true);
    for (;;) { /* until the reset */
    }
}

/* A request to yield that came in the meantime is lost, so the core yields. */
__attribute__((used)) static uint32_t *set_up_again(uint64_t first) {
    core_1.first = first;
    for (uint32_t i = 0; i < PRIORITIES; i++) {
        NVIC_IPR(4U * i) = core_1.priorities[i];
    }
    SHPR3 = core_1.system_priorities;
    NVIC_ISER = core_1.enabled;
    ICSR = ICSR_PENDSVSET;
    return core_1.stack;
}

/* Saves the registers that a function keeps, and returns when `lands` has restored them. */
__attribute__((naked, noinline)) static void leave(void) {
    __asm volatile("    push {r4, r5, r6, r7, lr} \n"
                   "    mov  r4, r8               \n"
                   "    mov  r5, r9               \n"
                   "    mov  r6, r10              \n"
                   "    mov  r7, r11              \n"
                   "    push {r4, r5, r6, r7}     \n"
                   "    mov  r0, sp               \n"
                   "    mrs  r1, msp              \n"
                   "    bl   keep                 \n");
}

/* Where core 1 begins; a probe of the simulator finds it by its name. After the reset no interrupt is enabled. */
__attribute__((naked, noinline)) static void launch_lands(void) {
    __asm volatile("    bl   port_clock           \n"
                   "    cpsid i                   \n"
                   "    bl   set_up_again         \n"
                   "    msr  psp, r0              \n"
                   "    movs r0, #2               \n" /* SPSEL: tasks use the process stack */
                   "    msr  control, r0          \n"
                   "    isb                       \n"
                   "    pop  {r4, r5, r6, r7}     \n"
                   "    mov  r8, r4               \n"
                   "    mov  r9, r5               \n"
                   "    mov  r10, r6              \n"
                   "    mov  r11, r7              \n"
                   "    pop  {r4, r5, r6, r7, pc} \n");
}

uint64_t port_core_stand_by(void) {
    uint32_t mask = save_and_disable_interrupts();
    leave();
    restore_interrupts(mask);
    return core_1.first;
}

/* ---- core 0 ---- */

void port_core_reset(void) {
    while (!atomic_load(&core_1.stands_by)) {
    }
    core_1.mask = save_and_disable_interrupts();
    atomic_store(&core_1.stands_by, false);
    multicore_reset_core1();
    for (uint64_t begin = port_clock(); port_clock() - begin < BOOT_US * (port_clock_hz() / 1000000U);) {
    }
}

static bool go_on(void) { return core_1.looks++ < LOOKS; }

uint64_t port_core_launch(void) {
    core_1.looks = 0;
    if (!rp2_launch_core_1(rp2040_cores_table(1), core_1.main_stack, (uintptr_t)launch_lands, go_on)) {
        board_panic("core 1 does not answer its launch", "", 1);
    }
    uint64_t now = port_clock();
    multicore_fifo_clear_irq();
    ICSR = ICSR_PENDSVSET; /* a request of core 1 to yield may have been in the FIFO that the launch emptied */
    restore_interrupts(core_1.mask);
    return now;
}
