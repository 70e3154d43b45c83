/* The FIFO of 8 words into each core, and its interrupt, shared by three: the kernel, whose word is 0 and asks the core
 * to yield; the core's doorbell (rp2040_interrupt.c), whose word is FIFO_RING; and messages, whose words have the
 * top bit.
 *
 * The kernel writes without looking whether there is room. That loses nothing while a word of its own is among those
 * that fill the FIFO. So the others together must never take all 8 places: messages have FIFO_SHARE, the doorbell one.
 */
#ifndef RP2040_FIFO_H
#define RP2040_FIFO_H

/* First, as newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#define FIFO_RING 1U
#define FIFO_MESSAGE 0x80000000U
#define FIFO_SHARE 6U

/* A power of two. */
#define FIFO_BOX_WORDS 128U

/* Where the interrupt's handler puts the words of messages: number n, from 0 up, at words[n % FIFO_BOX_WORDS]. Who
 * sends sees to it that none is overwritten before it is read. */
struct rp2040_fifo_box {
    /* Words that have been put in; where the sender can see it. */
    atomic_uint *put;
    /* Called in the handler when `wanted` words have been put in, if `waiting`, which becomes false. */
    void (*arrived)(void);
    atomic_bool waiting;
    uint32_t wanted;
    uint32_t words[FIFO_BOX_WORDS];
};

/* Lets words of messages to this core come into a box, until it is closed. By a task that stays on the core. A doorbell
 * may be open before, and must stay so; none can be opened meanwhile. */
void rp2040_fifo_open_box(struct rp2040_fifo_box *box);
void rp2040_fifo_close_box(void);

/* Whether the core has one. */
bool rp2040_fifo_has_box(uint32_t core);

/* Sends words to the other core as words of a message, the first `count` or as many as there is room for in the FIFO;
 * returns how many. By a task that stays on its core. */
uint32_t rp2040_fifo_send(const uint32_t *words, uint32_t count);

#endif
