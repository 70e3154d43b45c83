/* The benchmark `contention`: how the cores are shared when several tasks and the main loop compete for them.
 *
 * The competitors are pinned like the tasks of an Arduino program on a chip with two cores; free (unpinned) tasks can
 * be added:
 *
 *   task0   pinned to core 0
 *   task1   pinned to core 1
 *   main    the main loop, pinned to core 1, as in Arduino
 *   free    up to four tasks that the scheduler may run on any core
 *
 * Where the platform has its own main loop (Arduino's loop()), `main` is that loop, called by the platform as usual
 * (port_loop_start); elsewhere it is a task.
 *
 * Each competitor is absent (off) or has one of four roles. All competitors begin at the start and stop at the end of
 * the same window of time:
 *
 *   work    solves one tower of Hanoi after another; with yield=tick it sleeps after each tower until the next tick
 *   spin    has no work and never waits, like a loop() that returns at once and is called again
 *   delay   has no work and sleeps until the next tick, repeatedly, like a loop() with only a delay(1)
 *   block   has no work and sleeps all the time, like a loop() that waits for an event
 *
 * All competitors have the same priority, the lowest of benchmark tasks, and the kernel slices time between them
 * (port_time_slicing). The console task has a lower priority and sleeps during a window. At the end of a window no
 * competitor is stopped from outside: each reads the clock and stops itself.
 *
 * A free task may do parts of a tower (hanoi.h) on several cores. Series:
 *
 *   alone.<core>         time of a tower in a task that has the core to itself, with the sleep after it if yield=tick;
 *                        five towers, before the first window
 *   tower.<core>         with yield=tick only: the same without the sleep
 *   <competitor>.<core>  the moment at which the competitor completed each tower, by the core on which it did so
 *   ran<task>.<core>     of a free task, for each window: number of parts that began and ended on that core
 *   moved<task>          of a free task, for each window: number of parts that began and ended on different cores
 *
 * The windows of a measurement are laid end to end: a moment is the index of its window × the length of a window + the
 * time since the start of its window. A tower that ends after its window is not recorded, but its checksum is checked.
 * A competitor that begins more than a tick late is counted as preempted, unless it had to wait for the time slice of
 * another competitor.
 *
 * The mark pin is high during each window: a competitor that waits for the window sets the pin about 20 µs before the
 * start; a timer's interrupt on core 0 clears the pin at the end.
 *
 * preset=qiita-table takes the competitors from the seven rows of a published table (seed 001 in docs/published.md). A
 * window is measured for each row in order; further repetitions begin again at the first row. A main loop that has no
 * work in the published table spins.
 *
 * The command `show` prints the number of towers of each competitor, in a line for each row. */
#include "contention.h"

#include "benchmarks.h"
#include "hanoi.h"
#include "port_interrupt.h"

#define TOWERS_ALONE 5U

static const char *const presets[] = {"none", "qiita-table"};
static const char *const roles[ROLES] = {"off", "block", "delay", "spin", "work"};
static const char *const yields[] = {"none", "tick"};

#if IC_OWN_MAX > 0
/* The choices of the parameter `workload`: the towers of Hanoi, followed by the user's workloads */
static const char *work_name(uint32_t index) {
    return index == 0 ? "hanoi" : index <= IC_OWN_MAX ? ic_workload_names[IC_WORKLOADS_HERE + index - 1U] : NULL;
}

static const struct intercore_workload *own_of(const struct ic_run *run) {
    uint32_t index = run->values[P_WORKLOAD];
    return index == 0 ? NULL : ic_own(IC_WORKLOADS_HERE + index - 1U);
}

/* The largest number of competitors that have the role `work` in the same window */
static uint32_t workers(const struct ic_run *run) {
    uint32_t count = run->values[P_FREE];
    for (uint32_t i = 0; i < FREE; i++) {
        count += run->values[P_TASK0 + i] == WORK;
    }
    return run->values[P_PRESET] == PRESET_QIITA ? FREE : count;
}

/* Whether the user's workload has enough units (numbered pieces of its work). If the workload returns a sum, all
 * competitors compute the same units; if it writes a buffer, each competitor needs units of its own. */
static bool own_is_possible(const struct ic_run *run, struct ic_error *error) {
    const struct intercore_workload *own = own_of(run);
    const char *name = work_name(run->values[P_WORKLOAD]);
    if (own != NULL && own->unit_bytes > 0) {
        return (uint64_t)run->values[P_UNITS] * workers(run) <= own->units ||
               ic_error_set(error, "out-of-range", "the competitors together need more units than ", name,
                            " has: take fewer units or competitors");
    }
    return own == NULL || run->values[P_UNITS] <= own->units ||
           ic_error_set(error, "out-of-range", "units is more than ", name, " has");
}

