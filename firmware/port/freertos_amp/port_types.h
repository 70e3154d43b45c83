/* The types that users of port.h allocate, with a FreeRTOS kernel on each core. Objects that several cores use are in
 * shared memory (PORT_SHARED). Members that belong to one kernel, such as a handle, are for that kernel only. */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <stdatomic.h>

#include "object_types.h" /* objects of one kernel: for tasks of the core that creates them */
#include "port_shared.h"

#define PORT_CORES_MAX 2U
#define PORT_PATIENCE_S 1U

#define PORT_ENTRY(function)                                                                                           \
    static void (*const entry_##function)(void *) __attribute__((section(".entries." #function), used)) = (function)

typedef struct port_task {
    uint32_t core;         /* the core whose kernel has the task */
    TaskHandle_t handle;   /* valid for the kernel of that core only */
    void (*entry)(void *); /* address in that core's image */
    void *arg;
    uint32_t index; /* number of the entry in the list of entries.c, the same in both images */
    uint32_t priority;
    uint32_t stack_bytes;
#ifdef IC_TRACE
    const char *name; /* in the memory of either image, which both cores can read */
#endif
    volatile uint32_t waits;            /* set while the task waits; each context switch writes it (FreeRTOSConfig.h) */
    atomic_uint ended;                  /* the entry has returned */
    _Atomic(struct port_task *) joiner; /* the task that waits for the end */
} port_task_t;

/* Largest number of tasks that may wait for one semaphore at the same time */
#define PORT_SEM_WAITERS 4U

typedef struct port_sem {
    uint32_t count;
    uint32_t most;
    uint32_t waiting;
    port_task_t *waiters[PORT_SEM_WAITERS]; /* in order of arrival; the first one is served first */
} port_sem_t;

#endif
