/* The benchmark `hartstone`: how much load five periodic tasks can carry before a task misses a deadline, on one core
 * and on several.
 *
 * Follows the experiment series PH (periodic tasks, harmonic frequencies) of Hartstone (N. Weiderman,
 * CMU/SEI-89-TR-23), rewritten from its description; docs/benchmarks/hartstone.md lists the differences. The first task
 * has the period `period_us`, each further task has twice the period of the task before it, so the frequencies are 16 :
 * 8 : 4 : 2 : 1. The work of an activation is proportional to the period, so each task causes a fifth of the load.
 * Priorities are rate-monotonic: the shorter the period, the higher. A task's deadline is its next activation.
 *
 * Each setting (combination of parameter values) has one load, in percent of one core. To find the breakdown
 * utilisation, raise the load from setting to setting until a deadline is missed. A missed deadline is a result, not an
 * error: the work is completed and the next activation begins late. `placement` selects the cores of the tasks:
 *
 *   one-core   all tasks are pinned to core 0
 *   pinned     each task is pinned to a core. All tasks have the same load, so the tasks are divided evenly: each core
 *              in turn takes the same number of tasks, rounded up. With two cores, core 0 has the three fastest
 *              tasks and core 1 the other two, at every load
 *   free       the kernel may run any task on any core
 *
 * A repetition lasts for the longest period. At its start all tasks are activated together, which is the worst case for
 * the lower priorities. After that each task is activated once per period, which is a whole number of kernel ticks.
 * Series:
 *
 *   response.0 to response.4  the time from when an activation was due to the end of its work, for each activation
 *   missed.0 to missed.4      the number of missed deadlines, for each repetition
 *   alone                     the time of the work of one activation of the first task while no other task runs. The
 *                             true load follows from this time, because the work of the other tasks is a multiple of
 *                             this work */
#include "benchmarks.h"
#include "port.h"
#include "run.h"
#include "workloads.h"

#define TASKS 5U
/* Numbers of activations in a repetition: of the first task, and of all tasks together */
#define RELEASES_MOST (1U << (TASKS - 1U))
#define RELEASES_ALL (2U * RELEASES_MOST - 1U)
/* Kernel ticks from the start signal to the first activation, so that every task is asleep by then */
#define START_TICKS 4U
/* Calibration, which finds how many units of work take a given time: smallest number of units timed, number of
 * trials */
#define TRIAL_UNITS 64U
#define TRIALS 3U

enum { P_PLACEMENT, P_LOAD, P_PERIOD, PARAMETER_COUNT };
enum placement { PLACEMENT_ONE_CORE, PLACEMENT_PINNED, PLACEMENT_FREE };

static const char *const placements[] = {"one-core", "pinned", "free"};

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_PLACEMENT] = {.name = "placement",
                     .help = "all tasks on core 0, each pinned to a core, or unpinned",
                     .choices = placements,
                     .choice_count = 3},
    [P_LOAD] =
        {.name = "load", .help = "total load, in percent of one core", .min = 5, .max = 100U * TASKS, .preset = 50},
    [P_PERIOD] = {.name = "period_us",
                  .help = "shortest period, in microseconds: a whole number of kernel ticks",
                  .min = 1,
                  .max = 100000,
                  .preset = 10000},
};

struct periodic {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    uint32_t core; /* PORT_CORE_ANY: any */
    uint32_t releases;
    uint32_t period_ticks; /* in kernel ticks */
    uint64_t period;       /* in ticks of the common clock */
    uint32_t units;        /* units of work in each activation */
    uint32_t expected;     /* expected result of that work */
    struct ic_series *response;
    struct ic_series *missed;
    uint32_t late; /* deadlines missed in this repetition */
    uint32_t lost;
    uint32_t migrated;
    bool wrong;
};

/* State of a measurement. It is on the stack of the console task, which runs the measurement, so that it takes no
 * memory while other benchmarks run. */
struct set {
    struct periodic tasks[TASKS];
    struct ic_series *alone;
    struct port_period start; /* the sleep until the first activation, the same for all tasks */
    uint64_t due;             /* when the first activation is due */
    bool cancelled;           /* a task could not be started */
};

static struct set *hart;

/* ---- the tasks ---- */

static uint32_t work(uint32_t units) { return ic_workload_integer.work(0, units); }

/* Returns the clock at the end of an activation's work. Must not be inlined: a probe of the simulator finds this
 * function by its name. */
static __attribute__((noinline)) uint64_t hartstone_ended(void) { return port_clock(); }

static void be_released(struct periodic *self, uint64_t due) {
    uint32_t result = work(self->units);
    uint64_t response = hartstone_ended() - due;
    self->late += response > self->period;
    self->lost += !ic_samples_add(self->response, (int64_t)response);
    self->migrated += self->core != PORT_CORE_ANY && port_core_id() != self->core;
    self->wrong = self->wrong || result != self->expected;
}

static void periodic_task(void *arg) {
    struct periodic *self = arg;
    port_notify_take(); /* waits for the start signal */
    if (hart->cancelled) {
        return;
    }
    struct port_period period = hart->start;
    uint64_t due = hart->due;
    for (uint32_t i = 0; i < self->releases; i++) {
        port_period_sleep(&period);
        period.ticks = self->period_ticks;
        be_released(self, due);
        due += self->period;
    }
}

/* ---- the console task ---- */

/* Times the work of `units` units in several trials, and returns the shortest time. */
static uint64_t shortest(uint32_t units) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < TRIALS; i++) {
        uint64_t begin = port_clock();
        (void)work(units);
        uint64_t passed = port_clock() - begin;
        least = passed < least ? passed : least;
    }
    return least;
}

