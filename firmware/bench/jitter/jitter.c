/* The benchmark `jitter`: how regularly a periodic task is activated: without load, under load, and while it migrates
 * from core to core.
 *
 * A task sleeps between activations with the kernel's own delay-until call, and reads the clock first at each
 * activation. Activations are due at multiples of a whole number of kernel ticks; port_period_begin() returns the first
 * due time on the common clock. A sample of the series `late` is the lateness of one activation: the reading minus the
 * due time. The deviation of a period is the difference of two successive samples.
 *
 * Activations come in stretches of about half a second. Between two stretches all tasks but the console task rest, so
 * that no output falls into a period. Each stretch has new due times, and begins with an activation that is not
 * recorded. The series `begins` holds the index of the first sample of each stretch, because no period extends from one
 * stretch to the next.
 *
 * Migrations (parameter `migrate`) are requested while the periodic task waits. The publication that docs/published.md
 * calls seed 002 says that this cannot be ensured. Here movers ensure it: tasks of lower priority, one pinned to each
 * core. The periodic task notifies the mover of its present core and then waits for its next activation. The mover
 * cannot run on that core before the periodic task waits. Then,
 *
 *   affinity   the mover pins the waiting task to the next core
 *   blockers   the periodic task is unpinned. Each core has a blocker: a pinned task of higher priority that keeps the
 *              core busy unless it is suspended. Only one blocker is suspended: the blocker of the periodic task's
 *              core. The mover suspends the blocker of the next core and resumes the blocker of its own core, which
 *              preempts the mover. Now the periodic task can be activated on the next core only
 *
 * If the periodic task is still waiting when the mover has done this (with blockers: when the resumed blocker runs),
 * the migration counts as requested. The next activation must then be on the next core: `migrations_requested` and
 * `migrations_done` are compared. The series `core` holds the core of each activation.
 *
 * Two more values of `migrate` exist for comparison:
 *
 *   unsynchronised   each blocker is busy for a random time of up to 8 periods and then rests for up to 2 periods,
 *                    independently of the periodic task
 *   published        the procedure of section 3.1 of the publication of seed 002. Right after each reading, the
 *                    blocker of the next core is suspended and the blocker of the task's own core is resumed, which
 *                    preempts the task. The task continues on the next core until it waits, and is activated there. So
 *                    the migration is requested while the task runs, not while it waits. We assume that the task itself
 *                    suspends and resumes the blockers, and that each core has one. "The cycle of ten operations
 *                    (multiplication) in periodic loop of 2 ms" is read as ten multiplications, repeated without a
 *                    pause until the blocker is suspended: a blocker that sleeps for most of 2 ms would not keep the
 *                    task off its core
 *
 * With wake=reset the task sets the last wake-up time (struct port_period) to the current tick before each sleep, like
 * a program that does not keep that time. The time from activation to sleep then lengthens the period. The series
 * `period` has the time from each reading to the next, which `late` does not show in this mode.
 *
 * With time=raw-counter each activation also reads the counter of its core, after the common clock, and the series
 * `raw` has the difference from the previous activation's reading, even if that was on another core: an unsigned number
 * of the counter's width, as in a program that mistakes two counters for one clock. This mode exists to show that error
 * (docs/benchmarks/jitter.md). counter_bits= sets another width: a wider counter includes the bits that the platform
 * counts in software (port_cycles()); a narrower one lacks the upper bits.
 *
 * Priorities: the periodic task has `priority`; blockers 1 more, movers 1 less, load tasks 2 less or the same.
 *
 * Memory: the lateness of `samples` activations is kept one by one; `counted` more activations go into histograms
 * (histogram.h), and their extremes are kept exactly: smallest and largest lateness, smallest and largest deviation. */
#include <stdatomic.h>

#include "benchmarks.h"
#include "busy_wait.h"
#include "histogram.h"
#include "load.h"
#include "port.h"
#include "port_lock.h"
#include "run.h"

/* Length of a stretch (activations in a row, without output), in milliseconds. It is longer if fewer than STRETCH_LEAST
 * activations would fit into it. */
#define STRETCH_MS 500U
#define STRETCH_LEAST 8U
/* After a stretch with load all tasks rest for 1/REST_PART of its length. A system that reserves time for other
 * programs, such as Linux (5 % of the time), would otherwise take that time during the next stretch. */
