/* The benchmark `lock`: the cost of mutual exclusion between cores. There is one task on each of two or more cores, all
 * with the same priority.
 *
 * measure=hand-off
 *
 *   Series `there`: the time from before the release on core `from` until after the acquisition on core `to`, which
 *   waits for the lock. Series `back`: the same in the other direction. The waiting core begins to wait about 50 µs
 *   before the release, so that a task that blocks has blocked by then. A random delay of up to `hold` iterations of an
 *   empty loop shifts the release against the loop of the waiting core.
 *
 * measure=contention
 *
 *   In a bout, cores 0 to `cores` - 1 acquire the lock as often as they can, until one of them has acquired it `rounds`
 *   times. Series `taken.<core>`: the moment of each acquisition by that core, read right after the acquisition, with
 *   the lock held. Series `bout`: the length of each bout. Bouts are laid end to end: a moment is the sum of the
 *   lengths of all bouts before, plus the time since the start of its own bout. A core runs `hold` iterations of a loop
 *   with the lock held and `pause` iterations without it.
 *
 * measure=ping-pong
 *
 *   Series `round_trips`: the time in which a word goes from core `from` to core `to` and back, `batch` times. Both
 *   cores poll, so the one-way time is half of a round trip. Only atomic operations can be measured in this way;
 *   lock=atomic-swap measures the same as the tool core-to-core-latency.
 *
 * The choices of `lock` are the locks of port_objects.h and port_lock.h, and atomic operations on a counter, which hold
 * no lock. In a hand-off, one core increments the counter, and the other core polls it with the same operation until it
 * has changed. In contention, an acquisition is an addition to the counter, or a successful swap of its value for the
 * value plus one; `hold` has no effect. In the ping-pong, the counter is the word.
 *
 * Parameters with which there is nothing to measure (a ping-pong of a mutex, a hand-off from a core to itself,
 * contention of one core) are refused.
 *
 * The mutual exclusion is checked: each task that holds the lock increments a counter without atomic operations. If two
 * cores held the lock at once, an increment would be lost. */
#include "benchmarks.h"
#include "match.h"

/* A release is delayed by a random number of steps of a few cycles each, at most this many. So it happens at different
 * points in the loop in which the other core waits for the lock. */
#define STEPS 8U

enum { P_MEASURE, P_LOCK, P_FROM, P_TO, P_CORES, P_HOLD, P_PAUSE, P_ROUNDS, P_BATCH, PARAMETER_COUNT };

static const char *const measures[MEASURES] = {"hand-off", "contention", "ping-pong"};
static const char *const locks[LOCKS] = {"mutex", "spinlock", "critical-section", "atomic-add", "atomic-swap"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_MEASURE] = {.name = "measure", .help = "what is timed", .choices = measures, .choice_count = MEASURES},
    [P_LOCK] = {.name = "lock", .help = "kind of lock", .choices = locks, .choice_count = LOCKS},
    [P_FROM] = {.name = "from", .help = "hand-off, ping-pong: core that holds it first", .limit = last_core},
    [P_TO] = {.name = "to",
              .help = "hand-off, ping-pong: core that gets it",
              .preset = IC_PRESET_MAX,
              .limit = last_core},
    [P_CORES] = {.name = "cores",
                 .help = "contention: competing cores, from core 0 up",
                 .min = 1,
                 .preset = IC_PRESET_MAX,
                 .limit = port_core_count},
    [P_HOLD] = {.name = "hold",
                .help = "loop iterations inside the lock; hand-off: a random number up to this",
                .max = 1000000,
                .preset = 10},
    [P_PAUSE] = {.name = "pause",
                 .help = "contention: loop iterations from a release to the next attempt",
                 .max = 1000000,
                 .preset = 10},
    [P_ROUNDS] = {.name = "rounds",
                  .help = "contention: acquisitions by one core that end a bout",
                  .min = 1,
                  .max = 100000,
                  .preset = 32},
    [P_BATCH] = {.name = "batch", .help = "ping-pong: round trips per sample", .min = 1, .max = 100000, .preset = 100},
};

