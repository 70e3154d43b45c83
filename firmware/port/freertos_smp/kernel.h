/* Common names for two kernels that schedule both cores: FreeRTOS V11 SMP, and ESP-IDF's own FreeRTOS (V10.5.1 "with
 * SMP modifications"; ESP-IDF Programming Guide, "FreeRTOS (IDF)").
 *
 * Both headers have the same functions, inline, since calls of them are inside measured times; the .c file of the same
 * name has the rest.
 *
 * - kernel_stack(): of a task that requests at most PORT_FREERTOS_STACK_BYTES_FOR_ENTRY; in StackType_t.
 * - kernel_notes_stacks(): whether an ending task records its unused stack, by a scan.
 * - kernel_create(): creates a task, pinned unless PORT_CORE_ANY. task->handle is set before it runs.
 * - kernel_pin(): as port_task_pin().
 * - kernel_reschedule(): as port_reschedule().
 * - kernel_tells_of_inheritance(): whether a task that inherits a priority preempts another core's task.
 * - kernel_set_self(), kernel_self(): the calling task's port_task_t.
 * - kernel_yield(), kernel_time_slicing(), kernel_preemptions(): as in port.h.
 * - kernel_waiter(): the object with which the calling task waits in kernel_wait(), until kernel_wake() is called with
 *   it, possibly before. A wait may end early: check the condition again.
 * - kernel_critical_enter(), kernel_critical_exit(): as port_critical_enter(). */
#ifndef KERNEL_H
#define KERNEL_H

#ifdef ESP_PLATFORM
#include "kernel_esp_idf.h"
#else
#include "kernel_v11.h"
#endif

#endif
