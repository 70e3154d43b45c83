/* For how long a transport that is made of FreeRTOS' objects waits at a time. */
#ifndef SLICE_FREERTOS_H
#define SLICE_FREERTOS_H

#include "kernel_api.h"
#include "transport.h"

/* Kernel ticks for which an end waits in one call of the kernel: none if it polls. */
static inline TickType_t freertos_slice(const struct ic_transport_end *end) {
    return end->setup->polling ? 0 : pdMS_TO_TICKS(IC_TRANSPORT_SLICE_MS);
}

#endif
