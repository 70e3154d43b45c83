/* A ring for messages of any size, from one sender to one receiver, in memory that both can reach.
 *
 * No lock, no kernel, no pointer in shared memory: the two ends may be tasks of one kernel, of two kernels, or of two
 * processes that see the memory at different addresses. Each word in shared memory is written by one end only, so it
 * needs no atomic operation but load and store. Memory that is all zero is an empty ring; it is to be zeroed before
 * either end opens it.
 *
 * A message is never split, so that it can be made and read in place. In the ring stand records: a header, which is the
 * size of its message, and behind it the message, aligned to 8. Where the next record does not fit before the end of
 * the ring, a header that says so sends the receiver to the beginning.
 *
 * Each end keeps its own copy of the other's index and looks at the shared one only when that copy says full, or
 * empty. The sender may not fill the ring to the last byte: equal indexes mean empty.
 *
 * Neither end trusts what it finds in shared memory: indexes and sizes are checked before they are used. Contents of
 * messages are the users' to judge, and may change under their eyes if the other end is corrupt. */
#ifndef IC_SPSC_H
#define IC_SPSC_H

/* First, as newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "waiting.h"

/* What different ends write stands on different cache lines. */
#define IC_SPSC_LINE 64
/* Alignment of messages, and the unit of their places; a header takes as much. */
#define IC_SPSC_ALIGN 8U
/* What a ring takes up beside its capacity. */
#define IC_SPSC_CONTROL_BYTES 192U

/* In shared memory, aligned to IC_SPSC_LINE. The indexes are offsets into `bytes`, below the capacity. */
struct ic_spsc {
    _Alignas(IC_SPSC_LINE) atomic_uint head; /* the sender's: where the next record begins */
    _Alignas(IC_SPSC_LINE) atomic_uint tail; /* the receiver's: the oldest record that it has not given back */
    /* How often each end has begun or ended a sleep: odd while it sleeps or is about to. Seldom written. */
    _Alignas(IC_SPSC_LINE) atomic_uint sender_sleeps;
    atomic_uint receiver_sleeps;
    _Alignas(IC_SPSC_LINE) uint8_t bytes[];
};
_Static_assert(sizeof(struct ic_spsc) == IC_SPSC_CONTROL_BYTES, "three lines");

/* The ends' own memory, which the other never sees. All members belong to spsc.c. */
struct ic_spsc_sender {
    struct ic_spsc *ring;
    uint32_t capacity;
    uint32_t head;   /* ours */
    uint32_t tail;   /* the other's, when we looked last */
    uint32_t place;  /* of the record that is reserved */
    uint32_t sleeps; /* that we have begun and ended */
    uint32_t woken;  /* the receiver's sleep that we ended last */
    struct ic_waiting waiting;
    bool corrupt;
};

struct ic_spsc_receiver {
    struct ic_spsc *ring;
    uint32_t capacity;
    uint32_t tail;
    uint32_t head;
    uint32_t next; /* what follows the record that is looked at */
    uint32_t sleeps;
    uint32_t woken;
    struct ic_waiting waiting;
    bool corrupt;
};

/* Bytes for messages in a ring that takes up `bytes` of memory: what the ends are to be opened with. 0: too few. */
uint32_t ic_spsc_capacity(uint32_t bytes);

/* The largest message that always gets through, after some waiting. */
uint32_t ic_spsc_largest(uint32_t capacity);

/* Each is called once, by its own end. The other end may be open and at work already. */
void ic_spsc_open_sender(struct ic_spsc_sender *sender, struct ic_spsc *ring, uint32_t capacity,
                         const struct ic_waiting *waiting);
void ic_spsc_open_receiver(struct ic_spsc_receiver *receiver, struct ic_spsc *ring, uint32_t capacity,
                           const struct ic_waiting *waiting);

/* Room for a message of `size` bytes, at most ic_spsc_largest(), aligned to 8; NULL if there is none now. Nothing is
 * sent before it is published; a reservation that is not published is forgotten at the next one. */
void *ic_spsc_reserve(struct ic_spsc_sender *sender, uint32_t size);

/* Sends what was reserved, or its first `size` bytes. */
void ic_spsc_publish(struct ic_spsc_sender *sender, uint32_t size);

/* The oldest message and its size; NULL if there is none now. It stays where it is, and the same, until it is released.
 */
const void *ic_spsc_peek(struct ic_spsc_receiver *receiver, uint32_t *size);

/* Gives the memory of the message that was looked at back to the sender. */
void ic_spsc_release(struct ic_spsc_receiver *receiver);

/* The same, but they wait. NULL if wait() has given up, or if the other end is corrupt: what it wrote makes no sense,
 * and nothing gets through any more. */
void *ic_spsc_await_room(struct ic_spsc_sender *sender, uint32_t size);
const void *ic_spsc_await_message(struct ic_spsc_receiver *receiver, uint32_t *size);

#endif