#define REST_PART 8U
/* With migrate=unsynchronised: the longest busy time and the longest rest of a blocker, in periods of the periodic
 * task */
#define BUSY_PERIODS 8U
#define REST_PERIODS 2U
#define NO_CORE UINT32_MAX

enum {
    P_CORE,
    P_PERIOD,
    P_PRIORITY,
    P_LOAD,
    P_LOAD_WORK,
    P_MIGRATE,
    P_WAKE,
    P_TIME,
    P_BITS,
    P_WORK,
    P_COUNTED,
    PARAMETER_COUNT
};
enum core { CORE_0, CORE_1, CORE_ANY };
enum migrate { MIGRATE_NONE, MIGRATE_AFFINITY, MIGRATE_BLOCKERS, MIGRATE_UNSYNCHRONISED, MIGRATE_PUBLISHED };
enum wake { WAKE_KEPT, WAKE_RESET };
enum time { TIME_COMMON, TIME_RAW };

static const char *const cores[] = {"0", "1", "any"};
static const char *const loads[] = {"none", "core0", "core1", "both", "same-priority"};
static const char *const works[] = {"loop", "queue", "memory", "uart"};
static const char *const migrations[] = {"none", "affinity", "blockers", "unsynchronised", "published"};
static const char *const wakes[] = {"kept", "reset"};
static const char *const times[] = {"common", "raw-counter"};
static const char *const widths[] = {"own", "16", "24", "32"};
static const uint32_t width_bits[] = {0, 16, 24, 32}; /* 0: the counter's own width */

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_CORE] = {.name = "core",
                .help = "core of the task; with migrate, its first one",
                .choices = cores,
                .choice_count = 3},
    [P_PERIOD] = {.name = "period_us",
                  .help = "period, in microseconds: a whole number of kernel ticks",
                  .min = 1,
                  .max = 1000000,
                  .preset = 10000},
    [P_PRIORITY] =
        {.name = "priority", .help = "priority of the task", .min = 3, .max = PORT_PRIORITY_MAX - 1, .preset = 4},
    [P_LOAD] = {.name = "load",
                .help = "cores with a busy task of lower priority, or one of equal priority on the task's",
                .choices = loads,
                .choice_count = 5},
    [P_LOAD_WORK] = {.name = "load_work", .help = "what a busy task does", .choices = works, .choice_count = 4},
    [P_MIGRATE] = {.name = "migrate",
                   .help = "how the task is migrated before each activation",
                   .choices = migrations,
                   .choice_count = 5},
    [P_WAKE] = {.name = "wake",
                .help = "last wake-up time: kept, or reset to the present tick",
                .choices = wakes,
                .choice_count = 2},
    [P_TIME] = {.name = "time",
                .help = "raw-counter also subtracts the cores' counters, to show the error",
                .choices = times,
                .choice_count = 2},
    [P_BITS] = {.name = "counter_bits",
                .help = "raw-counter: bits of the counter that are used",
                .choices = widths,
                .choice_count = sizeof widths / sizeof widths[0]},
    [P_WORK] = {.name = "work_us", .help = "busy time of the task in each period, in microseconds", .max = 1000000},
    [P_COUNTED] = {.name = "counted", .help = "further activations, which go into histograms", .max = 100000000},
};

/* An auxiliary task: load, mover (migrates the periodic task) or blocker (keeps a core busy) */
struct other {
    port_task_t task;
    uint32_t core;
    bool exists;
    atomic_bool is_over; /* the blocker has left its loop, and will not suspend itself again */
    struct ic_random random;
};

static struct {
    struct ic_run *run;
    port_task_t *leader;
    port_task_t task;
    enum migrate migrate; /* MIGRATE_BLOCKERS also for `published` */
    bool as_published;
    bool resets_wake;
    uint32_t pinned_to;    /* PORT_CORE_ANY: unpinned */
    uint32_t period_ticks; /* in kernel ticks */
    uint64_t period;       /* in ticks of the common clock */
    uint32_t work_turns;
    atomic_bool dismissed; /* all tasks end */
    atomic_bool halted;    /* end of a stretch: no task stays busy */
    uint64_t preempted;

    /* Of the present stretch: */
    uint32_t releases;
    bool counts; /* its activations go into the histograms */

    /* Shared by the periodic task ("the task") and the tasks that migrate it: */
    atomic_bool waits;      /* the task sleeps, or is about to */
    atomic_uint release;    /* index of the last activation */
    atomic_uint moved_at;   /* value of `release` when the last migration was done */
    atomic_uint moved_core; /* destination of that migration */

