/* The benchmark `speedup`: speed-up of divisible work on P cores, by fork-join (start the parts, wait until all are
 * done).
 *
 * Each repetition measures two durations, in random order so that a slow change, such as of the temperature, favours
 * neither:
 *
 *   t1  the whole work in the console task, on core 0;
 *   tp  the work split into P parts of equal size, part k in a task pinned to core k, from before the first part is
 *       started until the console task has detected that all parts are done.
 *
 * Between t1 and tp the target rests for rest_ms, as between repetitions and as in the publication that
 * docs/published.md calls seed 000.
 *
 * The parameter `mode` selects how the parts are started:
 *
 *   create  a task is created for each part in each repetition; it ends, and is joined after tp has been measured
 *   pool    existing tasks wait for a notification
 *   spin    tasks on cores 1 to P-1 spin on a flag; the console task does part 0 itself. The tasks do not spin during
 *           t1
 *
 * Tasks are started on the other cores first. The console task has the lowest priority, so the part on its own core,
 * started last, runs at once, and the console task continues when that core has nothing else to do. So there are no
 * needless context switches.
 *
 * The parameter `join` selects how the end is detected:
 *
 *   notify     each part notifies the console task (with mode=spin: sets a flag on which the console task spins)
 *   poll-tick  the console task polls once per kernel tick. This mode exists to show how polling quantises tp to whole
 *              ticks. In this mode tp begins at an edge of the tick, as in a program that has just slept.
 *
 * The mark pin is high during all repetitions or, with mark=t1 or mark=tp, during each t1 or each tp, so that a power
 * meter can distinguish the two; with join=poll-tick the pin is also high while tp waits for the edge of the tick. */
#include <stdatomic.h>

#include "benchmarks.h"
#include "own.h"
#include "port.h"
#include "run.h"
#include "workloads.h"

enum { P_WORKLOAD, P_N, P_CORES, P_MODE, P_JOIN, P_PRIORITY, P_MARK, PARAMETER_COUNT };
enum mark { MARK_ALL, MARK_T1, MARK_TP };
enum mode { MODE_CREATE, MODE_POOL, MODE_SPIN };
enum join { JOIN_NOTIFY, JOIN_POLL_TICK };

static const char *const modes[] = {"create", "pool", "spin"};
static const char *const marks[] = {"all", "t1", "tp"};
static const char *const joins[] = {"notify", "poll-tick"};

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_WORKLOAD] = {.name = "workload",
                    .help = "what is computed",
                    .choices = ic_workload_names,
                    .choice_count = IC_WORKLOAD_COUNT},
    [P_N] =
        {.name = "n", .help = "size of the work in units of the workload", .min = 1, .max = 1000000000, .preset = 1000},
    [P_CORES] = {.name = "cores",
                 .help = "P, the cores that share the work",
                 .min = 1,
                 .preset = IC_PRESET_MAX,
                 .limit = port_core_count},
    [P_MODE] = {.name = "mode", .help = "how the parts are started", .choices = modes, .choice_count = 3},
    [P_JOIN] = {.name = "join", .help = "how their end is detected", .choices = joins, .choice_count = 2},
    [P_PRIORITY] =
        {.name = "priority", .help = "priority of the parts' tasks", .min = 1, .max = PORT_PRIORITY_MAX, .preset = 2},
    [P_MARK] = {.name = "mark",
                .help = "the mark pin is high during all repetitions, or windows of one kind",
                .choices = marks,
                .choice_count = 3},
};

struct part {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    struct team *team;
    uint32_t core;
    uint32_t first;
    uint32_t count;
    /* Numbers of repetitions: `wanted` is the latest that the console task has requested, `done` the latest that this
     * part's task has completed. */
    atomic_uint wanted;
    atomic_uint done;
    atomic_uint armed; /* mode=spin: the repetition for which this part spins */
    uint32_t result;
    bool migrated;
    uint64_t preempted;
};

struct team {
    struct ic_run *run;
    uint32_t workload; /* index in ic_workloads */
    enum mode mode;
    enum join join;
    uint32_t size;
    uint32_t repetition;
    uint32_t origin; /* first unit of the next window (t1 or tp): each window has other units, so that a workload
                        that streams through memory finds no warm cache */
    bool dismissed;  /* a task that is woken while this is true ends */
    port_task_t *leader;
    struct part parts[PORT_CORES_MAX];
};

