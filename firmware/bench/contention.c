/* contention: who gets the processor when several tasks and the main loop want it.
 *
 * The competitors are those of an Arduino program on a chip with two cores, and free tasks:
 *
 *   task0   pinned to core 0
 *   task1   pinned to core 1
 *   main    the main loop, pinned to core 1, where Arduino's is
 *   free    up to four tasks that the scheduler may run on any core
 *
 * Where the platform has a main loop of its own (Arduino's loop()), `main` is that one, as the platform calls it
 * (port_loop_start); elsewhere it is a task.
 *
 * Each is there or not (off), and does one of four things in a window of time that begins and ends at the same moments
 * for all:
 *
 *   work    solves one tower of Hanoi after the other; with yield=tick it sleeps to the next tick after each
 *   spin    has nothing to do and never waits, like a loop() that returns at once: the framework calls it again
 *   delay   has nothing to do and sleeps to the next tick, over and over, like a loop() of nothing but delay(1)
 *   block   has nothing to do and sleeps all the time, like a loop() that waits for an event
 *
 * All have the same priority, the lowest of benchmark tasks, and the kernel has equals take turns (port_time_slicing).
 * The console task is below them and sleeps while a window lasts. Nobody is told to stop: each looks at the clock.
 *
 * Samples. `alone.<core>`: how long a tower takes in a task that has the core to itself, five times, before the
 * first window. `<competitor>.<core>`: the moment at which each tower was done, on that core. The windows of a
 * measurement are laid end to end: a moment is the number of the window × its length + the time since its beginning. A
 * tower that ends later than its window is not recorded, but its checksum is checked as that of all others. Who begins
 * more than a tick late, and not because it was another competitor's turn, is counted as preempted.
 *
 * The energy mark is high during each window: it rises some 20 µs before the begin, by whoever waits for that, and
 * falls at the end by the timer's interrupt on core 0, when no tower counts any more.
 *
 * preset=qiita-table takes what competes from the seven rows of a published table (seed 001), a window for each in
 * their order, again for each further repetition. There, a main loop without work spins.
 *
 * A person is told the towers that each got done, a line for each row. */
#include <stdatomic.h>

#include "benchmarks.h"
#include "hanoi.h"
#include "port.h"
#include "port_interrupt.h"
#include "run.h"

#define FREE_MAX 4U
#define PRIORITY 1U
#define TOWERS_ALONE 5U
/* A level of the recursion takes less than this of a 32-bit core's stack, at -O0 too; 64-bit ones have more than
 * enough.
 */
#define STACK_PER_DISC 64U
#define STACK_BESIDES 256U
/* From the release to the begin of the window: time for all to have heard of it, who look once per tick. */
#define LEAD_TICKS 5U
/* What is left of that when they stop sleeping. A sleep may end a tick late. */
#define SPIN_TICKS 2U
/* The energy mark rises so long before the window: 20 µs, enough for a turn of the loop that waits for it. */
#define MARKS_HZ 50000U

enum {
    P_PRESET,
    P_TASK0,
    P_TASK1,
    P_MAIN,
    P_FREE,
    P_YIELD,
    P_DISCS,
    P_WINDOW,
    PARAMETER_COUNT,
};
enum preset { PRESET_NONE, PRESET_QIITA };
enum role { OFF, BLOCK, DELAY, SPIN, WORK, ROLES };
enum { TASK0, TASK1, MAIN, FREE };
#define COMPETITORS (FREE + FREE_MAX)

