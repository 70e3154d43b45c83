/* The FIFO between the cores (DS 3.1.5) on this chip, where only messages use it. */
#include "hardware/irq.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "rp2_cores.h"
#include "rp2_fifo.h"

#define VLD 1U
#define RDY 2U
/* Maximum number of words that one call of the interrupt handler takes out of the FIFO: as many as it can hold when the
 * handler begins. Without this limit, a sender could keep the handler running, and so delay the tick. */
#define DEPTH 4U

static struct rp2_fifo_box *boxes[2];

static void tell(struct rp2_fifo_box *box, uint32_t put) {
    if (atomic_load_explicit(&box->waiting, memory_order_relaxed) && (int32_t)(put - box->wanted) >= 0) {
        atomic_store_explicit(&box->waiting, false, memory_order_relaxed);
        box->arrived();
    }
}

/* Handles the FIFO's interrupt, which stays pending until the FIFO is empty. */
static void fifo_has_message(void) {
    struct rp2_fifo_box *box = boxes[get_core_num()];
    uint32_t put = atomic_load_explicit(box->put, memory_order_relaxed);
    for (uint32_t words = 0; words < DEPTH && (sio_hw->fifo_st & VLD) != 0; words++) {
        box->words[put++ % FIFO_BOX_WORDS] = sio_hw->fifo_rd;
        atomic_store_explicit(box->put, put, memory_order_release);
    }
    multicore_fifo_clear_irq();
    tell(box, put);
}

void rp2_fifo_open_box(struct rp2_fifo_box *box) {
    uint32_t core = get_core_num();
    multicore_fifo_drain();
    boxes[core] = box;
    rp2_cores_set_handler(core, SIO_IRQ_FIFO, fifo_has_message);
    irq_set_enabled(SIO_IRQ_FIFO, true);
}

void rp2_fifo_close_box(void) {
    irq_set_enabled(SIO_IRQ_FIFO, false);
    boxes[get_core_num()] = NULL;
}

bool rp2_fifo_has_box(uint32_t core) { return boxes[core] != NULL; }

/* Interrupts are masked, because the task must not migrate. */
uint32_t rp2_fifo_send(const uint32_t *words, uint32_t count) {
    uint32_t sent = 0;
    uint32_t mask = save_and_disable_interrupts();
    while (sent < count && (sio_hw->fifo_st & RDY) != 0) {
        sio_hw->fifo_wr = words[sent++] | FIFO_MESSAGE;
    }
    restore_interrupts(mask);
    return sent;
}
