/* The FIFO of 8 words into each core, and its interrupt, which three users share: the kernel, whose word is 0 and
 * requests a yield; the core's doorbell (rp2040_interrupt.c), whose word is FIFO_RING; and messages, whose words have
 * the top bit.
 *
 * The kernel writes without a check for room. That loses nothing if one of its own words is in a full FIFO. So the
 * other users together must never take all 8 places: messages have FIFO_SHARE, the doorbell one. */
#ifndef RP2040_FIFO_H
#define RP2040_FIFO_H

/* First: newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#define FIFO_RING 1U
#define FIFO_MESSAGE 0x80000000U
#define FIFO_SHARE 6U

/* A power of two. */
#define FIFO_BOX_WORDS 128U

/* Buffer for words of messages, filled by the interrupt's handler: number n, from 0, at words[n % FIFO_BOX_WORDS]. The
 * sender must not overwrite words that have not been read. */
struct rp2040_fifo_box {
    /* Number of words put in, visible to the sender */
    atomic_uint *put;
    /* Called in the handler when `wanted` words have been put in, if `waiting`, which becomes false */
    void (*arrived)(void);
    atomic_bool waiting;
    uint32_t wanted;
    uint32_t words[FIFO_BOX_WORDS];
};

/* Directs words of messages to this core into a buffer, until it is closed. Call it in a task that stays on the core. A
 * doorbell may be open before, and must stay open; none can be opened until then. */
void rp2040_fifo_open_box(struct rp2040_fifo_box *box);
void rp2040_fifo_close_box(void);

/* Whether the core has one */
bool rp2040_fifo_has_box(uint32_t core);

/* Sends the first `count` words of a message to the other core, or as many as fit into the FIFO; returns the number.
 * Call it in a task that stays on its core. */
uint32_t rp2040_fifo_send(const uint32_t *words, uint32_t count);

#endif
