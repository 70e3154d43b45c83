#include "stm32h745_amp.h"

#include "crc32.h"
#include "port_amp.h"
#include "port_freertos.h"
#include "stm32h745_irq.h"
#include "stm32h745_lock.h"
#include "stm32h745_registers.h"
#include "stm32h745_semaphores.h"
#include "stm32h745_tick.h"
#include "stm32h745_watchdog.h"
#include "version.h"

uint32_t board_core(void) { return IC_CORE; }

bool board_in_handler(void) {
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    return exception != 0;
}

/* ---- the doorbell ---- */

/* Rings the doorbell of `core`: takes and releases a hardware semaphore, which raises the interrupt (RM 11.3.7). No
 * other code takes this semaphore. */
static void ring(uint32_t core) {
    (void)stm32h745_lock_try(SEMAPHORE_BELL(IC_CORE, core));
    stm32h745_lock_give(SEMAPHORE_BELL(IC_CORE, core));
}

void board_ring(void) {
    uint32_t mask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    ring(1U - IC_CORE);
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
}

void board_ring_self(void) {
    uint32_t mask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    ring(IC_CORE);
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
}

/* Handles the doorbell interrupt. Its flags are cleared before the doorbell's handlers run, so that a ring during a
 * handler is not lost. */
void stm32h745_amp_interrupt(void) {
    uint32_t rung = HSEM_CMISR(IC_CORE);
    HSEM_CICR(IC_CORE) = rung;
    __asm volatile("dsb" ::: "memory"); /* the flags must be cleared before this handler returns */
    if ((rung & 1U << SEMAPHORE_BELL(IC_CORE, IC_CORE)) != 0) {
        port_amp_doorbell();
    }
    if ((rung & 1U << SEMAPHORE_BELL(1U - IC_CORE, IC_CORE)) != 0) {
        port_amp_rung();
    }
}

void board_doorbell_start(void) {
    HSEM_CICR(IC_CORE) = SEMAPHORE_BELLS_AT(IC_CORE);
    HSEM_CIER(IC_CORE) = SEMAPHORE_BELLS_AT(IC_CORE);
    stm32h745_irq_enable(IRQ_HSEM(IC_CORE));
}

/* ---- starting core 1 ---- */

/* Takes the gate, the hardware semaphore on which core 1 waits at its start (entry.S). Also starts core 1, unless the
 * option byte BCM4 has already started it (RM 9.4.7, "Hold boot function"). The gate need never be released, because
 * core 0 resets the whole chip before it starts a second time (stm32h745_start.c). */
bool board_start_core_1(void) {
    __asm volatile("dsb" ::: "memory"); /* the shared memory must be clear before core 1 continues */
    (void)stm32h745_lock_try(SEMAPHORE_GATE);
    RCC_GCR |= RCC_GCR_BOOT_C2;
    return true;
}

void board_core_1_runs(void) { stm32h745_tick_start(); }

void board_alive(void) { stm32h745_watchdog_feed(); }

uint32_t board_build(void) {
    static const char build[] = IC_VERSION " " IC_BUILD;
    return ic_crc32(build, sizeof build - 1U);
}
