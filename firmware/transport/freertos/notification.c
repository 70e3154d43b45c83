/* Zero-copy with FreeRTOS direct-to-task notifications: the value of a notification is the address of the message. The
 * shared memory holds one message at a time. When the receiver has released the message, it notifies the sender that
 * the memory is free again. */
#include "port_freertos.h"
#include "slice_freertos.h"
#include "transports.h"

/* Whether the memory is free for the sender's next message */
static bool has_place;

static uint32_t notification_capacity(const struct ic_transport_setup *setup) { return setup->memory_bytes; }

static bool notification_open(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_SENDER) {
        has_place = true;
    }
    return true;
}

static void notification_close(struct ic_transport_end *end) { (void)end; }

static void *notification_loan(struct ic_transport_end *end) {
    while (!has_place) {
        has_place = ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_TASK, pdTRUE, freertos_slice(end)) > 0;
        if (ic_transport_over(end)) {
            return NULL;
        }
    }
    return end->setup->memory;
}

static bool notification_send(struct ic_transport_end *end) {
    has_place = false;
    (void)xTaskNotifyIndexed(end->other->handle, PORT_FREERTOS_NOTIFY_TASK, (uint32_t)end->setup->memory,
                             eSetValueWithOverwrite); /* no value is lost: there is room for one message only */
    return true;
}

static const void *notification_receive(struct ic_transport_end *end, uint32_t *size) {
    uint32_t address;
    while (xTaskNotifyWaitIndexed(PORT_FREERTOS_NOTIFY_TASK, 0, UINT32_MAX, &address, freertos_slice(end)) != pdTRUE) {
        if (ic_transport_over(end)) {
            return NULL;
        }
    }
    *size = end->setup->size;
    if (ic_transport_over(end)) { /* this task is also notified when the run is over */
        return NULL;
    }
    return (const void *)address; // NOLINT(performance-no-int-to-ptr): a notification's value is an integer
}

static void notification_release(struct ic_transport_end *end) {
    (void)xTaskNotifyGiveIndexed(end->other->handle, PORT_FREERTOS_NOTIFY_TASK);
}

const struct ic_transport ic_transport_notification = {
    .name = "notification",
    .summary = "FreeRTOS direct-to-task notification with the message's address; not copied, one at a time",
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
