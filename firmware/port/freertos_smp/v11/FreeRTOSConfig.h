/* The kernel's configuration with one kernel for both cores. Common settings are in config_freertos.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "config_freertos.h"
#include "trace_freertos.h"

/* ---- cores ---- */

/* One kernel schedules both cores. */
#define configNUMBER_OF_CORES 2

/* The core of the tick interrupt: core 0, with the console. Core 1 gets no tick. */
#define configTICK_CORE 0

/* Tasks of different priority run at once on different cores. With 0, a task of high priority on one core would leave
 * the other one idle, and every speed-up would be 1. port.h requires 1. */
#define configRUN_MULTIPLE_PRIORITIES 1

/* Tasks can be pinned: nearly every benchmark needs it. */
#define configUSE_CORE_AFFINITY 1

/* Not used: priority and affinity alone decide which ready task runs. */
#define configUSE_TASK_PREEMPTION_DISABLE 0

/* Time slicing is off: with 1, every tick would also wake an idle core 1 to exchange one idle task for the other. */

/* SMP has no other (the kernel refuses 1). */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0

/* Each core's main stack, which interrupts use, is reset when the scheduler starts: main() does not resume. */
#define configRESET_STACK_POINTER 1

/* No hook in the tick: it takes only the kernel's own time. */
#define configUSE_TICK_HOOK 0

/* ---- idle ---- */

/* Idle tasks, each pinned to its core (kernel_v11.c), sleep (WFI): a spinning core would take bus cycles from the
 * measured one. Both kinds call the passive hook; the other hook would be a second sleep in core 0's loop, and core 0's
 * wake-up would depend on which of the two it is in. */
#define configUSE_IDLE_HOOK 0
#define configUSE_PASSIVE_IDLE_HOOK 1

/* ---- memory ---- */

/* heap_4: about ten tasks with stacks of 2 KiB at a time */
#define configTOTAL_HEAP_SIZE 24576

/* Per task: 0 its port_task_t, 1 its number of preemptions */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 2

/* ---- counting preemptions (port_preemptions) ----
 *
 * A task that leaves its core but stays in its ready list was preempted. In the kernel's own terms: the two macros are
 * expanded in the kernel's switch, before and after the choice of the next task. */
#define traceTASK_SWITCHED_OUT()                                                                                       \
    TCB_t *const pxLeaving = pxCurrentTCBs[xCoreID];                                                                   \
    TRACE_SWITCHED_OUT(pxLeaving)
#define portTASK_SWITCH_HOOK(pxTCB)                                                                                    \
    TRACE_SWITCHED_IN(pxTCB)                                                                                           \
    if (pxLeaving != (pxTCB) &&                                                                                        \
        listLIST_ITEM_CONTAINER(&pxLeaving->xStateListItem) == &pxReadyTasksLists[pxLeaving->uxPriority]) {            \
        pxLeaving->pvThreadLocalStoragePointers[1] = (char *)pxLeaving->pvThreadLocalStoragePointers[1] + 1;           \
    }

/* ---- time slicing at run time (port_time_slicing) ----
 *
 * The same as the kernel's tick with configUSE_TIME_SLICING 1, in the same place except that it follows the tick's
 * pending yields: a core switches if its task has a ready task of equal priority. Off, it takes the test of a
 * variable. */
extern volatile uint32_t port_freertos_time_slicing;
#define traceRETURN_xTaskIncrementTick(xReturn)                                                                        \
    if (port_freertos_time_slicing != 0U && uxSchedulerSuspended == 0U) {                                              \
        for (BaseType_t xCore = 0; xCore < configNUMBER_OF_CORES; xCore++) {                                           \
            if (listCURRENT_LIST_LENGTH(&pxReadyTasksLists[pxCurrentTCBs[xCore]->uxPriority]) > 1U) {                  \
                xYieldPendings[xCore] = pdTRUE;                                                                        \
                prvYieldCore(xCore);                                                                                   \
                (xReturn) = (xCore == (BaseType_t)portGET_CORE_ID()) ? pdTRUE : (xReturn);                             \
            }                                                                                                          \
        }                                                                                                              \
    }

/* ---- RP2040 ---- */

/* The kernel's port gets its other core through the interrupt that this setting enables (its handler of the inter-core
 * FIFO is compiled only with it). The SDK locks of this setting are not used. */
#define configSUPPORT_PICO_SYNC_INTEROP 1
#define configSUPPORT_PICO_TIME_INTEROP 0

/* Handlers are in the vector tables from the start (PICO_NO_RAM_VECTOR_TABLE in board/rp2040/sdk/pico.h), under the
 * SDK's names. */

#endif
