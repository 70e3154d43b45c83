/* A ring for messages of any size, from one sender to one receiver, in shared memory.
 *
 * The ring needs no lock and no kernel, and there are no pointers in shared memory. So the two ends may be tasks of one
 * kernel, of two kernels, or of two processes that map the memory at different addresses. Each word in shared memory is
 * written by one end only, so atomic loads and stores are sufficient. Memory of all zeros is an empty ring; clear it
 * before either end opens it.
 *
 * A message is contiguous, so that it can be written and read in place. The ring holds records: a header, which is the
 * size of the message, followed by the message, aligned to 8. If the next record does not fit before the end of the
 * ring, a special header sends the receiver to the beginning.
 *
 * Each end keeps a copy of the other end's index. The end reads the shared index only when, according to the copy, the
 * ring has no room (for the sender) or no message (for the receiver). Equal indexes mean an empty ring, so the sender
 * must not fill the ring to the last byte.
 *
 * Neither end trusts shared memory: indexes and sizes are checked before use. Users must check the contents of
 * messages, which a faulty other end may change at any time. */
#ifndef IC_SPSC_H
#define IC_SPSC_H

/* Must come first: with clang, newlib's stdatomic.h relies on stdint.h. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "waiting.h"

/* Alignment, in bytes, that keeps data of different writers on different cache lines */
#define IC_SPSC_LINE 64
/* Alignment of messages, and size of a header, in bytes */
#define IC_SPSC_ALIGN 8U
/* Bytes that a ring needs in addition to its capacity */
#define IC_SPSC_CONTROL_BYTES 192U

/* In shared memory, aligned to IC_SPSC_LINE. The indexes are offsets into `bytes`, below the capacity. */
struct ic_spsc {
    _Alignas(IC_SPSC_LINE) atomic_uint head; /* written by the sender: where the next record begins */
    _Alignas(IC_SPSC_LINE) atomic_uint tail; /* written by the receiver: the oldest record not yet released */
    /* Each end adds 1 to its count before and after each sleep. So the count is odd while that end sleeps or is about
     * to sleep. Rarely written. */
    _Alignas(IC_SPSC_LINE) atomic_uint sender_sleeps;
    atomic_uint receiver_sleeps;
    _Alignas(IC_SPSC_LINE) uint8_t bytes[];
};
_Static_assert(sizeof(struct ic_spsc) == IC_SPSC_CONTROL_BYTES, "three lines");

/* Private memory of one end. Only spsc.c accesses the members. */
struct ic_spsc_sender {
    struct ic_spsc *ring;
    uint32_t capacity;
    uint32_t head;   /* this end's index */
    uint32_t tail;   /* the other end's index when last read */
    uint32_t place;  /* where the reserved record begins */
    uint32_t sleeps; /* this end's count (struct ic_spsc) */
    uint32_t woken;  /* the receiver's count when this end last woke the receiver */
    struct ic_waiting waiting;
    bool corrupt;
};

struct ic_spsc_receiver {
    struct ic_spsc *ring;
    uint32_t capacity;
    uint32_t tail;
    uint32_t head;
    uint32_t next; /* position after the peeked record */
    uint32_t sleeps;
    uint32_t woken;
    struct ic_waiting waiting;
    bool corrupt;
};

/* Returns the capacity of a ring in `bytes` bytes of memory, with which both ends must be opened; 0 if `bytes` is too
 * small. */
uint32_t ic_spsc_capacity(uint32_t bytes);

/* Returns the size of the largest message that can always be sent, if necessary after waiting for the receiver. */
uint32_t ic_spsc_largest(uint32_t capacity);

/* Each end calls its own open function once. The other end may be open and active already. */
void ic_spsc_open_sender(struct ic_spsc_sender *sender, struct ic_spsc *ring, uint32_t capacity,
                         const struct ic_waiting *waiting);
void ic_spsc_open_receiver(struct ic_spsc_receiver *receiver, struct ic_spsc *ring, uint32_t capacity,
                           const struct ic_waiting *waiting);

/* Reserves room, aligned to 8, for a message of `size` bytes, at most ic_spsc_largest(). NULL if there is no room now.
 * The message is not sent before ic_spsc_publish(); the next reservation replaces one that was not published. */
void *ic_spsc_reserve(struct ic_spsc_sender *sender, uint32_t size);

/* Sends the reserved message, or its first `size` bytes. */
void ic_spsc_publish(struct ic_spsc_sender *sender, uint32_t size);

/* Returns the oldest message and its size; NULL if there is none now. The message does not change until it is
 * released. */
const void *ic_spsc_peek(struct ic_spsc_receiver *receiver, uint32_t *size);

/* Returns the memory of the peeked message to the sender. */
void ic_spsc_release(struct ic_spsc_receiver *receiver);

/* Like ic_spsc_reserve() and ic_spsc_peek(), but wait. Return NULL if wait() (struct ic_waiting) has given up, or if
 * the other end has written invalid data: then no more messages get through. */
void *ic_spsc_await_room(struct ic_spsc_sender *sender, uint32_t size);
const void *ic_spsc_await_message(struct ic_spsc_receiver *receiver, uint32_t *size);

#endif
