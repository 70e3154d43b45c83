/* lock: what it costs that only one core at a time may go on. One task on each of two or more cores, of one priority.
 *
 * measure=hand-over
 *
 *   From before the release on core `from` to after the acquisition on core `to`, which is waiting: `there`; then
 *   `back`, the other way. The waiting core begins to wait some 50 µs before, so what blocks is asleep by then; a
 *   random time of up to `hold` turns shifts the release against its loop.
 *
 * measure=contention
 *
 *   Bouts in which cores 0 to `cores` - 1 acquire the lock as often as they can, until one of them has had it `rounds`
 *   times. `taken.<core>`: the moment of each acquisition by that core, read right after it, inside the lock. `bout`:
 *   the length of each bout. Bouts are laid end to end: a moment is the lengths of the bouts before, and the time since
 *   the begin of its own. A core works for `hold` turns of a loop inside the lock and for `pause` turns outside.
 *
 * measure=ping-pong
 *
 *   A word goes from core `from` to core `to` and back, `batch` times: `round_trips`. Both poll, so the time of one way
 *   is that of a round trip through 2. Of atomic operations only; with lock=atomic-swap it is what the program
 *   core-to-core-latency measures.
 *
 * The lock is one of those of port_objects.h and port_lock.h. Atomic operations hold nothing; with them a hand-over is
 * of a turn, a counter that one core changes and the other asks for by that operation until it is its own turn;
 * contention is for the counter, which is added to, or swapped for one more than was seen until nobody else was faster:
 * that is the acquisition, and `hold` does nothing; and the word of the ping-pong is the counter.
 *
 * Where there is nothing to measure (a ping-pong of a mutex, a hand-over from a core to itself, contention of one
 * core), the setting is impossible.
 *
 * What the lock protects is checked: a counter that is not atomic loses an addition if two cores are inside at once. */
#include <stdatomic.h>

#include "benchmarks.h"
#include "port.h"
#include "port_lock.h"
#include "port_objects.h"
#include "run.h"

/* Time after which who waits is asleep, if it sleeps at all. */
#define SETTLING_US 50U
/* Steps of a few cycles by which a release is shifted at most. */
#define STEPS 8U

/* What is timed is made once for each lock: neither a branch nor a call through a pointer stands inside. */
#define FOR_EACH_LOCK static inline __attribute__((always_inline))

enum { P_MEASURE, P_LOCK, P_FROM, P_TO, P_CORES, P_HOLD, P_PAUSE, P_ROUNDS, P_BATCH, PARAMETER_COUNT };
enum measure { HAND_OVER, CONTENTION, PING_PONG, MEASURES };
enum lock { MUTEX, SPINLOCK, CRITICAL_SECTION, ATOMIC_ADD, ATOMIC_SWAP, LOCKS };

static const char *const measures[MEASURES] = {"hand-over", "contention", "ping-pong"};
static const char *const locks[LOCKS] = {"mutex", "spinlock", "critical-section", "atomic-add", "atomic-swap"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_MEASURE] = {.name = "measure", .help = "what is timed", .choices = measures, .choice_count = MEASURES},
    [P_LOCK] = {.name = "lock", .help = "what keeps the cores apart", .choices = locks, .choice_count = LOCKS},
    [P_FROM] = {.name = "from", .help = "hand-over, ping-pong: core that has it first", .limit = last_core},
    [P_TO] = {.name = "to",
              .help = "hand-over, ping-pong: core that gets it, another one",
              .preset = IC_PRESET_MAX,
              .limit = last_core},
    [P_CORES] = {.name = "cores",
                 .help = "contention: cores that want it, from core 0 up",
                 .min = 1,
                 .preset = IC_PRESET_MAX,
                 .limit = port_core_count},
    [P_HOLD] = {.name = "hold",
                .help = "turns of a loop inside the lock; hand-over: the most of a random number",
                .max = 1000000,
                .preset = 10},
    [P_PAUSE] = {.name = "pause",
                 .help = "contention: turns of a loop from each release to the next attempt",
                 .max = 1000000,
                 .preset = 10},
    [P_ROUNDS] = {.name = "rounds",
                  .help = "contention: acquisitions by one core that end a bout",
                  .min = 1,
                  .max = 100000,
                  .preset = 32},
    [P_BATCH] = {.name = "batch", .help = "ping-pong: round trips per sample", .min = 1, .max = 100000, .preset = 100},
};

