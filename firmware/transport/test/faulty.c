/* Faulty transports, to test that the checks on messages find faults. Each is the platform's queue with one fault:
 * every tenth message is lost, sent twice, held back until the next one has been sent, or has one bit flipped. A
 * program with these transports has no other transports. */
#include <string.h>

#include "transport.h"

#define EVERY 10U
/* Bytes of the largest message: the limit of the benchmark `message` on Linux */
#define MOST 65536U

extern const struct ic_transport ic_transport_queue;

static uint32_t count;
static bool kept_back;
static _Alignas(8) uint8_t kept[MOST];

static uint32_t faulty_capacity(const struct ic_transport_setup *setup) {
    uint32_t capacity = ic_transport_queue.capacity(setup);
    return capacity < MOST ? capacity : MOST;
}

static bool faulty_open(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_SENDER) {
        count = 0;
        kept_back = false;
    }
    return ic_transport_queue.open(end);
}

static void faulty_close(struct ic_transport_end *end) { ic_transport_queue.close(end); }

static uint32_t faulty_receive(struct ic_transport_end *end, void *message) {
    return ic_transport_queue.receive(end, message);
}

static bool is_due(void) { return ++count % EVERY == 0; }

static bool lose(struct ic_transport_end *end, const void *message) {
    return is_due() || ic_transport_queue.send(end, message);
}

static bool repeat(struct ic_transport_end *end, const void *message) {
    return (!is_due() || ic_transport_queue.send(end, message)) && ic_transport_queue.send(end, message);
}

static bool disorder(struct ic_transport_end *end, const void *message) {
    if (is_due()) {
        memcpy(kept, message, end->setup->size);
        kept_back = true;
        return true;
    }
    bool sent = ic_transport_queue.send(end, message) && (!kept_back || ic_transport_queue.send(end, kept));
    kept_back = false;
    return sent;
}

/* Flips a bit of every tenth message: a different bit each time, from the last one downwards. */
static bool corrupt(struct ic_transport_end *end, const void *message) {
    if (!is_due()) {
        return ic_transport_queue.send(end, message);
    }
    uint32_t bit = 8U * end->setup->size - 1U - count / EVERY % (8U * end->setup->size);
    memcpy(kept, message, end->setup->size);
    kept[bit / 8U] = (uint8_t)(kept[bit / 8U] ^ (1U << bit % 8U));
    return ic_transport_queue.send(end, kept);
}

#define FAULTY(transport_name, what, function)                                                                         \
    {.name = (transport_name),                                                                                         \
     .summary = (what),                                                                                                \
     .one_kernel = true,                                                                                               \
     .capacity = faulty_capacity,                                                                                      \
     .open = faulty_open,                                                                                              \
     .close = faulty_close,                                                                                            \
     .send = (function),                                                                                               \
     .receive = faulty_receive}

static const struct ic_transport transports[] = {
    FAULTY("lose", "loses every tenth message", lose),
    FAULTY("repeat", "sends every tenth message twice", repeat),
    FAULTY("disorder", "sends every tenth message behind the next one", disorder),
    FAULTY("corrupt", "changes one bit of every tenth message", corrupt),
};

const struct ic_transport *port_transport(uint32_t index) {
    return index < sizeof transports / sizeof transports[0] ? &transports[index] : NULL;
}
