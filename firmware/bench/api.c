/* api: how long a call of the kernel takes that neither waits nor makes another task run: alone, and while another core
 * hammers the kernel with calls on objects of its own. What the second takes longer is the price of the locks that all
 * cores share.
 *
 * A task of middle priority on core `core` makes the calls. One sample is from before the call to after it; with
 * `batch`, the sum of so many calls, each on an object, item, bit or block of its own. What a call needs (a unit to
 * take, an item to receive) is made before, and what it did is checked and undone after the timed window:
 *
 *   create, delete           of a task of lower priority on the same core; it has run and ended before it is deleted,
 *                            which is port_task_join()
 *   give, take               of a counting semaphore for which nobody waits
 *   lock, unlock             of a mutex that nobody else has
 *   send, receive            of an item of `size` bytes, with a queue that has room for it and nobody who waits
 *   notify, notify-take      of the calling task itself: the count goes up, and down
 *   set, wait                of a bit of an event group for which nobody waits; the wait finds it set
 *   stream-send, -receive    of `size` bytes, with a stream that has room for them and nobody who waits
 *   critical                 enter and exit, in one; after the window a witness on the other core is kept out
 *   allocate, free           of a block of `size` bytes
 *   nothing                  an empty window
 *
 * On the other core (the next by number), `other` says what goes on: none, it sleeps; spin, it computes without the
 * kernel; otherwise a task calls the kernel without a pause: same, with the measured call and its counterpart, or with
 * those of the object named. task stands for create, run, end and delete. */
#include <stdatomic.h>
#include <string.h>

#include "benchmarks.h"
#include "port.h"
#include "port_lock.h"
#include "port_objects.h"
#include "run.h"

#define BATCH_MAX 8U
#define SIZE_MAX_BYTES 1024U
/* What is sent, and what each side has received. */
#define ITEMS 3U
#define STREAM_ROOM_MAX 4096U
/* Turns after which the other core sleeps if it has nothing to do, as in clock.c, and the most turns more that shift
 * the window against the other core's loop. */
#define SETTLING_TURNS 200U
#define SHIFT_TURNS 256U

#define PRIORITY_HELPER 1U
#define PRIORITY_CREATED 2U
#define PRIORITY_CALLER 3U
#define PRIORITY_AT_ONCE 4U

enum { P_CALL, P_SIZE, P_CORE, P_OTHER, P_BATCH, PARAMETER_COUNT };

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

static const struct {
    enum object object;
    bool undoes; /* the other call of the object has to come before */
} calls[CALL_COUNT] = {
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

static const char *const call_names[CALL_COUNT] = {
    "create",      "delete", "give", "take",        "lock",           "unlock",   "send",     "receive", "notify",
    "notify-take", "set",    "wait", "stream-send", "stream-receive", "critical", "allocate", "free",    "nothing",
};

static const char *const other_names[OTHER_OBJECT + OBJECT_NONE] = {
    "none",  "spin",         "same",   "task",   "semaphore", "mutex",
    "queue", "notification", "events", "stream", "critical",  "memory",
};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_CALL] = {.name = "call",
                .help = "what is called",
                .choices = call_names,
                .choice_count = CALL_COUNT,
                .preset = CALL_GIVE},
    [P_SIZE] = {.name = "size",
                .help = "bytes of an item, of a piece of a stream or of a block",
                .min = 1,
                .max = SIZE_MAX_BYTES,
                .preset = 64},
    [P_CORE] = {.name = "core", .help = "core that calls", .limit = last_core},
    [P_OTHER] = {.name = "other",
                 .help = "what the next core does meanwhile",
                 .choices = other_names,
                 .choice_count = OTHER_OBJECT + OBJECT_NONE},
    [P_BATCH] = {.name = "batch",
                 .help = "calls in one timed window, and so in a sample",
                 .min = 1,
                 .max = BATCH_MAX,
                 .preset = 1},
};

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