/* A task and its core. */
struct side {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    uint32_t core;
    bool first;                /* hand-over, ping-pong: begins */
    struct ic_series *moments; /* contention */
    uint32_t taken;            /* in this bout, while it lasted */
    uint32_t entered;          /* as often as it had the lock */
    uint64_t at;               /* of its release */
    uint64_t got;              /* of its acquisition */
    bool right;
    bool migrated;
    uint64_t preempted;
};

/* What a repetition does with a lock. */
struct calls {
    bool is_held;
    uint64_t (*acquire)(uint32_t turn);
    uint64_t (*release)(uint32_t turn);
    void (*play[MEASURES])(struct side *side); /* NULL: there is nothing to measure */
};

static struct {
    struct ic_run *run;
    port_task_t *leader;
    const struct calls *calls;
    void (*play)(struct side *side);
    uint32_t sides; /* tasks, at least 2 */
    uint32_t hold;
    uint32_t pause;
    uint32_t rounds;
    uint32_t batch;
    bool records;
    bool dismissed; /* read by a task after it has been woken */
    struct side side[PORT_CORES_MAX];

    /* Of the present repetition. */
    uint32_t waits; /* hand-over: turns before the release, there and back */
    uint32_t bits;  /* and steps */
    volatile uint32_t step;
    uint64_t before; /* contention: lengths of the bouts before */
    _Alignas(PORT_CACHE_LINE) port_atomic_t met;
    _Alignas(PORT_CACHE_LINE) atomic_uint stage; /* hand-over */
    _Alignas(PORT_CACHE_LINE) atomic_bool over;
    uint64_t start;
    atomic_bool started;

    /* What the cores want. */
    _Alignas(PORT_CACHE_LINE) port_mutex_t mutex;
    _Alignas(PORT_CACHE_LINE) port_spinlock_t spinlock;
    _Alignas(PORT_CACHE_LINE) port_atomic_t atomic;
    _Alignas(PORT_CACHE_LINE) volatile uint32_t plain; /* volatile: each change of it is a reading and a writing */
} match;

/* ---- the locks ---- */

FOR_EACH_LOCK bool is_atomic(enum lock lock) { return lock == ATOMIC_ADD || lock == ATOMIC_SWAP; }

FOR_EACH_LOCK void enter(enum lock lock) {
    if (lock == MUTEX) {
        port_mutex_lock(&match.mutex);
    } else if (lock == SPINLOCK) {
        port_spinlock_lock(&match.spinlock);
    } else if (lock == CRITICAL_SECTION) {
        port_critical_enter();
    }
}

FOR_EACH_LOCK void leave(enum lock lock) {
    if (lock == MUTEX) {
        port_mutex_unlock(&match.mutex);
    } else if (lock == SPINLOCK) {
        port_spinlock_unlock(&match.spinlock);
    } else if (lock == CRITICAL_SECTION) {
        port_critical_exit();
    }
}

static bool make(enum lock lock) {
    if (lock == MUTEX) {
        return port_mutex_init(&match.mutex) == PORT_OK;
    }
    return lock != SPINLOCK || port_spinlock_init(&match.spinlock) == PORT_OK;
}

static void unmake(enum lock lock) {
    if (lock == MUTEX) {
        port_mutex_destroy(&match.mutex);
    } else if (lock == SPINLOCK) {
        port_spinlock_destroy(&match.spinlock);
    }
}

/* Adds one to the counter, by an atomic operation. */
FOR_EACH_LOCK void count(enum lock lock) {
    if (lock == ATOMIC_ADD) {
        (void)port_atomic_add(&match.atomic, 1);
        return;
    }
    uint32_t before;
    do {
        before = match.atomic.value;
    } while (!port_atomic_swap(&match.atomic, before, before + 1U));
}