    /* The core whose blocker (a task that keeps the core busy) is being resumed: no other migration begins until that
     * blocker has run. Concurrent migrations from two cores, as when the task has overslept, could resume both
     * blockers, and the task would never run again. */
    atomic_uint moving_from;    /* or NO_CORE */
    atomic_uint moving_release; /* value of `release` when that migration began */

    struct ic_series *late;
    struct ic_series *core;   /* NULL if the task stays pinned to one core */
    struct ic_series *passed; /* the series `period`; NULL unless wake=reset */
    struct ic_series *raw;    /* NULL unless time=raw-counter */
    uint64_t raw_mask;        /* mask of the counter's bits that are used */
    struct ic_series *begins;
    struct ic_series *late_counts;
    struct ic_series *longer_counts;  /* positive deviations of the period */
    struct ic_series *shorter_counts; /* negative deviations, without sign */
    struct ic_series *extremes;       /* smallest and largest lateness, smallest and largest deviation */

    struct other loads[PORT_CORES_MAX];
    enum load_work load_work;
    struct other movers[PORT_CORES_MAX];
    struct other blockers[PORT_CORES_MAX];
} jitter;

/* ---- the periodic task ---- */

/* Must not be inlined: a probe of the simulator finds this function by its name. The function's first instruction is
 * the first one after the kernel's delay-until call, and so the start of the activation. */
static __attribute__((noinline)) uint64_t jitter_released(void) { return port_clock(); }

static void widen(int64_t *ends, int64_t value) {
    ends[0] = value < ends[0] ? value : ends[0];
    ends[1] = value > ends[1] ? value : ends[1];
}

/* Not inlined, to save code size */
static __attribute__((noinline)) void count(int64_t late, int64_t deviation) {
    struct ic_series *side = deviation < 0 ? jitter.shorter_counts : jitter.longer_counts;
    bool fits = ic_histogram_add(jitter.late_counts, late > 0 ? (uint64_t)late : 0);
    fits = ic_histogram_add(side, (uint64_t)(deviation < 0 ? -deviation : deviation)) && fits;
    jitter.run->checks.lost += !fits;
    widen(jitter.extremes->ticks, late);
    widen(jitter.extremes->ticks + 2, deviation);
}

static void sample(struct ic_series *series, uint64_t ticks) {
    if (series != NULL) {
        ic_run_sample(jitter.run, series, (int64_t)ticks);
    }
}

static void check_core(uint32_t core) {
    struct ic_checks *checks = &jitter.run->checks;
    if (atomic_load(&jitter.moved_at) == atomic_load(&jitter.release)) {
        checks->migrations_requested++;
        checks->migrations_done += core == atomic_load(&jitter.moved_core);
    }
    checks->migrated += jitter.pinned_to != PORT_CORE_ANY && core != jitter.pinned_to;
}

/* Notifies the mover on this core, which cannot run before the periodic task waits, because its priority is lower. */
static void request_migration(uint32_t core) {
    if (core < port_core_count() && jitter.movers[core].exists) {
        port_notify(&jitter.movers[core].task);
    }
}

static void migrate_task(uint32_t from);

static void begin_migration(uint32_t core) {
    if (jitter.as_published) {
        atomic_store(&jitter.waits, true); /* so that the migration counts: the task is about to wait */
        atomic_store(&jitter.moving_from, core);
        migrate_task(core);
    } else {
        request_migration(core);
    }
}

static void take_stretch(void) {
    struct port_period period;
    uint64_t due = port_period_begin(&period, jitter.period_ticks);
    uint64_t clock_before = 0;
    uint64_t counter_before = 0;
    for (uint32_t i = 0; i <= jitter.releases; i++) { /* activation 0 is not recorded */
        atomic_store(&jitter.waits, true);
        port_period_sleep(&period);
        uint64_t clock = jitter_released();
        uint64_t counter = jitter.raw != NULL ? port_cycles() : 0;
        atomic_store(&jitter.waits, false);
        uint32_t core = port_core_id();
        int64_t late = (int64_t)(clock - due);
        uint64_t passed = clock - clock_before;
        check_core(core);
        ic_run_check(jitter.run, late >= 0);
        if (i > 0 && jitter.counts) {
            count(late, (int64_t)(passed - jitter.period));
        } else if (i > 0) {
            sample(jitter.late, (uint64_t)late);
            sample(jitter.core, core);
            sample(jitter.passed, passed);
            sample(jitter.raw, (counter - counter_before) & jitter.raw_mask);
        }
        atomic_store(&jitter.release, atomic_load(&jitter.release) + 1U);
        if (i < jitter.releases) {
            begin_migration(core);
        }
        ic_busy_wait(jitter.work_turns);
        clock_before = clock;
        counter_before = counter;
        due = jitter.resets_wake ? port_period_begin(&period, jitter.period_ticks) : due + jitter.period;
    }
}

