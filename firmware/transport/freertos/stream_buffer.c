/* FreeRTOS stream buffer, with the transport's shared memory as storage. The kernel copies the bytes without a lock,
 * and suspends the scheduler to wake the other end.
 *
 * Between two cores under one SMP kernel a stream buffer works unchanged with one sender and one receiver, because a
 * wait uses the kernel's locks, which all cores share. (Between two kernels, sbSEND_COMPLETED and sbRECEIVE_COMPLETED
 * would have to ring a doorbell.) There is one exception: when a wait times out, the kernel clears the buffer's handle
 * of the waiting task without a lock. If the other core is about to wake that task, an assertion of the kernel fails.
 * So the timeout is longer than any wait of a correct run (IC_TRANSPORT_SLICE_MS). */
#include "slice_freertos.h"
#include "transports.h"

static StaticStreamBuffer_t control;
static StreamBufferHandle_t buffer;

/* One byte of the storage stays unused. */
static uint32_t stream_buffer_capacity(const struct ic_transport_setup *setup) { return setup->memory_bytes - 1U; }

/* The trigger level is the message's size: the receiver is woken when a whole message is there. */
static bool stream_buffer_open(struct ic_transport_end *end) {
    const struct ic_transport_setup *setup = end->setup;
    if (end->role == IC_TRANSPORT_SENDER) {
        buffer = xStreamBufferCreateStatic(setup->memory_bytes, setup->size, setup->memory, &control);
    }
    return true;
}

/* The buffer is static: nothing to release */
static void stream_buffer_close(struct ic_transport_end *end) { (void)end; }

/* A kernel call moves only a part of the message if not all bytes fit, or if not all have arrived. */
static bool stream_buffer_send(struct ic_transport_end *end, const void *message) {
    TickType_t ticks = freertos_slice(end);
    const uint8_t *next = message;
    for (size_t left = end->setup->size;;) {
        size_t count = xStreamBufferSend(buffer, next, left, ticks);
        if (count == left) {
            return true;
        }
        next += count;
        left -= count;
        if (ic_transport_over(end)) {
            return false;
        }
    }
}

static uint32_t stream_buffer_receive(struct ic_transport_end *end, void *message) {
    TickType_t ticks = freertos_slice(end);
    uint8_t *next = message;
    for (size_t left = end->setup->size;;) {
        size_t count = xStreamBufferReceive(buffer, next, left, ticks);
        if (count == left) {
            return end->setup->size;
        }
        next += count;
        left -= count;
        if (ic_transport_over(end)) {
            return 0;
        }
    }
}

const struct ic_transport ic_transport_stream_buffer = {
    .name = "stream-buffer",
    .summary = "FreeRTOS stream buffer that wakes its receiver when a whole message is there; copied in and out",
    .one_kernel = true,
    .capacity = stream_buffer_capacity,
    .open = stream_buffer_open,
    .close = stream_buffer_close,
    .send = stream_buffer_send,
    .receive = stream_buffer_receive,
};
