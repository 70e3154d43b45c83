/* ESP-IDF's FreeRTOS: the console task and the critical section. The scheduler runs before any of our code does. */
#include "kernel.h"
#include "port_lock.h"

static port_task_t console_task;
static StaticTask_t console_control;
static StackType_t console_stack[KERNEL_CONSOLE_STACK_WORDS];

_Thread_local port_task_t *port_freertos_self;
portMUX_TYPE port_freertos_spinlock = portMUX_INITIALIZER_UNLOCKED;

void port_critical_enter(void) { kernel_critical_enter(); }

void port_critical_exit(void) { kernel_critical_exit(); }

static void run_console(void *arg) {
    kernel_set_self(&console_task);
    ((void (*)(void))arg)();
    for (;;) {
        vTaskSuspend(NULL); /* who joins deletes it */
    }
}

void port_freertos_start_console(void (*console)(void)) {
    console_task.waiter = NULL;
    console_task.handle =
        xTaskCreateStaticPinnedToCore(run_console, "intercore", KERNEL_CONSOLE_STACK_WORDS, (void *)console,
                                      tskIDLE_PRIORITY + 1U, console_stack, &console_control, 0);
}

/* In that state a task is deleted at once, and its static memory is free again. */
void port_freertos_join_console(void) {
    while (eTaskGetState(console_task.handle) != eSuspended ||
           xTaskGetCurrentTaskHandleForCore(0) == console_task.handle) {
        vTaskDelay(1);
    }
    vTaskDelete(console_task.handle);
}
