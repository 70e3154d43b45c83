/* The kernel's configuration with a kernel on each core. Common settings are in config_freertos.h, those of the core's
 * kernel port in the board's kernel_config.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "config_freertos.h"
#include "kernel_config.h"
#include "trace_freertos.h"

/* This kernel knows one core. */
#define configNUMBER_OF_CORES 1

/* The tick monitors the other core (mailbox.c): whether it runs, and whether a doorbell was lost. */
#define configUSE_TICK_HOOK 1

/* The idle task sleeps (WFI): a spinning core would take bus cycles from the measured one. */
#define configUSE_IDLE_HOOK 1
#define configUSE_PASSIVE_IDLE_HOOK 0

/* Per task: 0 its port_task_t, 1 its number of preemptions, 2 its flag that it waits, or NULL */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 3

/* ---- counting preemptions (port_preemptions), and marking waiting tasks (port_task_waits) ----
 *
 * A task that leaves the core but stays in its ready list was preempted; another one waits. The other kernel cannot
 * read this one's lists, so the state is published at every switch. In the kernel's own terms: the two macros are
 * expanded in the kernel's switch, before and after the choice of the next task. */
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
 * A stream or message buffer in shared memory has its two ends in two kernels. These two macros of stream_buffer.c
 * notify the other kernel instead of a task. */
void port_amp_buffer_sent(void *buffer);
void port_amp_buffer_received(void *buffer);
#define sbSEND_COMPLETED(pxStreamBuffer) port_amp_buffer_sent(pxStreamBuffer)
#define sbRECEIVE_COMPLETED(pxStreamBuffer) port_amp_buffer_received(pxStreamBuffer)

#endif
