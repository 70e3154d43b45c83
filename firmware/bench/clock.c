/* The benchmark `clock`: how far the difference between a clock reading on one core and a clock reading on another can
 * be trusted, for the common clock (one clock for all cores) and for each core's own cycle counter.
 *
 * With time=common, a sample is the interval between a reading of the common clock on one core and a reading on the
 * same or another core.
 *
 * Every other benchmark subtracts such readings, too. Two tasks of equal priority measure each interval, one pinned to
 * core `from`, the other to core `to`:
 *
 *   from   wakes, reads the clock, notifies the other task and waits
 *   to     wakes, waits for a random time, then reads the clock
 *
 * So an interval is a wake-up latency plus a random time of up to `longest_us`. While one task is active, the other
 * task sleeps. Before a task reads the clock, it gives the other core time to fall asleep: on a chip whose cores share
 * a bus, a busy core slows the readings of the other core.
 *
 * Only a simulator, which observes both cores from outside, knows the true interval (docs/pico.md). Without a
 * simulator, two things are known. An interval must not be negative, which is checked. The shortest intervals in both
 * directions between two cores bound the offset of their clocks.
 *
 * With time=counter, the benchmark compares each core's own counter (port_cycles()) with the common clock. The same two
 * tasks, in the same sequence, read the common clock, the counter of their core, and the common clock again. Three
 * series per core N hold the raw readings:
 *
 *   common.N   the first reading of the common clock
 *   around.N   the second reading minus the first: the counter was read within this time
 *   counter.N  the reading of the counter
 *
 * The host computes from these readings each counter's offset from the common clock and its drift, with an uncertainty
 * of half of `around`. */
#include "benchmarks.h"
#include "busy_wait.h"
#include "port.h"
#include "run.h"

/* Iterations of an empty loop that let the other core fall asleep: about 10 µs on a microcontroller */
#define SETTLING_TURNS 200U

enum { P_FROM, P_TO, P_LONGEST, P_TIME, PARAMETER_COUNT };
enum time { TIME_COMMON, TIME_COUNTER };

static const char *const times[] = {"common", "counter"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_FROM] = {.name = "from", .help = "core that reads the clock first", .limit = last_core},
    [P_TO] = {.name = "to", .help = "core that reads it second", .preset = IC_PRESET_MAX, .limit = last_core},
    [P_LONGEST] = {.name = "longest_us",
                   .help = "longest random time between the readings, in microseconds",
                   .max = 100000,
                   .preset = 1000},
    [P_TIME] = {.name = "time",
                .help = "clock to read: the common one, or the cores' counters against it",
                .choices = times,
                .choice_count = 2},
};

struct side {
    port_task_t task;
    uint32_t core;
    uint64_t at;      /* reading of the common clock */
    uint64_t counter; /* reading of the core's counter, after the clock */
    uint64_t until;   /* second reading of the common clock, after the counter */
    bool migrated;
    uint64_t preempted;
};

static struct {
    port_task_t *leader;
    struct side from;
    struct side to;
    uint32_t turns; /* iterations for which the task on core `to` waits before it reads the clock */
    bool dismissed; /* a task that is woken while this is true ends */
} pair PORT_SHARED(clock);

/* Must not be inlined: a probe of the simulator (a point in the code that it watches) finds this function by its name.
 * The probe's interval begins with the function's first instruction, right after the first clock reading was taken. */
static __attribute__((noinline)) void clock_hand_over(void) { port_notify(&pair.to.task); }

static void end_turn(struct side *side, uint64_t at) {
    side->at = at;
    side->migrated = side->migrated || port_core_id() != side->core;
    port_notify(pair.leader);
}

/* Waits until woken; returns false if the task must end. */
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
        ic_busy_wait(SETTLING_TURNS);
        uint64_t now = port_clock();
        clock_hand_over();
        end_turn(side, now);
    }
}
PORT_ENTRY(read_first);

static void read_second(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        ic_busy_wait(SETTLING_TURNS + pair.turns);
        end_turn(side, port_clock());
    }
}
PORT_ENTRY(read_second);

static void read_counter(struct side *side) {
    uint64_t before = port_clock();
    uint64_t counter = port_cycles();
    uint64_t after = port_clock();
    side->counter = counter;
    side->until = after;
    if (side == &pair.from) {
        port_notify(&pair.to.task);
    }
    end_turn(side, before);
}

static void read_counter_first(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        ic_busy_wait(SETTLING_TURNS);
        read_counter(side);
    }
}
PORT_ENTRY(read_counter_first);

static void read_counter_second(void *arg) {
    struct side *side = arg;
    while (await_turn(side)) {
        ic_busy_wait(SETTLING_TURNS + pair.turns);
        read_counter(side);
    }
}
PORT_ENTRY(read_counter_second);

