/* The transports `ring` and `ring-zero-copy`: messages through a ring in shared memory (spsc.h).
 *
 * With `ring`, a message is copied into the ring and out of it. With `ring-zero-copy`, the sender writes the message
 * where the receiver reads it. Neither transport needs a kernel: struct ic_transport_end supplies the functions that
 * wake a sleeping end. */
#include "ring.h"

#include <string.h>

#include "copy.h"
#include "transports.h"

/* The sending end uses only `sender`, the receiving end only `receiver`. */
static struct ic_spsc_sender sender;
static struct ic_spsc_receiver receiver;

uint32_t ic_ring_capacity(uint32_t memory_bytes) {
    uint32_t bytes = ic_spsc_capacity(memory_bytes);
    return bytes > 0 ? ic_spsc_largest(bytes) : 0;
}

static uint32_t capacity(const struct ic_transport_setup *setup) { return ic_ring_capacity(setup->memory_bytes); }

void ic_ring_open(const struct ic_transport_end *end, void *memory, uint32_t memory_bytes,
                  const struct ic_waiting *waiting) {
    uint32_t bytes = ic_spsc_capacity(memory_bytes);
    if (end->role == IC_TRANSPORT_SENDER) {
        memset(memory, 0, (size_t)IC_SPSC_CONTROL_BYTES);
        ic_spsc_open_sender(&sender, memory, bytes, waiting);
    } else {
        ic_spsc_open_receiver(&receiver, memory, bytes, waiting);
    }
}

static bool open_end(struct ic_transport_end *end) {
    const struct ic_transport_setup *setup = end->setup;
    const struct ic_waiting waiting = ic_waiting_of(end);
    ic_ring_open(end, setup->memory, setup->memory_bytes, &waiting);
    return true;
}

static void close_end(struct ic_transport_end *end) { (void)end; }

/* ---- in place ---- */

static void *loan(struct ic_transport_end *end) { return ic_spsc_await_room(&sender, end->setup->size); }

static bool send_loan(struct ic_transport_end *end) {
    ic_spsc_publish(&sender, end->setup->size);
    return true;
}

static const void *receive_loan(struct ic_transport_end *end, uint32_t *size) {
    (void)end;
    return ic_spsc_await_message(&receiver, size);
}

static void release(struct ic_transport_end *end) {
    (void)end;
    ic_spsc_release(&receiver);
}

const struct ic_transport ic_transport_ring_zero_copy = {
    .name = "ring-zero-copy",
    .summary = "lock-free ring in shared memory; messages are written and read in place, not copied",
    .zero_copy = true,
    .capacity = capacity,
    .open = open_end,
    .close = close_end,
    .loan = loan,
    .send_loan = send_loan,
    .receive_loan = receive_loan,
    .release = release,
};

/* ---- copying ---- */

bool ic_ring_send(struct ic_transport_end *end, const void *message) {
    uint32_t size = end->setup->size;
    void *room = ic_spsc_await_room(&sender, size);
    if (room == NULL) {
        return false;
    }
    ic_copy(room, message, size);
    ic_spsc_publish(&sender, size);
    return true;
}

uint32_t ic_ring_receive(struct ic_transport_end *end, void *message) {
    uint32_t size = end->setup->size;
    uint32_t found;
    const void *source = ic_spsc_await_message(&receiver, &found);
    if (source == NULL) {
        return 0;
    }
    found = found < size ? found : size;
    ic_copy(message, source, found);
    ic_spsc_release(&receiver);
    return found;
}

const struct ic_transport ic_transport_ring = {
    .name = "ring",
    .summary = "lock-free ring in shared memory; copied in and out",
    .capacity = capacity,
    .open = open_end,
    .close = close_end,
    .send = ic_ring_send,
    .receive = ic_ring_receive,
};