static const char *const presets[] = {"none", "qiita-table"};
static const char *const roles[ROLES] = {"off", "block", "delay", "spin", "work"};
static const char *const yields[] = {"none", "tick"};

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_PRESET] = {.name = "preset",
                  .help = "qiita-table: the rows of seed 001's table, instead of task0, task1, main and free",
                  .choices = presets,
                  .choice_count = 2},
    [P_TASK0] = {.name = "task0",
                 .help = "what the task pinned to core 0 does",
                 .preset = WORK,
                 .choices = roles,
                 .choice_count = ROLES},
    [P_TASK1] = {.name = "task1",
                 .help = "what the task pinned to core 1 does",
                 .preset = WORK,
                 .choices = roles,
                 .choice_count = ROLES},
    [P_MAIN] = {.name = "main",
                .help = "what the main loop does, on core 1",
                .preset = WORK,
                .choices = roles,
                .choice_count = ROLES},
    [P_FREE] = {.name = "free", .help = "tasks without a core of their own, all at work", .max = FREE_MAX},
    [P_YIELD] = {.name = "yield",
                 .help = "tick: a task sleeps to the next tick after each tower",
                 .preset = 1,
                 .choices = yields,
                 .choice_count = 2},
    [P_DISCS] = {.name = "discs", .help = "of a tower: it takes 2^discs - 1 moves", .min = 1, .max = 22, .preset = 20},
    [P_WINDOW] =
        {.name = "window_ms", .help = "length of a window, in milliseconds", .min = 1, .max = 20000, .preset = 10000},
};

/* The rows of the published table: what task0, task1 and main do. */
#define QIITA_ROWS 7U
static const enum role qiita_rows[QIITA_ROWS][FREE] = {
    {WORK, WORK, WORK}, {WORK, OFF, WORK}, {WORK, WORK, SPIN}, {OFF, WORK, WORK},
    {OFF, OFF, WORK},   {WORK, OFF, SPIN}, {OFF, WORK, SPIN},
};

struct competitor {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    uint32_t core;
    enum role role;
    uint32_t began_on;                        /* core */
    uint64_t began;                           /* the present window, on the common clock */
    struct ic_series *towers[PORT_CORES_MAX]; /* by the core they were done on; NULL where it must not run */
    uint32_t checked;
    uint32_t wrong;
    uint32_t migrated;
    uint32_t lost;
    bool loops; /* it is the platform's main loop, and no task */
    bool begun; /* that loop, in the present window */
};

static struct {
    struct ic_run *run;
    uint32_t discs;
    uint32_t expected;
    bool yields;
    bool marks; /* the timer is there, for the end of the energy mark */
    /* In ticks of the common clock. */
    uint64_t tick;       /* of the kernel */
    uint64_t shortest;   /* time that a tower took alone */
    uint64_t window;     /* length of each window */
    uint64_t before;     /* lengths of the windows before the present one */
    uint64_t start, end; /* of the present one; valid once it has been released */
    atomic_bool released;
    struct competitor competitors[COMPETITORS];
} contest;

/* ---- a competitor ---- */

static void note_tower(struct competitor *competitor, uint32_t checksum, uint64_t now) {
    uint32_t core = port_core_id();
    struct ic_series *towers = core < port_core_count() ? competitor->towers[core] : NULL;
    competitor->checked++;
    competitor->wrong += checksum != contest.expected;
    if (towers == NULL) {
        competitor->migrated++;
    } else if (now < contest.end) {
        competitor->lost += !ic_samples_add(towers, (int64_t)(contest.before + now - contest.start));
    }
}

static inline void work_once(struct competitor *competitor) {
    uint32_t checksum = ic_hanoi_tower(contest.discs);
    note_tower(competitor, checksum, port_clock());
    if (contest.yields) {
        port_sleep_ticks(1);
    }
}

static void work(struct competitor *competitor) {
    while (port_clock() < contest.end) {
        work_once(competitor);
    }
}

static void spin(void) {
    while (port_clock() < contest.end) {
    }
}

static void delay(void) {
    while (port_clock() < contest.end) {
        port_sleep_ticks(1);
    }
}

static void await_begin(void) {
    uint64_t lead = port_clock_hz() / MARKS_HZ;
    while (!atomic_load_explicit(&contest.released, memory_order_acquire)) {
        port_sleep_ticks(1);
    }
    while (port_clock() + SPIN_TICKS * contest.tick < contest.start) {
        port_sleep_ticks(1);
    }
    while (port_clock() + lead < contest.start) {
    }
    if (port_clock() < contest.start) { /* who comes late must not do it in the window */
        port_mark(true);
    }
    while (port_clock() < contest.start) {
    }
}

