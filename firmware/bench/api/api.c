/* The benchmark `api`: the time of a kernel call that neither blocks nor causes a context switch, either while the
 * other core makes no kernel calls or while a task there calls the kernel continuously, on other objects. The
 * difference is the cost of the kernel's internal locks, which all cores share.
 *
 * A task of middle priority on core `core` makes the calls. A sample is the time from before the call to after it. With
 * `batch` > 1 it is the time of `batch` calls in a row, each on its own object, item, bit or block. What a call needs
 * (such as an item to receive) is prepared before the timed window. The effect of the call is checked and undone after
 * the window. The parameter `call` selects the call:
 *
 *   create, delete           of a task of lower priority on the same core; `delete` is port_task_join() of a task that
 *                            has already run and ended
 *   give, take               of a counting semaphore without waiting tasks
 *   lock, unlock             of an uncontended mutex
 *   send, receive            of an item of `size` bytes, with room in the queue and no waiting tasks
 *   notify, notify-take      of the calling task itself: the count is incremented, and decremented
 *   set, wait                of a bit of an event group without waiting tasks; the bit is set before the wait
 *   stream-send, -receive    of `size` bytes, with room in the stream and no waiting tasks
 *   critical                 enter and exit, as one call; afterwards a task on the other core checks the exclusion
 *   allocate, free           of a block of `size` bytes
 *   nothing                  no call, only the two clock readings
 *
 * The parameter `other` selects the load on the other core, which is the next core:
 *
 *   none        the other core sleeps
 *   spin        a task there computes, and makes no kernel calls
 *   same        a task there makes the measured call and the call that undoes it, continuously
 *   task        a task there creates a task, which runs and ends, and deletes it, continuously
 *   any other   a task there makes the two calls on an object of the named kind, continuously */
#include "api.h"
#include "benchmarks.h"
#include "port_lock.h"

/* Memory region 0 has room for this many items of the largest size: the bytes to send, and a receive buffer for each
 * side (the calling task and the load) */
#define ITEMS 3U
#define STREAM_ROOM_MAX 4096U
/* Before the timed window the calling task waits for a random number of loop iterations, less than this, so that the
 * window meets the other core's loop at a different point each time. */
#define SHIFT_TURNS 256U

enum { P_CALL, P_SIZE, P_CORE, P_OTHER, P_BATCH, PARAMETER_COUNT };

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
                .help = "bytes of an item, a stream message or a block",
                .min = 1,
                .max = SIZE_MAX_BYTES,
                .preset = 64},
    [P_CORE] = {.name = "core", .help = "core of the calling task", .limit = last_core},
    [P_OTHER] = {.name = "other",
                 .help = "load on the next core",
                 .choices = other_names,
                 .choice_count = OTHER_OBJECT + OBJECT_NONE},
    [P_BATCH] = {.name = "batch", .help = "calls per sample", .min = 1, .max = BATCH_MAX, .preset = 1},
};

struct scene ic_api;

/* ---- the console task ---- */

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

static bool start_side(struct ic_run *run, struct side *side, void (*entry)(void *)) {
    if (!ic_api_make_object(side)) {
        return ic_error_set(&run->error, "failed", "the target has no memory for these objects", "",
                            ": try a smaller size or batch");
    }
    if (!start_task(run, &side->task, entry, side, PRIORITY_CALLER)) {
        ic_api_destroy_object(side);
        return false;
    }
    return true;
}

/* Ends the task of a side (the calling task or the load), and counts its migrations and preemptions. */
static void end_side(struct ic_run *run, struct side *side) {
    ic_api.dismissed = true;
    port_notify(&side->task);
    port_task_join(&side->task);
    ic_api_destroy_object(side);
    run->checks.migrated += side->migrated;
    if (side == &ic_api.caller) { /* the load is preempted on purpose, by the tasks that it creates */
        run->checks.preempted += side->preempted;
    }
}

/* Wakes both tasks, the one on the console task's core last: it preempts the console task, which could not wake the
 * other one after that. */
static void wake_both(void) {
    if (ic_api.caller.core == port_core_id()) {
        if (is_hammered()) {
            port_notify(&ic_api.hammer.task);
        }
        port_notify(&ic_api.caller.task);
    } else {
        port_notify(&ic_api.caller.task);
        if (is_hammered()) {
            port_notify(&ic_api.hammer.task);
        }
    }
}