/* Prepares the user's workload, if one replaces the towers of Hanoi. */
static void prepare_own(const struct ic_run *run) {
    const struct intercore_workload *own = own_of(run);
    ic_contest.own = own;
    ic_contest.units = run->values[P_UNITS];
    if (own != NULL) {
        own->workload.prepare();
        ic_contest.expected = own->unit_bytes > 0 ? 0 : own->workload.expected(0, ic_contest.units);
    }
}

/* If the user's workload writes a buffer, gives each working competitor its own units, so that no two competitors write
 * the same part of the buffer. */
static void share_units(void) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        struct competitor *competitor = &ic_contest.competitors[i];
        competitor->tower.first = first;
        if (ic_contest.own != NULL && ic_contest.own->unit_bytes > 0 && competitor->role == WORK) {
            first += ic_contest.units;
        }
    }
}

/* Called after each window: checks the output buffer of the user's workload, in the units of each competitor that has
 * computed its units in that window. */
static void check_units(void) {
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        struct competitor *competitor = &ic_contest.competitors[i];
        if (competitor->checked > competitor->compared) {
            competitor->wrong += !ic_contest_units_are_right(competitor->tower.first);
        }
        competitor->compared = competitor->checked;
    }
}
#else
#define own_is_possible(run, error) true
#define prepare_own(run) ((void)0)
#endif

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_PRESET] = {.name = "preset",
                  .help = "qiita-table: the rows of a published table, in place of task0, task1, main and free",
                  .choices = presets,
                  .choice_count = 2},
    [P_TASK0] = {.name = "task0",
                 .help = "role of the task pinned to core 0",
                 .preset = WORK,
                 .choices = roles,
                 .choice_count = ROLES},
    [P_TASK1] = {.name = "task1",
                 .help = "role of the task pinned to core 1",
                 .preset = WORK,
                 .choices = roles,
                 .choice_count = ROLES},
    [P_MAIN] = {.name = "main",
                .help = "role of the main loop, on core 1",
                .preset = WORK,
                .choices = roles,
                .choice_count = ROLES},
    [P_FREE] = {.name = "free", .help = "unpinned tasks, all working", .max = FREE_MAX},
    [P_YIELD] = {.name = "yield",
                 .help = "tick: a task sleeps until the next tick after each tower",
                 .preset = 1,
                 .choices = yields,
                 .choice_count = 2},
    [P_DISCS] = {.name = "discs", .help = "discs of a tower: 2^discs - 1 moves", .min = 1, .max = 22, .preset = 20},
    [P_WINDOW] =
        {.name = "window_ms", .help = "length of a window, in milliseconds", .min = 1, .max = 20000, .preset = 10000},
#if IC_OWN_MAX > 0
    [P_WORKLOAD] = {.name = "workload", .help = "repeated work: towers, or a workload of yours", .choice = work_name},
    [P_UNITS] = {.name = "units",
                 .help = "units of your workload, in place of a tower",
                 .min = 1,
                 .max = 1000000000,
                 .preset = 1},
#endif
};

/* The rows of the published table (preset=qiita-table): roles of task0, task1 and main */
#define QIITA_ROWS 7U
static const enum role qiita_rows[QIITA_ROWS][FREE] = {
    {WORK, WORK, WORK}, {WORK, OFF, WORK}, {WORK, WORK, SPIN}, {OFF, WORK, WORK},
    {OFF, OFF, WORK},   {WORK, OFF, SPIN}, {OFF, WORK, SPIN},
};

struct contest ic_contest;

/* ---- the competitors ---- */

uint32_t ic_contest_rows(void) { return ic_contest.run->values[P_PRESET] == PRESET_QIITA ? QIITA_ROWS : 1U; }

void ic_contest_set_roles(uint32_t row) {
    const uint32_t *values = ic_contest.run->values;
    bool preset = values[P_PRESET] == PRESET_QIITA;
    for (uint32_t i = 0; i < FREE; i++) {
        ic_contest.competitors[i].role = preset ? qiita_rows[row][i] : (enum role)values[P_TASK0 + i];
    }
    for (uint32_t i = 0; i < FREE_MAX; i++) {
        ic_contest.competitors[FREE + i].role = !preset && i < values[P_FREE] ? WORK : OFF;
    }
#if IC_OWN_MAX > 0
    share_units();
#endif
}

static uint32_t rows_of_work(const struct competitor *competitor) {
    uint32_t count = 0;
    for (uint32_t row = 0; row < ic_contest_rows(); row++) {
        ic_contest_set_roles(row);
        count += competitor->role == WORK;
    }
    return count;
}

static bool runs_on(const struct competitor *competitor, uint32_t core) {
    return competitor->core == core || competitor->core == PORT_CORE_ANY;
}

