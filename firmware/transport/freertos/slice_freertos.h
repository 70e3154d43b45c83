/* Time limit of each blocking kernel call in a transport made of FreeRTOS objects */
#ifndef SLICE_FREERTOS_H
#define SLICE_FREERTOS_H

#include "kernel_api.h"
#include "transport.h"

/* Kernel ticks for which an end blocks in one kernel call; 0 if it polls */
static inline TickType_t freertos_slice(const struct ic_transport_end *end) {
    return end->setup->polling ? 0 : pdMS_TO_TICKS(IC_TRANSPORT_SLICE_MS);
}

#endif
