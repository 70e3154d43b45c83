/* The types that users of port.h allocate, with one FreeRTOS kernel for both cores: V11 SMP or ESP-IDF's */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <stdatomic.h>

#include "kernel_api.h"
#include "object_types.h"

#define PORT_CORES_MAX 2U
#define PORT_PATIENCE_S 1U

/* The internal memory of an ESP32 and of an ESP32-S3, which holds all variables, has no cache. That of an ESP32-P4 has
 * one. */
#if defined(CONFIG_IDF_TARGET_ESP32) || defined(CONFIG_IDF_TARGET_ESP32S3)
#define PORT_CACHE_LINE 8
#endif

/* One program for all cores */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) struct port_entry_##function /* nothing */

/* A user's program may register workloads and transports (core/added.h). */
#if defined(ESP_PLATFORM) && !defined(IC_ADDED_MAX)
#define IC_ADDED_MAX 8
#endif

/* The object of a task's wait for the platform (kernel.h) */
#ifdef ESP_PLATFORM
typedef SemaphoreHandle_t kernel_waiter_t;
#else
typedef TaskHandle_t kernel_waiter_t;
#endif

/* The stack and the kernel's control block come from the heap: a port_task_t is small. */
typedef struct port_task {
    TaskHandle_t handle;
    void (*entry)(void *);
    void *arg;
    atomic_uint ended;               /* the entry has returned */
    _Atomic(kernel_waiter_t) joiner; /* the task that waits for that */
#ifdef ESP_PLATFORM
    kernel_waiter_t waiter;           /* this task's own; NULL until it first waits */
    StaticSemaphore_t *waiter_memory; /* for `waiter`, on the task's stack: most port_task_t are unused */
    void (*run)(void *);
#endif
} port_task_t;

typedef StaticSemaphore_t port_sem_t;

#endif
