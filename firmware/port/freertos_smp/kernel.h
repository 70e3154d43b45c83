/* What two kernels that schedule both cores say in different words: FreeRTOS V11 SMP, and ESP-IDF's own FreeRTOS
 * (V10.5.1 "with SMP modifications"; ESP-IDF Programming Guide, "FreeRTOS (IDF)").
 *
 * Each of the two headers has the same functions, inline, since calls of them stand inside times that are measured; the
 * .c file of the same name has the rest.
 *
 * - kernel_stack(): of a task that asks for no more than PORT_FREERTOS_STACK_BYTES_FOR_ENTRY; in StackType_t.
 * - kernel_notes_stacks(): whether a task that ends looks what its stack has left, by a scan of what is unused.
 * - kernel_create(): makes a task that is pinned, or is not with PORT_CORE_ANY. task->handle is set before it runs.
 * - kernel_pin(): as port_task_pin().
 * - kernel_reschedule(): as port_reschedule().
 * - kernel_tells_of_inheritance(): whether a task that inherits a priority takes another core than the one where that
 *   was called for.
 * - kernel_set_self(), kernel_self(): the calling task's port_task_t.
 * - kernel_yield(), kernel_time_slicing(), kernel_preemptions(): as in port.h.
 * - kernel_waiter(): what the calling task waits by in kernel_wait(), until somebody has called kernel_wake() with it,
 *   also before. A wait may end early, so what is waited for has to be looked at.
 * - kernel_critical_enter(), kernel_critical_exit(): as port_critical_enter(). */
#ifndef KERNEL_H
#define KERNEL_H

#ifdef ESP_PLATFORM
#include "kernel_esp_idf.h"
#else
#include "kernel_v11.h"
#endif

#endif
