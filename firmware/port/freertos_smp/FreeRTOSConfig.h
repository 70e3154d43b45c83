/* The kernel's configuration. Each setting may change a time that is measured, so each says why it is as it is, and
 * those that matter travel with every number as conditions (conditions.c). A plain number stands where one can: it is
 * turned into the text of the condition. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

/* ---- cores and scheduling ---- */

/* One kernel schedules both cores. */
#define configNUMBER_OF_CORES 2

/* The core that takes the tick interrupt: core 0, with the console. Core 1 sees no tick at all. */
#define configTICK_CORE 0

/* Tasks of different priority run at once on different cores. With 0, a task of high priority on one core would leave
 * the other one idle, and every speed-up would be 1. port.h promises 1. */
#define configRUN_MULTIPLE_PRIORITIES 1

/* Tasks can be pinned: nearly every benchmark needs it. */
#define configUSE_CORE_AFFINITY 1

/* Not used: which of two ready tasks runs is decided by priority and affinity alone. */
#define configUSE_TASK_PREEMPTION_DISABLE 0

/* The highest ready priority runs at once, as in nearly every application. */
#define configUSE_PREEMPTION 1

/* Off: equals share a core by yielding only, so that no switch falls into a timed window that the benchmark has not
 * asked for. With 1, moreover, every tick would wake an idle core 1 to change one idle task for the other. What a
 * benchmark asks for with port_time_slicing() is below. */
#define configUSE_TIME_SLICING 0

/* Priority 0 is idle, 1 the console, 2 to 9 are the 8 priorities of port.h. */
#define configMAX_PRIORITIES 10

/* SMP has no other (the kernel refuses 1). */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0

/* Each core's main stack, which is the interrupts', begins anew when the scheduler starts: main() is not returned to.
 */
#define configRESET_STACK_POINTER 1

/* ---- tick ---- */

/* 1 kHz: what ESP-IDF applications and Arduino use most, and the default of the pico examples. */
#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS

/* Nothing of ours runs in the tick: it costs what the kernel's own work costs. */
#define configUSE_TICK_HOOK 0

/* The tick runs on in idle: tickless idle would stop SysTick and let the tick drift against the common clock. */
#define configUSE_TICKLESS_IDLE 0

/* ---- idle ---- */

/* Idle tasks, each pinned to its core (port_freertos.c), sleep (WFI): a spinning core would take bus cycles from the
 * one that is measured. Both kinds call the passive hook; the other one would be a second sleep in core 0's loop, and
 * how core 0 wakes would depend on which of the two it is in. */
#define configUSE_IDLE_HOOK 0
#define configUSE_PASSIVE_IDLE_HOOK 1

/* Nothing else has priority 0. */
#define configIDLE_SHOULD_YIELD 0

/* Words of the idle tasks' stacks: WFI, plus the context and, at -O0, the kernel's clean-up of ended tasks. */
#define configMINIMAL_STACK_SIZE 128

/* ---- memory ---- */

/* Tasks of benchmarks are made as applications make them, from the heap: that is part of the cost of creating one.
 * The idle tasks and the console task are static. */
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSUPPORT_STATIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1

/* heap_4: some ten tasks with stacks of 2 KiB at a time. */
#define configTOTAL_HEAP_SIZE 24576

/* Deleted tasks' memory is not overwritten with zeros. */
#define configHEAP_CLEAR_MEMORY_ON_FREE 0

/* ---- what tasks may use ---- */

/* Notifications: index 0 is left to the kernel's stream buffers, 1 is port_notify(), 2 wakes waits of the port and the
 * board themselves (join, console). */
#define configUSE_TASK_NOTIFICATIONS 1
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 3

/* Per task: 0 its port_task_t, 1 how often it was preempted. */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 2

#define configUSE_COUNTING_SEMAPHORES 1
#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 0
#define configQUEUE_REGISTRY_SIZE 0

/* No timer task: one task less that could disturb. */
#define configUSE_TIMERS 0

#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_vTaskDelay 1
#define INCLUDE_xTaskDelayUntil 1
#define INCLUDE_eTaskGetState 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#define INCLUDE_xTaskGetIdleTaskHandle 1
#define INCLUDE_uxTaskGetStackHighWaterMark 1

#define configMAX_TASK_NAME_LEN 12

/* ---- checks: on, although they cost time, because a number from a broken kernel is worth nothing ---- */

void port_freertos_assert(const char *file, uint32_t line) __attribute__((noreturn));
#define configASSERT(holds) ((holds) ? (void)0 : port_freertos_assert(__FILE__, __LINE__))

/* Level 2: at every switch, the stack pointer and the last 16 bytes of the stack. */
#define configCHECK_FOR_STACK_OVERFLOW 2
#define configUSE_MALLOC_FAILED_HOOK 0

/* ---- counting preemptions (port_preemptions) ----
 *
 * A task that leaves its core but stays in its ready list could have run on. Written in the kernel's own terms, because
 * the two macros are expanded in the kernel's switch, before and after the choice of the next task. */
#define traceTASK_SWITCHED_OUT() TCB_t *const pxLeaving = pxCurrentTCBs[xCoreID]
#define portTASK_SWITCH_HOOK(pxTCB)                                                                                    \
    if (pxLeaving != (pxTCB) &&                                                                                        \
        listLIST_ITEM_CONTAINER(&pxLeaving->xStateListItem) == &pxReadyTasksLists[pxLeaving->uxPriority]) {            \
        pxLeaving->pvThreadLocalStoragePointers[1] = (char *)pxLeaving->pvThreadLocalStoragePointers[1] + 1;           \
    }

/* ---- time slicing at run time (port_time_slicing) ----
 *
 * What the kernel does in each tick if configUSE_TIME_SLICING is 1, in the same place but for the pending yields of
 * the tick, which are behind us here: a core whose task has ready equals switches. Off, it costs a look at a variable.
 */
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

/* The kernel's port finds its other core through the interrupt that this setting brings along (its handler of the
 * inter-core FIFO is compiled only with it). The SDK locks that it is for are not used. */
#define configSUPPORT_PICO_SYNC_INTEROP 1
#define configSUPPORT_PICO_TIME_INTEROP 0

/* Handlers stand in the vector tables from the start (PICO_NO_RAM_VECTOR_TABLE in board/rp2040/sdk/pico.h), under the
 * SDK's names. */

#endif
