/* ESP-IDF's FreeRTOS: the console task and the critical section. The scheduler runs before any of our code does. */
#include "kernel.h"
#include "port_lock.h"

static port_task_t console_task;
static StaticTask_t console_control;
static StackType_t console_stack[KERNEL_CONSOLE_STACK_WORDS];
static atomic_bool console_exists;

_Thread_local port_task_t *port_freertos_self;
portMUX_TYPE port_freertos_spinlock = portMUX_INITIALIZER_UNLOCKED;

void port_critical_enter(void) { kernel_critical_enter(); }

void port_critical_exit(void) { kernel_critical_exit(); }

static void run_console(void *arg) {
    kernel_set_self(&console_task);
    ((void (*)(void))arg)();
    kernel_end_console();
}

enum port_error kernel_start_console(void (*console)(void)) {
    if (atomic_exchange(&console_exists, true)) {
        return PORT_ERR_RESOURCE;
    }
    console_task.waiter = NULL;
    console_task.handle =
        xTaskCreateStaticPinnedToCore(run_console, "intercore", KERNEL_CONSOLE_STACK_WORDS, (void *)console,
                                      tskIDLE_PRIORITY + 1U, console_stack, &console_control, 0);
    return PORT_OK;
}

/* Its memory is the kernel's until the idle task has cleaned up: the flag stays, and who wants it again waits. */
void kernel_end_console(void) {
    vTaskDelete(NULL);
    for (;;) {
    }
}
