/* kernel.h on ESP-IDF's FreeRTOS, which fixes the core of a task at its creation.
 *
 * The kernel is used as the application has configured it, and Arduino's prebuilt libraries cannot be configured. So
 * this port uses no index of the tasks' thread-local storage pointers (lwIP or pthread may use them), and reserves no
 * task notification for itself. */
#ifndef KERNEL_ESP_IDF_H
#define KERNEL_ESP_IDF_H

#include "port_freertos.h"

/* ESP-IDF's experimental port of the upstream SMP kernel has other names and other rules. */
#ifdef CONFIG_FREERTOS_SMP
#error                                                                                                                 \
    "Intercore runs on ESP-IDF's own FreeRTOS: switch CONFIG_FREERTOS_SMP off (menuconfig, Component config, FreeRTOS)"
#endif

/* Stack size of a benchmark's task, in bytes, because StackType_t is one byte here. The kernel needs more of the stack
 * than on an Arm core: coprocessors and register windows take about 700 bytes (Xtensa ISA, windowed registers). */
extern uint32_t kernel_stack_bytes;

static inline uint32_t kernel_stack(void) { return kernel_stack_bytes; }

/* Sets the value of kernel_stack(), before any task is started. */
void kernel_set_stack(uint32_t bytes);

/* Creates the console task, with `console` as its body: pinned to core 0, at priority 1, above the idle tasks, with a
 * stack from the heap. Returns PORT_ERR_RESOURCE if there is no memory for it. port_freertos_join_console() waits until
 * the body has returned and the kernel has released the task and its memory; only then may the task be created
 * again. */
enum port_error port_freertos_start_console(void (*console)(void), uint32_t stack_bytes);
void port_freertos_join_console(void);

/* Waits until a task has suspended itself, which is how tasks of this port end, and deletes it. A suspended task's
 * memory is freed at once. If a task deleted itself, the idle task would free its memory later. */
void kernel_delete_ended(TaskHandle_t task);

/* Only the test programs scan the stacks: elsewhere the scan would be part of the measured time to join a task. */
static inline bool kernel_notes_stacks(void) {
#if defined(CONFIG_INTERCORE_PROGRAM_PORT_TEST) || defined(CONFIG_INTERCORE_PROGRAM_STRESS) ||                         \
    defined(CONFIG_INTERCORE_PROGRAM_TRANSPORT_STRESS)
    return true;
#else
    return false;
#endif
}

/* ---- tasks ---- */

/* Calls the task's function and, after that, suspends the task. The semaphore on which the task waits (kernel_wait())
 * is on the same stack. */
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

/* Makes another core reschedule. Needed because ESP-IDF's kernel does not offer a preempted task to other cores:
 * vTaskSwitchContext() considers only its own core, and the tick considers only tasks of equal priority (ESP-IDF 5.5.5,
 * 6.0.2 and 6.1). */
static inline void kernel_reschedule(uint32_t core) { portYIELD_CORE((BaseType_t)core); }

/* False: xTaskPriorityInherit() moves the owner in the ready lists but requests no switch on another core, so the task
 * that runs there continues until it waits (read in ESP-IDF 5.5.5, 6.0.2 and 6.1; seen on an emulated ESP32 with
 * 5.5.5). */
static inline bool kernel_tells_of_inheritance(void) { return false; }

/* The port_task_t of each task, in the compiler's thread-local storage, for which the kernel's port reserves room on
 * every stack */
extern _Thread_local port_task_t *port_freertos_self;

static inline void kernel_set_self(port_task_t *task) { port_freertos_self = task; }

static inline port_task_t *kernel_self(void) { return port_freertos_self; }

static inline void kernel_yield(void) { taskYIELD(); }

/* Has no effect: the kernel always slices time at every tick (configUSE_TIME_SLICING is 1), as the condition
 * `freertos.time_slicing` reports. */
static inline void kernel_time_slicing(bool on) { (void)on; }

/* The kernel does not report preemptions. */
static inline uint64_t kernel_preemptions(void) { return 0; }

/* ---- how tasks of the port wait: on a binary semaphore that is on the task's own stack ---- */

static inline kernel_waiter_t kernel_waiter(void) {
    port_task_t *self = kernel_self();
    if (self->waiter == NULL) {
        self->waiter = xSemaphoreCreateBinaryStatic(self->waiter_memory);
    }
    return self->waiter;
}

static inline void kernel_wait(kernel_waiter_t self) { (void)xSemaphoreTake(self, portMAX_DELAY); }

static inline void kernel_wake(kernel_waiter_t waiter) { (void)xSemaphoreGive(waiter); }

/* ---- critical sections: a spinlock of this port, taken with interrupts masked, because the kernel's own spinlock is
 * not accessible ---- */

extern portMUX_TYPE port_freertos_spinlock;

static inline void kernel_critical_enter(void) { taskENTER_CRITICAL(&port_freertos_spinlock); }

static inline void kernel_critical_exit(void) { taskEXIT_CRITICAL(&port_freertos_spinlock); }

#endif