static bool ever_works_on(uint32_t core) {
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        if (runs_on(&ic_contest.competitors[i], core) && rows_of_work(&ic_contest.competitors[i]) > 0) {
            return true;
        }
    }
    return false;
}

static bool no_series(void) {
    return ic_error_set(&ic_contest.run->error, "failed", "the target has too many cores for its list of series", "",
                        "");
}

/* ---- a tower alone ---- */

struct alone {
    struct ic_series *turn;  /* from the start of a tower to when the next one may start */
    struct ic_series *tower; /* the same without the sleep; NULL without yield=tick */
    struct whereabouts where;
    uint32_t core;
};

static void take_alone(struct alone *alone) {
    struct ic_run *run = ic_contest.run;
    uint64_t begin = port_clock();
    uint32_t checksum = ic_contest_solve(&alone->where);
    uint64_t took = port_clock() - begin;
    ic_contest.shortest = took < ic_contest.shortest ? took : ic_contest.shortest;
    if (alone->tower != NULL) {
        ic_run_sample(run, alone->tower, (int64_t)took);
        port_sleep_ticks(1);
        took = port_clock() - begin;
    }
    ic_run_sample(run, alone->turn, (int64_t)took);
    ic_run_check(run, checksum == ic_contest.expected);
    run->checks.migrated += alone->where.moved > 0 || alone->where.on != alone->core;
}

static void solve_alone(void *arg) {
    struct alone *alone = arg;
    if (alone->tower != NULL) {
        port_sleep_ticks(1); /* start the first tower right after a tick, like the other four */
    }
    for (uint32_t i = 0; i < TOWERS_ALONE; i++) {
        take_alone(alone);
    }
    ic_contest.run->checks.preempted += port_preemptions();
}

static bool open_alone(struct alone *alone) {
    alone->turn = ic_samples_open("alone", alone->core, TOWERS_ALONE);
    alone->tower = ic_contest.yields ? ic_samples_open("tower", alone->core, TOWERS_ALONE) : NULL;
    return (alone->turn != NULL && (alone->tower != NULL || !ic_contest.yields)) || no_series();
}

/* Times towers on each core on which a competitor will work, in a task that has the core to itself. */
static bool measure_alone(void) {
    static port_task_t task; /* static: on a chip it may contain the task's stack */
    static struct alone alone;
    for (alone.core = 0; alone.core < port_core_count(); alone.core++) {
        if (!ever_works_on(alone.core)) {
            continue;
        }
        if (!open_alone(&alone) || !ic_contest_start_task(&task, solve_alone, &alone, alone.core)) {
            return false;
        }
        port_task_join(&task);
#if IC_OWN_MAX > 0
        ic_contest.run->checks.wrong += !ic_contest_units_are_right(0);
#endif
    }
    return true;
}

/* ---- room for the samples ---- */

/* Number of samples to expect of a competitor in all windows: for each core that it may use, as many towers as the core
 * could solve in that time without other competitors. */
static uint64_t samples_of(const struct competitor *competitor) {
    uint64_t at_least =
        ic_contest.yields && ic_contest.shortest < ic_contest.tick ? ic_contest.tick : ic_contest.shortest;
    uint64_t windows = (uint64_t)(ic_contest.run->checks.repetitions / ic_contest_rows()) * rows_of_work(competitor);
    uint32_t cores = competitor->core == PORT_CORE_ANY ? port_core_count() : 1U;
    return windows * cores * (ic_contest.window / (at_least + 1U) + 2U);
}

static bool open_towers(struct competitor *competitor, const char *name, uint64_t capacity) {
    uint32_t cores = competitor->core == PORT_CORE_ANY ? port_core_count() : 1U;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        if (runs_on(competitor, core)) {
            competitor->towers[core] = ic_samples_open(name, core, (uint32_t)(capacity / cores));
            if (competitor->towers[core] == NULL) {
                return no_series();
            }
            competitor->towers[core]->unit = IC_UNIT_MOMENT;
        }
    }
    return true;
}

/* Opens the series `ran` and `moved`, which count on which cores the free tasks ran. */
static bool open_cores(void) {
    static const char *const ran[FREE_MAX] = {"ran0", "ran1", "ran2", "ran3"};
    static const char *const moved[FREE_MAX] = {"moved0", "moved1", "moved2", "moved3"};
    uint32_t windows = ic_contest.run->checks.repetitions;
    for (uint32_t i = 0; i < FREE_MAX; i++) {
        struct competitor *competitor = &ic_contest.competitors[FREE + i];
        if (rows_of_work(competitor) == 0) {
            continue;
        }
        for (uint32_t core = 0; core < port_core_count(); core++) {
            competitor->ran[core] = ic_samples_open(ran[i], core, windows);
            if (competitor->ran[core] == NULL) {
                return no_series();
            }
            competitor->ran[core]->unit = IC_UNIT_COUNT;
        }
        competitor->moved = ic_samples_open(moved[i], IC_SERIES_PLAIN, windows);
        if (competitor->moved == NULL) {
            return no_series();
        }
        competitor->moved->unit = IC_UNIT_COUNT;
    }
    return true;
}