/* Makes every task take part in one repetition. The tasks on other cores are woken first: a task on the console task's
 * core preempts the console task at once, and spins until all tasks have begun. */
static void repeat_once(void) {
    ic_match.met.value = 0;
    atomic_store(&ic_match.stage, 0);
    atomic_store(&ic_match.over, false);
    atomic_store(&ic_match.started, false);
    ic_match.atomic.value = 0;
    ic_match.plain = 0;
    for (uint32_t i = 0; i < ic_match.sides; i++) {
        struct side *side = &ic_match.side[i];
        side->taken = 0;
        side->entered = 0;
        side->right = true;
    }
    for (uint32_t core = port_core_count(); core-- > 0;) {
        for (uint32_t i = 0; i < ic_match.sides; i++) {
            if (ic_match.side[i].core == core) {
                port_notify(&ic_match.side[i].task);
            }
        }
    }
    for (uint32_t i = 0; i < ic_match.sides; i++) {
        port_notify_take();
    }
}

/* Checks the mutual exclusion: the counter must equal the number of increments that all tasks have made. */
static void check(enum measure measure, enum lock lock) {
    uint32_t wanted = 0;
    bool right = true;
    for (uint32_t i = 0; i < ic_match.sides; i++) {
        wanted += ic_match.side[i].entered;
        right = right && ic_match.side[i].right;
    }
    if (measure == PING_PONG) {
        wanted = 2U * ic_match.batch + 1U;
    } else if (measure == HAND_OFF) {
        wanted = 2U;
    }
    ic_run_check(ic_match.run, right && ic_lock_counted(lock) == wanted);
}

/* Length of a bout (a competition for the lock): from its start to the last acquisition by any core */
static uint64_t bout_length(void) {
    uint64_t end = ic_match.start;
    for (uint32_t i = 0; i < ic_match.sides; i++) {
        end = ic_match.side[i].got > end ? ic_match.side[i].got : end;
    }
    return end - ic_match.start;
}

struct times {
    struct ic_series *there;
    struct ic_series *back;
};

static void take(enum measure measure, enum lock lock, const struct times *times) {
    struct ic_run *run = ic_match.run;
    const struct side *first = &ic_match.side[0];
    const struct side *second = &ic_match.side[1];
    ic_match.records = times != NULL;
    ic_match.waits = ic_random_below(&run->random, ic_match.hold + 1U);
    ic_match.bits = ic_random_below(&run->random, 1U << STEPS);
    ic_run_dither(run);
    repeat_once();
    check(measure, lock);
    if (times == NULL) {
        ic_match.before = 0;
    } else if (measure == HAND_OFF) {
        ic_run_sample(run, times->there, (int64_t)(second->got - first->at));
        ic_run_sample(run, times->back, (int64_t)(first->got - second->at));
    } else if (measure == CONTENTION) {
        uint64_t length = bout_length();
        ic_match.before += length;
        ic_run_sample(run, times->there, (int64_t)length);
    } else {
        ic_run_sample(run, times->there, (int64_t)(first->got - first->at));
    }
}

static bool start(struct side *side) {
    side->migrated = false;
    side->preempted = 0;
    struct port_task_config config = {
        .name = "lock", .entry = ic_lock_play_match, .arg = side, .core = side->core, .priority = 2};
    return port_task_start(&side->task, &config) == PORT_OK ||
           ic_error_set(&ic_match.run->error, "failed", "a task could not be started on every core", "", "");
}

/* Ends the first `sides` tasks and counts their migrations and preemptions. */
static void dismiss(uint32_t sides) {
    ic_match.dismissed = true;
    for (uint32_t i = 0; i < sides; i++) {
        struct side *side = &ic_match.side[i];
        port_notify(&side->task);
        port_task_join(&side->task);
        ic_match.run->checks.migrated += side->migrated;
        ic_match.run->checks.preempted += side->preempted;
    }
}

