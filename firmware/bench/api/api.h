/* What the parts of the benchmark `api` have in common: api.c has its parameters and starts who takes part, calls.c the
 * objects and the calls, tasks.c what makes them. */
#ifndef IC_API_H
#define IC_API_H

#include <stdatomic.h>

#include "port.h"
#include "port_objects.h"
#include "run.h"

#define BATCH_MAX 8U
#define SIZE_MAX_BYTES 1024U

#define PRIORITY_HELPER 1U
#define PRIORITY_CREATED 2U
#define PRIORITY_CALLER 3U
#define PRIORITY_AT_ONCE 4U

enum call {
    CALL_CREATE,
    CALL_DELETE,
    CALL_GIVE,
    CALL_TAKE,
    CALL_LOCK,
    CALL_UNLOCK,
    CALL_SEND,
    CALL_RECEIVE,
    CALL_NOTIFY,
    CALL_NOTIFY_TAKE,
    CALL_SET,
    CALL_WAIT,
    CALL_STREAM_SEND,
    CALL_STREAM_RECEIVE,
    CALL_CRITICAL,
    CALL_ALLOCATE,
    CALL_FREE,
    CALL_NOTHING,
    CALL_COUNT
};

/* What calls are made on; two calls of one object undo each other. */
enum object {
    OBJECT_TASK,
    OBJECT_SEMAPHORE,
    OBJECT_MUTEX,
    OBJECT_QUEUE,
    OBJECT_NOTIFICATION,
    OBJECT_EVENTS,
    OBJECT_STREAM,
    OBJECT_CRITICAL,
    OBJECT_MEMORY,
    OBJECT_NONE,
    OBJECT_COUNT
};

enum other { OTHER_NONE, OTHER_SPIN, OTHER_SAME, OTHER_OBJECT };

struct call_kind {
    enum object object;
    bool undoes; /* the other call of the object has to come before */
};

extern const struct call_kind ic_api_calls[CALL_COUNT];

struct created {
    port_task_t task;
    enum port_error made;
    atomic_bool ran;
};

/* A task with the objects that it calls upon. */
struct side {
    port_task_t task;
    uint32_t core;
    enum object object;
    uint32_t batch;
    uint32_t size;
    bool migrated;
    bool wrong; /* a result was not what it must be */
    uint64_t preempted;
    port_sem_t semaphore;
    port_mutex_t mutexes[BATCH_MAX];
    port_queue_t queue;
    port_events_t events;
    port_stream_t stream;
    void *blocks[BATCH_MAX];
    struct created created[BATCH_MAX];
    uint8_t *received; /* SIZE_MAX_BYTES */
};

struct scene {
    port_task_t *leader;
    const uint8_t *pattern; /* what is sent, SIZE_MAX_BYTES; no two bytes that follow one another are alike */
    struct side caller;
    struct side hammer;
    port_task_t helper; /* lets created tasks run and end, or is the witness of critical sections */
    enum call call;
    enum other other;
    bool helped;
    uint32_t shift;
    uint64_t took;
    bool timed; /* took is valid: what the call needs was there */
    atomic_bool watcher_there;
    atomic_bool watcher_may;
    atomic_bool watcher_entered;
    atomic_bool stop;
    atomic_bool rests; /* the hammer, if any, has stopped */
    bool dismissed;    /* read by a task after it has been woken */
};

extern struct scene ic_api;

static inline bool is_hammered(void) { return ic_api.other != OTHER_NONE; }

static inline void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

static inline void expect(struct side *side, bool right) { side->wrong = side->wrong || !right; }

/* ---- calls ---- */

/* Makes and destroys the objects that a side calls upon. False if there is no memory for them. */
bool ic_api_make_object(struct side *side);
void ic_api_destroy_object(struct side *side);

/* Starts the task number `at` that a side creates. */
enum port_error ic_api_create(struct side *side, uint32_t at, uint32_t priority);

/* Makes the call that is measured, as often as the side's batch says, and returns how long that took. */
uint64_t ic_api_time_call(struct side *side, enum call call);

/* The same calls outside of windows. The first of two that undo each other, for object, item, bit or block `at`; and
 * the second. */
void ic_api_do_call(struct side *side, uint32_t at);
void ic_api_undo_call(struct side *side, uint32_t at);

/* ---- tasks ---- */

/* Makes the calls that are timed, given its side. */
void ic_api_run_caller(void *arg);

/* Below the caller and the tasks that it creates, given its side: wakes it when they have run and ended. */
void ic_api_run_helper(void *arg);

/* On the other core, above the hammer: enters a critical section of its own when it may. */
void ic_api_run_witness(void *arg);

/* On the other core, given its side: calls the kernel without a pause, or spins. */
void ic_api_run_hammer(void *arg);

#endif
