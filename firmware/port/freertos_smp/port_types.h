/* The types that users of port.h allocate, for FreeRTOS SMP. */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <stdatomic.h>

#include "FreeRTOS.h"

#include "event_groups.h"
#include "semphr.h"
#include "stream_buffer.h"
#include "task.h"

#define PORT_CORES_MAX 2U

/* One program has all cores. */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) _Static_assert(sizeof(&(function)) > 0, "a function")

/* The stack and the kernel's control block come from the heap: a port_task_t is small. */
typedef struct port_task {
    TaskHandle_t handle;
    void (*entry)(void *);
    void *arg;
    atomic_uint ended;            /* the entry has returned */
    _Atomic(TaskHandle_t) joiner; /* who waits for that */
} port_task_t;

typedef StaticSemaphore_t port_sem_t;

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

/* The register of a lock that the hardware has, chosen by the board. */
typedef struct port_spinlock {
    volatile uint32_t *hardware;
} port_spinlock_t;

#endif
