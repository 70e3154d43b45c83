/* The kernel's configuration if one kernel schedules both cores. Common settings are in config_freertos.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "config_freertos.h"
#include "trace_freertos.h"

/* ---- cores ---- */

/* One kernel schedules both cores. */
#define configNUMBER_OF_CORES 2

/* The tick interrupts core 0, which also has the console. Core 1 gets no tick. */
#define configTICK_CORE 0

/* Tasks of different priority run at the same time on different cores, as port.h requires. With 0, a task of high
 * priority on one core would leave the other core idle, and every speed-up would be 1. */
#define configRUN_MULTIPLE_PRIORITIES 1

/* Tasks can be pinned: nearly every benchmark needs it. */
#define configUSE_CORE_AFFINITY 1

/* Not used, so that priority and affinity alone decide which ready task runs. */
#define configUSE_TASK_PREEMPTION_DISABLE 0

/* Time slicing is off (config_freertos.h). With configUSE_TIME_SLICING 1, every tick would also wake an idle core 1 to
 * exchange one idle task for the other. */

/* The SMP kernel supports only 0. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0

/* Each core's main stack, which interrupts use, is reset when the scheduler starts: main() does not resume. */
#define configRESET_STACK_POINTER 1

/* There is no hook in the tick, so that the tick takes only the kernel's own time. */
#define configUSE_TICK_HOOK 0

/* ---- idle ---- */

/* The idle tasks, each pinned to its core (kernel_v11.c), sleep by WFI: a core that spins would take bus cycles from
 * the core that is measured. Both idle tasks call the passive hook. The other hook would be a second sleep in the loop
 * of core 0's idle task, and the time to wake core 0 would depend on which of the two sleeps it is in. */
#define configUSE_IDLE_HOOK 0
#define configUSE_PASSIVE_IDLE_HOOK 1

/* ---- memory ---- */

/* The heap (heap_4) has room for about ten tasks with stacks of 2 KiB at the same time. */
#define configTOTAL_HEAP_SIZE 24576

/* Uses of a task's thread-local pointers: 0 is its port_task_t, 1 counts its preemptions. */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 2

/* ---- counting preemptions (port_preemptions) ----
 *
 * A task that leaves its core but stays in its ready list was preempted. The code uses the kernel's own names, because
 * the kernel expands the two macros in its switch, before and after it chooses the next task. */
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
 * Does what the kernel's tick does with configUSE_TIME_SLICING 1: a core switches if another ready task has the same
 * priority as its running task. It is done in the same place, except that the tick's pending yields come before it.
 * While time slicing is off, it costs the test of a variable. */
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

/* With this setting the kernel's port handles the interrupt of the inter-core FIFO, by which one core interrupts the
 * other. The SDK locks that the setting also supports are not used. */
#define configSUPPORT_PICO_SYNC_INTEROP 1
#define configSUPPORT_PICO_TIME_INTEROP 0

/* The handlers are in the vector tables from the start, under the SDK's names (PICO_NO_RAM_VECTOR_TABLE in
 * board/rp2040/sdk/pico.h). */

#endif
