/* Wrappers that record calls of port.h on Linux (trace_posix.h). The linker redirects the calls to these wrappers,
 * which call the original functions. A wrapper checks just before the call whether the call will block. If the answer
 * changes between the check and the call, a very short wait is recorded, or none. While nothing is recorded, a wrapper
 * only tests a variable. */
#include <poll.h>

#include "port.h"
#include "port_interrupt.h"
#include "port_lock.h"
#include "port_objects.h"
#include "trace.h"
#include "trace_posix.h"

// NOLINTBEGIN(misc-use-internal-linkage): the linker calls what begins with __wrap_

/* Begins the definition of a wrapper. The original function is called __real_ followed by its name. */
#define CALL(result, name, ...)                                                                                        \
    result __real_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__)

static uint32_t number_of(const void *object) { return (uint32_t)(uintptr_t)object; }

/* Records the start of a wait that ends only when another task gives the object. */
static struct trace_posix_wait await_object(enum ic_trace_class what, uint32_t number, const void *object) {
    ic_trace(IC_TRACE_AWAITED, what, number);
    return trace_posix_leaves(object);
}

static void give(enum ic_trace_class what, uint32_t number, const void *object, bool to_all) {
    ic_trace(IC_TRACE_GIVEN, what, number);
    trace_posix_wakes(object, to_all);
}

/* ---- tasks ---- */

CALL(void, port_task_join, port_task_t *task) {
    bool recorded = ic_trace_recording != 0U;
    struct trace_posix_wait wait = {0};
    if (recorded) {
        wait = trace_posix_leaves(task);
    }
    __real_port_task_join(task);
    if (recorded) {
        trace_posix_returns(wait);
    }
}

/* Records when a sleep is to end. A moment too far ahead for 32 bits is not recorded. */
static void due(uint64_t when) {
    uint64_t now = port_clock();
    if (when > now && when - now <= UINT32_MAX) {
        ic_trace(IC_TRACE_DUE, 0, (uint32_t)when);
    }
}

CALL(void, port_sleep_until, uint64_t when) {
    bool recorded = ic_trace_recording != 0U;
    struct trace_posix_wait wait = {0};
    if (recorded) {
        due(when);
        wait = trace_posix_leaves(NULL);
    }
    __real_port_sleep_until(when);
    if (recorded) {
        trace_posix_returns(wait);
    }
}

CALL(void, port_sleep_ticks, uint32_t ticks) {
    if (ic_trace_recording == 0U) {
        __real_port_sleep_ticks(ticks);
        return;
    }
    __wrap_port_sleep_until(port_tick_edge() + ticks * (port_clock_hz() / port_tick_hz()));
}

/* ---- notifications and semaphores ---- */

CALL(void, port_notify, port_task_t *task) {
    if (ic_trace_recording != 0U) {
        give(IC_TRACE_NOTIFICATION, task->number, &task->notifications, false);
    }
    __real_port_notify(task);
}

CALL(void, port_notify_take, void) {
    if (ic_trace_recording == 0U) {
        __real_port_notify_take();
        return;
    }
    uint32_t task = trace_posix_task();
    if (port_notify_count() == 0) {
        struct trace_posix_wait wait = await_object(IC_TRACE_NOTIFICATION, task, &port_task_self()->notifications);
        __real_port_notify_take();
        trace_posix_returns(wait);
    } else {
        __real_port_notify_take();
    }
    ic_trace(IC_TRACE_TAKEN, IC_TRACE_NOTIFICATION, task);
}

CALL(void, port_sem_give, port_sem_t *sem) {
    if (ic_trace_recording != 0U) {
        give(IC_TRACE_SEMAPHORE, number_of(sem), sem, false);
    }
    __real_port_sem_give(sem);
}

CALL(enum port_error, port_sem_take, port_sem_t *sem, uint64_t deadline) {
    if (ic_trace_recording == 0U) {
        return __real_port_sem_take(sem, deadline);
    }
    enum port_error error = __real_port_sem_take(sem, 0);
    if (error != PORT_OK && deadline > port_clock()) {
        ic_trace(IC_TRACE_AWAITED, IC_TRACE_SEMAPHORE, number_of(sem));
        if (deadline != PORT_FOREVER) {
            due(deadline);
        }
        struct trace_posix_wait wait = trace_posix_leaves(sem);
        error = __real_port_sem_take(sem, deadline);
        trace_posix_returns(wait);
    }
    if (error == PORT_OK) {
        ic_trace(IC_TRACE_TAKEN, IC_TRACE_SEMAPHORE, number_of(sem));
    }
    return error;
}

/* ---- mutexes ---- */

CALL(void, port_mutex_lock, port_mutex_t *mutex) {
    if (ic_trace_recording == 0U) {
        __real_port_mutex_lock(mutex);
        return;
    }
    if (!port_mutex_try_lock(mutex)) {
        struct trace_posix_wait wait = await_object(IC_TRACE_MUTEX, number_of(mutex), mutex);
        __real_port_mutex_lock(mutex);
        trace_posix_returns(wait);
        ic_trace(IC_TRACE_TAKEN, IC_TRACE_MUTEX, number_of(mutex));
    }
}

CALL(bool, port_mutex_try_lock, port_mutex_t *mutex) {
    bool taken = __real_port_mutex_try_lock(mutex);
    if (taken) {
        ic_trace(IC_TRACE_TAKEN, IC_TRACE_MUTEX, number_of(mutex));
    }
    return taken;
}

