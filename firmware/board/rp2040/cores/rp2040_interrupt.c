/* Implements port_interrupt.h: its timer is an alarm of TIMER, and its doorbells share the interrupt of the inter-core
 * FIFO with the kernel.
 *
 * All of these interrupts have the kernel's own priority, the lowest. The kernel's critical sections mask all
 * interrupts (PRIMASK; a Cortex-M0+ cannot mask by priority). The handlers of these interrupts delay the kernel tick
 * and the context switch, which have the same priority. */
#include "rp2040_interrupt.h"

#include <stdatomic.h>

#include "hardware/irq.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "port_interrupt.h"
#include "rp2040_clock.h"
#include "rp2040_registers.h"
#include "rp2040_trace.h"
#include "rp2_clocks.h"
#include "rp2_cores.h"
#include "rp2_fifo.h"

#define LOWEST_PRIORITY 255U
#define CYCLES_PER_US (CLOCKS_SYS_HZ / CLOCKS_US_HZ)

struct doorbell {
    void (*handler)(void *arg);
    void *arg;
    irq_handler_t kernel; /* handler that was in the vector table before */
    atomic_bool rung;     /* the doorbell was rung, and the handler has not begun yet */
};

static struct doorbell doorbells[2];

/* Core n handles the interrupt of alarm n. Therefore each core may leave this interrupt enabled: it fires only if
 * alarm n is set. */
static struct {
    uint32_t core;
    uint32_t bit; /* the alarm's bit in TIMER's registers */
    void (*handler)(void *arg);
    void *arg;
} timer;

/* ---- enabling interrupts: a core can enable only its own interrupts ---- */

static void enable(void *number) {
    irq_set_priority((uintptr_t)number, LOWEST_PRIORITY);
    irq_set_enabled((uintptr_t)number, true);
}

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

/* ---- the timer ---- */

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
    uint64_t us = (when - rp2040_clock_phase() + CYCLES_PER_US - 1U) / CYCLES_PER_US;
    TIMER_ALARM(timer.core) = (uint32_t)us; /* arms it */
    return us * CYCLES_PER_US + rp2040_clock_phase();
}

/* ---- doorbells ---- */

static void handle_ring(struct doorbell *doorbell) {
    /* The flag is cleared before the handler runs, so that a ring during the handler is not lost. */
    atomic_store(&doorbell->rung, false);
    doorbell->handler(doorbell->arg);
}

/* Handles the interrupt (SPARE_IRQ) that a core raises to ring its own doorbell. */
static void rung_by_itself(void) {
    struct doorbell *doorbell = &doorbells[get_core_num()];
    doorbell->handler(doorbell->arg);
}

/* Handles words from the other core: the kernel's requests to yield, a ring, or both. The sender sets the flag `rung`
 * before it sends the word; here the FIFO is emptied before the flag is tested, so no ring is missed. At most a few of
 * the FIFO's 8 words are rings. So if a request to yield did not fit into the FIFO, another request was already in
 * it. */
static void fifo_has_words(void) {
    struct doorbell *doorbell = &doorbells[get_core_num()];
    bool yield = false;
    while ((sio_hw->fifo_st & 1U) != 0) { /* VLD */
        yield = sio_hw->fifo_rd != FIFO_RING || yield;
    }
    multicore_fifo_clear_irq();
    if (atomic_load(&doorbell->rung)) {
        handle_ring(doorbell);
    }
    if (yield) {
        doorbell->kernel();
    }
}

/* Calls the doorbell handler of `core` if its doorbell was rung. For the FIFO handler in rp2040_fifo.c, which reads the
 * FIFO itself because it also receives the words of messages. */
void rp2040_interrupt_answer_ring(uint32_t core) {
    if (atomic_load(&doorbells[core].rung)) {
        handle_ring(&doorbells[core]);
    }
}

enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    if (rp2_fifo_has_box(core)) {
        return PORT_ERR_RESOURCE; /* the doorbell's handler would replace the handler that receives messages */
    }
    struct doorbell *doorbell = &doorbells[core];
    doorbell->handler = handler;
    doorbell->arg = arg;
    doorbell->kernel = rp2_cores_handler(core, SIO_IRQ_PROC0 + core);
    atomic_store(&doorbell->rung, false);
    rp2_cores_set_handler(core, SPARE_IRQ, rung_by_itself);
    enum port_error error = enable_on(core, SPARE_IRQ);
    if (error == PORT_OK) {
        rp2_cores_set_handler(core, SIO_IRQ_PROC0 + core, fifo_has_words);
    }
    return error;
}

/* A ring that is still in the FIFO then reaches the kernel's own handler, which only yields unnecessarily. */
void port_doorbell_close(uint32_t core) { rp2_cores_set_handler(core, SIO_IRQ_PROC0 + core, doorbells[core].kernel); }

void port_doorbell_ring(uint32_t core) {
    uint32_t mask = save_and_disable_interrupts(); /* the task must not migrate */
    if (core == get_core_num()) {
        NVIC_ISPR = 1U << SPARE_IRQ;
    } else if (!atomic_load(&doorbells[core].rung)) {
        atomic_store(&doorbells[core].rung, true);
        rp2040_trace_ring();
        sio_hw->fifo_wr = FIFO_RING;
    }
    restore_interrupts(mask);
}
