/* Common names for two kernels that schedule both cores: FreeRTOS V11 SMP, and ESP-IDF's own FreeRTOS (V10.5.1 "with
 * SMP modifications"; ESP-IDF Programming Guide, "FreeRTOS (IDF)").
 *
 * The header of each kernel defines the same functions. They are inline where a call is inside a measured time; the .c
 * file of the same name has the rest.
 *
 * - kernel_stack(): stack size, in StackType_t, of a task whose entry function needs at most
 *   PORT_FREERTOS_STACK_BYTES_FOR_ENTRY bytes of it. If the function needs more, port_freertos.c adds the difference.
 * - kernel_notes_stacks(): whether a task that ends scans its stack to record how much of it was unused.
 * - kernel_create(): creates a task, pinned unless its core is PORT_CORE_ANY. task->handle is set before the task runs.
 * - kernel_pin(): like port_task_pin().
 * - kernel_reschedule(): like port_reschedule().
 * - kernel_tells_of_inheritance(): whether a task that inherits a priority preempts a task of lower priority on another
 *   core.
 * - kernel_set_self(), kernel_self(): set and return the calling task's port_task_t.
 * - kernel_yield(), kernel_time_slicing(), kernel_preemptions(): as in port.h.
 * - kernel_waiter(): the object on which the calling task waits in kernel_wait(). kernel_wake() with this object ends
 *   the wait, even if kernel_wake() is called before kernel_wait(). A wait may end early: check again what was waited
 *   for.
 * - kernel_critical_enter(), kernel_critical_exit(): like port_critical_enter() and port_critical_exit(). */
#ifndef KERNEL_H
#define KERNEL_H

#ifdef ESP_PLATFORM
#include "kernel_esp_idf.h"
#else
#include "kernel_v11.h"
#endif

#endif
