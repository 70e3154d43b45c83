#include "spsc.h"

#include <stddef.h>

#define HEADER_BYTES IC_SPSC_ALIGN
/* Header in place of a size: the next record is at the beginning of the ring */
#define TO_THE_BEGINNING UINT32_MAX

uint32_t ic_spsc_capacity(uint32_t bytes) {
    uint32_t least = IC_SPSC_CONTROL_BYTES + 2U * HEADER_BYTES;
    return bytes < least ? 0 : (bytes - IC_SPSC_CONTROL_BYTES) & ~(IC_SPSC_ALIGN - 1U);
}

/* When the ring is empty and both indexes are 0, even the largest message must end before the end of the ring:
 * otherwise the head would wrap to 0, and the ring would look empty. */
uint32_t ic_spsc_largest(uint32_t capacity) { return capacity - 2U * HEADER_BYTES; }

static uint32_t record_bytes(uint32_t size) {
    return HEADER_BYTES + ((size + IC_SPSC_ALIGN - 1U) & ~(IC_SPSC_ALIGN - 1U));
}

/* Volatile, so that a size is read only once: the checked size is the one that is used. */
static volatile uint32_t *header(struct ic_spsc *ring, uint32_t place) {
    return (volatile uint32_t *)(void *)(ring->bytes + place);
}

/* Returns the other end's index, or `capacity` if the index is invalid. Afterwards, everything that the other end wrote
 * before the index is visible. */
static uint32_t look_at(const atomic_uint *index, uint32_t capacity) {
    uint32_t value = atomic_load_explicit(index, memory_order_acquire);
    return value < capacity && value % IC_SPSC_ALIGN == 0 ? value : capacity;
}

/* ---- sleeping and waking ----
 *
 * An end that is about to sleep announces the sleep, executes a fence, and checks for progress again. An end that has
 * made progress publishes the progress, executes a fence, and checks for an announcement. With sequentially consistent
 * fences, at least one of the two ends sees the other's store (Dekker; C11 7.17.4). Each announcement causes at most
 * one wake-up. So an end that saw the progress and did not sleep gets at most one spurious wake-up, which ends a later
 * sleep early. */