/* How often what is protected was changed. */
static uint32_t counted(enum lock lock) { return is_atomic(lock) ? match.atomic.value : match.plain; }

static void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

/* Some turns, and a step of a few cycles more for each bit that is set: turns alone would always meet the loop of who
 * waits at the same place if the one loop's length is a multiple of the other's. */
static void shift(uint32_t turns, uint32_t bits) {
    let_pass(turns);
    for (; bits != 0; bits >>= 1U) {
        if ((bits & 1U) != 0) {
            match.step = bits;
        }
    }
}

static void settle(void) {
    uint64_t start = port_clock();
    uint64_t wait = SETTLING_US * port_clock_hz() / 1000000U;
    while (port_clock() - start < wait) {
    }
}

/* All begin together: returns when every task of the match is here, on its core. */
static void meet(void) {
    if (port_atomic_add(&match.met, 1) + 1U == match.sides) {
        match.start = port_clock();
        atomic_store_explicit(&match.started, true, memory_order_release);
    }
    while (!atomic_load_explicit(&match.started, memory_order_acquire)) {
    }
}

/* ---- hand-over ---- */

/* Waits until it is this turn; has the lock then. Returns the clock right after. */
FOR_EACH_LOCK uint64_t acquire(enum lock lock, uint32_t turn) {
    if (lock == ATOMIC_ADD) {
        while (port_atomic_add(&match.atomic, 0) != turn) {
        }
    } else if (lock == ATOMIC_SWAP) {
        while (!port_atomic_swap(&match.atomic, turn, turn)) {
        }
    } else {
        enter(lock);
    }
    return port_clock();
}

/* Makes it the turn after. Returns the clock right before. */
FOR_EACH_LOCK uint64_t release(enum lock lock, uint32_t turn) {
    uint64_t now = port_clock();
    if (lock == ATOMIC_ADD) {
        (void)port_atomic_add(&match.atomic, 1);
    } else if (lock == ATOMIC_SWAP) {
        (void)port_atomic_swap(&match.atomic, turn, turn + 1U);
    } else {
        leave(lock);
    }
    return now;
}

/* How far a repetition has come. Who asks is about to wait for it. */
enum { FIRST_HAS_IT = 1, SECOND_ASKS, SECOND_HAS_IT, FIRST_ASKS, FIRST_HAS_IT_BACK };

static void tell(uint32_t stage) { atomic_store_explicit(&match.stage, stage, memory_order_release); }

static bool is_at(uint32_t stage) { return atomic_load_explicit(&match.stage, memory_order_acquire) == stage; }

static void await(uint32_t stage) {
    while (!is_at(stage)) {
    }
}

/* Releases what this side has when the other has waited for it for some time. With a lock, does not wait for the other
 * to ask: in a critical section that could be for ever, for the other core may be in an interrupt handler that waits
 * for its end. */
static void give(struct side *side, uint32_t turn) {
    const struct calls *calls = match.calls;
    for (settle(); !is_at(turn == 0 ? SECOND_ASKS : FIRST_ASKS); settle()) {
        if (calls->is_held) {
            (void)calls->release(turn);
            (void)calls->acquire(turn);
        }
    }
    settle();
    if (calls->is_held) {
        side->right = side->right && match.plain == turn;
        match.plain = turn + 1U;
    }
    shift(match.waits, match.bits);
    side->at = calls->release(turn);
}

/* Has it when it returns. With a lock, gives it back if it came by it while the other did not give it. */
static void get(struct side *side, uint32_t turn) {
    const struct calls *calls = match.calls;
    tell(turn == 1 ? SECOND_ASKS : FIRST_ASKS);
    side->got = calls->acquire(turn);
    while (calls->is_held && match.plain != turn) {
        (void)calls->release(turn);
        side->got = calls->acquire(turn);
    }
}

/* The first side has turns 0 and 2 of a repetition, the second has turn 1. Who has released it waits until the other
 * has it, and stays out of the kernel: it must neither overtake the other nor keep it from the kernel's own locks. */
