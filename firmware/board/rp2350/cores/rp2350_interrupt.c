/* Implements port_interrupt.h: its timer is an alarm of TIMER0, and its doorbells share the cores' doorbell interrupt
 * with the kernel. A handler runs to its end before another one begins, so these handlers delay the kernel's tick and
 * its switches. */
#include "hardware/irq.h"
#include "hardware/sync.h"
#include "port_freertos.h"
#include "port_interrupt.h"
#include "rp2350_clock.h"
#include "rp2350_registers.h"
#include "rp2_clocks.h"
#include "rp2_cores.h"

#define CYCLES_PER_US (CLOCKS_SYS_HZ / CLOCKS_US_HZ)
#define RUNG (portDOORBELL << 1U) /* the doorbell bit next to the kernel's */

static struct {
    void (*handler)(void *arg);
    void *arg;
} doorbells[2];

/* Core n handles the interrupt of alarm n. Therefore each core may leave this interrupt enabled: it fires only if
 * alarm n is set. */
static struct {
    uint32_t core;
    uint32_t bit; /* the alarm's bit in TIMER0's registers */
    void (*handler)(void *arg);
    void *arg;
} timer;

/* ---- the timer ---- */

/* Runs on the core whose interrupt it is: a core can enable only its own interrupts. */
static void enable(void *number) { irq_set_enabled((uintptr_t)number, true); }

static enum port_error enable_on(uint32_t core, uintptr_t number) {
    static port_task_t task;
    struct port_task_config config = {
        .name = "enable", .entry = enable, .arg = (void *)number, .core = core, .priority = PORT_PRIORITY_MAX};
    enum port_error error = port_task_start(&task, &config);
    if (error == PORT_OK) {
        port_task_join(&task);
    }
    return error;
}

static void alarm_fires(void) {
    TIMER_INTR = timer.bit;
    timer.handler(timer.arg);
}

enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    timer.core = core;
    timer.bit = 1U << core;
    timer.handler = handler;
    timer.arg = arg;
    rp2_cores_set_handler(core, TIMER_IRQ_0 + core, alarm_fires);
    enum port_error error = enable_on(core, TIMER_IRQ_0 + core);
    TIMER_INTE = error == PORT_OK ? timer.bit : 0;
    return error;
}

void port_timer_close(void) {
    TIMER_INTE = 0;
    TIMER_ARMED = timer.bit; /* disarms it */
    TIMER_INTR = timer.bit;
}

uint64_t port_timer_set(uint64_t when) {
    uint64_t us = (when - rp2350_clock_phase() + CYCLES_PER_US - 1U) / CYCLES_PER_US;
    TIMER_ALARM(timer.core) = (uint32_t)us; /* arms it */
    return us * CYCLES_PER_US + rp2350_clock_phase();
}

/* ---- doorbells ---- */

/* The bits are cleared before the handlers run, so that a ring during a handler is not lost. */
static void rung(void) {
    uint32_t core = get_core_num();
    uint32_t bits = SIO_DOORBELL_IN_CLR;
    if ((bits & RUNG) != 0) {
        SIO_DOORBELL_IN_CLR = RUNG;
        doorbells[core].handler(doorbells[core].arg);
    }
    if ((bits & portDOORBELL) != 0) {
        vPortDoorbell();
    }
}

enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    doorbells[core].handler = handler;
    doorbells[core].arg = arg;
    rp2_cores_set_handler(core, SIO_IRQ_BELL, rung);
    return PORT_OK;
}

static void ignore(void *arg) { (void)arg; }

/* A ring that is still pending finds a handler that does nothing. */
void port_doorbell_close(uint32_t core) { doorbells[core].handler = ignore; }

void port_doorbell_ring(uint32_t core) {
    uint32_t mask = save_and_disable_interrupts(); /* the task must not migrate */
    if (core == get_core_num()) {
        SIO_DOORBELL_IN_SET = RUNG;
    } else {
        SIO_DOORBELL_OUT_SET = RUNG;
    }
    restore_interrupts(mask);
}