static struct team team PORT_SHARED(speedup);

static const struct ic_workload *workload(void) { return ic_workloads[team.workload]; }

/* ---- a part ---- */

static void finish(struct part *part) {
    atomic_store_explicit(&part->done, part->team->repetition, memory_order_release);
    if (part->team->mode != MODE_SPIN && part->team->join == JOIN_NOTIFY) {
        port_notify(part->team->leader);
    }
}

static void do_part(struct part *part) {
    part->result = workload()->work(part->team->origin + part->first, part->count);
    part->migrated = part->migrated || port_core_id() != part->core;
    finish(part);
}

/* Saves the number of preemptions in the calling task's whole life. Call it outside of timed windows only:
 * port_preemptions() may be slow, and on the console task's core it would delay the detection of the end. */
static void note_disturbance(struct part *part) { part->preempted = port_preemptions(); }

static void created_task(void *arg) {
    struct part *part = arg;
    do_part(part);
    port_notify_take(); /* waits for the end of the timed window: the next call is slow */
    note_disturbance(part);
}
PORT_ENTRY(created_task);

static void await_flag(struct part *part) {
    uint32_t repetition = part->team->repetition;
    atomic_store_explicit(&part->armed, repetition, memory_order_release);
    while (atomic_load_explicit(&part->wanted, memory_order_acquire) != repetition) {
    }
}

static void hired_task(void *arg) {
    struct part *part = arg;
    for (;;) {
        port_notify_take();
        if (part->team->dismissed) {
            note_disturbance(part);
            return;
        }
        if (part->team->mode == MODE_SPIN) {
            await_flag(part);
        }
        do_part(part);
    }
}
PORT_ENTRY(hired_task);

/* ---- starting the parts ---- */

static bool start_task(struct part *part, void (*entry)(void *)) {
    struct port_task_config config = {
        .name = "part",
        .entry = entry,
        .arg = part,
        .core = part->core,
        .priority = part->team->run->values[P_PRIORITY],
    };
    if (port_task_start(&part->task, &config) == PORT_OK) {
        return true;
    }
    return ic_error_set(&part->team->run->error, "failed", "the platform could not start a ", "task", " on every core");
}

static void take_notifications(uint32_t count) {
    while (team.join == JOIN_NOTIFY && count-- > 0) {
        port_notify_take();
    }
}

/* Index of the first part that has its own task: with mode=spin the console task does part 0. */
static uint32_t first_task(void) { return team.mode == MODE_SPIN ? 1 : 0; }

static void join_tasks_from(uint32_t first) {
    for (uint32_t i = first; i < team.size; i++) {
        port_task_join(&team.parts[i].task);
    }
}

/* Makes the waiting tasks of part `first` and all later parts end, and joins them. */
static void dismiss_tasks_from(uint32_t first) {
    team.dismissed = true;
    for (uint32_t i = first; i < team.size; i++) {
        port_notify(&team.parts[i].task);
    }
    join_tasks_from(first);
}

static bool hire(void) {
    for (uint32_t i = team.size; i-- > first_task();) {
        if (!start_task(&team.parts[i], hired_task)) {
            dismiss_tasks_from(i + 1);
            return false;
        }
    }
    return true;
}

static bool fork_create(void) {
    for (uint32_t i = team.size; i-- > 0;) {
        if (!start_task(&team.parts[i], created_task)) {
            take_notifications(team.size - i - 1);
            dismiss_tasks_from(i + 1);
            return false;
        }
    }
    return true;
}

static void fork_pool(void) {
    for (uint32_t i = team.size; i-- > 0;) {
        port_notify(&team.parts[i].task);
    }
}

static void fork_spin(void) {
    for (uint32_t i = team.size; i-- > 1;) {
        atomic_store_explicit(&team.parts[i].wanted, team.repetition, memory_order_release);
    }
    do_part(&team.parts[0]);
}

/* Makes the tasks on cores 1 to P-1 spin on their flags, before the timed window. Returns when all of them spin. */
static void arm_spinners(void) {
    for (uint32_t i = 1; i < team.size; i++) {
        port_notify(&team.parts[i].task);
    }
    for (uint32_t i = 1; i < team.size; i++) {
        while (atomic_load_explicit(&team.parts[i].armed, memory_order_acquire) != team.repetition) {
        }
    }
}