static void hand_over(struct side *side) {
    meet();
    if (side->first) {
        (void)match.calls->acquire(0);
        tell(FIRST_HAS_IT);
        give(side, 0);
        await(SECOND_HAS_IT);
        get(side, 2);
        tell(FIRST_HAS_IT_BACK);
        if (match.calls->is_held) {
            (void)match.calls->release(2);
        }
    } else {
        await(FIRST_HAS_IT);
        get(side, 1);
        tell(SECOND_HAS_IT);
        give(side, 1);
        await(FIRST_HAS_IT_BACK);
    }
}

/* ---- contention ---- */

/* Inside the lock: whether this acquisition is one of the bout. One core's last ends it; with atomic operations, which
 * hold nothing, others may be a little later. */
FOR_EACH_LOCK bool is_of_bout(struct side *side, uint64_t now) {
    if (atomic_load_explicit(&match.over, memory_order_acquire)) {
        return false;
    }
    side->got = now;
    if (++side->taken == match.rounds) {
        atomic_store_explicit(&match.over, true, memory_order_release);
    }
    return true;
}

FOR_EACH_LOCK void compete(struct side *side, enum lock lock) {
    bool is_one;
    meet();
    do {
        enter(lock);
        if (is_atomic(lock)) {
            count(lock);
        }
        uint64_t now = port_clock();
        is_one = is_of_bout(side, now);
        if (!is_atomic(lock)) { /* whoever else is inside meanwhile is found out */
            uint32_t before = match.plain;
            let_pass(match.hold);
            match.plain = before + 1U;
        }
        leave(lock);
        side->entered++;
        if (is_one && match.records) {
            (void)ic_samples_add(side->moments, (int64_t)(match.before + (now - match.start)));
        }
        let_pass(match.pause);
    } while (is_one);
}

/* ---- ping-pong ---- */

/* Changes the word from `mine` to one more, as soon as it is that. */
FOR_EACH_LOCK void bounce(enum lock lock, uint32_t mine) {
    if (lock == ATOMIC_ADD) {
        while (port_atomic_add(&match.atomic, 0) != mine) {
        }
        (void)port_atomic_add(&match.atomic, 1);
    } else {
        while (!port_atomic_swap(&match.atomic, mine, mine + 1U)) {
        }
    }
}

FOR_EACH_LOCK void ping_pong(struct side *side, enum lock lock) {
    uint32_t last = 2U * match.batch;
    uint32_t mine = side->first ? 0 : 1;
    meet();
    uint64_t start = port_clock();
    for (; mine < last; mine += 2) {
        bounce(lock, mine);
    }
    if (side->first) { /* the word's way back */
        bounce(lock, last);
        side->at = start;
        side->got = port_clock();
    }
}

/* ---- tasks ---- */

/* Waits for the next repetition; false if there is none. */
static bool await_turn(struct side *side) {
    port_notify_take();
    if (match.dismissed) {
        side->preempted = port_preemptions();
    }
    return !match.dismissed;
}

static void end_turn(struct side *side) {
    side->migrated = side->migrated || port_core_id() != side->core;
    port_notify(match.leader);
}

static void play_match(void *arg) {
    for (struct side *side = arg; await_turn(side); end_turn(side)) {
        match.play(side);
    }
}

#define CALLS_OF(NAME, LOCK)                                                                                           \
    static uint64_t acquire_##NAME(uint32_t turn) { return acquire(LOCK, turn); }                                      \
    static uint64_t release_##NAME(uint32_t turn) { return release(LOCK, turn); }                                      \
    static void compete_##NAME(struct side *side) { compete(side, LOCK); }

CALLS_OF(mutex, MUTEX)
CALLS_OF(spinlock, SPINLOCK)
CALLS_OF(critical_section, CRITICAL_SECTION)
CALLS_OF(atomic_add, ATOMIC_ADD)
CALLS_OF(atomic_swap, ATOMIC_SWAP)
static void bounce_atomic_add(struct side *side) { ping_pong(side, ATOMIC_ADD); }
static void bounce_atomic_swap(struct side *side) { ping_pong(side, ATOMIC_SWAP); }