static bool start(struct ic_run *run, struct side *side, uint32_t core, void (*entry)(void *)) {
    side->core = core;
    side->migrated = false;
    side->preempted = 0;
    side->counter = 0;
    struct port_task_config config = {.name = "clock", .entry = entry, .arg = side, .core = core, .priority = 2};
    return port_task_start(&side->task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

/* Ends a task and counts its migrations and preemptions. */
static void dismiss(struct ic_run *run, struct side *side) {
    pair.dismissed = true;
    port_notify(&side->task);
    port_task_join(&side->task);
    run->checks.migrated += side->migrated;
    run->checks.preempted += side->preempted;
}

/* Wakes the task on core `from`, which wakes the task on core `to`. Returns when both have read their clocks once. */
static void take_turns(struct ic_run *run, uint32_t most_turns) {
    pair.turns = ic_random_below(&run->random, most_turns + 1U);
    ic_run_dither(run);
    port_notify(&pair.from.task);
    port_notify_take(); /* one task has finished */
    port_notify_take(); /* both tasks have */
}

static void take(struct ic_run *run, struct ic_series *series, uint32_t most_turns) {
    take_turns(run, most_turns);
    int64_t interval = (int64_t)(pair.to.at - pair.from.at);
    ic_run_check(run, interval >= 0);
    if (series != NULL) {
        ic_run_sample(run, series, interval);
    }
}

static bool measure_intervals(struct ic_run *run, uint32_t most_turns) {
    struct ic_series *series = ic_run_series(run, "interval");
    if (series == NULL) {
        return false;
    }
    take(run, NULL, most_turns); /* warms the caches */
    while (ic_run_repeat(run)) {
        take(run, series, most_turns);
    }
    return true;
}

/* The series of the readings on one core */
struct readings {
    struct ic_series *common;
    struct ic_series *around;
    struct ic_series *counter;
};

static bool open_readings(struct ic_run *run, struct readings *readings, uint32_t core) {
    uint32_t count = ic_run_common(run, IC_COMMON_SAMPLES);
    readings->common = ic_samples_open("common", core, count);
    readings->around = ic_samples_open("around", core, count);
    readings->counter = ic_samples_open("counter", core, count);
    if (readings->common == NULL || readings->around == NULL || readings->counter == NULL) {
        return ic_error_set(&run->error, "out-of-range", "the target has no memory for that many readings of each ",
                            "counter", ": ask for fewer samples");
    }
    readings->counter->clock = IC_CLOCK_COUNTER;
    readings->common->unit = IC_UNIT_MOMENT;
    readings->counter->unit = IC_UNIT_MOMENT;
    return true;
}

static void keep(struct ic_run *run, const struct readings *readings, const struct side *side) {
    ic_run_sample(run, readings->common, (int64_t)side->at);
    ic_run_sample(run, readings->around, (int64_t)(side->until - side->at));
    ic_run_sample(run, readings->counter, (int64_t)side->counter);
}

static bool measure_counters(struct ic_run *run, uint32_t most_turns) {
    bool apart = run->values[P_FROM] != run->values[P_TO];
    struct readings from;
    struct readings to;
    if (!open_readings(run, &from, run->values[P_FROM]) || (apart && !open_readings(run, &to, run->values[P_TO]))) {
        return false;
    }
    take_turns(run, most_turns); /* warms the caches */
    while (ic_run_repeat(run)) {
        uint64_t last[] = {pair.from.counter, pair.to.counter};
        take_turns(run, most_turns);
        ic_run_check(run, pair.from.counter > last[0] && pair.to.counter > last[1] && pair.from.until >= pair.from.at &&
                              pair.to.until >= pair.to.at);
        keep(run, &from, &pair.from);
        if (apart) {
            keep(run, &to, &pair.to);
        }
    }
    return true;
}

static bool measure(struct ic_run *run) {
    bool counted = run->values[P_TIME] == TIME_COUNTER;
    pair.leader = port_task_self();
    pair.dismissed = false;
    if (!start(run, &pair.to, run->values[P_TO], counted ? read_counter_second : read_second)) {
        return false;
    }
    if (!start(run, &pair.from, run->values[P_FROM], counted ? read_counter_first : read_first)) {
        dismiss(run, &pair.to);
        return false;
    }
    uint32_t most_turns = ic_busy_wait_turns(run->values[P_LONGEST] * port_clock_hz() / 1000000U);
    bool taken = counted ? measure_counters(run, most_turns) : measure_intervals(run, most_turns);
    dismiss(run, &pair.from);
    dismiss(run, &pair.to);
    return taken;
}

const struct ic_benchmark ic_benchmark_clock = {
    .name = "clock",
    .summary = "intervals between readings of the common clock on one core or two; the cores' counters against it",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 1000,
    .series_count = 1,
    .measure = measure,
};