static bool play_all(enum measure measure, enum lock lock, const struct times *times) {
    for (uint32_t i = 0; i < ic_match.sides; i++) {
        if (!start(&ic_match.side[i])) {
            dismiss(i);
            return false;
        }
    }
    take(measure, lock, NULL); /* warms the caches */
    while (ic_run_repeat(ic_match.run)) {
        take(measure, lock, times);
    }
    dismiss(ic_match.sides);
    return true;
}

static void set_up(const uint32_t *values, enum measure measure) {
    ic_match.sides = measure == CONTENTION ? values[P_CORES] : 2;
    for (uint32_t i = 0; i < ic_match.sides; i++) {
        ic_match.side[i].core = measure == CONTENTION ? i : values[i == 0 ? P_FROM : P_TO];
        ic_match.side[i].first = i == 0;
    }
}

static bool open_series(struct ic_run *run, enum measure measure, struct times *times) {
    static const char *const names[MEASURES] = {"there", "bout", "round_trips"};
    times->there = ic_run_series(run, names[measure]);
    times->back = measure == HAND_OFF ? ic_run_series(run, "back") : NULL;
    if (times->there == NULL || (measure == HAND_OFF && times->back == NULL)) {
        return false;
    }
    uint64_t capacity = (uint64_t)ic_match.rounds * run->checks.repetitions;
    for (uint32_t i = 0; measure == CONTENTION && i < ic_match.sides; i++) {
        ic_match.side[i].moments =
            capacity <= ic_samples_room() ? ic_samples_open("taken", i, (uint32_t)capacity) : NULL;
        if (ic_match.side[i].moments == NULL) {
            return ic_error_set(&run->error, "out-of-range", "the target has no memory for that many ", "rounds",
                                ": take fewer rounds or samples");
        }
        ic_match.side[i].moments->unit = IC_UNIT_MOMENT;
    }
    return true;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    const uint32_t *values = run->values;
    if (ic_lock_calls[values[P_LOCK]].play[values[P_MEASURE]] == NULL) {
        return ic_error_set(error, "unsupported", "this measure does not exist with lock=", locks[values[P_LOCK]], "");
    }
    if (values[P_MEASURE] == CONTENTION) {
        return values[P_CORES] > 1 ||
               ic_error_set(error, "out-of-range", "contention needs at least two cores: cores=2", "", "");
    }
    return values[P_FROM] != values[P_TO] ||
           ic_error_set(error, "unsupported", "from and to must be different cores", "", "");
}

static bool measure(struct ic_run *run) {
    enum measure measured = (enum measure)run->values[P_MEASURE];
    enum lock lock = (enum lock)run->values[P_LOCK];
    ic_match.run = run;
    ic_match.leader = port_task_self();
    ic_match.calls = &ic_lock_calls[lock];
    ic_match.play = ic_match.calls->play[measured];
    ic_match.hold = run->values[P_HOLD];
    ic_match.pause = run->values[P_PAUSE];
    ic_match.rounds = run->values[P_ROUNDS];
    ic_match.batch = run->values[P_BATCH];
    ic_match.before = 0;
    ic_match.dismissed = false;
    set_up(run->values, measured);
    struct times times;
    if (!open_series(run, measured, &times)) {
        return false;
    }
    if (!ic_lock_make(lock)) {
        return ic_error_set(&run->error, "failed", "the platform has no ", locks[lock], " left");
    }
    bool taken = play_all(measured, lock, &times);
    ic_lock_unmake(lock);
    return taken;
}

const struct ic_benchmark ic_benchmark_lock = {
    .name = "lock",
    .summary = "lock hand-off from core to core; throughput and fairness of a contended lock",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 100,
    .series_count = 2,
    .possible = possible,
    .measure = measure,
};
