/* Implements the tasks and wake-ups of port.h with a FreeRTOS kernel on each core. The board implements the clock, the
 * console and the conditions. */
#include "port_amp.h"

#include "port_freertos.h"
#include "port_objects.h"

static port_task_t console_task PORT_SHARED(console);
static StaticTask_t console_control;
static StackType_t console_stack[PORT_FREERTOS_CONSOLE_STACK_WORDS];
static volatile uint32_t stack_left[PORT_AMP_CORES] PORT_SHARED(stack_left); /* least unused stack plus one; 0 means
                                                                                that none is known yet */
volatile uint32_t port_freertos_time_slicing PORT_SHARED(time_slicing);

extern uint8_t port_amp_shared[], port_amp_shared_end[];

/* ---- cores ---- */

uint32_t port_core_count(void) { return PORT_AMP_CORES; }

uint32_t port_core_id(void) { return board_core(); }

uint32_t port_tick_hz(void) { return configTICK_RATE_HZ; }

/* ---- tasks ---- */

static bool is_here(const port_task_t *task) { return task->core == board_core(); }

static void note_stack(void) {
    volatile uint32_t *least = &stack_left[board_core()];
    uint32_t left = (uint32_t)uxTaskGetStackHighWaterMark(NULL) + 1U;
    taskENTER_CRITICAL();
    *least = *least == 0 || left < *least ? left : *least;
    taskEXIT_CRITICAL();
}

static void be(port_task_t *task) {
    vTaskSetThreadLocalStoragePointer(NULL, 0, task);
    vTaskSetThreadLocalStoragePointer(NULL, 2, (void *)(uintptr_t)&task->waits);
}

static void run_task(void *arg) {
    port_task_t *task = arg;
    be(task);
    task->entry(task->arg);
    note_stack();
    /* Writes `ended`, then reads `joiner`; port_task_join() writes `joiner`, then reads `ended`. So whichever of the
     * two tasks comes second sees what the first has written. */
    atomic_store(&task->ended, 1);
    port_task_t *joiner = atomic_load(&task->joiner);
    if (joiner != NULL) {
        port_amp_wake(joiner);
    }
    for (;;) {
        vTaskSuspend(NULL); /* the task that joins this one requests its deletion */
    }
}

static configSTACK_DEPTH_TYPE stack_words(uint32_t bytes_for_entry) {
    uint32_t words = PORT_FREERTOS_STACK_WORDS;
    if (bytes_for_entry > PORT_FREERTOS_STACK_BYTES_FOR_ENTRY) {
        words += (bytes_for_entry - PORT_FREERTOS_STACK_BYTES_FOR_ENTRY) / sizeof(StackType_t) + 1U;
    }
    return (configSTACK_DEPTH_TYPE)words;
}

/* The task's name for the trace recorder. In builds without the recorder only debuggers would use the name, so all
 * tasks have the same name. */
static const char *name_of(const port_task_t *task) {
#ifdef IC_TRACE
    return task->name;
#else
    (void)task;
    return "task";
#endif
}

enum port_error port_amp_make(port_task_t *task) {
    task->core = board_core();
    /* The kernel stores the handle before the task can run. */
    BaseType_t made = xTaskCreate(run_task, name_of(task), stack_words(task->stack_bytes), task,
                                  (UBaseType_t)(tskIDLE_PRIORITY + 1U + task->priority), &task->handle);
    return made == pdPASS ? PORT_OK : PORT_ERR_RESOURCE;
}

enum port_error port_task_start(port_task_t *task, const struct port_task_config *config) {
    if (config->core >= PORT_AMP_CORES) {
        return PORT_ERR_UNSUPPORTED; /* no kernel can migrate a task to another kernel */
    }
    task->entry = config->entry;
    task->arg = config->arg;
    task->priority = config->priority;
    task->stack_bytes = config->stack_bytes;
#ifdef IC_TRACE
    task->name = config->name;
#endif
    task->waits = 0;
    atomic_store_explicit(&task->ended, 0, memory_order_relaxed);
    atomic_store_explicit(&task->joiner, NULL, memory_order_relaxed);
    if (config->core == board_core()) {
        return port_amp_make(task);
    }
    task->index = port_amp_index_of(config->entry);
    return port_amp_call(PORT_AMP_START, task, 0);
}

/* As its last step, a task that has ended suspends itself. Until `task` has done so, the caller sleeps a tick at a time
 * to let it run. */
void port_amp_delete(port_task_t *task) {
    TaskHandle_t handle = task->handle;
    while (eTaskGetState(handle) != eSuspended) {
        vTaskDelay(1);
    }
    task->handle = NULL; /* before the deletion: from here on a late command finds no task */
    vTaskDelete(handle); /* also frees the task's memory, in this call */
}

void port_task_join(port_task_t *task) {
    atomic_store(&task->joiner, port_task_self());
    while (atomic_load(&task->ended) == 0) {
        (void)ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_PLATFORM, pdTRUE, portMAX_DELAY);
    }
    if (is_here(task)) {
        port_amp_delete(task);
    } else {
        (void)port_amp_call(PORT_AMP_DELETE, task, 0);
    }
}

enum port_error port_task_pin(port_task_t *task, uint32_t core) {
    return task->core == core ? PORT_OK : PORT_ERR_UNSUPPORTED;
}

