/* The functions that port/freertos_amp (a kernel on each core) needs from the board, for the RP2040 */
#include "crc32.h"
#include "hardware/irq.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "port_amp.h"
#include "port_freertos.h"
#include "port_interrupt.h"
#include "port_lock.h"
#include "rp2040_clock.h"
#include "rp2040_cores.h"
#include "rp2040_registers.h"
#include "rp2040_tick.h"
#include "rp2040_trace.h"
#include "rp2040_watchdog.h"
#include "rp2_board.h"
#include "rp2_clocks.h"
#include "rp2_launch.h"

#define LOWEST_PRIORITY 255U
#define FIFO_VLD 1U
#define FIFO_RDY 2U
/* The lock between the cores: a hardware spinlock that the SDK reserves for operating systems. Neither kernel uses
 * it. */
#define LOCK PICO_SPINLOCK_ID_OS1
#define WATCHDOG_TRIGGER (1U << 31U)
/* Time limit for the launch of core 1. Its boot ROM answers within a few microseconds or, if a word was lost, never. */
#define LAUNCH_MS 100U
#define CYCLES_PER_US (CLOCKS_SYS_HZ / CLOCKS_US_HZ)

uint32_t board_core(void) { return get_core_num(); }

bool board_in_handler(void) { return __get_current_exception() != 0; }

uint32_t board_build(void) {
    static const char made[] = IC_FLAGS " " IC_COMPILER;
    return ic_crc32(made, sizeof made);
}

/* ---- the doorbell: a word of any value, sent to the other core through the FIFO (DS 2.3.1.4) ---- */

/* If the FIFO is full, no word is needed: the other core's interrupt is already pending. */
void board_ring(void) {
    rp2040_trace_ring();
    __dmb();
    if ((sio_hw->fifo_st & FIFO_RDY) != 0) {
        sio_hw->fifo_wr = 1;
    }
}

static void rung(void) {
    multicore_fifo_drain();
    multicore_fifo_clear_irq();
    port_amp_rung();
}

static void handle(uint32_t number, irq_handler_t handler) {
    irq_set_exclusive_handler(number, handler);
    irq_set_priority(number, LOWEST_PRIORITY); /* the kernel's priority, so that neither interrupts the other */
    irq_set_enabled(number, true);
}

void board_doorbell_start(void) {
    handle(SIO_IRQ_PROC0 + get_core_num(), rung);
    handle(SPARE_IRQ, port_amp_doorbell);
}

void board_ring_self(void) { NVIC_ISPR = 1U << SPARE_IRQ; }

/* ---- the lock between the cores ---- */

uint32_t board_lock(void) {
    uint32_t mask = save_and_disable_interrupts();
    spin_lock_unsafe_blocking(spin_lock_instance(LOCK));
    return mask;
}

void board_unlock(uint32_t mask) { spin_unlock(spin_lock_instance(LOCK), mask); }

/* ---- core 1 ---- */

/* The first words of core 1's image (rp2040_first_words in core_1.c) */
extern const struct {
    uint32_t stack;
    uint32_t entry;
} board_core_1_image;

static TickType_t launch_began;

static bool goes_on(void) {
    vTaskDelay(1);
    return xTaskGetTickCount() - launch_began < pdMS_TO_TICKS(LAUNCH_MS);
}

/* If core 1 does not answer, perhaps only its last echo was lost and it is already running the image. So core 1 is
 * reset. */
bool board_start_core_1(void) {
    launch_began = xTaskGetTickCount();
    bool launched =
        rp2_launch_core_1(rp2040_cores_table(1), board_core_1_image.stack, board_core_1_image.entry, goes_on);
    if (!launched) {
        multicore_reset_core1();
    }
    return launched;
}

void board_core_1_runs(void) { rp2040_tick_start(); }

void board_alive(void) { rp2040_watchdog_feed(); }

/* Restarts the chip, whichever core has panicked, because the data that both cores share can no longer be trusted. */
void board_end(uint32_t status) {
    (void)status;
    SET_BITS(WATCHDOG_CTRL) = WATCHDOG_TRIGGER;
    for (;;) {
        __asm volatile("wfe");
    }
}

/* ---- the timer: core n handles the interrupt of alarm n ---- */

static struct {
    void (*handler)(void *arg);
    void *arg;
} timer;

static void alarm_fires(void) {
    TIMER_INTR = 1U << get_core_num();
    timer.handler(timer.arg);
}

enum port_error board_timer_open(void (*handler)(void *arg), void *arg) {
    uint32_t core = get_core_num();
    timer.handler = handler;
    timer.arg = arg;
    handle(TIMER_IRQ_0 + core, alarm_fires);
    TIMER_INTE = 1U << core;
    return PORT_OK;
}

/* Closes the timer, whichever core opened it: only one timer is open at a time. */
void board_timer_close(void) {
    uint32_t both = 3;
    TIMER_INTE = 0;
    TIMER_ARMED = both; /* disarms both alarms */
    TIMER_INTR = both;
}

uint64_t port_timer_set(uint64_t when) {
    uint64_t us = (when - rp2040_clock_phase() + CYCLES_PER_US - 1U) / CYCLES_PER_US;
    TIMER_ALARM(get_core_num()) = (uint32_t)us; /* arms it */
    return us * CYCLES_PER_US + rp2040_clock_phase();
}
