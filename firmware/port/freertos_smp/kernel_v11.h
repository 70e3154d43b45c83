/* kernel.h on FreeRTOS V11 SMP */
#ifndef KERNEL_V11_H
#define KERNEL_V11_H

#include "port_freertos.h"

static inline uint32_t kernel_stack(void) { return PORT_FREERTOS_STACK_WORDS; }

static inline bool kernel_notes_stacks(void) { return true; }

/* ---- tasks ---- */

static inline UBaseType_t kernel_affinity(uint32_t core) {
    return core == PORT_CORE_ANY ? (UBaseType_t)tskNO_AFFINITY : (UBaseType_t)1U << core;
}

static inline BaseType_t kernel_create(TaskFunction_t run, const char *name, configSTACK_DEPTH_TYPE words,
                                       port_task_t *task, UBaseType_t priority, uint32_t core) {
    return xTaskCreateAffinitySet(run, name, words, task, priority, kernel_affinity(core), &task->handle);
}

static inline enum port_error kernel_pin(TaskHandle_t task, uint32_t core) {
    vTaskCoreAffinitySet(task, kernel_affinity(core));
    return PORT_OK;
}

/* Nothing to do: vTaskSwitchContext() offers a preempted task to the other cores. */
static inline void kernel_reschedule(uint32_t core) { (void)core; }

/* True: when a mutex's owner inherits a priority, xTaskPriorityInherit() requests a switch on the owner's core. */
static inline bool kernel_tells_of_inheritance(void) { return true; }

static inline void kernel_set_self(port_task_t *task) { vTaskSetThreadLocalStoragePointer(NULL, 0, task); }

static inline port_task_t *kernel_self(void) { return pvTaskGetThreadLocalStoragePointer(NULL, 0); }

/* Restores the count of preemptions afterwards, because the switch hook counts a yield as a preemption. */
static inline void kernel_yield(void) {
    void *preemptions = pvTaskGetThreadLocalStoragePointer(NULL, 1);
    taskYIELD();
    vTaskSetThreadLocalStoragePointer(NULL, 1, preemptions);
}

static inline void kernel_time_slicing(bool on) { port_freertos_time_slicing = on; }

static inline uint64_t kernel_preemptions(void) { return (uintptr_t)pvTaskGetThreadLocalStoragePointer(NULL, 1); }

/* ---- how the port makes a task wait: by a notification index that nothing else uses ---- */

static inline kernel_waiter_t kernel_waiter(void) { return xTaskGetCurrentTaskHandle(); }

static inline void kernel_wait(kernel_waiter_t self) {
    (void)self;
    (void)ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_PLATFORM, pdTRUE, portMAX_DELAY);
}

static inline void kernel_wake(kernel_waiter_t waiter) {
    (void)xTaskNotifyGiveIndexed(waiter, PORT_FREERTOS_NOTIFY_PLATFORM);
}

/* ---- critical sections ---- */

static inline void kernel_critical_enter(void) { taskENTER_CRITICAL(); }

static inline void kernel_critical_exit(void) { taskEXIT_CRITICAL(); }

#endif
