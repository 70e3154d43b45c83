/* port.h with one FreeRTOS kernel for both cores: tasks and wake-ups. The board implements the clock, the console and
 * the conditions (properties of the target). kernel.h hides the differences between V11 SMP and ESP-IDF's kernel. */
#include "port_freertos.h"

#include "kernel.h"
#include "port_objects.h"

/* port_task_join() checks up to this many times, without a pause, whether the task has left its core. After that it
 * sleeps for one tick between checks. */
#define JOIN_LOOKS 100U

static uint32_t stack_left = UINT32_MAX;

/* ---- cores ---- */

uint32_t port_core_count(void) { return configNUMBER_OF_CORES; }

uint32_t port_core_id(void) { return (uint32_t)portGET_CORE_ID(); }

uint32_t port_tick_hz(void) { return configTICK_RATE_HZ; }

/* ---- tasks ---- */

static void note_stack(void) {
    uint32_t left = (uint32_t)uxTaskGetStackHighWaterMark(NULL);
    kernel_critical_enter();
    stack_left = left < stack_left ? left : stack_left;
    kernel_critical_exit();
}

static void run_task(void *arg) {
    port_task_t *task = arg;
    kernel_set_self(task);
    task->entry(task->arg);
    if (kernel_notes_stacks()) {
        note_stack();
    }
    /* Writes `ended`, then reads `joiner`; port_task_join() writes `joiner`, then reads `ended`. So whichever of the
     * two tasks comes second sees what the first has written, and no wake-up is lost. */
    atomic_store(&task->ended, 1);
    kernel_waiter_t joiner = atomic_load(&task->joiner);
    if (joiner != NULL) {
        kernel_wake(joiner);
    }
    for (;;) {
        vTaskSuspend(NULL); /* the task that joins this one deletes it */
    }
}

static configSTACK_DEPTH_TYPE stack_words(uint32_t bytes_for_entry) {
    uint32_t words = kernel_stack();
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
    BaseType_t made = kernel_create(run_task, config->name, stack_words(config->stack_bytes), task,
                                    (UBaseType_t)(tskIDLE_PRIORITY + 1U + config->priority), config->core);
    return made == pdPASS ? PORT_OK : PORT_ERR_RESOURCE;
}

/* Whether no core runs the task: a task that is no longer ready may not have left its core yet. */
static bool is_off_its_core(TaskHandle_t handle) {
    for (BaseType_t core = 0; core < configNUMBER_OF_CORES; core++) {
        if (xTaskGetCurrentTaskHandleForCore(core) == handle) {
            return false;
        }
    }
    return true;
}

void port_task_join(port_task_t *task) {
    kernel_waiter_t self = kernel_waiter();
    atomic_store(&task->joiner, self);
    while (atomic_load(&task->ended) == 0) {
        kernel_wait(self);
    }
    /* If a task is deleted while it still runs on a core, only the idle task frees its memory, later. So wait until the
     * task has left its core. */
    for (uint32_t looks = 0; !(eTaskGetState(task->handle) == eSuspended && is_off_its_core(task->handle)); looks++) {
        if (looks >= JOIN_LOOKS) {
            vTaskDelay(1); /* lets the task leave, in case a task of higher priority has its core */
        }
    }
    vTaskDelete(task->handle); /* also frees the task's memory, in this call */
}

enum port_error port_task_pin(port_task_t *task, uint32_t core) { return kernel_pin(task->handle, core); }

void port_task_suspend(port_task_t *task) { vTaskSuspend(task->handle); }

void port_task_resume(port_task_t *task) { vTaskResume(task->handle); }

void port_reschedule(uint32_t core) { kernel_reschedule(core); }

void port_checkpoint(void) {}

bool port_task_waits(const port_task_t *task) {
    return eTaskGetState(task->handle) == eBlocked && is_off_its_core(task->handle);
}

port_task_t *port_task_self(void) { return kernel_self(); }

void port_yield(void) { kernel_yield(); }

void port_time_slicing(bool on) { kernel_time_slicing(on); }

uint64_t port_preemptions(void) { return kernel_preemptions(); }

/* ---- wake-ups ---- */

void port_notify(port_task_t *task) { xTaskNotifyGiveIndexed(task->handle, PORT_FREERTOS_NOTIFY_TASK); }

void port_notify_take(void) {
    while (ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_TASK, pdFALSE, portMAX_DELAY) == 0) {
        /* The task was suspended and resumed, which ends the kernel's wait early: wait again. */
    }
}

/* The kernel has no function that only reads the count. This call clears no bits of it, and returns it. */
uint32_t port_notify_count(void) { return ulTaskNotifyValueClearIndexed(NULL, PORT_FREERTOS_NOTIFY_TASK, 0); }

enum port_error port_sem_init(port_sem_t *sem, uint32_t initial) {
    (void)xSemaphoreCreateCountingStatic(INT32_MAX, initial, sem); /* with static memory, it cannot fail */
    return PORT_OK;
}

bool port_object_spans(enum port_object object, uint32_t from, uint32_t to) {
    (void)object;
    (void)from;
    (void)to;
    return true; /* one kernel schedules all cores */
}

bool port_mutex_lends(uint32_t owner, uint32_t waiter) { return owner == waiter || kernel_tells_of_inheritance(); }

enum port_error port_sem_init_binary(port_sem_t *sem) {
    (void)xSemaphoreCreateBinaryStatic(sem);
    return PORT_OK;
}

/* A static semaphore has no separate handle: its address is the handle. */
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

uint32_t port_recovered_doorbells(void) { return 0; }

uint32_t port_freertos_stack_left(void) {
    note_stack();
    return stack_left;
}
