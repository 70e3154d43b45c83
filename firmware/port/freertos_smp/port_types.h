/* The types that users of port.h allocate, for FreeRTOS SMP. */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <stdatomic.h>

#include "FreeRTOS.h"

#include "object_types.h"
#include "task.h"

#define PORT_CORES_MAX 2U

/* One program has all cores. */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) struct port_entry_##function /* nothing */

/* The stack and the kernel's control block come from the heap: a port_task_t is small. */
typedef struct port_task {
    TaskHandle_t handle;
    void (*entry)(void *);
    void *arg;
    atomic_uint ended;            /* the entry has returned */
    _Atomic(TaskHandle_t) joiner; /* who waits for that */
} port_task_t;

typedef StaticSemaphore_t port_sem_t;

#endif