static void periodic_task(void *arg) {
    (void)arg;
    for (;;) {
        port_notify_take();
        if (atomic_load(&jitter.dismissed)) {
            jitter.preempted = port_preemptions();
            return;
        }
        take_stretch();
        atomic_store(&jitter.halted, true);
        port_notify(jitter.leader);
    }
}

/* ---- auxiliary tasks ---- */

static bool is_halted(void) { return atomic_load_explicit(&jitter.halted, memory_order_relaxed); }

static void load_task(void *arg) {
    const struct other *load = arg;
    for (;;) {
        port_notify_take();
        if (atomic_load(&jitter.dismissed)) {
            return;
        }
        while (!is_halted()) {
            ic_load_turn(jitter.load_work, load->core, &jitter.halted);
        }
    }
}

static void unsynchronised_blocker_task(void *arg) {
    struct other *blocker = arg;
    for (;;) {
        port_notify_take();
        if (atomic_load(&jitter.dismissed)) {
            return;
        }
        while (!is_halted()) {
            uint64_t until = port_clock() + ic_random_next(&blocker->random) % (BUSY_PERIODS * jitter.period);
            while (!is_halted() && port_clock() < until) {
            }
            port_sleep_until(port_clock() + ic_random_next(&blocker->random) % (REST_PERIODS * jitter.period));
        }
    }
}

static uint32_t next_core(uint32_t core) { return (core + 1U) % port_core_count(); }

/* Records that the periodic task was migrated to core `to`. The migration counts as requested only if the task has been
 * waiting since activation number `release`. */
static void note_migration(uint32_t release, uint32_t to) {
    atomic_store(&jitter.moved_core, to);
    if (atomic_load(&jitter.waits) && atomic_load(&jitter.release) == release) {
        atomic_store(&jitter.moved_at, release);
    }
}

static bool acquire_migration(uint32_t from) {
    port_critical_enter();
    bool begins = atomic_load(&jitter.moving_from) == NO_CORE;
    if (begins) {
        atomic_store(&jitter.moving_from, from);
    }
    port_critical_exit();
    return begins;
}

/* Completes a migration from core `from` to the next core. Called by the blocker of core `from` when it runs again:
 * from now on the periodic task cannot run there. With migrate=published the blocker has preempted the periodic task,
 * which is ready, so the next core must schedule it. */
static void finish_migration(uint32_t from) {
    if (atomic_load(&jitter.moving_from) == from) {
        note_migration(atomic_load(&jitter.moving_release), next_core(from));
        atomic_store(&jitter.moving_from, NO_CORE);
        if (jitter.as_published) {
            port_reschedule(next_core(from));
        }
    }
}

/* A blocker is busy unless it is suspended. */
static void blocker_task(void *arg) {
    struct other *blocker = arg;
    while (!atomic_load(&jitter.dismissed)) {
        finish_migration(blocker->core);
        if (is_halted()) {
            port_task_suspend(port_task_self());
        }
        if (jitter.as_published) {
            ic_load_multiply();
        }
        port_checkpoint();
    }
    atomic_store(&blocker->is_over, true);
}

static void migrate_task(uint32_t from) {
    uint32_t to = next_core(from);
    uint32_t release = atomic_load(&jitter.release);
    if (jitter.migrate == MIGRATE_AFFINITY) {
        (void)port_task_pin(&jitter.task, to);
        note_migration(release, to);
        atomic_store(&jitter.moving_from, NO_CORE);
    } else {
        atomic_store(&jitter.moving_release, release);
        port_task_suspend(&jitter.blockers[to].task);
        for (uint32_t core = 0; core < port_core_count(); core++) {
            if (core != from && core != to) {
                port_task_resume(&jitter.blockers[core].task);
            }
        }
        port_task_resume(&jitter.blockers[from].task); /* the blocker takes this core at once */
    }
}