static void compete(void *arg) {
    struct competitor *competitor = arg;
    await_begin();
    competitor->began = port_clock();
    competitor->began_on = port_core_id();
    switch (competitor->role) {
    case WORK:
        work(competitor);
        break;
    case SPIN:
        spin();
        break;
    case DELAY:
        delay();
        break;
    case BLOCK:
        port_sleep_until(contest.end);
        break;
    case OFF:
    case ROLES:
        break;
    }
}

/* A call of the platform's main loop: a tower, a tick of sleep, all of the sleep, or nothing. */
static bool pass(void *arg) {
    struct competitor *competitor = arg;
    if (!competitor->begun) {
        await_begin();
        competitor->begun = true;
        competitor->began = port_clock();
        competitor->began_on = port_core_id();
    }
    if (port_clock() >= contest.end) {
        return false;
    }
    switch (competitor->role) {
    case WORK:
        work_once(competitor);
        break;
    case DELAY:
        port_sleep_ticks(1);
        break;
    case BLOCK:
        port_sleep_until(contest.end);
        break;
    case SPIN:
    case OFF:
    case ROLES:
        break;
    }
    return true;
}

/* ---- a window ---- */

static bool start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core) {
    struct port_task_config config = {.name = "competitor",
                                      .entry = entry,
                                      .arg = arg,
                                      .core = core,
                                      .priority = PRIORITY,
                                      .stack_bytes = STACK_BESIDES + STACK_PER_DISC * contest.discs};
    return port_task_start(task, &config) == PORT_OK ||
           ic_error_set(&contest.run->error, "failed", "the platform could not start a task for each ", "competitor",
                        "");
}

/* Starts the platform's main loop as a competitor, or, where there is none, a task in its place. */
static bool start_main(struct competitor *competitor) {
    struct port_loop_config config = {.pass = pass, .arg = competitor, .core = competitor->core, .priority = PRIORITY};
    competitor->begun = false;
    enum port_error error = port_loop_start(&config);
    competitor->loops = error == PORT_OK;
    if (error == PORT_ERR_UNSUPPORTED) {
        return start_task(&competitor->task, compete, competitor, competitor->core);
    }
    return error == PORT_OK ||
           ic_error_set(&contest.run->error, "failed", "the program's main loop does something else ",
                        "and does not take part; main=off measures without it", "");
}

static bool start_competitor(struct competitor *competitor) {
    if (competitor == &contest.competitors[MAIN]) {
        return start_main(competitor);
    }
    return start_task(&competitor->task, compete, competitor, competitor->core);
}

static void join(struct competitor *competitor) {
    if (competitor->loops) {
        port_loop_join();
    } else {
        port_task_join(&competitor->task);
    }
}

/* Starts all that compete; they wait for the release. On false those below `*started` have been started. */
static bool start_competitors(uint32_t *started) {
    for (*started = 0; *started < COMPETITORS; (*started)++) {
        struct competitor *competitor = &contest.competitors[*started];
        if (competitor->role != OFF && !start_competitor(competitor)) {
            return false;
        }
    }
    return true;
}

static void release(uint64_t start, uint64_t end) {
    contest.start = start;
    contest.end = end;
    atomic_store_explicit(&contest.released, true, memory_order_release);
}

/* Whether a competitor that does not let go of its core began on that core before this one did. */
static bool waited_for_its_turn(const struct competitor *late) {
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        const struct competitor *other = &contest.competitors[i];
        bool holds = other->role == WORK || other->role == SPIN;
        if (holds && other->began_on == late->began_on && other->began < late->began) {
            return true;
        }
    }
    return false;
}

/* Counts who began more than a tick after the others, and not because it was another's turn: something else had the
 * core. */