/* Announces that this end is about to sleep. `count` is odd (struct ic_spsc). */
static void announce(atomic_uint *sleeps, uint32_t count) {
    atomic_store_explicit(sleeps, count, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

static void withdraw(atomic_uint *sleeps, uint32_t count) {
    atomic_store_explicit(sleeps, count, memory_order_relaxed);
}

/* Wakes the other end if it sleeps. Call it after each progress that the other end may wait for. */
static void wake(const struct ic_waiting *waiting, const atomic_uint *sleeps, uint32_t *woken) {
    if (waiting->wake != NULL) {
        atomic_thread_fence(memory_order_seq_cst);
        uint32_t count = atomic_load_explicit(sleeps, memory_order_relaxed);
        if (count % 2U != 0 && count != *woken) {
            *woken = count;
            waiting->wake(waiting->arg);
        }
    }
}

/* ---- sender ---- */

void ic_spsc_open_sender(struct ic_spsc_sender *sender, struct ic_spsc *ring, uint32_t capacity,
                         const struct ic_waiting *waiting) {
    *sender = (struct ic_spsc_sender){.ring = ring, .capacity = capacity, .waiting = *waiting};
}

static void move_head(struct ic_spsc_sender *sender, uint32_t head) {
    sender->head = head;
    atomic_store_explicit(&sender->ring->head, head, memory_order_release);
    wake(&sender->waiting, &sender->ring->receiver_sleeps, &sender->woken);
}

/* Finds room for a record: at the head or, if the record does not fit before the end of the ring, at the beginning. The
 * head must not reach the tail: then the ring would look empty. */
static bool find_place(struct ic_spsc_sender *sender, uint32_t bytes) {
    if (sender->head < sender->tail) {
        sender->place = sender->head;
        return bytes < sender->tail - sender->head;
    }
    uint32_t left = sender->capacity - sender->head;
    if (bytes < left || (bytes == left && sender->tail != 0)) {
        sender->place = sender->head;
        return true;
    }
    sender->place = 0;
    return bytes < sender->tail;
}

/* A large record may fit neither at the head nor at the beginning, even when the ring is empty. So the sender moves the
 * head to the beginning. When the receiver has moved the tail there as well, the record fits. */
static void go_to_beginning(struct ic_spsc_sender *sender, uint32_t bytes) {
    if (sender->head >= sender->tail && sender->tail != 0 && bytes > sender->capacity - sender->head) {
        *header(sender->ring, sender->head) = TO_THE_BEGINNING;
        move_head(sender, 0);
    }
}

static bool reserve(struct ic_spsc_sender *sender, uint32_t size) {
    uint32_t bytes = record_bytes(size);
    if (find_place(sender, bytes)) {
        return true;
    }
    uint32_t tail = look_at(&sender->ring->tail, sender->capacity);
    sender->corrupt = sender->corrupt || tail == sender->capacity;
    if (sender->corrupt) {
        return false;
    }
    sender->tail = tail;
    bool found = find_place(sender, bytes);
    if (!found) {
        go_to_beginning(sender, bytes);
    }
    return found;
}

static void *room(const struct ic_spsc_sender *sender) { return sender->ring->bytes + sender->place + HEADER_BYTES; }

void *ic_spsc_reserve(struct ic_spsc_sender *sender, uint32_t size) {
    return reserve(sender, size) ? room(sender) : NULL;
}

void ic_spsc_publish(struct ic_spsc_sender *sender, uint32_t size) {
    uint32_t place = sender->place;
    *header(sender->ring, place) = size;
    if (place != sender->head) {
        *header(sender->ring, sender->head) = TO_THE_BEGINNING;
    }
    uint32_t head = place + record_bytes(size);
    move_head(sender, head == sender->capacity ? 0 : head);
}

void *ic_spsc_await_room(struct ic_spsc_sender *sender, uint32_t size) {
    const struct ic_waiting *waiting = &sender->waiting;
    bool going_on = true;
    bool found = reserve(sender, size);
    while (!found && going_on && !sender->corrupt) {
        if (waiting->sleeps) {
            announce(&sender->ring->sender_sleeps, ++sender->sleeps);
            found = reserve(sender, size);
        }
        going_on = found || waiting->wait(waiting->arg);
        if (waiting->sleeps) {
            withdraw(&sender->ring->sender_sleeps, ++sender->sleeps);
        }
        found = found || reserve(sender, size);
    }
    return found ? room(sender) : NULL;
}

/* ---- receiver ---- */

void ic_spsc_open_receiver(struct ic_spsc_receiver *receiver, struct ic_spsc *ring, uint32_t capacity,
                           const struct ic_waiting *waiting) {
    *receiver = (struct ic_spsc_receiver){.ring = ring, .capacity = capacity, .waiting = *waiting};
}

static void move_tail(struct ic_spsc_receiver *receiver, uint32_t tail) {
    receiver->tail = tail;
    atomic_store_explicit(&receiver->ring->tail, tail, memory_order_release);
    wake(&receiver->waiting, &receiver->ring->sender_sleeps, &receiver->woken);
}

/* Whether there is a record at the tail */
static bool find_record(struct ic_spsc_receiver *receiver) {
    if (receiver->head == receiver->tail) {
        uint32_t head = look_at(&receiver->ring->head, receiver->capacity);
        receiver->corrupt = receiver->corrupt || head == receiver->capacity;
        receiver->head = receiver->corrupt ? receiver->tail : head;
    }
    return receiver->head != receiver->tail;
}

/* Returns the most bytes that a valid record at the tail can have. */
static uint32_t most_bytes(const struct ic_spsc_receiver *receiver) {
    return (receiver->tail < receiver->head ? receiver->head : receiver->capacity) - receiver->tail;
}

static bool peek(struct ic_spsc_receiver *receiver, uint32_t *size) {
    if (!find_record(receiver)) {
        return false;
    }
    uint32_t found = *header(receiver->ring, receiver->tail);
    if (found == TO_THE_BEGINNING && receiver->head < receiver->tail) {
        move_tail(receiver, 0);
        if (!find_record(receiver)) {
            return false;
        }
        found = *header(receiver->ring, 0);
    }
    if (found > receiver->capacity || record_bytes(found) > most_bytes(receiver)) {
        receiver->corrupt = true;
        receiver->head = receiver->tail;
        return false;
    }
    uint32_t next = receiver->tail + record_bytes(found);
    receiver->next = next == receiver->capacity ? 0 : next;
    *size = found;
    return true;
}

static const void *message(const struct ic_spsc_receiver *receiver) {
    return receiver->ring->bytes + receiver->tail + HEADER_BYTES;
}

const void *ic_spsc_peek(struct ic_spsc_receiver *receiver, uint32_t *size) {
    return peek(receiver, size) ? message(receiver) : NULL;
}

void ic_spsc_release(struct ic_spsc_receiver *receiver) { move_tail(receiver, receiver->next); }

const void *ic_spsc_await_message(struct ic_spsc_receiver *receiver, uint32_t *size) {
    const struct ic_waiting *waiting = &receiver->waiting;
    bool going_on = true;
    bool found = peek(receiver, size);
    while (!found && going_on && !receiver->corrupt) {
        if (waiting->sleeps) {
            announce(&receiver->ring->receiver_sleeps, ++receiver->sleeps);
            found = peek(receiver, size);
        }
        going_on = found || waiting->wait(waiting->arg);
        if (waiting->sleeps) {
            withdraw(&receiver->ring->receiver_sleeps, ++receiver->sleeps);
        }
        found = found || peek(receiver, size);
    }
    return found ? message(receiver) : NULL;
}