static void mover_task(void *arg) {
    struct other *mover = arg;
    for (;;) {
        port_notify_take();
        if (atomic_load(&jitter.dismissed)) {
            return;
        }
        /* A kernel that schedules by priority does not run this mover before the periodic task waits. On other systems
         * the periodic task may still run in the first iterations. */
        while (!is_halted()) {
            if (atomic_load(&jitter.waits) && acquire_migration(mover->core)) {
                migrate_task(mover->core);
                break;
            }
            port_yield();
        }
    }
}

/* ---- starting and ending tasks ---- */

static bool start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core, uint32_t priority) {
    struct port_task_config config = {.name = "jitter", .entry = entry, .arg = arg, .core = core, .priority = priority};
    return port_task_start(task, &config) == PORT_OK ||
           ic_error_set(&jitter.run->error, "failed", "the platform could not start all ", "tasks", "");
}

static bool start_other(struct other *others, uint32_t core, void (*entry)(void *), uint32_t priority) {
    struct other *other = &others[core];
    other->core = core;
    atomic_store(&other->is_over, false);
    other->random.state = ic_random_next(&jitter.run->random);
    other->exists = start_task(&other->task, entry, other, core, priority);
    return other->exists;
}

static bool start_others(uint32_t core) {
    enum load load = (enum load)jitter.run->values[P_LOAD];
    uint32_t priority = jitter.run->values[P_PRIORITY];
    bool moves = jitter.migrate == MIGRATE_AFFINITY || (jitter.migrate == MIGRATE_BLOCKERS && !jitter.as_published);
    bool blocks = jitter.migrate == MIGRATE_BLOCKERS || jitter.migrate == MIGRATE_UNSYNCHRONISED;
    void (*blocker)(void *) = jitter.migrate == MIGRATE_BLOCKERS ? blocker_task : unsynchronised_blocker_task;
    return (!ic_load_is_on(load, jitter.pinned_to, core) ||
            start_other(jitter.loads, core, load_task, load == LOAD_SAME ? priority : priority - 2U)) &&
           (!moves || start_other(jitter.movers, core, mover_task, priority - 1U)) &&
           (!blocks || start_other(jitter.blockers, core, blocker, priority + 1U));
}

static void dismiss(struct other *other) {
    if (other->exists) {
        port_notify(&other->task);
        port_task_join(&other->task);
        other->exists = false;
    }
}

/* Resumes a blocker repeatedly until it has seen `dismissed`: a resumption is lost if it comes just before the blocker
 * suspends itself. */
static void release_blocker(struct other *blocker) {
    while (blocker->exists && !atomic_load(&blocker->is_over)) {
        port_task_resume(&blocker->task);
        port_sleep_ticks(1);
    }
}

static void dismiss_others(void) {
    atomic_store(&jitter.dismissed, true);
    for (uint32_t core = 0; core < port_core_count(); core++) {
        if (jitter.migrate == MIGRATE_BLOCKERS) {
            release_blocker(&jitter.blockers[core]);
        }
        dismiss(&jitter.loads[core]);
        dismiss(&jitter.movers[core]);
        dismiss(&jitter.blockers[core]);
    }
}

static bool start_tasks(uint32_t core) {
    bool started = true;
    for (uint32_t i = 0; started && i < port_core_count(); i++) {
        started = start_others(i);
    }
    return started && start_task(&jitter.task, periodic_task, NULL, core, jitter.run->values[P_PRIORITY]);
}

/* ---- the benchmark ---- */

static bool refuse(const char *code, const char *text) { return ic_error_set(&jitter.run->error, code, text, "", ""); }