void port_task_suspend(port_task_t *task) {
    if (is_here(task)) {
        vTaskSuspend(task->handle);
    } else {
        (void)port_amp_call(PORT_AMP_SUSPEND, task, 0);
    }
}

void port_task_resume(port_task_t *task) {
    if (is_here(task)) {
        vTaskResume(task->handle);
    } else {
        (void)port_amp_call(PORT_AMP_RESUME, task, 0);
    }
}

void port_checkpoint(void) {}

bool port_task_waits(const port_task_t *task) { return task->waits != 0; }

port_task_t *port_task_self(void) { return pvTaskGetThreadLocalStoragePointer(NULL, 0); }

void port_yield(void) {
    /* Restores the count of preemptions, because the switch hook counts a yield as a preemption. */
    void *preemptions = pvTaskGetThreadLocalStoragePointer(NULL, 1);
    taskYIELD();
    vTaskSetThreadLocalStoragePointer(NULL, 1, preemptions);
}

void port_time_slicing(bool on) { port_freertos_time_slicing = on; }

uint64_t port_preemptions(void) { return (uintptr_t)pvTaskGetThreadLocalStoragePointer(NULL, 1); }

/* ---- wake-ups ---- */

void port_amp_wake(port_task_t *task) {
    if (is_here(task)) {
        task->waits = 0;
        xTaskNotifyGiveIndexed(task->handle, PORT_FREERTOS_NOTIFY_PLATFORM);
    } else {
        port_amp_send(PORT_AMP_WAKE, task);
    }
}

void port_notify(port_task_t *task) {
    if (is_here(task)) {
        task->waits = 0;
        xTaskNotifyGiveIndexed(task->handle, PORT_FREERTOS_NOTIFY_TASK);
    } else {
        port_amp_send(PORT_AMP_NOTIFY, task);
    }
}

void port_notify_take(void) {
    while (ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_TASK, pdFALSE, portMAX_DELAY) == 0) {
        /* The task was suspended and resumed, which ends the kernel's wait: wait again. */
    }
}

/* The kernel has no function that only reads a task's notification count. This call clears no bits of the count, and
 * returns it. */
uint32_t port_notify_count(void) { return ulTaskNotifyValueClearIndexed(NULL, PORT_FREERTOS_NOTIFY_TASK, 0); }

bool port_object_spans(enum port_object object, uint32_t from, uint32_t to) {
    return object == PORT_OBJECT_SEMAPHORE || (from == board_core() && to == board_core());
}

bool port_mutex_lends(uint32_t owner, uint32_t waiter) { return port_object_spans(PORT_OBJECT_MUTEX, owner, waiter); }

/* ---- message buffers ---- */

/* Whether the buffer is in shared memory, so that the other core can use it. If not, its sender and its receiver are
 * both tasks of this core. */
static bool is_shared(const void *buffer) {
    return (uintptr_t)buffer >= (uintptr_t)port_amp_shared && (uintptr_t)buffer < (uintptr_t)port_amp_shared_end;
}

/* Notifies a task of this core with a kernel function for interrupt handlers, which also works in a task while
 * interrupts are masked. */
static void tell_own_task(void *buffer, BaseType_t (*tell)(StreamBufferHandle_t, BaseType_t *)) {
    BaseType_t yield = pdFALSE;
    taskENTER_CRITICAL();
    (void)tell((StreamBufferHandle_t)buffer, &yield);
    taskEXIT_CRITICAL();
    if (yield != pdFALSE) {
        taskYIELD();
    }
}

void port_amp_buffer_sent(void *buffer) {
    if (is_shared(buffer)) {
        port_amp_send(PORT_AMP_SENT, buffer);
    } else {
        tell_own_task(buffer, xStreamBufferSendCompletedFromISR);
    }
}

void port_amp_buffer_received(void *buffer) {
    if (is_shared(buffer)) {
        port_amp_send(PORT_AMP_RECEIVED, buffer);
    } else {
        tell_own_task(buffer, xStreamBufferReceiveCompletedFromISR);
    }
}

/* ---- the kernel's hooks ---- */

/* Any interrupt for this core ends the sleep, and its handler has run before this hook returns. */
void vApplicationIdleHook(void) { __asm volatile("dsb\n wfi" ::: "memory"); }

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
    (void)task;
    board_panic("a task has outgrown its stack", name, board_core());
}

void port_freertos_assert(const char *file, uint32_t line) { board_panic("an assertion of the kernel", file, line); }

/* ---- start-up ---- */

static void run_console(void *arg) {
    console_task.handle = xTaskGetCurrentTaskHandle();
    be(&console_task);
    port_amp_meet();
    ((void (*)(void))arg)();
    board_panic("the console task has returned", "", 0);
}

void port_freertos_start(void (*console)(void)) {
    port_amp_service_start(NULL);
    (void)xTaskCreateStatic(run_console, "console", PORT_FREERTOS_CONSOLE_STACK_WORDS, (void *)console,
                            tskIDLE_PRIORITY + 1U, console_stack, &console_control);
    vTaskStartScheduler();
    board_panic("the scheduler has not started", "", 0);
}

uint32_t port_freertos_stack_left(void) {
    note_stack();
    uint32_t least = UINT32_MAX;
    for (uint32_t core = 0; core < PORT_AMP_CORES; core++) {
        uint32_t left = stack_left[core];
        least = left != 0 && left - 1U < least ? left - 1U : least;
    }
    return least;
}
