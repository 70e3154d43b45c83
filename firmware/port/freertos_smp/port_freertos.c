/* port.h on FreeRTOS SMP: tasks and waking. Clock, console and facts are the board's. */
#include "port_freertos.h"

#include "port_objects.h"

/* How often a joiner looks whether a task is off its core before it sleeps for a tick between looks. */
#define JOIN_LOOKS 100U

static port_task_t console_task;
static StaticTask_t console_control;
static StackType_t console_stack[PORT_FREERTOS_CONSOLE_STACK_WORDS];
static uint32_t stack_left = UINT32_MAX;
volatile uint32_t port_freertos_time_slicing;

/* ---- cores ---- */

uint32_t port_core_count(void) { return configNUMBER_OF_CORES; }

uint32_t port_core_id(void) { return (uint32_t)portGET_CORE_ID(); }

uint32_t port_tick_hz(void) { return configTICK_RATE_HZ; }

/* ---- tasks ---- */

static UBaseType_t affinity(uint32_t core) {
    return core == PORT_CORE_ANY ? (UBaseType_t)tskNO_AFFINITY : (UBaseType_t)1U << core;
}

static void note_stack(void) {
    uint32_t left = (uint32_t)uxTaskGetStackHighWaterMark(NULL);
    taskENTER_CRITICAL();
    stack_left = left < stack_left ? left : stack_left;
    taskEXIT_CRITICAL();
}

static void run_task(void *arg) {
    port_task_t *task = arg;
    vTaskSetThreadLocalStoragePointer(NULL, 0, task);
    task->entry(task->arg);
    note_stack();
    /* In this order, and the joiner in the other: whichever comes second sees the first. */
    atomic_store(&task->ended, 1);
    TaskHandle_t joiner = atomic_load(&task->joiner);
    if (joiner != NULL) {
        xTaskNotifyGiveIndexed(joiner, PORT_FREERTOS_NOTIFY_PLATFORM);
    }
    for (;;) {
        vTaskSuspend(NULL); /* the joiner deletes it */
    }
}

static configSTACK_DEPTH_TYPE stack_words(uint32_t bytes_for_entry) {
    uint32_t words = PORT_FREERTOS_STACK_WORDS;
    if (bytes_for_entry > PORT_FREERTOS_STACK_BYTES_FOR_ENTRY) {
        words += (bytes_for_entry - PORT_FREERTOS_STACK_BYTES_FOR_ENTRY) / sizeof(StackType_t) + 1U;
    }
    return (configSTACK_DEPTH_TYPE)words;
}

enum port_error port_task_start(port_task_t *task, const struct port_task_config *config) {
    task->entry = config->entry;
    task->arg = config->arg;
    atomic_store_explicit(&task->ended, 0, memory_order_relaxed);
    atomic_store_explicit(&task->joiner, NULL, memory_order_relaxed);
    /* The kernel stores the handle before the task can run. */
    BaseType_t made = xTaskCreateAffinitySet(run_task, config->name, stack_words(config->stack_bytes), task,
                                             (UBaseType_t)(tskIDLE_PRIORITY + 1U + config->priority),
                                             affinity(config->core), &task->handle);
    return made == pdPASS ? PORT_OK : PORT_ERR_RESOURCE;
}

/* A task that is not ready may still be on its way off its core. */
static bool is_off_its_core(TaskHandle_t handle) {
    for (BaseType_t core = 0; core < configNUMBER_OF_CORES; core++) {
        if (xTaskGetCurrentTaskHandleForCore(core) == handle) {
            return false;
        }
    }
    return true;
}

void port_task_join(port_task_t *task) {
    atomic_store(&task->joiner, xTaskGetCurrentTaskHandle());
    while (atomic_load(&task->ended) == 0) {
        ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_PLATFORM, pdTRUE, portMAX_DELAY);
    }
    /* Deleted while it is on its core, its memory would wait for the idle task. */
    for (uint32_t looks = 0; !(eTaskGetState(task->handle) == eSuspended && is_off_its_core(task->handle)); looks++) {
        if (looks >= JOIN_LOOKS) {
            vTaskDelay(1); /* something of higher priority has its core */
        }
    }
    vTaskDelete(task->handle); /* frees its memory, here */
}

enum port_error port_task_pin(port_task_t *task, uint32_t core) {
    vTaskCoreAffinitySet(task->handle, affinity(core));
    return PORT_OK;
}

void port_task_suspend(port_task_t *task) { vTaskSuspend(task->handle); }

void port_task_resume(port_task_t *task) { vTaskResume(task->handle); }