static const struct calls all_calls[LOCKS] = {
    [MUTEX] = {true, acquire_mutex, release_mutex, {hand_over, compete_mutex, NULL}},
    [SPINLOCK] = {true, acquire_spinlock, release_spinlock, {hand_over, compete_spinlock, NULL}},
    [CRITICAL_SECTION] = {true,
                          acquire_critical_section,
                          release_critical_section,
                          {hand_over, compete_critical_section, NULL}},
    [ATOMIC_ADD] = {false, acquire_atomic_add, release_atomic_add, {hand_over, compete_atomic_add, bounce_atomic_add}},
    [ATOMIC_SWAP] = {false,
                     acquire_atomic_swap,
                     release_atomic_swap,
                     {hand_over, compete_atomic_swap, bounce_atomic_swap}},
};

/* ---- the benchmark ---- */

/* Lets every task do its part once. Those on far cores first: a task on the console's own core begins at once, and
 * waits for the others. */
static void repeat_once(void) {
    match.met.value = 0;
    atomic_store(&match.stage, 0);
    atomic_store(&match.over, false);
    atomic_store(&match.started, false);
    match.atomic.value = 0;
    match.plain = 0;
    for (uint32_t i = 0; i < match.sides; i++) {
        struct side *side = &match.side[i];
        side->taken = 0;
        side->entered = 0;
        side->right = true;
    }
    for (uint32_t core = port_core_count(); core-- > 0;) {
        for (uint32_t i = 0; i < match.sides; i++) {
            if (match.side[i].core == core) {
                port_notify(&match.side[i].task);
            }
        }
    }
    for (uint32_t i = 0; i < match.sides; i++) {
        port_notify_take();
    }
}

/* What was protected must have been counted as often as it was changed. */
static void check(enum measure measure, enum lock lock) {
    uint32_t wanted = 0;
    bool right = true;
    for (uint32_t i = 0; i < match.sides; i++) {
        wanted += match.side[i].entered;
        right = right && match.side[i].right;
    }
    if (measure == PING_PONG) {
        wanted = 2U * match.batch + 1U;
    } else if (measure == HAND_OVER) {
        wanted = 2U;
    }
    ic_run_check(match.run, right && counted(lock) == wanted);
}

/* From the begin of the bout to the last acquisition of any core. */
static uint64_t bout_length(void) {
    uint64_t end = match.start;
    for (uint32_t i = 0; i < match.sides; i++) {
        end = match.side[i].got > end ? match.side[i].got : end;
    }
    return end - match.start;
}

struct times {
    struct ic_series *there;
    struct ic_series *back;
};

static void take(enum measure measure, enum lock lock, const struct times *times) {
    struct ic_run *run = match.run;
    const struct side *first = &match.side[0];
    const struct side *second = &match.side[1];
    match.records = times != NULL;
    match.waits = ic_random_below(&run->random, match.hold + 1U);
    match.bits = ic_random_below(&run->random, 1U << STEPS);
    ic_run_dither(run);
    repeat_once();
    check(measure, lock);
    if (times == NULL) {
        match.before = 0;
    } else if (measure == HAND_OVER) {
        ic_run_sample(run, times->there, (int64_t)(second->got - first->at));
        ic_run_sample(run, times->back, (int64_t)(first->got - second->at));
    } else if (measure == CONTENTION) {
        uint64_t length = bout_length();
        match.before += length;
        ic_run_sample(run, times->there, (int64_t)length);
    } else {
        ic_run_sample(run, times->there, (int64_t)(first->got - first->at));
    }
}

static bool start(struct side *side) {
    side->migrated = false;
    side->preempted = 0;
    struct port_task_config config = {
        .name = "lock", .entry = play_match, .arg = side, .core = side->core, .priority = 2};
    return port_task_start(&side->task, &config) == PORT_OK ||
           ic_error_set(&match.run->error, "failed", "a task could not be started on every core", "", "");
}