static bool possible(const struct ic_run *run, struct ic_error *error) {
    enum load load = (enum load)run->values[P_LOAD];
    bool moves = run->values[P_MIGRATE] != MIGRATE_NONE;
    bool needs_two = run->values[P_CORE] == CORE_1 || load == LOAD_CORE1 || moves;
    if ((uint64_t)run->values[P_PERIOD] * port_tick_hz() % 1000000U != 0) {
        return ic_error_set(error, "bad-value", "period_us must be a whole number of kernel ticks; ",
                            "intercore info TARGET shows tick_hz, ticks per second", "");
    }
    if (run->values[P_WORK] >= run->values[P_PERIOD]) {
        return ic_error_set(error, "bad-value", "work_us must be less than period_us", "", "");
    }
    /* Pins the console task, which runs this code, to its present core, to test whether the kernel can pin a running
     * task. */
    if (run->values[P_MIGRATE] == MIGRATE_AFFINITY &&
        port_task_pin(port_task_self(), port_core_id()) == PORT_ERR_UNSUPPORTED) {
        return ic_error_set(error, "unsupported", "migrate=affinity: this kernel cannot change a task's ",
                            "core; take migrate=blockers", "");
    }
    if (run->values[P_TIME] == TIME_RAW && port_cycles_bits() == 0) {
        return ic_error_set(error, "unsupported", "the cores have no counters; take time=common", "", "");
    }
    if (load == LOAD_NONE && run->values[P_LOAD_WORK] != WORK_LOOP) {
        return ic_error_set(error, "bad-value", "load_work needs a load", "", "");
    }
    if (load == LOAD_SAME && moves) {
        return ic_error_set(error, "bad-value",
                            "load=same-priority keeps the task from migrating: ", "leave out load or migrate", "");
    }
    return !needs_two || port_core_count() > 1 ||
           ic_error_set(error, "unsupported", "this needs two cores, and the target has one", "", "");
}

/* Opens a series with room for each activation, if `wanted` is true. Returns false if there is no memory. */
static bool open_wanted(struct ic_series **series, const char *name, bool wanted) {
    *series = wanted ? ic_run_series(jitter.run, name) : NULL;
    return *series != NULL || !wanted;
}

static uint32_t read_bits(const struct ic_run *run) {
    uint32_t bits = width_bits[run->values[P_BITS]];
    return bits > 0 ? bits : port_cycles_bits();
}

static bool open_series(struct ic_run *run) {
    uint32_t samples = run->checks.repetitions;
    bool opened = open_wanted(&jitter.late, "late", true) &&
                  open_wanted(&jitter.core, "core", jitter.pinned_to == PORT_CORE_ANY) &&
                  open_wanted(&jitter.passed, "period", jitter.resets_wake) &&
                  open_wanted(&jitter.raw, "raw", run->values[P_TIME] == TIME_RAW);
    jitter.begins = ic_samples_open("begins", IC_SERIES_PLAIN, samples / STRETCH_LEAST + 1U);
    if (!opened || jitter.begins == NULL) {
        return refuse("out-of-range", "the target has no memory for that many samples");
    }
    if (jitter.core != NULL) {
        jitter.core->unit = IC_UNIT_CORE;
    }
    if (jitter.raw != NULL) {
        jitter.raw->clock = IC_CLOCK_COUNTER;
        jitter.raw_mask = UINT64_MAX >> (64U - read_bits(run));
    }
    jitter.begins->unit = IC_UNIT_COUNT; /* number of activations before the stretch */
    if (run->values[P_COUNTED] == 0) {
        return true;
    }
    jitter.late_counts = ic_histogram_open("late.counts");
    jitter.longer_counts = ic_histogram_open("longer.counts");
    jitter.shorter_counts = ic_histogram_open("shorter.counts");
    jitter.extremes = ic_samples_open("extremes", IC_SERIES_PLAIN, 4);
    if (jitter.late_counts == NULL || jitter.longer_counts == NULL || jitter.shorter_counts == NULL ||
        jitter.extremes == NULL) {
        return refuse("out-of-range", "the target has no memory for histograms and that many samples");
    }
    for (uint32_t i = 0; i < 4; i++) {
        (void)ic_samples_add(jitter.extremes, i % 2U == 0 ? INT64_MAX : INT64_MIN);
    }
    return true;
}

/* Core on which the periodic task starts; PORT_CORE_ANY if the kernel chooses */
static uint32_t first_core(const struct ic_run *run) {
    bool anywhere = jitter.migrate == MIGRATE_BLOCKERS || jitter.migrate == MIGRATE_UNSYNCHRONISED;
    return anywhere || run->values[P_CORE] == CORE_ANY ? PORT_CORE_ANY : run->values[P_CORE];
}

static void wake(struct other *others) {
    for (uint32_t core = port_core_count(); core-- > 0;) {
        if (others[core].exists) {
            port_notify(&others[core].task);
        }
    }
}

/* At the end of a stretch: waits until no migration is in progress. A blocker that was resumed just before it suspended
 * itself is still suspended, so it is resumed again. */