/* Opens the series of the towers of all working competitors. They share all memory that is left for samples, because a
 * core may later be faster than it was alone, and then solves more towers than expected. */
static bool open_series(void) {
    static const char *const names[COMPETITORS] = {"task0", "task1", "main", "free0", "free1", "free2", "free3"};
    uint64_t room = ic_samples_room();
    uint64_t needed = 0;
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        needed += samples_of(&ic_contest.competitors[i]);
    }
    if (needed > room) {
        return ic_error_set(&ic_contest.run->error, "out-of-range", "the target has no memory for that many towers: ",
                            "take more discs, a shorter window or fewer samples", "");
    }
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        struct competitor *competitor = &ic_contest.competitors[i];
        uint64_t share = samples_of(competitor);
        if (share > 0 && !open_towers(competitor, names[i], room * share / needed)) {
            return false;
        }
    }
    return true;
}

/* ---- the benchmark ---- */

static void prepare(struct ic_run *run) {
    static const uint32_t cores[COMPETITORS] = {0, 1, 1, PORT_CORE_ANY, PORT_CORE_ANY, PORT_CORE_ANY, PORT_CORE_ANY};
    ic_contest.run = run;
    ic_contest.discs = run->values[P_DISCS];
    ic_contest.expected = ic_hanoi_expected(ic_contest.discs);
    prepare_own(run);
    ic_contest.yields = run->values[P_YIELD] != 0;
    ic_contest.tick = port_clock_hz() / port_tick_hz();
    ic_contest.window = run->values[P_WINDOW] * port_clock_hz() / 1000U;
    ic_contest.before = 0;
    ic_contest.shortest = UINT64_MAX;
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        ic_contest.competitors[i] = (struct competitor){.core = cores[i]};
    }
    run->checks.repetitions *= ic_contest_rows(); /* a repetition is a window */
}

/* Refuses a competitor on core 1 if there is no core 1, and parameters with which no competitor works. Each row of the
 * preset has a competitor on core 1, and a competitor that works. */
static bool possible(const struct ic_run *run, struct ic_error *error) {
    const uint32_t *values = run->values;
    bool preset = values[P_PRESET] == PRESET_QIITA;
    bool second = preset || values[P_TASK0 + TASK1] != OFF || values[P_TASK0 + MAIN] != OFF;
    bool works = preset || values[P_FREE] > 0;
    for (uint32_t i = 0; i < FREE; i++) {
        works = works || values[P_TASK0 + i] == WORK;
    }
    if (second && port_core_count() < 2) {
        return ic_error_set(error, "out-of-range", "this target has no core 1; use task0 and free, with ",
                            "task1=off main=off", "");
    }
    return (works ||
            ic_error_set(error, "bad-value", "no competitor works: task0, task1, main or free must", "", "")) &&
           own_is_possible(run, error);
}

static void count_checks(void) {
    struct ic_checks *checks = &ic_contest.run->checks;
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        const struct competitor *competitor = &ic_contest.competitors[i];
        checks->checked += competitor->checked;
        checks->wrong += competitor->wrong;
        checks->migrated += competitor->migrated;
        checks->lost += competitor->lost;
    }
}

static bool hold_windows(void) {
    bool held = true;
    ic_contest.run->marked = 1; /* the mark pin is high during windows only */
    ic_contest.marks = port_timer_open(0, ic_contest_end_mark, NULL) == PORT_OK;
    for (uint32_t i = 0; held && ic_run_repeat(ic_contest.run); i++) {
        ic_contest_set_roles(i % ic_contest_rows());
        held = ic_contest_hold_window();
#if IC_OWN_MAX > 0
        check_units();
#endif
    }
    if (ic_contest.marks) {
        port_timer_close();
    }
    count_checks();
    return held;
}

static bool measure(struct ic_run *run) {
    prepare(run);
    port_time_slicing(true);
    bool measured = measure_alone() && open_cores() && open_series() && hold_windows();
    port_time_slicing(false);
    return measured;
}

const struct ic_benchmark ic_benchmark_contention = {
    .name = "contention",
    .summary = "towers of Hanoi that tasks and the main loop solve in a window while they compete for the cores",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 1,
    .series_count = 1,
    .possible = possible,
    .measure = measure,
    .tell = ic_contest_tell,
};
