/* ESP-IDF's ring buffer (component esp_ringbuf) of the type no-split, in the transport's shared memory: items of any
 * size, each contiguous after a header of 8 bytes. Both ends take the same spinlock, with interrupts masked; waiting
 * tasks are on a list of the kernel. With `ringbuf`, the kernel copies the message in, and the receiver copies it out
 * of the item. With `ringbuf-zero-copy`, the sender acquires an item first (xRingbufferSendAcquire()) and writes the
 * message in place, and the receiver reads it in place.
 *
 * The shared memory must allow 32-bit accesses, and be aligned to 4 bytes. */
#include <string.h>

#include "ringbuf_api.h"
#include "slice_freertos.h"
#include "transports.h"

/* ESP-IDF, esp_ringbuf/ringbuf.c: the buffer is a multiple of 4 bytes, each item has a header of 8 bytes, and an item
 * with its header takes at most half of the buffer, rounded up to 4 bytes. */
#define UNIT 4U
#define HEADER_BYTES 8U

static StaticRingbuffer_t control;
static RingbufHandle_t ring;
static void *received; /* the item that was received and not yet returned */

static uint32_t usable(uint32_t bytes) { return bytes - bytes % UNIT; }

static uint32_t ringbuf_capacity(const struct ic_transport_setup *setup) {
    uint32_t half = usable(usable(setup->memory_bytes) / 2U + UNIT - 1U);
    return half > HEADER_BYTES ? half - HEADER_BYTES : 0;
}

static bool ringbuf_open(struct ic_transport_end *end) {
    const struct ic_transport_setup *setup = end->setup;
    if (end->role == IC_TRANSPORT_RECEIVER) {
        received = NULL;
        return true;
    }
    ring = xRingbufferCreateStatic(usable(setup->memory_bytes), RINGBUF_TYPE_NOSPLIT, setup->memory, &control);
    return ring != NULL;
}

/* The ring buffer is static: nothing to release */
static void ringbuf_close(struct ic_transport_end *end) { (void)end; }

static bool ringbuf_send(struct ic_transport_end *end, const void *message) {
    TickType_t ticks = freertos_slice(end);
    while (xRingbufferSend(ring, message, end->setup->size, ticks) != pdTRUE) {
        if (ic_transport_over(end)) {
            return false;
        }
    }
    return true;
}

static void *loaned;

static void *ringbuf_loan(struct ic_transport_end *end) {
    TickType_t ticks = freertos_slice(end);
    while (xRingbufferSendAcquire(ring, &loaned, end->setup->size, ticks) != pdTRUE) {
        if (ic_transport_over(end)) {
            return NULL;
        }
    }
    return loaned;
}

static bool ringbuf_send_loan(struct ic_transport_end *end) {
    (void)end;
    return xRingbufferSendComplete(ring, loaned) == pdTRUE;
}

static const void *ringbuf_receive_loan(struct ic_transport_end *end, uint32_t *size) {
    TickType_t ticks = freertos_slice(end);
    size_t bytes;
    while ((received = xRingbufferReceive(ring, &bytes, ticks)) == NULL) {
        if (ic_transport_over(end)) {
            return NULL;
        }
    }
    *size = (uint32_t)bytes;
    return received;
}

static void ringbuf_release(struct ic_transport_end *end) {
    (void)end;
    vRingbufferReturnItem(ring, received);
}

static uint32_t ringbuf_receive(struct ic_transport_end *end, void *message) {
    uint32_t bytes;
    const void *item = ringbuf_receive_loan(end, &bytes);
    if (item == NULL) {
        return 0;
    }
    bytes = bytes < end->setup->size ? bytes : end->setup->size;
    memcpy(message, item, bytes);
    ringbuf_release(end);
    return bytes;
}

const struct ic_transport ic_transport_ringbuf = {
    .name = "ringbuf",
    .summary = "ESP-IDF ring buffer (no-split); copied in by it, and out of it by the receiver",
    .one_kernel = true,
    .capacity = ringbuf_capacity,
    .open = ringbuf_open,
    .close = ringbuf_close,
    .send = ringbuf_send,
    .receive = ringbuf_receive,
};

const struct ic_transport ic_transport_ringbuf_zero_copy = {
    .name = "ringbuf-zero-copy",
    .summary = "ESP-IDF ring buffer (no-split); filled and read in place",
    .zero_copy = true,
    .one_kernel = true,
    .capacity = ringbuf_capacity,
    .open = ringbuf_open,
    .close = ringbuf_close,
    .loan = ringbuf_loan,
    .send_loan = ringbuf_send_loan,
    .receive_loan = ringbuf_receive_loan,
    .release = ringbuf_release,
};