static void end_last_move(void) {
    for (uint32_t from; (from = atomic_load(&jitter.moving_from)) != NO_CORE;) {
        port_task_resume(&jitter.blockers[from].task);
        port_sleep_ticks(1);
    }
}

/* Runs a stretch of activations. A task that is woken on the console task's core keeps that core until it waits. So the
 * load tasks, which never wait, are woken last. */
static void run_stretch(void) {
    uint64_t begin = port_clock();
    atomic_store(&jitter.halted, false);
    port_notify(&jitter.task);
    if (jitter.migrate == MIGRATE_UNSYNCHRONISED) {
        wake(jitter.blockers);
    }
    wake(jitter.loads);
    port_notify_take();
    ic_load_await_console(jitter.load_work);
    end_last_move();
    uint64_t end = port_clock();
    bool busy = jitter.run->values[P_LOAD] != LOAD_NONE || jitter.blockers[0].exists;
    if (busy) {
        port_sleep_until(end + (end - begin) / REST_PART);
    }
}

static uint32_t stretch_length(const struct ic_run *run) {
    uint32_t length = STRETCH_MS * 1000U / run->values[P_PERIOD];
    return length > STRETCH_LEAST ? length : STRETCH_LEAST;
}

static void run_stretches(struct ic_run *run, uint32_t samples) {
    uint32_t length = stretch_length(run);
    while (ic_run_repeat(run)) {
        uint32_t before = run->checks.done - 1U;
        jitter.counts = before >= samples;
        uint32_t left = (jitter.counts ? run->checks.repetitions : samples) - before;
        jitter.releases = left < length ? left : length;
        if (!jitter.counts) {
            (void)ic_samples_add(jitter.begins, before);
        }
        ic_run_dither(run);
        run_stretch();
        run->checks.done += jitter.releases - 1U;
    }
}

/* Cold: optimised for size, because its speed does not matter. */
static __attribute__((cold)) bool measure(struct ic_run *run) {
    uint32_t samples = run->checks.repetitions;
    jitter.run = run;
    jitter.leader = port_task_self();
    jitter.as_published = run->values[P_MIGRATE] == MIGRATE_PUBLISHED;
    jitter.migrate = jitter.as_published ? MIGRATE_BLOCKERS : (enum migrate)run->values[P_MIGRATE];
    jitter.load_work = (enum load_work)run->values[P_LOAD_WORK];
    jitter.resets_wake = run->values[P_WAKE] == WAKE_RESET;
    jitter.pinned_to = jitter.migrate == MIGRATE_NONE ? first_core(run) : PORT_CORE_ANY;
    atomic_store(&jitter.dismissed, false);
    atomic_store(&jitter.halted, true);
    atomic_store(&jitter.waits, false);
    atomic_store(&jitter.release, 0);
    atomic_store(&jitter.moved_at, UINT32_MAX);
    atomic_store(&jitter.moving_from, NO_CORE);
    if (!open_series(run)) {
        return false;
    }
    if (!ic_load_open(jitter.load_work)) {
        return refuse("failed", "the platform has no memory for the load");
    }
    run->checks.repetitions += run->values[P_COUNTED];
    jitter.period_ticks = (uint32_t)((uint64_t)run->values[P_PERIOD] * port_tick_hz() / 1000000U);
    jitter.period = jitter.period_ticks * (port_clock_hz() / port_tick_hz());
    jitter.work_turns =
        run->values[P_WORK] > 0 ? ic_busy_wait_turns(run->values[P_WORK] * port_clock_hz() / 1000000U) : 0;
    port_time_slicing(run->values[P_LOAD] == LOAD_SAME);
    uint32_t first = first_core(run);
    bool started = start_tasks(first == PORT_CORE_ANY ? PORT_CORE_ANY : first);
    if (started) {
        run_stretches(run, samples);
    }
    dismiss_others();
    if (started) {
        port_notify(&jitter.task);
        port_task_join(&jitter.task);
        run->checks.preempted += jitter.preempted;
    }
    ic_load_close(jitter.load_work);
    port_time_slicing(false);
    return started;
}

const struct ic_benchmark ic_benchmark_jitter = {
    .name = "jitter",
    .summary = "lateness of a periodic task, from when it was due to its first instruction, migrated or under load",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 200,
    .series_count = 3,
    .possible = possible,
    .measure = measure,
};
