/* The transports that are made of FreeRTOS' objects. A board that runs on FreeRTOS lists them (port_transport()). */
#ifndef TRANSPORTS_FREERTOS_H
#define TRANSPORTS_FREERTOS_H

#include "kernel_api.h"
#include "transport.h"

extern const struct ic_transport ic_transport_queue;
extern const struct ic_transport ic_transport_stream_buffer;
extern const struct ic_transport ic_transport_message_buffer;
/* The same from kernel to kernel. */
extern const struct ic_transport ic_transport_message_buffer_amp;
extern const struct ic_transport ic_transport_notification;

/* Kernel ticks for which an end waits in one call of the kernel: none if it polls. */
static inline TickType_t freertos_slice(const struct ic_transport_end *end) {
    return end->setup->polling ? 0 : pdMS_TO_TICKS(IC_TRANSPORT_SLICE_MS);
}

#endif
