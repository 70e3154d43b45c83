/* The objects of the benchmark `api`, and the calls on them, timed and untimed. */
#include "api.h"

#include "port_lock.h"

const struct call_kind ic_api_calls[CALL_COUNT] = {
    [CALL_CREATE] = {OBJECT_TASK, false},         [CALL_DELETE] = {OBJECT_TASK, true},
    [CALL_GIVE] = {OBJECT_SEMAPHORE, false},      [CALL_TAKE] = {OBJECT_SEMAPHORE, true},
    [CALL_LOCK] = {OBJECT_MUTEX, false},          [CALL_UNLOCK] = {OBJECT_MUTEX, true},
    [CALL_SEND] = {OBJECT_QUEUE, false},          [CALL_RECEIVE] = {OBJECT_QUEUE, true},
    [CALL_NOTIFY] = {OBJECT_NOTIFICATION, false}, [CALL_NOTIFY_TAKE] = {OBJECT_NOTIFICATION, true},
    [CALL_SET] = {OBJECT_EVENTS, false},          [CALL_WAIT] = {OBJECT_EVENTS, true},
    [CALL_STREAM_SEND] = {OBJECT_STREAM, false},  [CALL_STREAM_RECEIVE] = {OBJECT_STREAM, true},
    [CALL_CRITICAL] = {OBJECT_CRITICAL, false},   [CALL_ALLOCATE] = {OBJECT_MEMORY, false},
    [CALL_FREE] = {OBJECT_MEMORY, true},          [CALL_NOTHING] = {OBJECT_NONE, false},
};

/* ---- the objects of a side ---- */

static bool make_mutexes(struct side *side) {
    for (uint32_t i = 0; i < side->batch; i++) {
        if (port_mutex_init(&side->mutexes[i]) != PORT_OK) {
            while (i-- > 0) {
                port_mutex_destroy(&side->mutexes[i]);
            }
            return false;
        }
    }
    return true;
}

bool ic_api_make_object(struct side *side) {
    switch (side->object) {
    case OBJECT_SEMAPHORE:
        return port_sem_init(&side->semaphore, 0) == PORT_OK;
    case OBJECT_MUTEX:
        return make_mutexes(side);
    case OBJECT_QUEUE:
        return port_queue_init(&side->queue, side->batch, side->size) == PORT_OK;
    case OBJECT_EVENTS:
        return port_events_init(&side->events) == PORT_OK;
    case OBJECT_STREAM:
        return port_stream_init(&side->stream, side->batch * side->size) == PORT_OK;
    case OBJECT_TASK:
    case OBJECT_NOTIFICATION:
    case OBJECT_CRITICAL:
    case OBJECT_MEMORY:
    case OBJECT_NONE:
    case OBJECT_COUNT:
        break;
    }
    return true;
}

void ic_api_destroy_object(struct side *side) {
    switch (side->object) {
    case OBJECT_SEMAPHORE:
        port_sem_destroy(&side->semaphore);
        break;
    case OBJECT_MUTEX:
        for (uint32_t i = 0; i < side->batch; i++) {
            port_mutex_destroy(&side->mutexes[i]);
        }
        break;
    case OBJECT_QUEUE:
        port_queue_destroy(&side->queue);
        break;
    case OBJECT_EVENTS:
        port_events_destroy(&side->events);
        break;
    case OBJECT_STREAM:
        port_stream_destroy(&side->stream);
        break;
    case OBJECT_TASK:
    case OBJECT_NOTIFICATION:
    case OBJECT_CRITICAL:
    case OBJECT_MEMORY:
    case OBJECT_NONE:
    case OBJECT_COUNT:
        break;
    }
}

/* ---- the calls ---- */

static void created_task(void *arg) {
    struct created *created = arg;
    atomic_store(&created->ran, true);
}

enum port_error ic_api_create(struct side *side, uint32_t at, uint32_t priority) {
    struct created *created = &side->created[at];
    struct port_task_config config = {
        .name = "created", .entry = created_task, .arg = created, .core = side->core, .priority = priority};
    return port_task_start(&created->task, &config);
}

/* Times one call or, with `batch` > 1, `batch` calls in a row. This is a macro, so that the call is compiled in place,
 * as in an application. In `statement`, `at` is the index of the call's object. */
#define TIMED(statement)                                                                                               \
    do {                                                                                                               \
        if (batch == 1U) {                                                                                             \
            const uint32_t at = 0;                                                                                     \
            (void)at;                                                                                                  \
            begin = port_clock();                                                                                      \
            statement;                                                                                                 \
            end = port_clock();                                                                                        \
        } else {                                                                                                       \
            begin = port_clock();                                                                                      \
            for (uint32_t at = 0; at < batch; at++) {                                                                  \
                statement;                                                                                             \
            }                                                                                                          \
            end = port_clock();                                                                                        \
        }                                                                                                              \
    } while (0)

