/* A ring for messages of any size, from one sender to one receiver, in shared memory.
 *
 * No lock, no kernel, no pointer in shared memory: the two ends may be tasks of one kernel, of two kernels, or of two
 * processes that map the memory at different addresses. Each word in shared memory is written by one end only, so
 * atomic loads and stores are sufficient. Memory of all zeros is an empty ring; clear it before either end opens it.
 *
 * A message is contiguous, so that it can be written and read in place. The ring holds records: a header, which is the
 * size of the message, followed by the message, aligned to 8. If the next record does not fit before the end of the
 * ring, a special header sends the receiver to the beginning.
 *
 * Each end caches the other's index and reads the shared one only when the cached one means full, or empty. The sender
 * may not fill the ring to the last byte: equal indexes mean empty.
 *
 * Neither end trusts shared memory: indexes and sizes are checked before use. Users must check the contents of
 * messages, which a corrupt other end may change at any time. */
#ifndef IC_SPSC_H
#define IC_SPSC_H

/* First: newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "waiting.h"

/* Data of different writers are on different cache lines. */
#define IC_SPSC_LINE 64
/* Alignment of messages; a header takes as much */
#define IC_SPSC_ALIGN 8U
/* Overhead of a ring, in addition to its capacity */
#define IC_SPSC_CONTROL_BYTES 192U

/* In shared memory, aligned to IC_SPSC_LINE. The indexes are offsets into `bytes`, below the capacity. */
struct ic_spsc {
    _Alignas(IC_SPSC_LINE) atomic_uint head; /* the sender's: where the next record begins */
    _Alignas(IC_SPSC_LINE) atomic_uint tail; /* the receiver's: the oldest record not yet released */
    /* Number of begins and ends of each end's sleep: odd while it sleeps or is about to. Rarely written. */
    _Alignas(IC_SPSC_LINE) atomic_uint sender_sleeps;
    atomic_uint receiver_sleeps;
    _Alignas(IC_SPSC_LINE) uint8_t bytes[];
};
_Static_assert(sizeof(struct ic_spsc) == IC_SPSC_CONTROL_BYTES, "three lines");

/* Private memory of an end. All members belong to spsc.c. */
struct ic_spsc_sender {
    struct ic_spsc *ring;
    uint32_t capacity;
    uint32_t head;   /* this end's */
    uint32_t tail;   /* the other's, when last read */
    uint32_t place;  /* of the reserved record */
    uint32_t sleeps; /* begins and ends of this end's sleep */
    uint32_t woken;  /* the receiver's sleep that this end ended last */
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

/* Capacity of a ring in `bytes` of memory, to open its ends with. 0: too little memory. */
uint32_t ic_spsc_capacity(uint32_t bytes);

/* The largest message that always gets through, possibly after a wait */
uint32_t ic_spsc_largest(uint32_t capacity);

/* Each is called once, by its own end. The other end may be open and active already. */
void ic_spsc_open_sender(struct ic_spsc_sender *sender, struct ic_spsc *ring, uint32_t capacity,
                         const struct ic_waiting *waiting);
void ic_spsc_open_receiver(struct ic_spsc_receiver *receiver, struct ic_spsc *ring, uint32_t capacity,
                           const struct ic_waiting *waiting);

/* Reserves room for a message of `size` bytes, at most ic_spsc_largest(), aligned to 8; NULL if there is none now.
 * Nothing is sent before it is published; the next reservation cancels one that is not published. */
void *ic_spsc_reserve(struct ic_spsc_sender *sender, uint32_t size);

/* Sends the reserved message, or its first `size` bytes. */
void ic_spsc_publish(struct ic_spsc_sender *sender, uint32_t size);

/* Returns the oldest message and its size; NULL if there is none now. It does not change until it is released. */
const void *ic_spsc_peek(struct ic_spsc_receiver *receiver, uint32_t *size);

/* Returns the memory of the peeked message to the sender. */
void ic_spsc_release(struct ic_spsc_receiver *receiver);

/* The same, with a wait. NULL if wait() has given up, or if the other end is corrupt: its data are invalid, and nothing
 * gets through any more. */
void *ic_spsc_await_room(struct ic_spsc_sender *sender, uint32_t size);
const void *ic_spsc_await_message(struct ic_spsc_receiver *receiver, uint32_t *size);

#endif
