/* The kernel's configuration if each core has its own kernel. The options that are the same on all platforms are in
 * config_freertos.h, and the options of the core's kernel port are in the board's kernel_config.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "config_freertos.h"
#include "kernel_config.h"
#include "trace_freertos.h"

/* Each of the two kernels schedules one core, and does not know of the other core. */
#define configNUMBER_OF_CORES 1

/* At each tick, the hook checks whether the other core still runs, and whether a doorbell was lost (mailbox.c). */
#define configUSE_TICK_HOOK 1

/* The idle task sleeps (WFI): a spinning core would take bus cycles from the measured core. */
#define configUSE_IDLE_HOOK 1
#define configUSE_PASSIVE_IDLE_HOOK 0

/* Uses of a task's thread-local pointers: 0 points to its port_task_t, 1 counts its preemptions, and 2 points to its
 * flag `waits` or is NULL. */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 3

/* ---- counting preemptions (port_preemptions), and marking waiting tasks (port_task_waits) ----
 *
 * A task that leaves the core but stays in its ready list was preempted; a task that leaves its ready list waits. The
 * other core cannot read the lists of this kernel, so each switch writes the task's state into its flag `waits`. The
 * code uses the kernel's own names, because the kernel expands the two macros in its context switch, before and after
 * it chooses the next task. */
#define traceTASK_SWITCHED_OUT()                                                                                       \
    TCB_t *const pxLeaving = pxCurrentTCB;                                                                             \
    TRACE_SWITCHED_OUT(pxLeaving)
#define portTASK_SWITCH_HOOK(pxTCB)                                                                                    \
    TRACE_SWITCHED_IN(pxTCB)                                                                                           \
    if (pxLeaving != (pxTCB)) {                                                                                        \
        volatile uint32_t *pulWaits = pxLeaving->pvThreadLocalStoragePointers[2];                                      \
        if (listLIST_ITEM_CONTAINER(&pxLeaving->xStateListItem) == &pxReadyTasksLists[pxLeaving->uxPriority]) {        \
            pxLeaving->pvThreadLocalStoragePointers[1] = (char *)pxLeaving->pvThreadLocalStoragePointers[1] + 1;       \
        } else if (pulWaits != NULL) {                                                                                 \
            *pulWaits = 1U;                                                                                            \
        }                                                                                                              \
        pulWaits = (pxTCB)->pvThreadLocalStoragePointers[2];                                                           \
        if (pulWaits != NULL) {                                                                                        \
            *pulWaits = 0U;                                                                                            \
        }                                                                                                              \
    }

/* ---- message buffers between kernels ----
 *
 * The two ends of a stream or message buffer in shared memory belong to two kernels. These two macros of
 * stream_buffer.c notify the other kernel; the kernel's own macros would notify a task of this kernel. */
void port_amp_buffer_sent(void *buffer);
void port_amp_buffer_received(void *buffer);
#define sbSEND_COMPLETED(pxStreamBuffer) port_amp_buffer_sent(pxStreamBuffer)
#define sbRECEIVE_COMPLETED(pxStreamBuffer) port_amp_buffer_received(pxStreamBuffer)

#endif