CALL(void, port_mutex_unlock, port_mutex_t *mutex) {
    if (ic_trace_recording != 0U) {
        give(IC_TRACE_MUTEX, number_of(mutex), mutex, false);
    }
    __real_port_mutex_unlock(mutex);
}

/* ---- queues ---- */

/* Whether the queue holds `count` items now */
static bool holds(port_queue_t *queue, uint32_t count) {
    pthread_mutex_lock(&queue->mutex);
    bool found = queue->count == count;
    pthread_mutex_unlock(&queue->mutex);
    return found;
}

/* Sending wakes a task that waits to receive, and receiving wakes a task that waits to send. A task that waits for room
 * is recorded as waiting on `has_room`, and a task that waits for an item as waiting on `has_item`. */
CALL(void, port_queue_send, port_queue_t *queue, const void *item) {
    if (ic_trace_recording == 0U) {
        __real_port_queue_send(queue, item);
        return;
    }
    if (holds(queue, queue->length)) {
        struct trace_posix_wait wait = await_object(IC_TRACE_QUEUE, number_of(queue), &queue->has_room);
        __real_port_queue_send(queue, item);
        trace_posix_returns(wait);
        give(IC_TRACE_QUEUE, number_of(queue), &queue->has_item, false);
        return;
    }
    give(IC_TRACE_QUEUE, number_of(queue), &queue->has_item, false);
    __real_port_queue_send(queue, item);
}

CALL(void, port_queue_receive, port_queue_t *queue, void *item) {
    if (ic_trace_recording == 0U) {
        __real_port_queue_receive(queue, item);
        return;
    }
    if (holds(queue, 0)) {
        struct trace_posix_wait wait = await_object(IC_TRACE_QUEUE, number_of(queue), &queue->has_item);
        __real_port_queue_receive(queue, item);
        trace_posix_returns(wait);
    } else {
        trace_posix_wakes(&queue->has_room, false);
        __real_port_queue_receive(queue, item);
    }
    ic_trace(IC_TRACE_TAKEN, IC_TRACE_QUEUE, number_of(queue));
}

/* ---- event groups ---- */

CALL(void, port_events_set, port_events_t *events, uint32_t bits) {
    if (ic_trace_recording != 0U) {
        give(IC_TRACE_EVENTS, number_of(events), events, true);
    }
    __real_port_events_set(events, bits);
}

CALL(void, port_events_wait, port_events_t *events, uint32_t bits) {
    if (ic_trace_recording == 0U) {
        __real_port_events_wait(events, bits);
        return;
    }
    if ((port_events_get(events) & bits) == 0) {
        struct trace_posix_wait wait = await_object(IC_TRACE_EVENTS, number_of(events), events);
        __real_port_events_wait(events, bits);
        trace_posix_returns(wait);
    } else {
        __real_port_events_wait(events, bits);
    }
    ic_trace(IC_TRACE_TAKEN, IC_TRACE_EVENTS, number_of(events));
}

/* ---- streams: a wait for room in a full pipe is not recorded ---- */

CALL(void, port_stream_send, port_stream_t *stream, const void *bytes, uint32_t size) {
    if (ic_trace_recording != 0U) {
        give(IC_TRACE_STREAM, number_of(stream), stream, false);
    }
    __real_port_stream_send(stream, bytes, size);
}

CALL(void, port_stream_receive, port_stream_t *stream, void *bytes, uint32_t size) {
    if (ic_trace_recording == 0U) {
        __real_port_stream_receive(stream, bytes, size);
        return;
    }
    struct pollfd input = {.fd = stream->out, .events = POLLIN};
    if (poll(&input, 1, 0) == 0) {
        struct trace_posix_wait wait = await_object(IC_TRACE_STREAM, number_of(stream), stream);
        __real_port_stream_receive(stream, bytes, size);
        trace_posix_returns(wait);
    } else {
        __real_port_stream_receive(stream, bytes, size);
    }
    ic_trace(IC_TRACE_TAKEN, IC_TRACE_STREAM, number_of(stream));
}

/* ---- interrupts ---- */

struct handler {
    void (*handle)(void *arg);
    void *arg;
    enum ic_trace_cause cause;
    uint32_t core;
};

static void handle_recorded(void *arg) {
    const struct handler *handler = arg;
    trace_posix_enters_handler();
    ic_trace(IC_TRACE_INTERRUPT_IN, handler->cause, handler->core);
    handler->handle(handler->arg);
    ic_trace(IC_TRACE_INTERRUPT_OUT, handler->cause, handler->core);
    trace_posix_leaves_handler();
}

static struct handler timer;
static struct handler doorbells[PORT_CORES_MAX];

CALL(enum port_error, port_timer_open, uint32_t core, void (*handler)(void *arg), void *arg) {
    timer = (struct handler){handler, arg, IC_TRACE_OF_TIMER, core};
    return __real_port_timer_open(core, handle_recorded, &timer);
}

CALL(enum port_error, port_doorbell_open, uint32_t core, void (*handler)(void *arg), void *arg) {
    doorbells[core] = (struct handler){handler, arg, IC_TRACE_OF_CORE, core};
    return __real_port_doorbell_open(core, handle_recorded, &doorbells[core]);
}

CALL(void, port_doorbell_ring, uint32_t core) {
    ic_trace(IC_TRACE_RUNG, 0, core);
    __real_port_doorbell_ring(core);
}

// NOLINTEND(misc-use-internal-linkage)