/* ---- detecting the end ---- */

static bool part_is_done(const struct part *part) {
    return atomic_load_explicit(&part->done, memory_order_acquire) == team.repetition;
}

static bool all_are_done(void) {
    for (uint32_t i = 0; i < team.size; i++) {
        if (!part_is_done(&team.parts[i])) {
            return false;
        }
    }
    return true;
}

static void join_parts(void) {
    if (team.join == JOIN_POLL_TICK) {
        do {
            port_sleep_ticks(1);
        } while (!all_are_done());
    } else if (team.mode == MODE_SPIN) {
        while (!all_are_done()) {
        }
    } else {
        take_notifications(team.size);
    }
}

/* ---- finding a wrong unit of a sum ---- */

#if IC_OWN_MAX > 0
static bool fork_and_join(uint64_t *start, uint64_t *end);
static void split_work(uint32_t n);

/* Makes all parts compute one unit each (a numbered piece of the user's workload) at the same time, and compares each
 * result with the result on one core. Sets `*lowest` to the lowest unit so far whose two results differ. Returns false
 * if the platform could not start the parts. */
static bool compare_units(uint32_t *lowest) {
    uint64_t times[2];
    for (uint32_t i = 0; i < team.size; i++) {
        team.parts[i].count = 1;
    }
    if (!fork_and_join(&times[0], &times[1])) {
        return false;
    }
    if (team.mode == MODE_CREATE) {
        dismiss_tasks_from(0);
    }
    for (uint32_t i = 0; i < team.size; i++) {
        struct part *part = &team.parts[i];
        uint32_t unit = team.origin + part->first++;
        if (part->first <= *lowest && part->result != workload()->work(unit, 1)) {
            *lowest = part->first - 1U;
        }
    }
    return true;
}

/* Finds the first unit whose result is wrong when several cores compute at the same time. */
static bool seek_together(void) {
    uint32_t none = team.run->values[P_N];
    uint32_t lowest = none;
    bool forked = true;
    for (uint32_t step = 0; forked && step < (none + team.size - 1U) / team.size && !team.run->aborted; step++) {
        forked = compare_units(&lowest);
        (void)ic_run_attend(team.run);
    }
    split_work(none);
    if (lowest < none) {
        ic_own_differs(team.workload, team.origin + lowest);
    }
    return forked;
}

/* If the user's workload gave a wrong sum in the window just checked, looks for the unit that caused it: first on this
 * core alone and then, if all units are right there and `together` is true, on several cores at once. Returns false if
 * the platform could not start the parts. */
static bool seek(bool together) {
    bool right_alone = team.run->checks.wrong > 0 && ic_own_seek(team.workload, team.origin, team.run->values[P_N]);
    return !right_alone || !together || seek_together();
}
#endif

/* ---- the two times ---- */

static void time_one_core(struct ic_series *series) {
    struct ic_run *run = team.run;
    uint32_t n = run->values[P_N];
    uint64_t preempted = port_preemptions();
    ic_run_dither(run);
    ic_run_window(run, MARK_T1, true);
    uint64_t start = port_clock();
    uint32_t result = workload()->work(team.origin, n);
    uint64_t end = port_clock();
    ic_run_window(run, MARK_T1, false);
    run->checks.preempted += port_preemptions() - preempted;
    run->checks.migrated += port_core_id() != 0;
    ic_run_check(run, result == workload()->expected(team.origin, n));
#if IC_OWN_MAX > 0
    (void)seek(false);
#endif
    team.origin += n;
    if (series != NULL) {
        ic_run_sample(run, series, (int64_t)(end - start));
    }
}

/* Counts the migrations and preemptions of the tasks, after they have ended. */
static void count_disturbances(void) {
    for (uint32_t i = first_task(); i < team.size; i++) {
        struct part *part = &team.parts[i];
        team.run->checks.migrated += part->migrated;
        team.run->checks.preempted += part->preempted;
    }
}

