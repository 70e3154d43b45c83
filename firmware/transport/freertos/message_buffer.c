/* FreeRTOS message buffer, with the transport's shared memory as storage. It is a stream buffer that stores each
 * message's length in front of the message, and moves whole messages only. stream_buffer.c describes when the kernel's
 * code works between two cores.
 *
 * A message buffer also works between two kernels if sbSEND_COMPLETED and sbRECEIVE_COMPLETED
 * (port/freertos_amp/FreeRTOSConfig.h) notify the other kernel instead of a task. Both kernels then use one buffer in
 * shared memory: the sender's kernel writes the buffer's head, the receiver's kernel its tail. FreeRTOS has no barrier
 * between writing the bytes and writing the index. A task woken by the doorbell sees both, because the doorbell's
 * handler begins with a barrier. A polling end relies on the other core to store to uncached memory in program order. A
 * Cortex-M0+ does that. For the Cortex-M7 no document states this, but the checks of every message would detect a
 * violation. */
#include "slice_freertos.h"
#include "transports.h"

#define LENGTH_BYTES sizeof(configMESSAGE_BUFFER_LENGTH_TYPE)

static StaticMessageBuffer_t control PORT_SHARED(message_buffer);

/* The handle of a static buffer is its address. */
static MessageBufferHandle_t handle(void) { return (MessageBufferHandle_t)&control; }

/* One byte of the storage stays unused. */
static uint32_t message_buffer_capacity(const struct ic_transport_setup *setup) {
    return setup->memory_bytes - 1U - LENGTH_BYTES;
}

static bool message_buffer_open(struct ic_transport_end *end) {
    const struct ic_transport_setup *setup = end->setup;
    if (end->role == IC_TRANSPORT_SENDER) {
        (void)xMessageBufferCreateStatic(setup->memory_bytes, setup->memory, &control);
    }
    return true;
}

/* The buffer is static: nothing to release */
static void message_buffer_close(struct ic_transport_end *end) { (void)end; }

static bool message_buffer_send(struct ic_transport_end *end, const void *message) {
    TickType_t ticks = freertos_slice(end);
    while (xMessageBufferSend(handle(), message, end->setup->size, ticks) == 0) {
        if (ic_transport_over(end)) {
            return false;
        }
    }
    return true;
}

static uint32_t message_buffer_receive(struct ic_transport_end *end, void *message) {
    TickType_t ticks = freertos_slice(end);
    for (;;) {
        size_t bytes = xMessageBufferReceive(handle(), message, end->setup->size, ticks);
        if (bytes > 0) {
            return (uint32_t)bytes;
        }
        if (ic_transport_over(end)) {
            return 0;
        }
    }
}

const struct ic_transport ic_transport_message_buffer = {
    .name = "message-buffer",
    .summary = "FreeRTOS message buffer, stores each message's length before it; copied in and out",
    .one_kernel = true,
    .capacity = message_buffer_capacity,
    .open = message_buffer_open,
    .close = message_buffer_close,
    .send = message_buffer_send,
    .receive = message_buffer_receive,
};

static const char *refuses_one_core(const struct ic_transport_setup *setup) {
    return setup->from == setup->to ? "from and to must be different cores" : NULL;
}

const struct ic_transport ic_transport_message_buffer_amp = {
    .name = "message-buffer",
    .summary = "FreeRTOS message buffer in shared memory, between two kernels, with doorbells; copied in and out",
    .refuses = refuses_one_core,
    .capacity = message_buffer_capacity,
    .open = message_buffer_open,
    .close = message_buffer_close,
    .send = message_buffer_send,
    .receive = message_buffer_receive,
};