// NOLINTNEXTLINE(readability-function-size): one line per call
uint64_t ic_api_time_call(struct side *side, enum call call) {
    const uint32_t batch = side->batch;
    const uint32_t size = side->size;
    uint64_t begin = 0;
    uint64_t end = 0;
    switch (call) {
    case CALL_CREATE:
        TIMED(side->created[at].made = ic_api_create(side, at, PRIORITY_CREATED));
        break;
    case CALL_DELETE:
        TIMED(port_task_join(&side->created[at].task));
        break;
    case CALL_GIVE:
        TIMED(port_sem_give(&side->semaphore));
        break;
    case CALL_TAKE:
        TIMED((void)port_sem_take(&side->semaphore, PORT_FOREVER));
        break;
    case CALL_LOCK:
        TIMED(port_mutex_lock(&side->mutexes[at]));
        break;
    case CALL_UNLOCK:
        TIMED(port_mutex_unlock(&side->mutexes[at]));
        break;
    case CALL_SEND:
        TIMED(port_queue_send(&side->queue, ic_api.pattern));
        break;
    case CALL_RECEIVE:
        TIMED(port_queue_receive(&side->queue, side->received));
        break;
    case CALL_NOTIFY:
        TIMED(port_notify(&side->task));
        break;
    case CALL_NOTIFY_TAKE:
        TIMED(port_notify_take());
        break;
    case CALL_SET:
        TIMED(port_events_set(&side->events, 1U << at));
        break;
    case CALL_WAIT:
        TIMED(port_events_wait(&side->events, 1U << at));
        break;
    case CALL_STREAM_SEND:
        TIMED(port_stream_send(&side->stream, ic_api.pattern, size));
        break;
    case CALL_STREAM_RECEIVE:
        TIMED(port_stream_receive(&side->stream, side->received, size));
        break;
    case CALL_CRITICAL:
        TIMED((port_critical_enter(), port_critical_exit()));
        break;
    case CALL_ALLOCATE:
        TIMED(side->blocks[at] = port_allocate(size));
        break;
    case CALL_FREE:
        TIMED(port_free(side->blocks[at]));
        break;
    case CALL_NOTHING:
    case CALL_COUNT:
        TIMED((void)0);
        break;
    }
    return end - begin;
}

void ic_api_do_call(struct side *side, uint32_t at) {
    switch (side->object) {
    case OBJECT_TASK:
        side->created[at].made = ic_api_create(side, at, PRIORITY_CREATED);
        break;
    case OBJECT_SEMAPHORE:
        port_sem_give(&side->semaphore);
        break;
    case OBJECT_MUTEX:
        port_mutex_lock(&side->mutexes[at]);
        break;
    case OBJECT_QUEUE:
        port_queue_send(&side->queue, ic_api.pattern);
        break;
    case OBJECT_NOTIFICATION:
        port_notify(&side->task);
        break;
    case OBJECT_EVENTS:
        port_events_set(&side->events, 1U << at);
        break;
    case OBJECT_STREAM:
        port_stream_send(&side->stream, ic_api.pattern, side->size);
        break;
    case OBJECT_CRITICAL:
        port_critical_enter();
        port_critical_exit();
        break;
    case OBJECT_MEMORY:
        side->blocks[at] = port_allocate(side->size);
        break;
    case OBJECT_NONE:
    case OBJECT_COUNT:
        break;
    }
}

void ic_api_undo_call(struct side *side, uint32_t at) {
    switch (side->object) {
    case OBJECT_TASK:
        if (side->created[at].made == PORT_OK) {
            port_task_join(&side->created[at].task);
        }
        break;
    case OBJECT_SEMAPHORE:
        expect(side, port_sem_take(&side->semaphore, 0) == PORT_OK);
        break;
    case OBJECT_MUTEX:
        port_mutex_unlock(&side->mutexes[at]);
        break;
    case OBJECT_QUEUE:
        port_queue_receive(&side->queue, side->received);
        break;
    case OBJECT_NOTIFICATION:
        port_notify_take();
        break;
    case OBJECT_EVENTS:
        port_events_wait(&side->events, 1U << at);
        break;
    case OBJECT_STREAM:
        port_stream_receive(&side->stream, side->received, side->size);
        break;
    case OBJECT_MEMORY:
        port_free(side->blocks[at]);
        break;
    case OBJECT_CRITICAL:
    case OBJECT_NONE:
    case OBJECT_COUNT:
        break;
    }
}
