/* clock: intervals between a reading of the common clock on one core and a reading on the same or another core.
 *
 * Every other benchmark subtracts two such readings: this one shows how far the difference can be trusted. Two tasks
 * of equal priority take each interval, one pinned to core `from`, the other to core `to`:
 *
 *   from   wakes, reads the clock, then notifies the other and waits
 *   to     wakes, lets a random time pass, then reads the clock
 *
 * so an interval is a wake-up and a time up to `longest_us`. Whoever does not have the turn sleeps, and whoever has it
 * gives the other time to fall asleep before it reads: on a chip whose cores share a bus, a busy core slows the
 * other's readings.
 *
 * What an interval must be is known to a simulator alone, which sees both cores from outside (docs/pico.md). What can
 * be told without one: an interval is never negative, which is checked, and the shortest ones of both directions
 * between two cores bound how far their clocks are apart. */
#include "benchmarks.h"
#include "busy.h"
#include "port.h"
#include "run.h"

/* Turns after which the other core sleeps: some ten microseconds on a microcontroller. */
#define SETTLING_TURNS 200U

enum { P_FROM, P_TO, P_LONGEST, PARAMETER_COUNT };

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_FROM] = {.name = "from", .help = "core that reads the clock first", .limit = last_core},
    [P_TO] = {.name = "to", .help = "core that reads it second", .preset = IC_PRESET_MAX, .limit = last_core},
    [P_LONGEST] = {.name = "longest_us",
                   .help = "longest random time between the readings, in microseconds",
                   .max = 100000,
                   .preset = 1000},
};

struct side {
    port_task_t task;
    uint32_t core;
    uint64_t at; /* its reading */
    bool migrated;
    uint64_t preempted;
};

static struct {
    port_task_t *leader;
    struct side from;
    struct side to;
    uint32_t turns; /* that `to` lets pass before it reads */
    bool dismissed; /* read by a task after it has been woken */
} pair;

/* Where an interval begins for an observer from outside: the first instruction behind the first reading and what keeps
 * its value. Not to be inlined, because the observer finds it by its name. */
static __attribute__((noinline)) void clock_hand_over(void) { port_notify(&pair.to.task); }

static void end_turn(struct side *side, uint64_t at) {
    side->at = at;
    side->migrated = side->migrated || port_core_id() != side->core;
    port_notify(pair.leader);
}

/* Waits for the next turn; false if there is none. */
static bool await_turn(struct side *side) {
    port_notify_take();
    if (pair.dismissed) {
        side->preempted = port_preemptions();
        return false;
    }
    return true;
}

static void read_first(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        ic_busy(SETTLING_TURNS);
        uint64_t now = port_clock();
        clock_hand_over();
        end_turn(side, now);
    }
}

static void read_second(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        ic_busy(SETTLING_TURNS + pair.turns);
        end_turn(side, port_clock());
    }
}

static bool start(struct ic_run *run, struct side *side, uint32_t core, void (*entry)(void *)) {
    side->core = core;
    side->migrated = false;
    side->preempted = 0;
    struct port_task_config config = {.name = "clock", .entry = entry, .arg = side, .core = core, .priority = 2};
    return port_task_start(&side->task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

/* Ends a task and counts what it noted. */
static void dismiss(struct ic_run *run, struct side *side) {
    pair.dismissed = true;
    port_notify(&side->task);
    port_task_join(&side->task);
    run->checks.migrated += side->migrated;
    run->checks.preempted += side->preempted;
}

static void take(struct ic_run *run, struct ic_series *series, uint32_t most_turns) {
    pair.turns = ic_random_below(&run->random, most_turns + 1U);
    ic_run_dither(run);
    port_notify(&pair.from.task);
    port_notify_take(); /* of either */
    port_notify_take(); /* of the other */
    int64_t interval = (int64_t)(pair.to.at - pair.from.at);
    ic_run_check(run, interval >= 0);
    if (series != NULL) {
        ic_run_sample(run, series, interval);
    }
}

static bool measure(struct ic_run *run) {
    struct ic_series *series = ic_run_series(run, "interval");
    if (series == NULL) {
        return false;
    }
    pair.leader = port_task_self();
    pair.dismissed = false;
    if (!start(run, &pair.to, run->values[P_TO], read_second)) {
        return false;
    }
    if (!start(run, &pair.from, run->values[P_FROM], read_first)) {
        dismiss(run, &pair.to);
        return false;
    }
    uint32_t most_turns = ic_busy_turns(run->values[P_LONGEST] * port_clock_hz() / 1000000U);
    take(run, NULL, most_turns); /* warms caches */
    while (ic_run_repeat(run)) {
        take(run, series, most_turns);
    }
    dismiss(run, &pair.from);
    dismiss(run, &pair.to);
    return true;
}

const struct ic_benchmark ic_benchmark_clock = {
    .name = "clock",
    .summary = "intervals between two readings of the common clock, on one core or from one to another",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 1000,
    .series_count = 1,
    .measure = measure,
};
