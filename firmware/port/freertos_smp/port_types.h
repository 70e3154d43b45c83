/* The types that users of port.h allocate, with one FreeRTOS kernel for both cores: V11 SMP or ESP-IDF's */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <stdatomic.h>

#include "kernel_api.h"
#include "object_types.h"

#define PORT_CORES_MAX 2U
#define PORT_PATIENCE_S 1U

/* All variables are in internal memory, which on an ESP32 and an ESP32-S3 has no cache, so an alignment of 8 bytes is
 * enough. On an ESP32-P4 that memory has a cache. */
#if defined(CONFIG_IDF_TARGET_ESP32) || defined(CONFIG_IDF_TARGET_ESP32S3)
#define PORT_CACHE_LINE 8
#endif

/* One program runs on all cores. */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) struct port_entry_##function /* nothing */

/* A user's program may register workloads and transports (core/added.h). */
#if defined(ESP_PLATFORM) && !defined(IC_ADDED_MAX)
#define IC_ADDED_MAX 8
#endif

/* What a task waits for when the port itself waits (kernel.h) */
#ifdef ESP_PLATFORM
typedef SemaphoreHandle_t kernel_waiter_t;
#else
typedef TaskHandle_t kernel_waiter_t;
#endif

/* The task's stack and the kernel's control block come from the heap, so a port_task_t is small. */
typedef struct port_task {
    TaskHandle_t handle;
    void (*entry)(void *);
    void *arg;
    atomic_uint ended;               /* the entry has returned */
    _Atomic(kernel_waiter_t) joiner; /* the task that waits for the end */
#ifdef ESP_PLATFORM
    kernel_waiter_t waiter;           /* the object by which this task waits; NULL until it first waits */
    StaticSemaphore_t *waiter_memory; /* memory for `waiter`, on the task's stack, because most port_task_t are
                                         unused */
    void (*run)(void *);
#endif
} port_task_t;

typedef StaticSemaphore_t port_sem_t;

#endif
