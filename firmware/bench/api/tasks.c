/* The tasks of the benchmark `api`: the calling task, its helper, and on the other core the witness and the load. */
#include "api.h"

#include <string.h>

#include "port_lock.h"

/* Iterations of an empty loop, about 10 µs, after which another core with nothing to do sleeps */
#define SETTLING_TURNS 200U

/* ---- the calling task ---- */

/* Waits until the created tasks have run and ended. The helper, a task of lower priority, runs after them and wakes
 * this task. */
static void let_created_run(void) {
    port_notify(&ic_api.helper);
    port_notify_take();
}

/* Whether the first of the object's two calls (such as give, before take) has an effect that is not undone yet; checked
 * without blocking. For notifications: whether at least one is pending; for other objects: whether call number `at` has
 * such an effect. */
static bool is_there(struct side *side, uint32_t at) {
    switch (side->object) {
    case OBJECT_TASK:
        return side->created[at].made == PORT_OK;
    case OBJECT_MUTEX: /* not recursive: its owner cannot lock it again */
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

/* Checks that each call of the batch has had its effect. The effect is undone later. */
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

/* Checks that no effect of the calls is left. Removes an effect that is left, so that later calls do not block. */
static void check_undone(struct side *side) {
    for (uint32_t at = 0; at < side->batch; at++) {
        if (is_there(side, at)) {
            side->wrong = true;
            ic_api_undo_call(side, at);
        }
    }
}

/* Waits until a task on the other core sets the flag, for at most PORT_PATIENCE_S seconds. Returns whether it was
 * set. */
static bool comes_true(const atomic_bool *said) {
    uint64_t deadline = port_clock() + PORT_PATIENCE_S * port_clock_hz();
    while (!atomic_load(said)) {
        if (port_clock() > deadline) {
            return false;
        }
    }
    return true;
}

/* Checks that no task on the other core can enter a critical section while this core is inside one: the witness, a task
 * there, tries to. The witness runs only while the load rests: where a critical section is a lock, the witness could
 * preempt the load inside a critical section, and would then wait for ever for the load to leave it. */
static bool excludes(void) {
    atomic_store(&ic_api.watcher_there, false);
    atomic_store(&ic_api.watcher_may, false);
    atomic_store(&ic_api.watcher_entered, false);
    bool there = comes_true(&ic_api.rests);
    port_notify(&ic_api.helper);
    there = comes_true(&ic_api.watcher_there) && there;
    port_critical_enter();
    atomic_store(&ic_api.watcher_may, true);
    let_pass(SETTLING_TURNS);
    bool entered = atomic_load(&ic_api.watcher_entered);
    port_critical_exit();
    return there && !entered && comes_true(&ic_api.watcher_entered);
}

/* Prepares what the timed calls need, such as items to receive. Returns false on failure. */
static bool prepare(struct side *side, enum call call) {
    for (uint32_t at = 0; at < BATCH_MAX; at++) {
        atomic_store(&side->created[at].ran, false);
    }
    memset(side->received, 0, SIZE_MAX_BYTES);
    if (!ic_api_calls[call].undoes) {
        return true;
    }
    for (uint32_t at = 0; at < side->batch; at++) {
        ic_api_do_call(side, at);
    }
    check_made(side);
    if (call == CALL_DELETE && !side->wrong) {
        let_created_run();
    }
    return !side->wrong;
}

static bool is_received(const struct side *side) { return memcmp(side->received, ic_api.pattern, side->size) == 0; }

static bool all_have_run(const struct side *side) {
    for (uint32_t at = 0; at < side->batch; at++) {
        if (!atomic_load(&side->created[at].ran)) {
            return false;
        }
    }
    return true;
}

/* Undoes the effect of the timed calls, or of a failed prepare(), and checks all results. */
static void restore(struct side *side, enum call call) {
    if (!ic_api_calls[call].undoes) {
        check_made(side);
    }
    bool is_left = !ic_api_calls[call].undoes || side->wrong;
    if (is_left && side->object == OBJECT_TASK) {
        let_created_run();
    }
    for (uint32_t at = 0; is_left && at < side->batch; at++) {
        if (is_there(side, at)) {
            ic_api_undo_call(side, at);
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
        expect(side, !ic_api.helped || excludes());
        break;
    case OBJECT_MEMORY:
    case OBJECT_NONE:
    case OBJECT_COUNT:
        break;
    }
}

/* Waits until woken; returns false if the task must end. */
static bool await_turn(struct side *side) {
    port_notify_take();
    side->migrated = side->migrated || port_core_id() != side->core;
    if (ic_api.dismissed) {
        side->preempted = port_preemptions();
        return false;
    }
    return true;
}

void ic_api_run_caller(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        if (is_hammered()) {
            port_notify_take(); /* for the load; no polling: the load may need a lock that a task on this core owns */
        }
        let_pass(SETTLING_TURNS);
        ic_api.timed = prepare(side, ic_api.call);
        if (ic_api.timed) {
            let_pass(ic_api.shift); /* the preceding call may have synchronised the two cores */
            ic_api.took = ic_api_time_call(side, ic_api.call);
        }
        atomic_store(&ic_api.stop, true);
        restore(side, ic_api.call);
        port_notify(ic_api.leader);
    }
}

void ic_api_run_helper(void *arg) {
    struct side *side = arg;
    for (;;) {
        port_notify_take();
        if (ic_api.dismissed) {
            return;
        }
        port_notify(&side->task);
    }
}

void ic_api_run_witness(void *arg) {
    (void)arg;
    for (;;) {
        port_notify_take();
        if (ic_api.dismissed) {
            return;
        }
        atomic_store(&ic_api.watcher_there, true);
        if (comes_true(&ic_api.watcher_may)) {
            port_critical_enter();
            atomic_store(&ic_api.watcher_entered, true);
            port_critical_exit();
        }
    }
}

/* ---- the load on the other core ---- */

static void hammer_once(struct side *side) {
    if (ic_api.other == OTHER_SPIN) {
        return;
    }
    if (side->object == OBJECT_TASK) { /* the created task has a higher priority, and ends at once */
        side->created[0].made = ic_api_create(side, 0, PRIORITY_AT_ONCE);
    } else {
        ic_api_do_call(side, 0);
    }
    if (side->object == OBJECT_TASK && side->created[0].made != PORT_OK) {
        side->wrong = true;
        return;
    }
    ic_api_undo_call(side, 0);
}

void ic_api_run_hammer(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        hammer_once(side);
        port_notify(&ic_api.caller.task);
        while (!atomic_load(&ic_api.stop)) {
            hammer_once(side);
        }
        atomic_store(&ic_api.rests, true);
        port_notify(ic_api.leader);
    }
}