static struct {
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
    atomic_bool witness_there;
    atomic_bool witness_may;
    atomic_bool witness_entered;
    atomic_bool stop;
    atomic_bool rests; /* the hammer, if any, has stopped */
    bool dismissed;    /* read by a task after it has been woken */
} api;

static bool is_hammered(void) { return api.other != OTHER_NONE; }

static void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

static void expect(struct side *side, bool right) { side->wrong = side->wrong || !right; }

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

static bool make_object(struct side *side) {
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

static void destroy_object(struct side *side) {
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

static enum port_error create(struct side *side, uint32_t at, uint32_t priority) {
    struct created *created = &side->created[at];
    struct port_task_config config = {
        .name = "created", .entry = created_task, .arg = created, .core = side->core, .priority = priority};
    return port_task_start(&created->task, &config);
}

/* Waits until the created tasks have run and ended: they and the helper get the core, in this order. */
static void let_created_run(void) {
    port_notify(&api.helper);
    port_notify_take();
}

/* The window around one call or, where `batch` is more, around so many in a row. It is a macro because the call must
 * stand in it as it stands in an application. `at` tells the call which object it is for. */
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
static uint64_t time_call(struct side *side, enum call call) {
    const uint32_t batch = side->batch;
    const uint32_t size = side->size;
    uint64_t begin = 0;
    uint64_t end = 0;
    switch (call) {
    case CALL_CREATE:
        TIMED(side->created[at].made = create(side, at, PRIORITY_CREATED));
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
        TIMED(port_queue_send(&side->queue, api.pattern));
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
        TIMED(port_stream_send(&side->stream, api.pattern, size));
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

/* The same calls outside of windows. The first of two that undo each other, for object, item, bit or block `at`. */
static void do_call(struct side *side, uint32_t at) {
    switch (side->object) {
    case OBJECT_TASK:
        side->created[at].made = create(side, at, PRIORITY_CREATED);
        break;
    case OBJECT_SEMAPHORE:
        port_sem_give(&side->semaphore);
        break;
    case OBJECT_MUTEX:
        port_mutex_lock(&side->mutexes[at]);
        break;
    case OBJECT_QUEUE:
        port_queue_send(&side->queue, api.pattern);
        break;
    case OBJECT_NOTIFICATION:
        port_notify(&side->task);
        break;
    case OBJECT_EVENTS:
        port_events_set(&side->events, 1U << at);
        break;
    case OBJECT_STREAM:
        port_stream_send(&side->stream, api.pattern, side->size);
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

/* The second of them. */
static void undo_call(struct side *side, uint32_t at) {
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

/* ---- the caller ---- */

/* Whether what the first call of an object makes is there, where that can be told without a wait: for notifications one
 * at least, for others what was made for `at`. */
static bool is_there(struct side *side, uint32_t at) {
    switch (side->object) {
    case OBJECT_TASK:
        return side->created[at].made == PORT_OK;
    case OBJECT_MUTEX: /* not recursive: who has it cannot lock it again */
        if (port_mutex_try_lock(&side->mutexes[at])) {
            port_mutex_unlock(&side->mutexes[at]);
            return false;
        }
        return true;
    case OBJECT_NOTIFICATION:
        return port_notify_count() > 0;
    case OBJECT_EVENTS:
        return (port_events_get(&side->events) >> at & 1U) != 0;
    case OBJECT_MEMORY:
        return side->blocks[at] != NULL;
    case OBJECT_SEMAPHORE:
    case OBJECT_QUEUE:
    case OBJECT_STREAM:
    case OBJECT_CRITICAL:
    case OBJECT_NONE:
    case OBJECT_COUNT:
        break;
    }
    return true;
}

/* Checks what the calls made, before it is undone. */
static void check_made(struct side *side) {
    for (uint32_t at = 0; at < side->batch; at++) {
        expect(side, is_there(side, at));
        if (side->object == OBJECT_MEMORY) {
            expect(side, at == 0 || side->blocks[at] != side->blocks[at - 1U]);
        }
    }
    if (side->object == OBJECT_NOTIFICATION) {
        expect(side, port_notify_count() == side->batch);
    }
}

/* Checks that nothing is left of it, and takes away what is: what did nothing must not make later calls wait. */
static void check_undone(struct side *side) {
    for (uint32_t at = 0; at < side->batch; at++) {
        if (is_there(side, at)) {
            side->wrong = true;
            undo_call(side, at);
        }
    }
}

/* Waits until the other core's task says so, for a second at most; true if it does. */
static bool comes_true(const atomic_bool *said) {
    uint64_t deadline = port_clock() + port_clock_hz();
    while (!atomic_load(said)) {
        if (port_clock() > deadline) {
            return false;
        }
    }
    return true;
}

/* Whether a critical section keeps another core's out: the witness wants to enter its own while we are in ours. It must
 * not interrupt the hammer in the middle of one, which is possible where a critical section is a lock. */
static bool excludes(void) {
    atomic_store(&api.witness_there, false);
    atomic_store(&api.witness_may, false);
    atomic_store(&api.witness_entered, false);
    bool there = comes_true(&api.rests);
    port_notify(&api.helper);
    there = comes_true(&api.witness_there) && there;
    port_critical_enter();
    atomic_store(&api.witness_may, true);
    let_pass(SETTLING_TURNS);
    bool entered = atomic_load(&api.witness_entered);
    port_critical_exit();
    return there && !entered && comes_true(&api.witness_entered);
}

/* Makes what must be there before the window; false if that was not possible. */
static bool prepare(struct side *side, enum call call) {
    for (uint32_t at = 0; at < BATCH_MAX; at++) {
        atomic_store(&side->created[at].ran, false);
    }
    memset(side->received, 0, SIZE_MAX_BYTES);
    if (!calls[call].undoes) {
        return true;
    }
    for (uint32_t at = 0; at < side->batch; at++) {
        do_call(side, at);
    }
    check_made(side);
    if (call == CALL_DELETE && !side->wrong) {
        let_created_run();
    }
    return !side->wrong;
}

static bool is_received(const struct side *side) { return memcmp(side->received, api.pattern, side->size) == 0; }

static bool all_have_run(const struct side *side) {
    for (uint32_t at = 0; at < side->batch; at++) {
        if (!atomic_load(&side->created[at].ran)) {
            return false;
        }
    }
    return true;
}

/* Undoes what the window, or a preparation that failed, has left, and checks the results of all. */
static void restore(struct side *side, enum call call) {
    if (!calls[call].undoes) {
        check_made(side);
    }
    bool is_left = !calls[call].undoes || side->wrong;
    if (is_left && side->object == OBJECT_TASK) {
        let_created_run();
    }
    for (uint32_t at = 0; is_left && at < side->batch; at++) {
        if (is_there(side, at)) {
            undo_call(side, at);
        }
    }
    if (side->wrong) {
        return;
    }
    switch (side->object) {
    case OBJECT_TASK:
        expect(side, all_have_run(side));
        break;
    case OBJECT_SEMAPHORE:
        expect(side, port_sem_take(&side->semaphore, 0) == PORT_ERR_TIMEOUT);
        break;
    case OBJECT_QUEUE:
    case OBJECT_STREAM:
        expect(side, is_received(side));
        break;
    case OBJECT_MUTEX:
    case OBJECT_NOTIFICATION:
    case OBJECT_EVENTS:
        check_undone(side);
        break;
    case OBJECT_CRITICAL:
        expect(side, !api.helped || excludes());
        break;
    case OBJECT_MEMORY:
    case OBJECT_NONE:
    case OBJECT_COUNT:
        break;
    }
}

/* Waits for the next turn; false if there is none. */
static bool await_turn(struct side *side) {
    port_notify_take();
    side->migrated = side->migrated || port_core_id() != side->core;
    if (api.dismissed) {
        side->preempted = port_preemptions();
        return false;
    }
    return true;
}

static void caller_task(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        if (is_hammered()) {
            port_notify_take(); /* not a loop: on this core may be who holds what the hammer needs to begin */
        }
        let_pass(SETTLING_TURNS);
        api.timed = prepare(side, api.call);
        if (api.timed) {
            let_pass(api.shift); /* what was just called may have waited for the other core, and be in step with it */
            api.took = time_call(side, api.call);
        }
        atomic_store(&api.stop, true);
        restore(side, api.call);
        port_notify(api.leader);
    }
}

static void helper_task(void *arg) {
    struct side *side = arg;
    for (;;) {
        port_notify_take();
        if (api.dismissed) {
            return;
        }
        port_notify(&side->task);
    }
}

/* On the other core, above the hammer: enters a critical section of its own when it may. */
static void witness_task(void *arg) {
    (void)arg;
    for (;;) {
        port_notify_take();
        if (api.dismissed) {
            return;
        }
        atomic_store(&api.witness_there, true);
        if (comes_true(&api.witness_may)) {
            port_critical_enter();
            atomic_store(&api.witness_entered, true);
            port_critical_exit();
        }
    }
}

/* ---- the hammer ---- */

static void hammer_once(struct side *side) {
    if (api.other == OTHER_SPIN) {
        return;
    }
    if (side->object == OBJECT_TASK) { /* above this task: it runs and ends at once */
        side->created[0].made = create(side, 0, PRIORITY_AT_ONCE);
    } else {
        do_call(side, 0);
    }
    if (side->object == OBJECT_TASK && side->created[0].made != PORT_OK) {
        side->wrong = true;
        return;
    }
    undo_call(side, 0);
}

static void hammer_task(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        hammer_once(side);
        port_notify(&api.caller.task);
        while (!atomic_load(&api.stop)) {
            hammer_once(side);
        }
        atomic_store(&api.rests, true);
        port_notify(api.leader);
    }
}

/* ---- the leader ---- */

static bool start_task(struct ic_run *run, port_task_t *task, void (*entry)(void *), struct side *side,
                       uint32_t priority) {
    struct port_task_config config = {
        .name = "api", .entry = entry, .arg = side, .core = side->core, .priority = priority};
    return port_task_start(task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

static void set_up(struct side *side, uint32_t core, enum object object, uint32_t batch, uint32_t size) {
    side->core = core;
    side->object = object;
    side->batch = batch;
    side->size = size;
    side->migrated = false;
    side->wrong = false;
    side->preempted = 0;
}

/* Makes a side's object and starts its task. */
static bool start_side(struct ic_run *run, struct side *side, void (*entry)(void *)) {
    if (!make_object(side)) {
        return ic_error_set(&run->error, "failed", "the target has no memory for these objects", "",
                            ": try a smaller size or batch");
    }
    if (!start_task(run, &side->task, entry, side, PRIORITY_CALLER)) {
        destroy_object(side);
        return false;
    }
    return true;
}

/* Ends a side's task and counts what it noted. */
static void end_side(struct ic_run *run, struct side *side) {
    api.dismissed = true;
    port_notify(&side->task);
    port_task_join(&side->task);
    destroy_object(side);
    run->checks.migrated += side->migrated;
    if (side == &api.caller) { /* the hammer is preempted by the tasks that it creates */
        run->checks.preempted += side->preempted;
    }
}

/* The task on this core, if any, last: it would keep us from waking the other one. */
static void wake_both(void) {
    if (api.caller.core == port_core_id()) {
        if (is_hammered()) {
            port_notify(&api.hammer.task);
        }
        port_notify(&api.caller.task);
    } else {
        port_notify(&api.caller.task);
        if (is_hammered()) {
            port_notify(&api.hammer.task);
        }
    }
}

static void take(struct ic_run *run, struct ic_series *series) {
    api.shift = ic_random_below(&run->random, SHIFT_TURNS);
    atomic_store(&api.stop, false);
    atomic_store(&api.rests, !is_hammered());
    ic_run_dither(run);
    wake_both();
    port_notify_take();
    if (is_hammered()) {
        port_notify_take();
    }
    ic_run_check(run, !api.caller.wrong && !api.hammer.wrong);
    if (series != NULL && api.timed) {
        ic_run_sample(run, series, (int64_t)api.took);
    }
}

static void take_all(struct ic_run *run, struct ic_series *series) {
    take(run, NULL); /* warms caches and the allocator */
    while (!api.caller.wrong && !api.hammer.wrong && ic_run_repeat(run)) {
        take(run, series);
    }
}

static bool start_helper(struct ic_run *run) {
    if (api.caller.object == OBJECT_CRITICAL) { /* the core is all that it takes from a side */
        return start_task(run, &api.helper, witness_task, &api.hammer, PRIORITY_AT_ONCE);
    }
    return start_task(run, &api.helper, helper_task, &api.caller, PRIORITY_HELPER);
}

static bool start_all(struct ic_run *run) {
    api.dismissed = false;
    if (!start_side(run, &api.caller, caller_task)) {
        return false;
    }
    if (api.helped && !start_helper(run)) {
        end_side(run, &api.caller);
        return false;
    }
    return true;
}

static void end_all(struct ic_run *run) {
    end_side(run, &api.caller);
    if (api.helped) {
        port_notify(&api.helper);
        port_task_join(&api.helper);
    }
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    const uint32_t *values = run->values;
    struct port_region region;
    (void)port_region(0, &region); /* there is one */
    if (region.bytes < (size_t)ITEMS * SIZE_MAX_BYTES) {
        return ic_error_set(error, "unsupported", "there is not enough memory in the region ", region.name, "");
    }
    if (values[P_OTHER] != OTHER_NONE && port_core_count() < 2) {
        return ic_error_set(error, "out-of-range",
                            "this target has no other core for other=", other_names[values[P_OTHER]], "");
    }
    return calls[values[P_CALL]].object != OBJECT_STREAM || values[P_BATCH] * values[P_SIZE] <= STREAM_ROOM_MAX ||
           ic_error_set(error, "out-of-range", "a stream has no room for batch * size above 4096 bytes", "", "");
}

/* The items lie in region 0: for benchmarks' larger buffers there is no other memory on a chip. */
static void lay_out_items(void) {
    struct port_region region;
    (void)port_region(0, &region); /* possible() has seen that it is there */
    uint8_t *pattern = region.base;
    for (uint32_t i = 0; i < SIZE_MAX_BYTES; i++) {
        pattern[i] = (uint8_t)(i * 37U + 1U);
    }
    api.pattern = pattern;
    api.caller.received = pattern + SIZE_MAX_BYTES;
    api.hammer.received = api.caller.received + SIZE_MAX_BYTES;
}

static bool measure(struct ic_run *run) {
    struct ic_series *series = ic_run_series(run, "call");
    if (series == NULL) {
        return false;
    }
    uint32_t core = run->values[P_CORE];
    uint32_t size = run->values[P_SIZE];
    api.call = (enum call)run->values[P_CALL];
    api.other = (enum other)run->values[P_OTHER];
    api.leader = port_task_self();
    enum object object = calls[api.call].object;
    api.helped = object == OBJECT_TASK || (object == OBJECT_CRITICAL && port_core_count() > 1);
    lay_out_items();
    set_up(&api.caller, core, object, run->values[P_BATCH], size);
    enum object hammered = run->values[P_OTHER] >= OTHER_OBJECT ? (enum object)(run->values[P_OTHER] - OTHER_OBJECT)
                           : api.other == OTHER_SAME            ? object
                                                                : OBJECT_NONE;
    set_up(&api.hammer, (core + 1U) % port_core_count(), hammered, 1, size);
    if (!start_all(run)) {
        return false;
    }
    bool ready = !is_hammered() || start_side(run, &api.hammer, hammer_task);
    if (ready) {
        take_all(run, series);
        if (is_hammered()) {
            end_side(run, &api.hammer);
        }
    }
    end_all(run);
    return ready;
}

const struct ic_benchmark ic_benchmark_api = {
    .name = "api",
    .summary = "time of a kernel call that switches no task, alone and while another core calls the kernel as well",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 200,
    .series_count = 1,
    .possible = possible,
    .measure = measure,
};
