#include "rp2_fifo.h"

#include <stddef.h>

#include "hardware/irq.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "port_freertos.h"
#include "rp2040_interrupt.h"
#include "rp2040_trace.h"
#include "rp2_cores.h"

#define VLD 1U
#define RDY 2U
/* Maximum number of words that one call of the interrupt handler takes out of the FIFO: as many as the FIFO can hold
 * when the handler begins. Without this limit, a sender could keep the handler running, and so delay the tick and the
 * context switch. */
#define DEPTH 8U

static struct {
    struct rp2_fifo_box *box;
    irq_handler_t before; /* handler that was in the vector table before */
} sides[2];

static void tell(struct rp2_fifo_box *box, uint32_t put) {
    if (atomic_load_explicit(&box->waiting, memory_order_relaxed) && (int32_t)(put - box->wanted) >= 0) {
        atomic_store_explicit(&box->waiting, false, memory_order_relaxed);
        box->arrived();
    }
}

/* Handles the FIFO's interrupt, which stays pending until the FIFO is empty. It does not call the kernel's own handler,
 * because that handler discards all words in the FIFO, and words of a message may have arrived in the meantime. */
static void fifo_has_message(void) {
    uint32_t core = get_core_num();
    struct rp2_fifo_box *box = sides[core].box;
    uint32_t put = atomic_load_explicit(box->put, memory_order_relaxed);
    bool others = false;
    for (uint32_t words = 0; words < DEPTH && (sio_hw->fifo_st & VLD) != 0; words++) {
        uint32_t word = sio_hw->fifo_rd;
        if ((word & FIFO_MESSAGE) != 0) {
            box->words[put++ % FIFO_BOX_WORDS] = word;
            atomic_store_explicit(box->put, put, memory_order_release);
        } else {
            others = true;
        }
    }
    multicore_fifo_clear_irq();
    tell(box, put);
    if (others) {
        /* The words without FIFO_MESSAGE come from a doorbell or from the kernel. It does not matter from which: a ring
         * also sets a flag, which this call tests, and an unnecessary yield is harmless. */
        rp2040_interrupt_answer_ring(core);
        port_freertos_yield_from_handler();
    }
}

void rp2_fifo_open_box(struct rp2_fifo_box *box) {
    uint32_t core = get_core_num();
    sides[core].box = box;
    sides[core].before = rp2_cores_handler(core, SIO_IRQ_PROC0 + core);
    rp2_cores_set_handler(core, SIO_IRQ_PROC0 + core, fifo_has_message);
}

void rp2_fifo_close_box(void) {
    uint32_t core = get_core_num();
    rp2_cores_set_handler(core, SIO_IRQ_PROC0 + core, sides[core].before);
    sides[core].box = NULL;
}

bool rp2_fifo_has_box(uint32_t core) { return sides[core].box != NULL; }

/* Interrupts are masked, because other code on this core might fill the FIFO's last free entry between the check and
 * the write. */
uint32_t rp2_fifo_send(const uint32_t *words, uint32_t count) {
    uint32_t sent = 0;
    uint32_t mask = save_and_disable_interrupts();
    rp2040_trace_ring();
    while (sent < count && (sio_hw->fifo_st & RDY) != 0) {
        sio_hw->fifo_wr = words[sent++] | FIFO_MESSAGE;
    }
    restore_interrupts(mask);
    return sent;
}
