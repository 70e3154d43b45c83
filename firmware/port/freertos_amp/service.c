/* Calls from tasks of one core to the kernel of the other core, and the service task that executes the calls */
#include "port_amp.h"
#include "port_freertos.h"

/* The current call from each core; a core makes one call at a time. The calling core writes all members except `result`
 * and `done`. */
static struct call {
    enum port_amp_service what;
    void *object;
    uint32_t index;
    enum port_error result;
    port_task_t *caller;
    atomic_uint asked; /* number of calls made */
    atomic_uint done;  /* number of calls answered */
} calls[PORT_AMP_CORES] PORT_SHARED(calls);

static StaticTask_t control;
static StackType_t stack[PORT_FREERTOS_STACK_WORDS];
static TaskHandle_t service;
static StaticSemaphore_t turn_control;
static SemaphoreHandle_t turn; /* a mutex, held by the task that makes a call */

/* ---- calling ---- */

enum port_error port_amp_call(enum port_amp_service what, void *object, uint32_t index) {
    struct call *call = &calls[board_core()];
    (void)xSemaphoreTake(turn, portMAX_DELAY);
    call->what = what;
    call->object = object;
    call->index = index;
    call->caller = port_task_self();
    uint32_t number = atomic_load_explicit(&call->asked, memory_order_relaxed) + 1U;
    atomic_store_explicit(&call->asked, number, memory_order_release);
    port_amp_send(PORT_AMP_CALL, NULL);
    TickType_t began = xTaskGetTickCount();
    while (atomic_load_explicit(&call->done, memory_order_acquire) != number) {
        if (xTaskGetTickCount() - began > pdMS_TO_TICKS(PORT_AMP_PATIENCE_MS)) {
            board_panic("the other core does not do what it is asked", "", (uint32_t)what);
        }
        (void)ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_PLATFORM, pdTRUE, pdMS_TO_TICKS(PORT_AMP_PATIENCE_MS));
    }
    enum port_error result = call->result;
    (void)xSemaphoreGive(turn);
    return result;
}

/* ---- answering ---- */

static enum port_error set_suspended(port_task_t *task, bool suspended) {
    if (suspended) {
        vTaskSuspend(task->handle);
    } else {
        vTaskResume(task->handle);
    }
    return PORT_OK;
}

static enum port_error start(port_task_t *task) {
    task->entry = port_amp_entry(task->index);
    return port_amp_make(task);
}

static enum port_error serve(const struct call *call) {
    switch (call->what) {
    case PORT_AMP_START:
        return start(call->object);
    case PORT_AMP_DELETE:
        port_amp_delete(call->object);
        return PORT_OK;
    case PORT_AMP_SUSPEND:
    case PORT_AMP_RESUME:
        return set_suspended(call->object, call->what == PORT_AMP_SUSPEND);
    case PORT_AMP_TIMER_OPEN:
    case PORT_AMP_DOORBELL_OPEN:
    case PORT_AMP_PIN_OPEN:
    case PORT_AMP_DOORBELL_CLOSE:
        return port_amp_serve_interrupt(call->what, call->object, call->index);
    default:
        board_panic("a call that nobody makes", "", (uint32_t)call->what);
    }
}

static void run_service(void *arg) {
    struct call *call = &calls[1U - board_core()];
    void (*begin)(void) = *(void (**)(void))arg;
    if (begin != NULL) {
        begin();
    }
    for (;;) {
        (void)ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_PLATFORM, pdTRUE, portMAX_DELAY);
        uint32_t number = atomic_load_explicit(&call->asked, memory_order_acquire);
        if (number != atomic_load_explicit(&call->done, memory_order_relaxed)) {
            call->result = serve(call);
            port_task_t *caller = call->caller;
            atomic_store_explicit(&call->done, number, memory_order_release);
            port_amp_wake(caller);
        }
    }
}

void port_amp_called(BaseType_t *yield) {
    vTaskNotifyGiveIndexedFromISR(service, PORT_FREERTOS_NOTIFY_PLATFORM, yield);
}

void port_amp_service_start(void (*begin)(void)) {
    static void (*first)(void);
    first = begin;
    turn = xSemaphoreCreateMutexStatic(&turn_control);
    service = xTaskCreateStatic(run_service, "service", PORT_FREERTOS_STACK_WORDS, (void *)&first,
                                configMAX_PRIORITIES - 1U, stack, &control);
}
