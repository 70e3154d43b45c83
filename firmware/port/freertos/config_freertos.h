/* What the kernel's configuration is wherever it runs; included by each port's FreeRTOSConfig.h. Each setting may
 * change a time that is measured, so each says why it is as it is, and those that matter travel with every number as
 * conditions (conditions.c). A plain number stands where one can: it is turned into the text of the condition. */
#ifndef CONFIG_FREERTOS_H
#define CONFIG_FREERTOS_H

/* ---- scheduling ---- */

/* The highest ready priority runs at once, as in nearly every application. */
#define configUSE_PREEMPTION 1

/* Off: equals share a core by yielding only, so that no switch falls into a timed window that the benchmark has not
 * asked for. What a benchmark asks for with port_time_slicing() is in each FreeRTOSConfig.h. */
#define configUSE_TIME_SLICING 0

/* Priority 0 is idle, 1 the console, 2 to 9 are the 8 priorities of port.h. */
#define configMAX_PRIORITIES 10

/* ---- the recorder (trace_freertos.h) ---- */

/* Gives tasks and queues the numbers that it tells them by. */
#ifdef IC_TRACE
#define configUSE_TRACE_FACILITY 1
#endif

/* ---- tick ---- */

/* 1 kHz: what ESP-IDF applications and Arduino use most, and the default of the pico examples. */
#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS

/* The tick runs on in idle: tickless idle would stop SysTick and let the tick drift against the common clock. */
#define configUSE_TICKLESS_IDLE 0

/* ---- idle ---- */

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

/* Deleted tasks' memory is not overwritten with zeros. */
#define configHEAP_CLEAR_MEMORY_ON_FREE 0

/* ---- what tasks may use ---- */

/* Notifications: index 0 is left to the kernel's stream buffers, 1 is port_notify(), 2 wakes waits of the port and the
 * board themselves (join, console). */
#define configUSE_TASK_NOTIFICATIONS 1
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 3

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

#endif