void port_checkpoint(void) {}

bool port_task_waits(const port_task_t *task) {
    return eTaskGetState(task->handle) == eBlocked && is_off_its_core(task->handle);
}

port_task_t *port_task_self(void) { return pvTaskGetThreadLocalStoragePointer(NULL, 0); }

void port_yield(void) {
    /* Giving way is not being forced off. */
    void *preemptions = pvTaskGetThreadLocalStoragePointer(NULL, 1);
    taskYIELD();
    vTaskSetThreadLocalStoragePointer(NULL, 1, preemptions);
}

void port_time_slicing(bool on) { port_freertos_time_slicing = on; }

uint64_t port_preemptions(void) { return (uintptr_t)pvTaskGetThreadLocalStoragePointer(NULL, 1); }

/* ---- waking ---- */

void port_notify(port_task_t *task) { xTaskNotifyGiveIndexed(task->handle, PORT_FREERTOS_NOTIFY_TASK); }

void port_notify_take(void) {
    while (ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_TASK, pdFALSE, portMAX_DELAY) == 0) {
        /* The task was suspended and resumed, which ends the kernel's wait; the wait goes on. */
    }
}

/* To clear no bit is the kernel's way to read the count. */
uint32_t port_notify_count(void) { return ulTaskNotifyValueClearIndexed(NULL, PORT_FREERTOS_NOTIFY_TASK, 0); }

enum port_error port_sem_init(port_sem_t *sem, uint32_t initial) {
    (void)xSemaphoreCreateCountingStatic(INT32_MAX, initial, sem); /* with memory given, it cannot fail */
    return PORT_OK;
}

bool port_object_spans(enum port_object object, uint32_t from, uint32_t to) {
    (void)object;
    (void)from;
    (void)to;
    return true; /* one kernel has all cores */
}

enum port_error port_sem_init_binary(port_sem_t *sem) {
    (void)xSemaphoreCreateBinaryStatic(sem);
    return PORT_OK;
}

/* The handle of a static semaphore is its address. */
static SemaphoreHandle_t handle_of(port_sem_t *sem) { return (SemaphoreHandle_t)sem; }

void port_sem_destroy(port_sem_t *sem) { vSemaphoreDelete(handle_of(sem)); }

void port_sem_give(port_sem_t *sem) { xSemaphoreGive(handle_of(sem)); }

enum port_error port_sem_take(port_sem_t *sem, uint64_t deadline) {
    for (;;) {
        TickType_t ticks = port_freertos_ticks_until(deadline);
        if (xSemaphoreTake(handle_of(sem), ticks) == pdTRUE) {
            return PORT_OK;
        }
        if (ticks == 0) {
            return PORT_ERR_TIMEOUT;
        }
    }
}

uint32_t port_lost_rings(void) { return 0; }

/* ---- the kernel's hooks ---- */

void vApplicationPassiveIdleHook(void); /* the one that task.h does not declare */

/* Any interrupt that has something for this core ends the sleep, and is handled before the hook returns. */
void vApplicationPassiveIdleHook(void) { __asm volatile("dsb\n wfi" ::: "memory"); }

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
    (void)task;
    board_panic("a task has outgrown its stack", name, (uint32_t)portGET_CORE_ID());
}

void port_freertos_assert(const char *file, uint32_t line) { board_panic("an assertion of the kernel", file, line); }

/* ---- start-up ---- */

/* The kernel lets its idle tasks change cores, and they are not alike. Which one a core runs would depend on all that
 * has been, and be seen in the last cycles of a sample. */
static void pin_idle_tasks(void) {
    for (uint32_t core = 0; core < configNUMBER_OF_CORES; core++) {
        vTaskCoreAffinitySet(xTaskGetIdleTaskHandleForCore((BaseType_t)core), affinity(core));
    }
}

static void run_console(void *arg) {
    vTaskSetThreadLocalStoragePointer(NULL, 0, &console_task);
    pin_idle_tasks();
    ((void (*)(void))arg)();
    board_panic("the console task has returned", "", 0);
}

void port_freertos_start(void (*console)(void)) {
    console_task.handle =
        xTaskCreateStaticAffinitySet(run_console, "console", PORT_FREERTOS_CONSOLE_STACK_WORDS, (void *)console,
                                     tskIDLE_PRIORITY + 1U, console_stack, &console_control, affinity(0));
    vTaskStartScheduler();
    board_panic("the scheduler has not started", "", 0);
}

uint32_t port_freertos_stack_left(void) {
    note_stack();
    return stack_left;
}
