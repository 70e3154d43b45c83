/* ESP-IDF's semaphores, on the stand-in's kernel (standin_kernel.c), with the trace macros of its queue.c. */
#include "standin.h"
#include "standin_kernel.h"

#ifndef traceQUEUE_SEND
#define traceQUEUE_SEND(pxQueue)
#define traceQUEUE_SEMAPHORE_RECEIVE(pxQueue)
#define traceBLOCKING_ON_QUEUE_RECEIVE(pxQueue)
#endif

#define queueQUEUE_TYPE_BASE 0U
#define queueQUEUE_TYPE_SET 0U
#define queueQUEUE_TYPE_MUTEX 1U
#define queueQUEUE_TYPE_COUNTING_SEMAPHORE 2U
#define queueQUEUE_TYPE_BINARY_SEMAPHORE 3U
#define queueQUEUE_TYPE_RECURSIVE_MUTEX 4U

typedef struct standin_semaphore {
    UBaseType_t uxMessagesWaiting;
    UBaseType_t uxLength;
    uint8_t ucQueueType;
} Queue_t;
_Static_assert(sizeof(Queue_t) <= sizeof(StaticSemaphore_t), "a static one has room for it");

static uint32_t number_of(const void *object) { return (uint32_t)(uintptr_t)object; }

static SemaphoreHandle_t make(StaticSemaphore_t *memory, UBaseType_t most, UBaseType_t initial, uint8_t type) {
    SemaphoreHandle_t made = (SemaphoreHandle_t)(void *)memory;
    *made = (Queue_t){.uxMessagesWaiting = initial, .uxLength = most, .ucQueueType = type};
    return made;
}

SemaphoreHandle_t xSemaphoreCreateCountingStatic(UBaseType_t most, UBaseType_t initial, StaticSemaphore_t *memory) {
    return make(memory, most, initial, queueQUEUE_TYPE_COUNTING_SEMAPHORE);
}

SemaphoreHandle_t xSemaphoreCreateBinaryStatic(StaticSemaphore_t *memory) {
    return make(memory, 1, 0, queueQUEUE_TYPE_BINARY_SEMAPHORE);
}

void vSemaphoreDelete(SemaphoreHandle_t semaphore) { (void)semaphore; }

BaseType_t xSemaphoreGive(SemaphoreHandle_t pxQueue) {
    standin_enter();
    bool has_room = pxQueue->uxMessagesWaiting < pxQueue->uxLength;
    if (has_room) {
        standin_note("QUEUE_SEND", number_of(pxQueue));
        traceQUEUE_SEND(pxQueue);
        pxQueue->uxMessagesWaiting++;
        standin_wake(pxQueue);
    }
    standin_leave();
    return has_room;
}

static void await(const Queue_t *pxQueue) {
    if (standin_is_task()) {
        standin_note("BLOCKING_ON_QUEUE_RECEIVE", number_of(pxQueue));
        traceBLOCKING_ON_QUEUE_RECEIVE(pxQueue);
    }
    standin_await(pxQueue);
}

BaseType_t xSemaphoreTake(SemaphoreHandle_t pxQueue, TickType_t ticks) {
    standin_check(ticks == 0 || ticks == portMAX_DELAY, "at once, or without a limit");
    standin_enter();
    while (pxQueue->uxMessagesWaiting == 0 && ticks > 0) {
        await(pxQueue);
    }
    bool taken = pxQueue->uxMessagesWaiting > 0;
    if (taken) {
        standin_note("QUEUE_SEMAPHORE_RECEIVE", number_of(pxQueue));
        traceQUEUE_SEMAPHORE_RECEIVE(pxQueue);
        pxQueue->uxMessagesWaiting--;
    }
    standin_leave();
    return taken;
}
