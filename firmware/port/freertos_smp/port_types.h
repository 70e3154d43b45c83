/* The types that callers of port.h allocate, for one FreeRTOS kernel on both cores: V11 SMP or ESP-IDF's own */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <stdatomic.h>

#include "kernel_api.h"
#include "object_types.h"

#define PORT_CORES_MAX 2U
#define PORT_PATIENCE_S 1U

/* All variables are in internal memory. On an ESP32 and an ESP32-S3 this memory has no cache, so an alignment of 8
 * bytes is enough. On an ESP32-P4 it has a cache, and port.h's default applies. */
#if defined(CONFIG_IDF_TARGET_ESP32) || defined(CONFIG_IDF_TARGET_ESP32S3)
#define PORT_CACHE_LINE 8
#endif

/* One program runs on all cores. */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) struct port_entry_##function /* nothing */

/* On the RP2040 and the RP2350, the linker scripts put these sections into SRAM, wherever other code is
 * (rp2_board.h). */
#ifndef ESP_PLATFORM
#define PORT_IN_RAM(name) __attribute__((noinline, section(".sram_code." #name)))
#endif

/* On ESP-IDF, an application may register up to this many workloads and transports of its own (core/added.h). */
#if defined(ESP_PLATFORM) && !defined(IC_ADDED_MAX)
#define IC_ADDED_MAX 8
#endif

/* The object on which a task blocks if the port itself makes it wait (kernel.h) */
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
    _Atomic(kernel_waiter_t) joiner; /* the task that waits for this task's end */
#ifdef ESP_PLATFORM
    kernel_waiter_t waiter;           /* the object by which this task waits; NULL until it first waits */
    StaticSemaphore_t *waiter_memory; /* memory for `waiter`, on the task's stack, because most port_task_t are
                                         unused */
    void (*run)(void *);
#endif
} port_task_t;

typedef StaticSemaphore_t port_sem_t;

#endif
