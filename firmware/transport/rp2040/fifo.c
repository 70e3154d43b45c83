/* fifo: messages as words through the FIFO between the cores, without memory to share but for two counts.
 *
 * Under one kernel for both cores the FIFO is the kernel's: its interrupt asks a core to yield. So words are taken out
 * by that interrupt's handler, which tells them from the kernel's (board/rp2040/fifo.c), and a receiver that polls
 * looks at where the handler puts them.
 *
 * A word of a message has its top bit set, whatever it carries. A message is its size; then for each 31 words of it one
 * word with the top bits of these, the first in bit 0; then these, their own top bits set. What is left of a message
 * that is no whole word is a word with zeros.
 *
 * A sender waits for places in the FIFO by looking again and again, however the receiver waits: the handler makes room
 * whatever runs there. */
#include "fifo.h"
#include "board.h"
#include "port_interrupt.h"
#include "transports_rp2040.h"

#include <string.h>

/* Words whose top bits fit one. */
#define GROUP 31U
#define WORD_BYTES 4U
/* An end that sleeps is woken for so many words at most: it may have no room for more. */
#define WANTED_MOST (FIFO_BOX_WORDS / 2U)
/* What a size can be that does not use the top bit. */
#define SIZE_MOST (FIFO_MESSAGE - 1U)

/* In shared memory. */
struct counts {
    atomic_uint put;   /* words that have left the FIFO: written by the handler */
    atomic_uint taken; /* words that have left the box: written by the receiver */
};

/* The sender's. */
static uint32_t sent;

/* The receiver's. */
static struct fifo_box box;
static uint32_t taken;
static port_task_t *task;

static struct counts *counts_of(const struct ic_transport_end *end) { return end->setup->memory; }

static const char *fifo_refuses(const struct ic_transport_setup *setup) {
    return setup->from == setup->to ? "it leads from one core to the other" : NULL;
}

static uint32_t fifo_capacity(const struct ic_transport_setup *setup) {
    return setup->memory_bytes < sizeof(struct counts) ? 0 : SIZE_MOST;
}

static void wake_receiver(void) { port_notify_from_handler(task); }

static bool fifo_open(struct ic_transport_end *end) {
    struct counts *counts = counts_of(end);
    if (end->role == IC_TRANSPORT_SENDER) {
        sent = 0;
        atomic_store(&counts->put, 0);
        atomic_store(&counts->taken, 0);
    } else {
        taken = 0;
        task = port_task_self();
        box.put = &counts->put;
        box.arrived = wake_receiver;
        atomic_store(&box.waiting, false);
        fifo_open_box(&box);
    }
    return true;
}

static void fifo_close(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        fifo_close_box();
    }
}

/* ---- sending ---- */

static bool has_room(const struct counts *counts) {
    return sent - atomic_load_explicit(&counts->put, memory_order_acquire) < FIFO_SHARE &&
           sent - atomic_load_explicit(&counts->taken, memory_order_acquire) < FIFO_BOX_WORDS;
}

static bool send_word(const struct ic_transport_end *end, uint32_t word) {
    const struct counts *counts = counts_of(end);
    while (!has_room(counts) || !fifo_send(word | FIFO_MESSAGE)) {
        if (ic_transport_over(end)) {
            return false;
        }
    }
    sent++;
    return true;
}

/* Words of a message from number `first` on, at most a group of them. */
static uint32_t group_words(uint32_t size, uint32_t first) {
    uint32_t left = (size + WORD_BYTES - 1U) / WORD_BYTES - first;
    return left < GROUP ? left : GROUP;
}

static bool send_group(const struct ic_transport_end *end, const uint32_t *words, uint32_t count) {
    uint32_t tops = 0;
    for (uint32_t i = 0; i < count; i++) {
        tops |= words[i] >> 31U << i;
    }
    bool going_on = send_word(end, tops);
    for (uint32_t i = 0; i < count && going_on; i++) {
        going_on = send_word(end, words[i]);
    }
    return going_on;
}

static bool fifo_send_message(struct ic_transport_end *end, const void *message) {
    uint32_t size = end->setup->size;
    const uint32_t *words = message;
    uint32_t whole = size / WORD_BYTES;
    bool going_on = send_word(end, size);
    for (uint32_t first = 0; first * WORD_BYTES < size && going_on; first += GROUP) {
        uint32_t count = group_words(size, first);
        uint32_t last[GROUP];
        if (first + count > whole) { /* with zeros behind the message's end */
            memset(last, 0, sizeof last);
            memcpy(last, words + first, size - first * WORD_BYTES);
        }
        going_on = send_group(end, first + count > whole ? last : words + first, count);
    }
    return going_on;
}

/* ---- receiving ---- */

static bool has_come(uint32_t words) {
    return (int32_t)(atomic_load_explicit(box.put, memory_order_acquire) - taken - words) >= 0;
}

/* Waits until that many words are in the box. */
static bool await_words(struct ic_transport_end *end, uint32_t words) {
    while (!has_come(words)) {
        if (ic_transport_over(end)) {
            return false;
        }
        if (!end->setup->polling) {
            box.wanted = taken + words;
            atomic_store(&box.waiting, true); /* the handler is on this core: it comes before this, or after */
            if (!has_come(words)) {
                end->wait(end);
            }
            atomic_store(&box.waiting, false);
        }
    }
    return true;
}

static uint32_t take_word(struct counts *counts) {
    uint32_t word = box.words[taken % FIFO_BOX_WORDS] & ~FIFO_MESSAGE;
    taken++;
    atomic_store_explicit(&counts->taken, taken, memory_order_release);
    return word;
}

/* Copies what of a word belongs to the message: it may be cut short, by its end or by the receiver's room. */
static void put_word(uint8_t *message, uint32_t room, uint32_t place, uint32_t word) {
    if (place + WORD_BYTES <= room) {
        *(uint32_t *)(void *)(message + place) = word;
    } else if (place < room) {
        memcpy(message + place, &word, room - place);
    }
}

/* `room` is the size of the message, or less. */
static bool take_group(struct ic_transport_end *end, uint8_t *message, uint32_t room, uint32_t first, uint32_t count) {
    struct counts *counts = counts_of(end);
    if (!await_words(end, count + 1U)) {
        return false;
    }
    uint32_t tops = take_word(counts);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = take_word(counts) | (tops >> i & 1U) << 31U;
        put_word(message, room, (first + i) * WORD_BYTES, word);
    }
    return true;
}

static uint32_t fifo_receive(struct ic_transport_end *end, void *message) {
    if (!await_words(end, 1)) {
        return 0;
    }
    uint32_t size = take_word(counts_of(end));
    uint32_t room = size < end->setup->size ? size : end->setup->size;
    for (uint32_t first = 0; first * WORD_BYTES < size; first += GROUP) {
        if (!take_group(end, message, room, first, group_words(size, first))) {
            return 0;
        }
    }
    return room;
}

const struct ic_transport ic_transport_fifo = {
    .name = "fifo",
    .summary = "words through the FIFO between the cores, and from its interrupt; leaves the shared memory alone",
    .refuses = fifo_refuses,
    .capacity = fifo_capacity,
    .open = fifo_open,
    .close = fifo_close,
    .send = fifo_send_message,
    .receive = fifo_receive,
};