static bool fork_and_join(uint64_t *start, uint64_t *end) {
    bool forked = true;
    team.repetition++;
    if (team.mode == MODE_SPIN) {
        arm_spinners();
    }
    ic_run_dither(team.run);
    ic_run_window(team.run, MARK_TP, true); /* before the tick's edge: nothing may be between the edge and the window */
    if (team.join == JOIN_POLL_TICK) {
        port_sleep_ticks(1);
    }
    *start = port_clock();
    switch (team.mode) {
    case MODE_CREATE:
        forked = fork_create();
        break;
    case MODE_POOL:
        fork_pool();
        break;
    case MODE_SPIN:
        fork_spin();
        break;
    }
    if (forked) {
        join_parts();
    }
    *end = port_clock();
    ic_run_window(team.run, MARK_TP, false);
    return forked;
}

static bool time_all_cores(struct ic_series *series) {
    uint64_t start;
    uint64_t end;
    uint64_t preempted = port_preemptions();
    if (!fork_and_join(&start, &end)) {
        return false;
    }
    if (team.mode == MODE_SPIN) { /* the console task did part 0 */
        team.run->checks.preempted += port_preemptions() - preempted;
        team.run->checks.migrated += team.parts[0].migrated;
    }
    if (team.mode == MODE_CREATE) {
        dismiss_tasks_from(0);
        count_disturbances();
    }
    for (uint32_t i = 0; i < team.size; i++) {
        struct part *part = &team.parts[i];
        ic_run_check(team.run, part->result == workload()->expected(team.origin + part->first, part->count));
    }
#if IC_OWN_MAX > 0
    if (!seek(true)) {
        return false;
    }
#endif
    team.origin += team.run->values[P_N];
    if (series != NULL) {
        ic_run_sample(team.run, series, (int64_t)(end - start));
    }
    return true;
}

/* ---- the benchmark ---- */

static void split_work(uint32_t n) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < team.size; i++) {
        struct part *part = &team.parts[i];
        part->team = &team;
        part->core = i;
        part->first = first;
        part->count = n / team.size + (i < n % team.size ? 1 : 0);
        part->migrated = false;
        part->preempted = 0;
        atomic_store(&part->wanted, 0);
        atomic_store(&part->done, 0);
        atomic_store(&part->armed, 0);
        first += part->count;
    }
}

static bool repeat(struct ic_series *t1, struct ic_series *tp) {
    if (ic_random_below(&team.run->random, 2) == 0) {
        time_one_core(t1);
        ic_run_rest(team.run);
        return team.run->aborted || time_all_cores(tp);
    }
    bool taken = time_all_cores(tp);
    ic_run_rest(team.run);
    if (!team.run->aborted) {
        time_one_core(t1);
    }
    return taken;
}

static bool measure(struct ic_run *run) {
    struct ic_series *t1 = ic_run_series(run, "t1");
    struct ic_series *tp = ic_run_series(run, "tp");
    if (t1 == NULL || tp == NULL) {
        return false;
    }
    team.run = run;
    team.workload = run->values[P_WORKLOAD];
    team.mode = (enum mode)run->values[P_MODE];
    team.join = (enum join)run->values[P_JOIN];
    team.size = run->values[P_CORES];
    team.repetition = 0;
    team.origin = 0;
    team.dismissed = false;
    team.leader = port_task_self();
    split_work(run->values[P_N]);
    if (workload()->prepare != NULL) {
        workload()->prepare();
    }
    if (team.mode != MODE_CREATE && !hire()) {
        return false;
    }
    bool taken = repeat(NULL, NULL); /* warms the caches, page tables and the allocator */
    run->marked = run->values[P_MARK];
    while (taken && ic_run_repeat(run)) {
        taken = repeat(t1, tp);
    }
    if (team.mode != MODE_CREATE) {
        dismiss_tasks_from(first_task());
        count_disturbances();
    }
    return taken;
}

#if IC_OWN_MAX > 0
/* A user's workload has a limited number of units (numbered pieces of work), and a window computes `n` different
 * units. */
static bool has_units(const struct ic_run *run, struct ic_error *error) {
    return run->values[P_N] <= ic_own_units(run->values[P_WORKLOAD]) ||
           ic_error_set(error, "out-of-range", "n is more units than ", ic_workload_names[run->values[P_WORKLOAD]],
                        " has");
}
#else
#define has_units NULL
#endif

const struct ic_benchmark ic_benchmark_speedup = {
    .name = "speedup",
    .summary =
        "fork-join on P cores against the same work on one: from before the first part starts until all are done",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 25,
    .series_count = 2,
    .possible = has_units,
    .measure = measure,
};