static void take(struct ic_run *run, struct ic_series *series) {
    ic_api.shift = ic_random_below(&run->random, SHIFT_TURNS);
    atomic_store(&ic_api.stop, false);
    atomic_store(&ic_api.rests, !is_hammered());
    ic_run_dither(run);
    wake_both();
    port_notify_take();
    if (is_hammered()) {
        port_notify_take();
    }
    ic_run_check(run, !ic_api.caller.wrong && !ic_api.hammer.wrong);
    if (series != NULL && ic_api.timed) {
        ic_run_sample(run, series, (int64_t)ic_api.took);
    }
}

static void take_all(struct ic_run *run, struct ic_series *series) {
    take(run, NULL); /* warms the caches and the allocator */
    while (!ic_api.caller.wrong && !ic_api.hammer.wrong && ic_run_repeat(run)) {
        take(run, series);
    }
}

static bool start_helper(struct ic_run *run) {
    if (ic_api.caller.object == OBJECT_CRITICAL) { /* of its side, the witness uses only the core */
        return start_task(run, &ic_api.helper, ic_api_run_witness, &ic_api.hammer, PRIORITY_AT_ONCE);
    }
    return start_task(run, &ic_api.helper, ic_api_run_helper, &ic_api.caller, PRIORITY_HELPER);
}

static bool start_all(struct ic_run *run) {
    ic_api.dismissed = false;
    if (!start_side(run, &ic_api.caller, ic_api_run_caller)) {
        return false;
    }
    if (ic_api.helped && !start_helper(run)) {
        end_side(run, &ic_api.caller);
        return false;
    }
    return true;
}

static void end_all(struct ic_run *run) {
    end_side(run, &ic_api.caller);
    if (ic_api.helped) {
        port_notify(&ic_api.helper);
        port_task_join(&ic_api.helper);
    }
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    const uint32_t *values = run->values;
    struct port_region region;
    (void)port_region(0, &region); /* region 0 always exists */
    if (region.bytes < (size_t)ITEMS * SIZE_MAX_BYTES) {
        return ic_error_set(error, "unsupported", "there is not enough memory in the region ", region.name, "");
    }
    if (values[P_OTHER] != OTHER_NONE && port_core_count() < 2) {
        return ic_error_set(error, "out-of-range",
                            "this target has no other core for other=", other_names[values[P_OTHER]], "");
    }
    return ic_api_calls[values[P_CALL]].object != OBJECT_STREAM ||
           values[P_BATCH] * values[P_SIZE] <= STREAM_ROOM_MAX ||
           ic_error_set(error, "out-of-range", "a stream holds 4096 bytes: batch * size is more", "", "");
}

/* Puts the items into memory region 0: on a chip, no other memory of Intercore is large enough for them. */
static void lay_out_items(void) {
    struct port_region region;
    (void)port_region(0, &region); /* possible() has checked that it exists */
    uint8_t *pattern = region.base;
    for (uint32_t i = 0; i < SIZE_MAX_BYTES; i++) {
        pattern[i] = (uint8_t)(i * 37U + 1U);
    }
    ic_api.pattern = pattern;
    ic_api.caller.received = pattern + SIZE_MAX_BYTES;
    ic_api.hammer.received = ic_api.caller.received + SIZE_MAX_BYTES;
}

static bool measure(struct ic_run *run) {
    struct ic_series *series = ic_run_series(run, "call");
    if (series == NULL) {
        return false;
    }
    uint32_t core = run->values[P_CORE];
    uint32_t size = run->values[P_SIZE];
    ic_api.call = (enum call)run->values[P_CALL];
    ic_api.other = (enum other)run->values[P_OTHER];
    ic_api.leader = port_task_self();
    enum object object = ic_api_calls[ic_api.call].object;
    ic_api.helped = object == OBJECT_TASK || (object == OBJECT_CRITICAL && port_core_count() > 1);
    lay_out_items();
    set_up(&ic_api.caller, core, object, run->values[P_BATCH], size);
    enum object hammered = run->values[P_OTHER] >= OTHER_OBJECT ? (enum object)(run->values[P_OTHER] - OTHER_OBJECT)
                           : ic_api.other == OTHER_SAME         ? object
                                                                : OBJECT_NONE;
    set_up(&ic_api.hammer, (core + 1U) % port_core_count(), hammered, 1, size);
    if (!start_all(run)) {
        return false;
    }
    bool ready = !is_hammered() || start_side(run, &ic_api.hammer, ic_api_run_hammer);
    if (ready) {
        take_all(run, series);
        if (is_hammered()) {
            end_side(run, &ic_api.hammer);
        }
    }
    end_all(run);
    return ready;
}

const struct ic_benchmark ic_benchmark_api = {
    .name = "api",
    .summary = "time of a kernel call without a context switch, alone and while another core calls the kernel",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 200,
    .series_count = 1,
    .possible = possible,
    .measure = measure,
};
