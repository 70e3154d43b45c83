/* FreeRTOS queue that holds messages by value. Its storage is the transport's shared memory, and holds as many messages
 * as fit. The kernel copies each message inside a critical section, with interrupts masked. */
#include "slice_freertos.h"
#include "transports.h"

static StaticQueue_t control;
static QueueHandle_t queue;

static uint32_t queue_capacity(const struct ic_transport_setup *setup) { return setup->memory_bytes; }

static bool queue_open(struct ic_transport_end *end) {
    const struct ic_transport_setup *setup = end->setup;
    if (end->role == IC_TRANSPORT_SENDER) {
        queue = xQueueCreateStatic(setup->memory_bytes / setup->size, setup->size, setup->memory, &control);
    }
    return true;
}

/* The queue is static: nothing to release */
static void queue_close(struct ic_transport_end *end) { (void)end; }

static bool queue_send(struct ic_transport_end *end, const void *message) {
    TickType_t ticks = freertos_slice(end);
    while (xQueueSend(queue, message, ticks) != pdTRUE) {
        if (ic_transport_over(end)) {
            return false;
        }
    }
    return true;
}

static uint32_t queue_receive(struct ic_transport_end *end, void *message) {
    TickType_t ticks = freertos_slice(end);
    while (xQueueReceive(queue, message, ticks) != pdTRUE) {
        if (ic_transport_over(end)) {
            return 0;
        }
    }
    return end->setup->size;
}

const struct ic_transport ic_transport_queue = {
    .name = "queue",
    .summary = "FreeRTOS queue of items of the message's size; copied in and out",
    .one_kernel = true,
    .capacity = queue_capacity,
    .open = queue_open,
    .close = queue_close,
    .send = queue_send,
    .receive = queue_receive,
};
