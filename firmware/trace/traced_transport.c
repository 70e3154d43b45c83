/* A transport that records its messages (traced_calls.h): a copy of the original transport, with wrappers for sending
 * and receiving. */
#include "trace.h"
#include "traced_calls.h"

static const struct ic_transport *meant;
static struct ic_transport traced;

/* Number of messages at each end since that end was opened */
static uint32_t sent;
static uint32_t received;

static bool opens(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_SENDER) {
        sent = 0;
    } else {
        received = 0;
    }
    return meant->open(end);
}

/* Call it before the message is sent: afterwards the other end may already have the message. */
static void sends(const struct ic_transport_end *end) { ic_trace(IC_TRACE_SENT, end->setup->size, sent++); }

static void receives(uint32_t bytes) { ic_trace(IC_TRACE_RECEIVED, bytes, received++); }

static bool send_copied(struct ic_transport_end *end, const void *message) {
    sends(end);
    return meant->send(end, message);
}

static uint32_t receive_copied(struct ic_transport_end *end, void *message) {
    uint32_t bytes = meant->receive(end, message);
    if (bytes > 0) {
        receives(bytes);
    }
    return bytes;
}

static bool send_loaned(struct ic_transport_end *end) {
    sends(end);
    return meant->send_loan(end);
}

static const void *receive_loaned(struct ic_transport_end *end, uint32_t *size) {
    const void *message = meant->receive_loan(end, size);
    if (message != NULL) {
        receives(*size);
    }
    return message;
}

/* Both ends call this function while they use the transport. They pass the same index, so `meant` and `traced` do not
 * change meanwhile. */
const struct ic_transport *ic_trace_transport(uint32_t index) {
    const struct ic_transport *found = port_transport(index);
    if (found == NULL) {
        return NULL;
    }
    if (found != meant) {
        meant = found;
        traced = *found;
        traced.open = opens;
        if (found->zero_copy) {
            traced.send_loan = send_loaned;
            traced.receive_loan = receive_loaned;
        } else {
            traced.send = send_copied;
            traced.receive = receive_copied;
        }
    }
    return &traced;
}
