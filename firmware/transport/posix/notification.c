/* Zero-copy: a variable holds the address of the message. The other end is woken by port_notify(), which on Linux gives
 * a semaphore of the thread. The shared memory holds one message at a time. When the receiver has released the message,
 * it sets the address to NULL: the memory is then free again. */
#include "transports.h"

/* NULL: the memory is free for the sender's next message */
static _Atomic(void *) address;

static uint32_t notification_capacity(const struct ic_transport_setup *setup) { return setup->memory_bytes; }

static bool notification_open(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_SENDER) {
        atomic_store(&address, NULL);
    }
    return true;
}

static void notification_close(struct ic_transport_end *end) { (void)end; }

/* Waits until the address is set (`there` is true) or NULL (`there` is false). Returns false if the run is over. */
static bool await(struct ic_transport_end *end, bool there) {
    while ((atomic_load_explicit(&address, memory_order_acquire) != NULL) != there) {
        if (ic_transport_over(end)) {
            return false;
        }
        if (!end->setup->polling) {
            end->wait(end);
        }
    }
    return true;
}

static void put(struct ic_transport_end *end, void *memory) {
    atomic_store_explicit(&address, memory, memory_order_release);
    if (!end->setup->polling) {
        end->wake(end);
    }
}

static void *notification_loan(struct ic_transport_end *end) { return await(end, false) ? end->setup->memory : NULL; }

static bool notification_send(struct ic_transport_end *end) {
    put(end, end->setup->memory);
    return true;
}

static const void *notification_receive(struct ic_transport_end *end, uint32_t *size) {
    *size = end->setup->size;
    return await(end, true) ? atomic_load_explicit(&address, memory_order_relaxed) : NULL;
}

static void notification_release(struct ic_transport_end *end) { put(end, NULL); }

const struct ic_transport ic_transport_notification = {
    .name = "notification",
    .summary = "the message's address and the thread's own semaphore; not copied, one at a time",
    .zero_copy = true,
    .one_kernel = true,
    .capacity = notification_capacity,
    .open = notification_open,
    .close = notification_close,
    .loan = notification_loan,
    .send_loan = notification_send,
    .receive_loan = notification_receive,
    .release = notification_release,
};
