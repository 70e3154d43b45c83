/* kernel.h on ESP-IDF's FreeRTOS, which keeps the core of a task for as long as it lives.
 *
 * It is used as the application has configured it, and in Arduino's prebuilt libraries nobody can: so it takes no
 * index of the tasks' thread-local storage (there lwIP or pthread may be) and relies on no notification of its own. */
#ifndef KERNEL_ESP_IDF_H
#define KERNEL_ESP_IDF_H

#include "port_freertos.h"

/* ESP-IDF's trial of upstream's SMP kernel has other names, and other rules. */
#ifdef CONFIG_FREERTOS_SMP
#error                                                                                                                 \
    "Intercore runs on ESP-IDF's own FreeRTOS: switch CONFIG_FREERTOS_SMP off (menuconfig, Component config, FreeRTOS)"
#endif

/* Bytes: a StackType_t is one here. The kernel's own part is larger than an Arm's: what the coprocessors and the
 * register windows need of a stack (Xtensa ISA, windowed registers) is some 700 bytes. */
extern uint32_t kernel_stack_bytes;

static inline uint32_t kernel_stack(void) { return kernel_stack_bytes; }

/* Sets what kernel_stack() returns, before any task is started. */
void kernel_set_stack(uint32_t bytes);

/* Makes a task with `console` as its body the console task: pinned to core 0, at priority 1, above the idle tasks, with
 * a stack from the heap. PORT_ERR_RESOURCE if there is no memory for it.
 * Once, until port_freertos_join_console() has returned, which waits until that body has, and the kernel has let go of
 * the task and of its memory. */
enum port_error port_freertos_start_console(void (*console)(void), uint32_t stack_bytes);
void port_freertos_join_console(void);

/* Waits until a task has suspended itself, which is how tasks of ours end, and deletes it. In that state the kernel
 * frees its memory at once; of a task that deletes itself the idle task does, when it comes to it. */
void kernel_delete_ended(TaskHandle_t task);

/* The scan for it would be a part of the time to join a task. In the test programs it is worth its time. */
static inline bool kernel_notes_stacks(void) {
#if defined(CONFIG_INTERCORE_PROGRAM_PORT_TEST) || defined(CONFIG_INTERCORE_PROGRAM_STRESS) ||                         \
    defined(CONFIG_INTERCORE_PROGRAM_TRANSPORT_STRESS)
    return true;
#else
    return false;
#endif
}

/* ---- tasks ---- */

/* Calls what the task is to run, which does not return, on a stack on which there is memory to wait by. */
void kernel_run(void *task);

static inline BaseType_t kernel_create(TaskFunction_t run, const char *name, configSTACK_DEPTH_TYPE bytes,
                                       port_task_t *task, UBaseType_t priority, uint32_t core) {
    task->run = run;
    return xTaskCreatePinnedToCore(kernel_run, name, bytes, task, priority, &task->handle,
                                   core == PORT_CORE_ANY ? tskNO_AFFINITY : (BaseType_t)core);
}

static inline enum port_error kernel_pin(TaskHandle_t task, uint32_t core) {
    (void)task;
    (void)core;
    return PORT_ERR_UNSUPPORTED;
}

/* vTaskSwitchContext() looks at its own core only, and the tick at tasks of equal priority (ESP-IDF 5.5.5, 6.0.2 and
 * 6.1). */
static inline void kernel_reschedule(uint32_t core) { portYIELD_CORE((BaseType_t)core); }

/* xTaskPriorityInherit() moves the owner among those that are ready and asks no other core for a switch (read in
 * ESP-IDF 5.5.5, 6.0.2 and 6.1; seen on an emulated ESP32 with 5.5.5): what runs there goes on until it waits. */
static inline bool kernel_tells_of_inheritance(void) { return false; }

/* One for each task: the compiler's thread-local storage, which the kernel's port makes room for on every stack. */
extern _Thread_local port_task_t *port_freertos_self;

static inline void kernel_set_self(port_task_t *task) { port_freertos_self = task; }

static inline port_task_t *kernel_self(void) { return port_freertos_self; }

static inline void kernel_yield(void) { taskYIELD(); }

/* Equals take turns at every tick, always (configUSE_TIME_SLICING is 1): a condition says so. */
static inline void kernel_time_slicing(bool on) { (void)on; }

/* The kernel tells nobody. */
static inline uint64_t kernel_preemptions(void) { return 0; }

/* ---- waiting for the platform: a binary semaphore on the task's stack ---- */

static inline kernel_waiter_t kernel_waiter(void) {
    port_task_t *self = kernel_self();
    if (self->waiter == NULL) {
        self->waiter = xSemaphoreCreateBinaryStatic(self->waiter_memory);
    }
    return self->waiter;
}

static inline void kernel_wait(kernel_waiter_t self) { (void)xSemaphoreTake(self, portMAX_DELAY); }

static inline void kernel_wake(kernel_waiter_t waiter) { (void)xSemaphoreGive(waiter); }

/* ---- critical sections: a spinlock of ours, with interrupts masked. The kernel's own is not to be had. ---- */

extern portMUX_TYPE port_freertos_spinlock;

static inline void kernel_critical_enter(void) { taskENTER_CRITICAL(&port_freertos_spinlock); }

static inline void kernel_critical_exit(void) { taskEXIT_CRITICAL(&port_freertos_spinlock); }

#endif