static void count_late(void) {
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        const struct competitor *competitor = &contest.competitors[i];
        bool late = competitor->role != OFF && competitor->began > contest.start + contest.tick;
        contest.run->checks.preempted += late && !waited_for_its_turn(competitor);
    }
}

/* At the end of a window, whatever towers are still under way. */
static void end_mark(void *arg) {
    (void)arg;
    port_mark(false);
}

static bool hold_window(void) {
    uint32_t started;
    atomic_store(&contest.released, false);
    bool ready = start_competitors(&started);
    if (ready) {
        ic_run_dither(contest.run);
        uint64_t start = port_clock() + LEAD_TICKS * contest.tick;
        release(start, start + contest.window);
        if (contest.marks) {
            (void)port_timer_set(contest.end);
        }
        port_sleep_until(contest.end);
    } else {
        release(0, 0);
    }
    for (uint32_t i = 0; i < started; i++) {
        if (contest.competitors[i].role != OFF) {
            join(&contest.competitors[i]);
        }
    }
    port_mark(false); /* it may still be high if there is no timer */
    if (ready) {
        count_late();
    }
    contest.before += contest.window;
    return ready;
}

/* ---- what competes ---- */

/* Number of different windows: rows of the preset, or the one that the parameters describe. */
static uint32_t rows(void) { return contest.run->values[P_PRESET] == PRESET_QIITA ? QIITA_ROWS : 1U; }

static void set_roles(uint32_t row) {
    const uint32_t *values = contest.run->values;
    bool preset = values[P_PRESET] == PRESET_QIITA;
    for (uint32_t i = 0; i < FREE; i++) {
        contest.competitors[i].role = preset ? qiita_rows[row][i] : (enum role)values[P_TASK0 + i];
    }
    for (uint32_t i = 0; i < FREE_MAX; i++) {
        contest.competitors[FREE + i].role = !preset && i < values[P_FREE] ? WORK : OFF;
    }
}

/* In how many of the rows a competitor works. */
static uint32_t rows_of_work(const struct competitor *competitor) {
    uint32_t count = 0;
    for (uint32_t row = 0; row < rows(); row++) {
        set_roles(row);
        count += competitor->role == WORK;
    }
    return count;
}

static bool runs_on(const struct competitor *competitor, uint32_t core) {
    return competitor->core == core || competitor->core == PORT_CORE_ANY;
}

static bool ever_works_on(uint32_t core) {
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        if (runs_on(&contest.competitors[i], core) && rows_of_work(&contest.competitors[i]) > 0) {
            return true;
        }
    }
    return false;
}

/* ---- a tower alone ---- */

struct alone {
    struct ic_series *series;
    uint32_t core;
};

static void solve_alone(void *arg) {
    struct alone *alone = arg;
    struct ic_run *run = contest.run;
    for (uint32_t i = 0; i < TOWERS_ALONE; i++) {
        uint64_t begin = port_clock();
        uint32_t checksum = ic_hanoi_tower(contest.discs);
        uint64_t took = port_clock() - begin;
        ic_run_check(run, checksum == contest.expected);
        ic_run_sample(run, alone->series, (int64_t)took);
        contest.shortest = took < contest.shortest ? took : contest.shortest;
    }
    run->checks.migrated += port_core_id() != alone->core;
    run->checks.preempted += port_preemptions();
}

/* Takes the time of a tower on each core that is worked on. */
static bool measure_alone(void) {
    static port_task_t task; /* on a chip it may hold the task's whole stack */
    struct alone alone;
    for (alone.core = 0; alone.core < port_core_count(); alone.core++) {
        if (!ever_works_on(alone.core)) {
            continue;
        }
        alone.series = ic_samples_open("alone", alone.core, TOWERS_ALONE);
        if (alone.series == NULL) {
            return ic_error_set(&contest.run->error, "failed", "the target has too many cores for its list of series",
                                "", "");
        }
        if (!start_task(&task, solve_alone, &alone, alone.core)) {
            return false;
        }
        port_task_join(&task);
    }
    return true;
}

