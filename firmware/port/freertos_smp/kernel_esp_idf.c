/* ESP-IDF's FreeRTOS: the console task and the critical section. ESP-IDF has started the scheduler before any code of
 * Intercore runs. */
#include "kernel.h"
#include "port_lock.h"

static port_task_t console_task;
static void (*console_body)(void);
uint32_t kernel_stack_bytes;

_Thread_local port_task_t *port_freertos_self;
portMUX_TYPE port_freertos_spinlock = portMUX_INITIALIZER_UNLOCKED;

void port_critical_enter(void) { kernel_critical_enter(); }

void port_critical_exit(void) { kernel_critical_exit(); }

void kernel_run(void *task) {
    StaticSemaphore_t waiter_memory;
    port_task_t *self = task;
    self->waiter = NULL;
    self->waiter_memory = &waiter_memory;
    self->run(self);
    for (;;) {
        vTaskSuspend(NULL); /* the task that joins this one deletes it, and its stack with it */
    }
}

static void run_console(void *task) {
    kernel_set_self(task);
    console_body();
}

enum port_error port_freertos_start_console(void (*console)(void), uint32_t stack_bytes) {
    console_body = console;
    BaseType_t made = kernel_create(run_console, "intercore", stack_bytes, &console_task, tskIDLE_PRIORITY + 1U, 0);
    return made == pdPASS ? PORT_OK : PORT_ERR_RESOURCE;
}

void port_freertos_join_console(void) { kernel_delete_ended(console_task.handle); }

void kernel_set_stack(uint32_t bytes) { kernel_stack_bytes = bytes; }

/* Whether the task is still on a core: a task that has suspended itself may not have left its core yet. */
static bool is_on_a_core(TaskHandle_t task) {
    return xTaskGetCurrentTaskHandleForCore(0) == task || xTaskGetCurrentTaskHandleForCore(1) == task;
}

void kernel_delete_ended(TaskHandle_t task) {
    while (eTaskGetState(task) != eSuspended || is_on_a_core(task)) {
        vTaskDelay(1);
    }
    vTaskDelete(task);
}
