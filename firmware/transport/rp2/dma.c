/* The transport `dma`: a DMA channel copies the message from the sender's memory to the receiver's, and its completion
 * interrupt, on the receiver's core, wakes the receiver; a polling receiver polls the channel's interrupt status
 * instead. Neither core copies the message itself.
 *
 * The receiver publishes the destination in shared memory. The sender, which may have to wait for the destination,
 * starts the channel and returns when the channel has finished. The channel copies words if the size is a multiple of
 * 4, otherwise bytes. */
#include "chip.h"
#include "hardware/irq.h"
#include "port_interrupt.h"
#include "rp2_board.h"
#include "rp2_clocks.h"
#include "rp2_cores.h"
#include "transports.h"

#define CHANNEL 0U
#define DONE (1U << CHANNEL)
#define LOWEST_PRIORITY 255U
#define WORD_BYTES 4U
/* Bytes of the chip's SRAM, which holds the destination: no message can be larger */
#define SRAM_BYTES (CHIP_SRAM_END - 0x20000000U)

/* In shared memory: */
struct shared {
    atomic_uint wanted; /* number of messages that the receiver has requested */
    uint32_t to;        /* destination of the message requested last */
    atomic_uint asleep; /* 1 while the sender sleeps or is about to sleep */
    uint32_t size;      /* bytes of the message in progress */
};

/* Used by the sender only: */
static uint32_t sent;

/* Used by the receiver only: */
static uint32_t asked;
static port_task_t *task;
static atomic_bool completed;

static struct shared *shared_of(const struct ic_transport_end *end) { return end->setup->memory; }

static uint32_t dma_capacity(const struct ic_transport_setup *setup) {
    return setup->memory_bytes < sizeof(struct shared) ? 0 : SRAM_BYTES;
}

/* Handles the channel's completion interrupt, on the receiver's core. */
static void dma_is_done(void) {
    DMA_INTS(get_core_num()) = DONE;
    atomic_store(&completed, true);
    port_notify_from_handler(task);
}

static void open_receiver(const struct ic_transport_end *end) {
    uint32_t core = end->setup->to;
    asked = 0;
    task = port_task_self();
    atomic_store(&completed, false);
    if (!end->setup->polling) {
        rp2_cores_set_handler(core, DMA_IRQ_0 + core, dma_is_done);
        irq_set_priority(DMA_IRQ_0 + core, LOWEST_PRIORITY);
        irq_set_enabled(DMA_IRQ_0 + core, true);
        DMA_INTE(core) = DONE;
    }
}

static bool dma_open(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        open_receiver(end);
        return true;
    }
    struct shared *shared = shared_of(end);
    sent = 0;
    atomic_store(&shared->wanted, 0);
    atomic_store(&shared->asleep, 0);
    rp2_clocks_reset_blocks(RESET_DMA);
    return true;
}

static void dma_close(struct ic_transport_end *end) {
    uint32_t core = end->setup->to;
    if (end->role == IC_TRANSPORT_RECEIVER && !end->setup->polling) {
        DMA_INTE(core) = 0;
        irq_set_enabled(DMA_IRQ_0 + core, false);
    }
}

/* ---- sending ---- */

static bool is_wanted(const struct shared *shared) {
    return atomic_load_explicit(&shared->wanted, memory_order_acquire) == sent + 1U;
}

static bool await_receiver(struct ic_transport_end *end) {
    struct shared *shared = shared_of(end);
    while (!is_wanted(shared)) {
        if (ic_transport_over(end)) {
            return false;
        }
        if (!end->setup->polling) {
            /* Set `asleep`, then check again. The receiver first requests, then reads `asleep`: no wake-up is lost. */
            atomic_store(&shared->asleep, 1);
            if (!is_wanted(shared)) {
                end->wait(end);
            }
            atomic_store(&shared->asleep, 0);
        }
    }
    return true;
}

static bool dma_send(struct ic_transport_end *end, const void *message) {
    struct shared *shared = shared_of(end);
    if (!await_receiver(end)) {
        return false;
    }
    uint32_t size = end->setup->size;
    uint32_t control =
        DMA_CTRL_EN | DMA_CTRL_INCR_READ | DMA_CTRL_INCR_WRITE | DMA_CTRL_CHAIN_TO(CHANNEL) | DMA_CTRL_TREQ_PERMANENT;
    bool in_words = size % WORD_BYTES == 0;
    sent++;
    shared->size = size;
    DMA_READ_ADDR(CHANNEL) = (uintptr_t)message;
    DMA_WRITE_ADDR(CHANNEL) = shared->to;
    DMA_TRANS_COUNT(CHANNEL) = in_words ? size / WORD_BYTES : size;
    atomic_thread_fence(memory_order_release);
    DMA_CTRL_TRIG(CHANNEL) = control | (in_words ? DMA_CTRL_SIZE_WORD : 0);
    while ((DMA_CTRL_TRIG(CHANNEL) & DMA_CTRL_BUSY) != 0) {
    }
    return true;
}

/* ---- receiving ---- */

static void ask(struct ic_transport_end *end, void *message) {
    struct shared *shared = shared_of(end);
    shared->to = (uintptr_t)message;
    atomic_store(&shared->wanted, ++asked);
    if (!end->setup->polling && atomic_load(&shared->asleep) != 0) {
        end->wake(end);
    }
}

static bool is_complete(const struct ic_transport_end *end) {
    bool polling = end->setup->polling;
    bool done = polling ? (DMA_INTR & DONE) != 0 : atomic_load(&completed);
    if (done && polling) {
        DMA_INTR = DONE;
    } else if (done) {
        atomic_store(&completed, false); /* loses no completion: the next message is not requested yet */
    }
    return done;
}

static uint32_t dma_receive(struct ic_transport_end *end, void *message) {
    ask(end, message);
    while (!is_complete(end)) {
        if (ic_transport_over(end)) {
            return 0;
        }
        if (!end->setup->polling) {
            end->wait(end);
        }
    }
    atomic_thread_fence(memory_order_acquire);
    uint32_t size = shared_of(end)->size;
    return size < end->setup->size ? size : end->setup->size;
}

const struct ic_transport ic_transport_dma = {
    .name = "dma",
    .summary = "a DMA channel copies from the sender's memory to the receiver's; its interrupt wakes the receiver",
    .capacity = dma_capacity,
    .open = dma_open,
    .close = dma_close,
    .send = dma_send,
    .receive = dma_receive,
};
