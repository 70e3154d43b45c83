/* The inter-core FIFO through which each core receives words from the other core, and its interrupt.
 *
 * On the RP2040, where it has 8 entries, three users share it. The kernel sends the word 0 to request a yield, a
 * doorbell sends FIFO_RING (rp2040_interrupt.c), and the words of messages have the top bit set. The kernel writes
 * without checking for room. If the FIFO is full, the kernel's word is lost, which does no harm as long as the FIFO
 * already contains another word of the kernel. So the other two users together must never fill all entries: messages
 * may fill CHIP_FIFO_SHARE entries, and the doorbell may fill one. On the RP2350, where it has 4 entries, messages have
 * them all. */
#ifndef RP2_FIFO_H
#define RP2_FIFO_H

/* stdint.h comes before stdatomic.h because, with clang, newlib's stdatomic.h needs the types of stdint.h. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#define FIFO_RING 1U
#define FIFO_MESSAGE 0x80000000U

/* Must be a power of two */
#define FIFO_BOX_WORDS 128U

/* A buffer for the words of messages, which the handler of the FIFO's interrupt fills. Word number n, counted from 0,
 * has the index n % FIFO_BOX_WORDS. The sender must not overwrite words that have not been read. */
struct rp2_fifo_box {
    /* Points to the number of words put in so far, which the sending core also reads */
    atomic_uint *put;
    /* If `waiting` is true and at least `wanted` words have been put in, the handler sets `waiting` to false and calls
     * `arrived`. */
    void (*arrived)(void);
    atomic_bool waiting;
    uint32_t wanted;
    uint32_t words[FIFO_BOX_WORDS];
};

/* From rp2_fifo_open_box() until rp2_fifo_close_box(), the words of messages to this core go into the buffer
 * `box`. Call both in a task that stays on the core. A doorbell that is already open must stay open until the buffer is
 * closed; no doorbell can be opened before then. */
void rp2_fifo_open_box(struct rp2_fifo_box *box);
void rp2_fifo_close_box(void);

/* Whether a buffer is open on `core` */
bool rp2_fifo_has_box(uint32_t core);

/* Sends the first `count` words of a message to the other core, or as many as fit into the FIFO. Returns how many it
 * has sent. Call it in a task that stays on its core. */
uint32_t rp2_fifo_send(const uint32_t *words, uint32_t count);

#endif
