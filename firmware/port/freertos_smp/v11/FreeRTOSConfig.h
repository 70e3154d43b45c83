/* Configuration of FreeRTOS V11 SMP, where one kernel schedules both cores. Settings shared with AMP are in
 * config_freertos.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "config_freertos.h"
#include "trace_freertos.h"

/* ---- cores ---- */

#define configNUMBER_OF_CORES 2

/* The tick interrupts core 0, which also runs the console task. Core 1 gets no tick interrupt. */
#define configTICK_CORE 0

/* Tasks of different priority run at the same time on different cores, as port.h requires. With 0, a task on core 1
 * would stop the console task, which has a lower priority, on core 0. No work could then be started on core 0, and
 * every speed-up would be 1. */
#define configRUN_MULTIPLE_PRIORITIES 1

/* Tasks can be pinned to a core, which nearly every benchmark needs. */
#define configUSE_CORE_AFFINITY 1

/* Not used, so that priority and affinity alone decide which ready task runs. */
#define configUSE_TASK_PREEMPTION_DISABLE 0

/* Time slicing is off (config_freertos.h). With configUSE_TIME_SLICING 1, every tick would also wake an idle core 1,
 * because the two idle tasks have the same priority. */

/* The SMP kernel supports only 0. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0

/* The scheduler empties each core's main stack when it starts. Then only interrupts use the stack; main() never
 * resumes. */
#define configRESET_STACK_POINTER 1

/* The tick interrupt calls no application hook, so that it takes only the kernel's own time. */
#define configUSE_TICK_HOOK 0

/* ---- idle ---- */

/* The idle tasks, each pinned to its core (kernel_v11.c), sleep by WFI: a core that spins would take bus cycles from
 * the core that is measured. Both idle tasks call the passive hook. The ordinary idle hook would be a second sleep in
 * the loop of core 0's idle task, and the time to wake core 0 would depend on the sleep that it is in. */
#define configUSE_IDLE_HOOK 0
#define configUSE_PASSIVE_IDLE_HOOK 1

/* ---- memory ---- */

/* The heap (heap_4) has room for eight tasks with stacks of 2 KiB at the same time: no benchmark takes more than half
 * of it. */
#define configTOTAL_HEAP_SIZE 20480

/* A task's thread-local storage pointers: 0 points to its port_task_t, 1 counts its preemptions. */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 2

/* ---- counting preemptions (port_preemptions) ----
 *
 * A task that leaves its core but stays in its ready list was preempted. The code uses the kernel's own names, because
 * the kernel expands the two macros in vTaskSwitchContext(), before and after it chooses the next task. */
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
 * priority as its running task. The macro is expanded at the end of the kernel's tick function, after the yields that
 * the tick itself requests. While time slicing is off, the macro costs one test of a variable. */
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

/* With this setting the kernel's RP2040 port handles the interrupt of the inter-core FIFO, with which one core
 * interrupts the other. The setting also lets tasks block on the SDK's locks, which Intercore does not use. */
#define configSUPPORT_PICO_SYNC_INTEROP 1
#define configSUPPORT_PICO_TIME_INTEROP 0

/* The kernel's interrupt handlers are not installed at run time. They are in the vector tables from the start, under
 * the SDK's names (PICO_NO_RAM_VECTOR_TABLE in board/rp2040/sdk/pico.h). */

#endif
