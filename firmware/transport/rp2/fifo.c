/* The transport `fifo`: messages as words through the FIFO between the cores. Shared memory holds only two counts.
 *
 * On the RP2040 an SMP kernel also uses the FIFO: a word in it interrupts the other core and makes it reschedule. So
 * the handler of that interrupt takes all words out of the FIFO. It moves the words of messages, which it can tell from
 * the kernel's words, to a buffer (board/rp2040/cores/rp2040_fifo.c). A polling receiver polls that buffer. The
 * RP2350's handler (board/rp2350/cores/rp2350_fifo.c) has only messages to move.
 *
 * Every word of a message is sent with its top bit set, which distinguishes it from the kernel's words; the true top
 * bits are sent separately. First comes a word with the size of the message. Then each group of up to 31 words follows:
 * first one word with the top bits of the group, whose bit i is the top bit of word i, then the words of the group. The
 * last word of a message is padded with zeros.
 *
 * A sender polls for room in the FIFO, whether or not the receiver polls: the handler on the receiver's core makes room
 * soon, whatever runs there. */
#include "chip.h"
#include "port_interrupt.h"
#include "rp2_board.h"
#include "rp2_fifo.h"
#include "transports.h"

#include <string.h>

/* Most words in a group: their top bits fit into the 31 free bits of one word. */
#define GROUP 31U
#define WORD_BYTES 4U
/* Largest message, in bytes: the word with the size also carries the mark FIFO_MESSAGE, in its top bit. */
#define SIZE_MOST (FIFO_MESSAGE - 1U)
_Static_assert(GROUP + 1U <= FIFO_BOX_WORDS, "a group and its top bits fit the box");

/* In shared memory: */
struct counts {
    atomic_uint put;   /* words that have left the FIFO: written by the handler */
    atomic_uint taken; /* words that have left the handler's buffer: written by the receiver */
};

/* Used by the sender only: */
static uint32_t sent;

/* Used by the receiver only: */
static struct rp2_fifo_box box;
static uint32_t taken;
static port_task_t *task;

static struct counts *counts_of(const struct ic_transport_end *end) { return end->setup->memory; }

static const char *fifo_refuses(const struct ic_transport_setup *setup) {
    return setup->from == setup->to ? "from and to must be different cores" : NULL;
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
        rp2_fifo_open_box(&box);
    }
    return true;
}

static void fifo_close(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        rp2_fifo_close_box();
    }
}

/* ---- sending ---- */

/* Returns how many words may be sent now: as many as fit into the messages' share of the FIFO and into the handler's
 * buffer. */
static uint32_t room(const struct counts *counts) {
    uint32_t under_way = sent - atomic_load_explicit(&counts->put, memory_order_acquire);
    uint32_t kept = sent - atomic_load_explicit(&counts->taken, memory_order_acquire);
    uint32_t box_room = FIFO_BOX_WORDS - kept;
    return CHIP_FIFO_SHARE - under_way < box_room ? CHIP_FIFO_SHARE - under_way : box_room;
}

static bool send_words(const struct ic_transport_end *end, const uint32_t *words, uint32_t count) {
    const struct counts *counts = counts_of(end);
    while (count > 0) {
        uint32_t most = room(counts);
        uint32_t done = rp2_fifo_send(words, most < count ? most : count);
        sent += done;
        words += done;
        count -= done;
        if (done == 0 && ic_transport_over(end)) {
            return false;
        }
    }
    return true;
}

/* Returns how many words the group has that begins at word `first` of a message. */
static uint32_t group_words(uint32_t size, uint32_t first) {
    uint32_t left = (size + WORD_BYTES - 1U) / WORD_BYTES - first;
    return left < GROUP ? left : GROUP;
}

static bool send_group(const struct ic_transport_end *end, const uint32_t *words, uint32_t count) {
    uint32_t tops = 0;
    for (uint32_t i = 0; i < count; i++) {
        tops |= words[i] >> 31U << i;
    }
    return send_words(end, &tops, 1) && send_words(end, words, count);
}

static bool fifo_send_message(struct ic_transport_end *end, const void *message) {
    uint32_t size = end->setup->size;
    const uint32_t *words = message;
    uint32_t whole = size / WORD_BYTES;
    bool going_on = send_words(end, &size, 1);
    for (uint32_t first = 0; first * WORD_BYTES < size && going_on; first += GROUP) {
        uint32_t count = group_words(size, first);
        uint32_t last[GROUP];
        bool is_cut = first + count > whole;
        if (is_cut) { /* the last word is incomplete: pad it with zeros */
            last[count - 1U] = 0;
            memcpy(last, words + first, size - first * WORD_BYTES);
        }
        going_on = send_group(end, is_cut ? last : words + first, count);
    }
    return going_on;
}

/* ---- receiving ---- */

static bool has_come(uint32_t words) {
    return (int32_t)(atomic_load_explicit(box.put, memory_order_acquire) - taken - words) >= 0;
}

/* Waits until `words` words are in the handler's buffer. Returns false if the run is over. */
static bool await_words(struct ic_transport_end *end, uint32_t words) {
    while (!has_come(words)) {
        if (ic_transport_over(end)) {
            return false;
        }
        if (!end->setup->polling) {
            box.wanted = taken + words;
            atomic_store(&box.waiting, true); /* the handler is on this core: it runs before or after the store */
            if (!has_come(words)) {
                end->wait(end);
            }
            atomic_store(&box.waiting, false);
        }
    }
    return true;
}

/* Takes the `count` words of a group and copies at most `bytes` bytes of them to `place`. Drops padding, and words for
 * which there is no room. */
static bool take_group(struct ic_transport_end *end, uint8_t *place, uint32_t bytes, uint32_t count) {
    struct counts *counts = counts_of(end);
    uint32_t *words = (uint32_t *)(void *)place;
    uint32_t whole = bytes / WORD_BYTES;
    if (!await_words(end, count + 1U)) {
        return false;
    }
    uint32_t tops = box.words[taken++ % FIFO_BOX_WORDS];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = (box.words[taken++ % FIFO_BOX_WORDS] & ~FIFO_MESSAGE) | (tops >> i & 1U) << 31U;
        if (i < whole) {
            words[i] = word;
        } else if (i == whole) {
            memcpy(&words[i], &word, bytes % WORD_BYTES);
        }
    }
    atomic_store_explicit(&counts->taken, taken, memory_order_release);
    return true;
}

static uint32_t fifo_receive(struct ic_transport_end *end, void *message) {
    if (!await_words(end, 1)) {
        return 0;
    }
    uint32_t size = box.words[taken++ % FIFO_BOX_WORDS] & ~FIFO_MESSAGE;
    uint32_t expected = end->setup->size;
    uint32_t room_bytes = size < expected ? size : expected;
    for (uint32_t first = 0; first * WORD_BYTES < size; first += GROUP) {
        uint32_t place = first * WORD_BYTES < room_bytes ? first * WORD_BYTES : room_bytes;
        if (!take_group(end, (uint8_t *)message + place, room_bytes - place, group_words(size, first))) {
            return 0;
        }
    }
    return room_bytes;
}

const struct ic_transport ic_transport_fifo = {
    .name = "fifo",
    .summary = "words through the FIFO between the cores, received by interrupt; uses no shared memory",
    .refuses = fifo_refuses,
    .capacity = fifo_capacity,
    .open = fifo_open,
    .close = fifo_close,
    .send = fifo_send_message,
    .receive = fifo_receive,
};
