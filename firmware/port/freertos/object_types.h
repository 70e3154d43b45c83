/* The types of port_objects.h and port_lock.h on FreeRTOS; included by each port's port_types.h. */
#ifndef OBJECT_TYPES_H
#define OBJECT_TYPES_H

#include <stdint.h>

#include "kernel_api.h"

typedef struct port_mutex {
    SemaphoreHandle_t handle;
} port_mutex_t;

typedef struct port_queue {
    QueueHandle_t handle;
} port_queue_t;

typedef struct port_events {
    EventGroupHandle_t handle;
} port_events_t;

typedef struct port_stream {
    StreamBufferHandle_t handle;
} port_stream_t;

/* Address of the register of a hardware lock; the board chooses the lock */
typedef struct port_spinlock {
    volatile uint32_t *hardware;
} port_spinlock_t;

#endif