/* Ends the first `count` tasks and counts what they noted. */
static void dismiss(uint32_t sides) {
    match.dismissed = true;
    for (uint32_t i = 0; i < sides; i++) {
        struct side *side = &match.side[i];
        port_notify(&side->task);
        port_task_join(&side->task);
        match.run->checks.migrated += side->migrated;
        match.run->checks.preempted += side->preempted;
    }
}

static bool play_all(enum measure measure, enum lock lock, const struct times *times) {
    for (uint32_t i = 0; i < match.sides; i++) {
        if (!start(&match.side[i])) {
            dismiss(i);
            return false;
        }
    }
    take(measure, lock, NULL); /* warms caches */
    while (ic_run_repeat(match.run)) {
        take(measure, lock, times);
    }
    dismiss(match.sides);
    return true;
}

/* Who plays, and on which cores. */
static void set_up(const uint32_t *values, enum measure measure) {
    match.sides = measure == CONTENTION ? values[P_CORES] : 2;
    for (uint32_t i = 0; i < match.sides; i++) {
        match.side[i].core = measure == CONTENTION ? i : values[i == 0 ? P_FROM : P_TO];
        match.side[i].first = i == 0;
    }
}

/* The series of a measure. */
static bool open_series(struct ic_run *run, enum measure measure, struct times *times) {
    static const char *const names[MEASURES] = {"there", "bout", "round_trips"};
    times->there = ic_run_series(run, names[measure]);
    times->back = measure == HAND_OVER ? ic_run_series(run, "back") : NULL;
    if (times->there == NULL || (measure == HAND_OVER && times->back == NULL)) {
        return false;
    }
    uint64_t capacity = (uint64_t)match.rounds * run->checks.repetitions;
    for (uint32_t i = 0; measure == CONTENTION && i < match.sides; i++) {
        match.side[i].moments =
            capacity <= IC_SAMPLES_CAPACITY ? ic_samples_open("taken", i, (uint32_t)capacity) : NULL;
        if (match.side[i].moments == NULL) {
            return ic_error_set(&run->error, "out-of-range", "the target has no memory for that many ", "rounds",
                                ": give less, or fewer samples");
        }
        match.side[i].moments->unit = IC_UNIT_MOMENT;
    }
    return true;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    const uint32_t *values = run->values;
    if (all_calls[values[P_LOCK]].play[values[P_MEASURE]] == NULL) {
        return ic_error_set(error, "unsupported", "there is no such measure with lock=", locks[values[P_LOCK]], "");
    }
    if (values[P_MEASURE] == CONTENTION) {
        return values[P_CORES] > 1 ||
               ic_error_set(error, "out-of-range", "contention needs at least two cores: cores=2", "", "");
    }
    return values[P_FROM] != values[P_TO] ||
           ic_error_set(error, "unsupported", "it goes from one core to another: from and to must differ", "", "");
}

static bool measure(struct ic_run *run) {
    enum measure measured = (enum measure)run->values[P_MEASURE];
    enum lock lock = (enum lock)run->values[P_LOCK];
    match.run = run;
    match.leader = port_task_self();
    match.calls = &all_calls[lock];
    match.play = match.calls->play[measured];
    match.hold = run->values[P_HOLD];
    match.pause = run->values[P_PAUSE];
    match.rounds = run->values[P_ROUNDS];
    match.batch = run->values[P_BATCH];
    match.before = 0;
    match.dismissed = false;
    set_up(run->values, measured);
    struct times times;
    if (!open_series(run, measured, &times)) {
        return false;
    }
    if (!make(lock)) {
        return ic_error_set(&run->error, "failed", "the platform has no ", locks[lock], " left");
    }
    bool taken = play_all(measured, lock, &times);
    unmake(lock);
    return taken;
}

const struct ic_benchmark ic_benchmark_lock = {
    .name = "lock",
    .summary = "a lock between cores: from its release on one to its acquisition on another; who gets it how often",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 100,
    .series_count = 2,
    .possible = possible,
    .measure = measure,
};
