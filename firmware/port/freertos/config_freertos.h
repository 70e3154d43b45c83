/* The FreeRTOS configuration that is the same on all platforms, included by each port's FreeRTOSConfig.h. Any option
 * may change a measured time, so each one has a reason here, and the important ones are reported with every result as
 * conditions (conditions_v11.c, freertos_amp/conditions.c). The values are bare literals where possible, because they
 * become the text of a condition. */
#ifndef CONFIG_FREERTOS_H
#define CONFIG_FREERTOS_H

/* ---- scheduling ---- */

/* As in nearly every application: the ready task of the highest priority runs at once. */
#define configUSE_PREEMPTION 1

/* Off: tasks of equal priority share a core only by yielding, so that the tick causes no context switch in a timed
 * window unless a benchmark requests time slicing. Each FreeRTOSConfig.h implements port_time_slicing() itself. */
#define configUSE_TIME_SLICING 0

/* Priority 0 is the idle task, 1 the console, and 2 to 9 are the 8 priorities of port.h. */
#define configMAX_PRIORITIES 10

/* ---- the recorder (trace_freertos.h) ---- */

/* Gives tasks and queues the numbers by which the trace recorder identifies them. */
#ifdef IC_TRACE
#define configUSE_TRACE_FACILITY 1
#endif

/* ---- tick ---- */

/* 1 kHz is the most common value in ESP-IDF applications and Arduino, and the default of the pico examples. */
#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS

/* The tick continues while the core is idle: tickless idle would stop SysTick and let the tick drift against the common
 * clock. */
#define configUSE_TICKLESS_IDLE 0

/* ---- idle ---- */

/* The idle task need not yield, because no other task has priority 0. */
#define configIDLE_SHOULD_YIELD 0

/* Words of an idle task's stack: enough for the idle hook with WFI, the saved context and, at -O0, the kernel's
 * clean-up of ended tasks */
#define configMINIMAL_STACK_SIZE 128

/* ---- memory ---- */

/* The tasks of benchmarks are allocated from the heap, as in applications: the allocation is part of the time to create
 * a task. The idle tasks and the console task are static. */
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSUPPORT_STATIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1

/* Freed memory, such as the memory of a deleted task, is not cleared. */
#define configHEAP_CLEAR_MEMORY_ON_FREE 0

/* ---- features ---- */

/* Task notifications of each task: the kernel's stream buffers use index 0, port_notify() uses index 1, and waits
 * inside the port and the board (for a task to end, for console input) use index 2. */
#define configUSE_TASK_NOTIFICATIONS 1
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 3

#define configUSE_COUNTING_SEMAPHORES 1
#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 0
#define configQUEUE_REGISTRY_SIZE 0

/* There is no timer task, which could disturb a measurement. */
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

/* ---- checks: on, although they take time, because a result from a broken kernel is worthless ---- */

void port_freertos_assert(const char *file, uint32_t line) __attribute__((noreturn));
#define configASSERT(holds) ((holds) ? (void)0 : port_freertos_assert(__FILE__, __LINE__))

/* Level 2: every context switch checks the stack pointer and the last 16 bytes of the stack. */
#define configCHECK_FOR_STACK_OVERFLOW 2
#define configUSE_MALLOC_FAILED_HOOK 0

#endif