/* ---- room for the samples ---- */

/* Samples that a competitor may have in all windows together: on each core that it may run on as many as that core
 * could do alone. */
static uint64_t samples_of(const struct competitor *competitor) {
    uint64_t at_least = contest.yields && contest.shortest < contest.tick ? contest.tick : contest.shortest;
    uint64_t windows = (uint64_t)(contest.run->checks.repetitions / rows()) * rows_of_work(competitor);
    uint32_t cores = competitor->core == PORT_CORE_ANY ? port_core_count() : 1U;
    return windows * cores * (contest.window / (at_least + 1U) + 2U);
}

static bool open_towers(struct competitor *competitor, const char *name, uint64_t capacity) {
    uint32_t cores = competitor->core == PORT_CORE_ANY ? port_core_count() : 1U;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        if (runs_on(competitor, core)) {
            competitor->towers[core] = ic_samples_open(name, core, (uint32_t)(capacity / cores));
            if (competitor->towers[core] == NULL) {
                return ic_error_set(&contest.run->error, "failed", "the target has too many cores for its list of ",
                                    "series", "");
            }
            competitor->towers[core]->unit = IC_UNIT_MOMENT;
        }
    }
    return true;
}

/* Opens the series of all who work. They get all the memory there is: a core that speeds up after it was measured alone
 * does more towers than foreseen. */
static bool open_series(void) {
    static const char *const names[COMPETITORS] = {"task0", "task1", "main", "free0", "free1", "free2", "free3"};
    uint64_t room = ic_samples_room();
    uint64_t needed = 0;
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        needed += samples_of(&contest.competitors[i]);
    }
    if (needed > room) {
        return ic_error_set(&contest.run->error, "out-of-range",
                            "the target has no memory for the ends of all towers: ",
                            "take more discs, a shorter window or fewer samples", "");
    }
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        struct competitor *competitor = &contest.competitors[i];
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
    contest.run = run;
    contest.discs = run->values[P_DISCS];
    contest.expected = ic_hanoi_expected(contest.discs);
    contest.yields = run->values[P_YIELD] != 0;
    contest.tick = port_clock_hz() / port_tick_hz();
    contest.window = run->values[P_WINDOW] * port_clock_hz() / 1000U;
    contest.before = 0;
    contest.shortest = UINT64_MAX;
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        contest.competitors[i] = (struct competitor){.core = cores[i]};
    }
    run->checks.repetitions *= rows(); /* a repetition is a window */
}

/* Whether anybody who belongs to core 1 takes part, and whether anybody works. In each row of the preset task1 or main
 * does, and somebody works. */
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
    return works || ic_error_set(error, "bad-value", "nobody works: of task0, task1, main and free, one must", "", "");
}

static void count_checks(void) {
    struct ic_checks *checks = &contest.run->checks;
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        const struct competitor *competitor = &contest.competitors[i];
        checks->checked += competitor->checked;
        checks->wrong += competitor->wrong;
        checks->migrated += competitor->migrated;
        checks->lost += competitor->lost;
    }
}

static bool hold_windows(void) {
    bool held = true;
    contest.run->marked = 1; /* windows, and not what is between them */
    contest.marks = port_timer_open(0, end_mark, NULL) == PORT_OK;
    for (uint32_t i = 0; held && ic_run_repeat(contest.run); i++) {
        set_roles(i % rows());
        held = hold_window();
    }
    if (contest.marks) {
        port_timer_close();
    }
    count_checks();
    return held;
}

static bool measure(struct ic_run *run) {
    prepare(run);
    port_time_slicing(true);
    bool measured = measure_alone() && open_series() && hold_windows();
    port_time_slicing(false);
    return measured;
}

/* ---- what a person is told ---- */

/* Where the first column of numbers ends, and how far from it the next ones. */
#define FIRST_COLUMN 42U
#define COLUMN_WIDTH 7U

