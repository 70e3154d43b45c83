/* FreeRTOS' message buffer, with the shared memory as storage: a stream buffer (stream_buffer.c, where it says what the
 * kernel requires between two cores) that stores the length before each message, and moves messages as a whole or not
 * at all.
 *
 * It also leads from kernel to kernel, where the port has it tell the other kernel instead of a task (sbSEND_COMPLETED
 * and sbRECEIVE_COMPLETED in port/freertos_amp/FreeRTOSConfig.h): both kernels' code works on the one buffer in shared
 * memory, the sender's writes its head, the receiver's its tail. The kernel has no barrier between the bytes and the
 * index. Who is woken by the doorbell sees both, since that begins with one; who looks by itself relies on a core that
 * stores to memory without a cache in the order of the program. A Cortex-M0+ does; of the Cortex-M7 no document says
 * so, and every message's checks would show it. */
#include "slice_freertos.h"
#include "transports.h"

#define LENGTH_BYTES sizeof(configMESSAGE_BUFFER_LENGTH_TYPE)

static StaticMessageBuffer_t control PORT_SHARED(message_buffer);

/* That of a static buffer is its address. */
static MessageBufferHandle_t handle(void) { return (MessageBufferHandle_t)&control; }

/* One byte of the storage is never used. */
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

/* What is static need not be given back. */
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
