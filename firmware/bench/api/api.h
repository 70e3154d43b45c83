/* Shared parts of the benchmark `api`. api.c has the parameters and starts the tasks, calls.c has the objects and the
 * calls on them, tasks.c has the tasks. */
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

/* Kinds of objects. There are two calls on each kind, such as give and take; the second undoes the first. */
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
    bool undoes; /* it undoes the object's other call, which must come before */
};

extern const struct call_kind ic_api_calls[CALL_COUNT];

struct created {
    port_task_t task;
    enum port_error made;
    atomic_bool ran;
};

/* A task that makes calls (the calling task or the load on the other core), with the objects of its calls */
struct side {
    port_task_t task;
    uint32_t core;
    enum object object;
    uint32_t batch;
    uint32_t size;
    bool migrated;
    bool wrong; /* a result was wrong */
    uint64_t preempted;
    port_sem_t semaphore;
    port_mutex_t mutexes[BATCH_MAX];
    port_queue_t queue;
    port_events_t events;
    port_stream_t stream;
    void *blocks[BATCH_MAX];
    struct created created[BATCH_MAX];
    uint8_t *received; /* buffer of SIZE_MAX_BYTES */
};

struct scene {
    port_task_t *leader;
    const uint8_t *pattern; /* the bytes to send, SIZE_MAX_BYTES; neighbouring bytes differ */
    struct side caller;
    struct side hammer;
    port_task_t helper; /* lets created tasks run and end, or checks critical sections */
    enum call call;
    enum other other;
    bool helped;
    uint32_t shift;
    uint64_t took;
    bool timed; /* `took` is valid: the precondition of the call held */
    atomic_bool watcher_there;
    atomic_bool watcher_may;
    atomic_bool watcher_entered;
    atomic_bool stop;
    atomic_bool rests; /* the task that loads the other core, if any, has stopped */
    bool dismissed;    /* a task that is woken while this is true ends */
};

extern struct scene ic_api;

static inline bool is_hammered(void) { return ic_api.other != OTHER_NONE; }

static inline void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

static inline void expect(struct side *side, bool right) { side->wrong = side->wrong || !right; }

/* ---- calls ---- */

/* ic_api_make_object() creates the objects of a side, and returns false if there is no memory for them.
 * ic_api_destroy_object() destroys them. */
bool ic_api_make_object(struct side *side);
void ic_api_destroy_object(struct side *side);

/* Creates and starts a side's task number `at`, an entry of its array `created`. */
enum port_error ic_api_create(struct side *side, uint32_t at, uint32_t priority);

/* Makes the measured call `batch` times, and returns the time of all these calls, in ticks of the common clock. */
uint64_t ic_api_time_call(struct side *side, enum call call);

/* Untimed calls on object, item, bit or block number `at` of a side: ic_api_do_call() makes the first of the two calls
 * on its kind of object (such as give), ic_api_undo_call() the second (take), which undoes the first. */
void ic_api_do_call(struct side *side, uint32_t at);
void ic_api_undo_call(struct side *side, uint32_t at);

/* ---- tasks ---- */

/* Entry of the task that makes the timed calls; the argument is its struct side. */
void ic_api_run_caller(void *arg);

/* Entry of the helper, a task of lower priority than the calling task and the tasks that the calling task creates; the
 * argument is the struct side of the calling task. The helper wakes the calling task when the created tasks have run
 * and ended. */
void ic_api_run_helper(void *arg);

/* Entry of the witness, a task on the other core, of higher priority than the load. When the calling task, inside a
 * critical section, sets `watcher_may`, the witness tries to enter one, too, and must not succeed until the calling
 * task has left. */
void ic_api_run_witness(void *arg);

/* Entry of the load, a task on the other core that calls the kernel continuously or spins; the argument is its struct
 * side. */
void ic_api_run_hammer(void *arg);

#endif
