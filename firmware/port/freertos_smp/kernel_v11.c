/* FreeRTOS V11 SMP: the kernel's hooks, and the start of its scheduler */
#include "kernel.h"
#include "port_freertos.h"

static port_task_t console_task;
static StaticTask_t console_control;
static StackType_t console_stack[PORT_FREERTOS_CONSOLE_STACK_WORDS];
volatile uint32_t port_freertos_time_slicing;

/* ---- the kernel's hooks ---- */

void vApplicationPassiveIdleHook(void); /* task.h does not declare this hook */

/* Sleeps until an interrupt for this core. The interrupt's handler has run before this hook returns. */
void vApplicationPassiveIdleHook(void) {
#ifdef __riscv
    __asm volatile("wfi" ::: "memory");
#else
    __asm volatile("dsb\n wfi" ::: "memory");
#endif
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
    (void)task;
    board_panic("a task has outgrown its stack", name, (uint32_t)portGET_CORE_ID());
}

void port_freertos_assert(const char *file, uint32_t line) { board_panic("an assertion of the kernel", file, line); }

/* ---- start-up ---- */

/* The kernel would let its two idle tasks migrate between cores. They run different code, so the last cycles of a
 * sample would depend on which idle task happens to be on the core. */
static void pin_idle_tasks(void) {
    for (uint32_t core = 0; core < configNUMBER_OF_CORES; core++) {
        vTaskCoreAffinitySet(xTaskGetIdleTaskHandleForCore((BaseType_t)core), kernel_affinity(core));
    }
}

static void run_console(void *arg) {
    kernel_set_self(&console_task);
    pin_idle_tasks();
    ((void (*)(void))arg)();
    board_panic("the console task has returned", "", 0);
}

void port_freertos_start(void (*console)(void)) {
    console_task.handle =
        xTaskCreateStaticAffinitySet(run_console, "console", PORT_FREERTOS_CONSOLE_STACK_WORDS, (void *)console,
                                     tskIDLE_PRIORITY + 1U, console_stack, &console_control, kernel_affinity(0));
    vTaskStartScheduler();
    board_panic("the scheduler has not started", "", 0);
}