/* Number of units of work that take `ticks` ticks of the common clock on this core while no other task runs; 0 if one
 * unit takes longer */
static uint32_t units_in(uint64_t ticks) {
    uint32_t units = TRIAL_UNITS;
    uint64_t passed = shortest(units);
    while (passed < ticks / 2U) {
        units *= 2U;
        passed = shortest(units);
    }
    return (uint32_t)(units * ticks / (passed > 0 ? passed : 1U));
}

static uint32_t core_of(enum placement placement, uint32_t index) {
    switch (placement) {
    case PLACEMENT_PINNED: {
        uint32_t cores = port_core_count();
        return index / ((TASKS + cores - 1U) / cores);
    }
    case PLACEMENT_FREE:
        return PORT_CORE_ANY;
    case PLACEMENT_ONE_CORE:
        break;
    }
    return 0;
}

static void plan_tasks(const struct ic_run *run) {
    uint32_t ticks = (uint32_t)((uint64_t)run->values[P_PERIOD] * port_tick_hz() / 1000000U);
    uint64_t period = ticks * (port_clock_hz() / port_tick_hz());
    uint32_t units = units_in(period * run->values[P_LOAD] / (UINT64_C(100) * TASKS));
    for (uint32_t i = 0; i < TASKS; i++) {
        struct periodic *task = &hart->tasks[i];
        task->core = core_of((enum placement)run->values[P_PLACEMENT], i);
        task->releases = RELEASES_MOST >> i;
        task->period_ticks = ticks << i;
        task->period = period << i;
        task->units = units << i;
        task->expected = ic_workload_integer.expected(0, task->units);
    }
}

static bool open_series(struct ic_run *run) {
    hart->alone = ic_run_series(run, "alone");
    bool opened = hart->alone != NULL;
    for (uint32_t i = 0; opened && i < TASKS; i++) {
        struct periodic *task = &hart->tasks[i];
        task->response = ic_samples_open("response", i, run->checks.repetitions * task->releases);
        task->missed = ic_samples_open("missed", i, run->checks.repetitions);
        opened = task->response != NULL && task->missed != NULL;
        if (opened) {
            task->missed->unit = IC_UNIT_COUNT;
        }
    }
    return opened ||
           ic_error_set(&run->error, "out-of-range", "the target has no memory for that many samples", "", "");
}

/* Sends the first `count` tasks the start signal, and waits until they have ended. If `cancelled` is set, they end
 * without work. */
static void release_tasks(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        port_notify(&hart->tasks[i].task);
    }
    for (uint32_t i = 0; i < count; i++) {
        port_task_join(&hart->tasks[i].task);
    }
}

static bool start_tasks(struct ic_run *run) {
    hart->cancelled = false;
    for (uint32_t i = 0; i < TASKS; i++) {
        struct periodic *task = &hart->tasks[i];
        task->late = 0;
        task->lost = 0;
        task->migrated = 0;
        task->wrong = false;
        struct port_task_config config = {.name = "hartstone",
                                          .entry = periodic_task,
                                          .arg = task,
                                          .core = task->core,
                                          .priority = PORT_PRIORITY_MAX - i};
        if (port_task_start(&task->task, &config) != PORT_OK) {
            hart->cancelled = true;
            release_tasks(i);
            return ic_error_set(&run->error, "failed", "the platform could not start all ", "tasks", "");
        }
    }
    return true;
}

static void record(struct ic_run *run) {
    bool right = true;
    for (uint32_t i = 0; i < TASKS; i++) {
        struct periodic *task = &hart->tasks[i];
        ic_run_sample(run, task->missed, task->late);
        run->checks.lost += task->lost;
        run->checks.migrated += task->migrated;
        right = right && !task->wrong;
    }
    ic_run_check(run, right);
}

static bool repeat(struct ic_run *run) {
    ic_run_dither(run);
    uint64_t begin = port_clock();
    (void)work(hart->tasks[0].units);
    ic_run_sample(run, hart->alone, (int64_t)(port_clock() - begin));
    if (!start_tasks(run)) {
        return false;
    }
    hart->due = port_period_begin(&hart->start, START_TICKS);
    release_tasks(TASKS);
    record(run);
    return true;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    if ((uint64_t)run->values[P_PERIOD] * port_tick_hz() % 1000000U != 0) {
        return ic_error_set(error, "bad-value", "period_us must be a whole number of kernel ticks; ",
                            "intercore info TARGET shows tick_hz, ticks per second", "");
    }
    return run->values[P_PLACEMENT] == PLACEMENT_ONE_CORE || port_core_count() > 1 ||
           ic_error_set(error, "unsupported", "this needs two cores, and the target has one", "", "");
}

/* Cold: optimised for size, because its speed does not matter. */
static __attribute__((cold)) bool measure(struct ic_run *run) {
    struct set set;
    hart = &set;
    plan_tasks(run);
    if (hart->tasks[0].units == 0) {
        return ic_error_set(&run->error, "bad-value",
                            "too little work in a period: ", "take a larger load or period_us", "");
    }
    bool taken = open_series(run);
    while (taken && ic_run_repeat(run)) {
        taken = repeat(run);
    }
    return taken;
}

const struct ic_benchmark ic_benchmark_hartstone = {
    .name = "hartstone",
    .summary = "deadlines that five periodic tasks miss as their load grows",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 3,
    .series_count = RELEASES_ALL + TASKS + 1U,
    .possible = possible,
    .measure = measure,
};
