/* The kernel's configuration where each core has a kernel of its own; what is the same everywhere is in
 * config_freertos.h, and what the core's own port of the kernel needs in the board's kernel_config.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "config_freertos.h"
#include "kernel_config.h"
#include "trace_freertos.h"

/* This kernel knows of one core. */
#define configNUMBER_OF_CORES 1

/* The tick looks after the other core (mailbox.c): whether it lives, and whether a doorbell was lost. */
#define configUSE_TICK_HOOK 1

/* The idle task sleeps (WFI): a spinning core would take bus cycles from the one that is measured. */
#define configUSE_IDLE_HOOK 1
#define configUSE_PASSIVE_IDLE_HOOK 0

/* Per task: 0 its port_task_t, 1 how often it was preempted, 2 where it says whether it waits, or NULL. */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 3

/* ---- counting preemptions (port_preemptions), and saying that a task waits (port_task_waits) ----
 *
 * A task that leaves the core but stays in its ready list could have run on; another one waits. The other kernel cannot
 * look into this one's lists, so it is written where both see it, at every switch. In the kernel's own terms, because
 * the two macros are expanded in the kernel's switch, before and after the choice of the next task. */
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
 * A stream or message buffer in shared memory has its two ends in two kernels. What the kernel would tell the task at
 * the other end is told to the other kernel: what stream_buffer.c has these two macros for. */
void port_amp_buffer_sent(void *buffer);
void port_amp_buffer_received(void *buffer);
#define sbSEND_COMPLETED(pxStreamBuffer) port_amp_buffer_sent(pxStreamBuffer)
#define sbRECEIVE_COMPLETED(pxStreamBuffer) port_amp_buffer_received(pxStreamBuffer)

#endif