static const char *const columns[] = {"task0", "task1", "main", "free", "total"};
enum { COLUMN_FREE = FREE, COLUMN_TOTAL, COLUMNS };

static uint32_t windows_of(uint32_t row) { return (contest.run->checks.done + rows() - 1U - row) / rows(); }

/* The column for free tasks is there if they are. */
static bool has_column(uint32_t column) { return column != COLUMN_FREE || contest.competitors[FREE].role == WORK; }

static size_t column_end(uint32_t column) {
    size_t end = FIRST_COLUMN;
    for (uint32_t i = 0; i < column; i++) {
        end += has_column(i) ? COLUMN_WIDTH : 0;
    }
    return end;
}

/* Moments of a series that lie in the windows of a row. They ascend. */
static uint32_t towers_in(const struct ic_series *towers, uint32_t row) {
    uint32_t count = 0;
    uint32_t window_row = 0;
    uint64_t window_end = contest.window;
    for (uint32_t i = 0; i < towers->count; i++) {
        while ((uint64_t)towers->ticks[i] >= window_end) {
            window_end += contest.window;
            window_row = window_row + 1U < rows() ? window_row + 1U : 0;
        }
        count += window_row == row;
    }
    return count;
}

static uint32_t towers_of(const struct competitor *competitor, uint32_t row) {
    uint32_t count = 0;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        count += competitor->towers[core] != NULL ? towers_in(competitor->towers[core], row) : 0;
    }
    return count;
}

static void tell_head(struct ic_text *line) {
    ic_text_add(line, "towers of ");
    ic_text_number(line, contest.discs);
    ic_text_add(line, " discs in ");
    ic_text_number(line, contest.run->values[P_WINDOW]);
    ic_text_add(line, " ms");
    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (has_column(i)) {
            ic_text_add_right(line, column_end(i), columns[i]);
        }
    }
}

/* Who takes part, and does what if it is not work: "task0, task1 (main spins)". */
static void tell_names(struct ic_text *line) {
    static const char *const without_work[ROLES] = {[BLOCK] = " blocks)", [DELAY] = " delays)", [SPIN] = " spins)"};
    const char *before = "";
    for (uint32_t i = 0; i <= FREE; i++) {
        if (contest.competitors[i].role == WORK) {
            ic_text_add(line, before);
            ic_text_add(line, columns[i]);
            before = ", ";
        }
    }
    for (uint32_t i = 0; i < FREE; i++) {
        const char *does = without_work[contest.competitors[i].role];
        if (does != NULL) {
            ic_text_add(line, " (");
            ic_text_add(line, columns[i]);
            ic_text_add(line, does);
        }
    }
}

static void tell_row(struct ic_text *line, uint32_t row) {
    uint32_t towers[COLUMNS] = {0};
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        uint32_t count = towers_of(&contest.competitors[i], row);
        towers[i < FREE ? i : COLUMN_FREE] += count;
        towers[COLUMN_TOTAL] += count;
    }
    tell_names(line);
    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (has_column(i)) {
            ic_text_number_right(line, column_end(i), towers[i]);
        }
    }
    if (windows_of(row) > 1) {
        ic_text_add(line, "  in ");
        ic_text_number(line, windows_of(row));
        ic_text_add(line, " windows");
    }
}

/* The towers of each competitor and of all, a row for each that has been measured. */
static bool tell(const struct ic_run *run, uint32_t index, struct ic_text *line) {
    (void)run; /* the last one: `contest` has what came of it */
    if (index > rows() || (index > 0 && windows_of(index - 1U) == 0)) {
        return false;
    }
    set_roles(index == 0 ? 0 : index - 1U);
    if (index == 0) {
        tell_head(line);
    } else {
        tell_row(line, index - 1U);
    }
    return true;
}

const struct ic_benchmark ic_benchmark_contention = {
    .name = "contention",
    .summary = "towers of Hanoi that tasks and the main loop get done in a window, when they compete for the cores",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 1,
    .series_count = 1,
    .possible = possible,
    .measure = measure,
    .tell = tell,
};
