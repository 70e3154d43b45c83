/* The FIFO of 8 words through which each core receives from the other core, and its interrupt. Three users share it.
 * The kernel sends the word 0 to request a yield, a doorbell sends FIFO_RING (rp2040_interrupt.c), and the words of
 * messages have the top bit set.
 *
 * The kernel writes without checking for room. If the FIFO is full, its word is lost, which does no harm as long as the
 * FIFO already contains a word of the kernel. So the other users together must never fill all 8 entries: messages may
 * fill FIFO_SHARE entries, the doorbell one. */
#ifndef RP2040_FIFO_H
#define RP2040_FIFO_H

/* Before stdatomic.h: newlib's stdatomic.h needs the types of stdint.h if the compiler is clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#define FIFO_RING 1U
#define FIFO_MESSAGE 0x80000000U
#define FIFO_SHARE 6U

/* Must be a power of two */
#define FIFO_BOX_WORDS 128U

/* A buffer for words of messages, which the interrupt's handler fills. Word number n, counted from 0, has the index
 * n % FIFO_BOX_WORDS. The sender must not overwrite words that have not been read. */
struct rp2040_fifo_box {
    /* Points to the number of words put in so far, which the sender also reads */
    atomic_uint *put;
    /* The handler calls `arrived` when `wanted` words have been put in, if `waiting` is true, and sets it to false. */
    void (*arrived)(void);
    atomic_bool waiting;
    uint32_t wanted;
    uint32_t words[FIFO_BOX_WORDS];
};

/* From now on the words of messages to this core go into a buffer, until the buffer is closed. Call it in a task that
 * stays on the core. A doorbell that is already open must stay open; no doorbell can be opened until the buffer is
 * closed. */
void rp2040_fifo_open_box(struct rp2040_fifo_box *box);
void rp2040_fifo_close_box(void);

/* Whether a buffer is open on this core */
bool rp2040_fifo_has_box(uint32_t core);

/* Sends the first `count` words of a message to the other core, or as many as fit into the FIFO. Returns how many it
 * has sent. Call it in a task that stays on its core. */
uint32_t rp2040_fifo_send(const uint32_t *words, uint32_t count);

#endif
