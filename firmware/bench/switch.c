/* The benchmark `switch`: wake-up latency, from before a task on core `from` signals to the first instruction of the
 * woken task on core `to`.
 *
 * Two series:
 *
 *   switch  from before the signal until the woken task, after its wait, reads the clock
 *   call    from before the signal until the signalling task has returned from the call
 *
 * On one core the woken task (priority 4) preempts the signaller (priority 3), whose call returns only when the woken
 * task waits again. So on one core `call` is measured separately, by a third task, the caller (priority 5): its signal
 * makes the woken task ready and causes no switch. Across cores one signal gives both samples.
 *
 * The parameter `primitive` selects the signal and the wait:
 *
 *   binary-semaphore, counting-semaphore   give - take
 *   mutex                                  unlock by its owner - lock
 *   queue                                  send an item of 4 bytes - receive
 *   notification                           port_notify() - port_notify_take()
 *   event-group                            set a bit - wait for it and clear it
 *   stream-buffer                          send 4 bytes - receive
 *   yield                                  on one core only: both tasks have the same priority, and the woken task has
 *                                          yielded before; `call` is a yield with no other task to run
 *
 * The woken task really waits before the signal: it announces that it is about to wait, then the console task polls
 * until the platform reports that the woken task is blocked and off its core. Only then is the signaller released, and
 * waits for another 20 µs and the dither (a random time). From then until both tasks have read the clock nothing else
 * runs: the console task sleeps, and the signaller spins on its core without calling the kernel, which would disturb
 * the kernel on the other core. So, when the signal comes, core `to` is asleep (target=idle) or spins in a task of
 * priority 2, which the woken task preempts (target=busy). On one core the signaller itself keeps the core busy, and
 * `target` has no effect.
 *
 * With primitive=yield the signaller yields, after the dither, until the other task has announced its wait and yielded
 * back. With time slicing, a kernel tick may make the other task run before the signal, or after it but for another
 * reason. Such a turn (signal and wake-up) is repeated, and counted in `repeated_turns`.
 *
 * The parameter `time` selects the clock:
 *
 *   common       the common clock
 *   aligned      each core's own counter. Timestamps exchanged before and after the samples (core/align.h) let the host
 *                correct each sample for the clock offset; the series `moment` has the time of each sample
 *   raw-counter  each core's own counter, subtracted as if they were one clock: likely the error behind a published
 *                task switch of 190 ms (docs/benchmarks/switch.md). This mode exists to show that error */
#include <stdatomic.h>

#include "align.h"
#include "benchmarks.h"
#include "port_objects.h"
#include "run.h"

/* Microseconds to wait before the dither (a random delay before each sample), so that an idle core is asleep by then */
#define SETTLING_US 20U
#define EVENT 1U
/* With primitive=yield: a turn (signal and wake-up) that a kernel tick has disturbed is repeated at most this many
 * times. Not even a busy Linux without real-time priorities disturbs so many in a row. */
#define REPEATS_MAX 100U

enum { P_PRIMITIVE, P_FROM, P_TO, P_TARGET, P_TIME, PARAMETER_COUNT };
enum kind { BINARY, COUNTING, MUTEX, QUEUE, NOTIFICATION, EVENTS, STREAM, YIELD, KINDS };
enum target { TARGET_IDLE, TARGET_BUSY };
enum time { TIME_COMMON, TIME_ALIGNED, TIME_RAW };
enum priority { PRIORITY_SPINNER = 2, PRIORITY_SIGNALLER, PRIORITY_WOKEN, PRIORITY_CALLER };

static const char *const primitive_names[KINDS] = {
    "binary-semaphore", "counting-semaphore", "mutex", "queue", "notification", "event-group", "stream-buffer", "yield",
};
static const char *const targets[] = {"idle", "busy"};
static const char *const times[] = {"common", "aligned", "raw-counter"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_PRIMITIVE] = {.name = "primitive",
                     .help = "what wakes the task",
                     .preset = NOTIFICATION,
                     .choices = primitive_names,
                     .choice_count = KINDS},
    [P_FROM] = {.name = "from", .help = "core of the task that signals", .limit = last_core},
    [P_TO] = {.name = "to", .help = "core of the task that is woken", .preset = IC_PRESET_MAX, .limit = last_core},
    [P_TARGET] = {.name = "target",
                  .help = "state of another core: idle, or busy in a task that is preempted",
                  .choices = targets,
                  .choice_count = 2},
    [P_TIME] = {.name = "time",
                .help = "clock to read; raw-counter subtracts unsynchronised counters, to show the error",
                .choices = times,
                .choice_count = 3},
};

struct stamps {
    uint64_t before;
    uint64_t after;
};

/* One of the participating tasks */
struct party {
    port_task_t task;
    uint32_t core;
    bool migrated;
    uint64_t preempted;
};

static struct {
    port_task_t *leader;
    enum kind kind; /* the primitive */
    bool counted;   /* timestamps are readings of port_cycles() */
    bool apart;     /* the two tasks are on two cores */
    bool dismissed;
    bool straight; /* when the signal returned, the woken task already had its timestamp */
    uint64_t settling;
    struct ic_run *run;
    struct party signaller, caller, woken, spinner;
    struct stamps stamps;
    uint64_t woken_at;
    uint32_t item; /* received by queue or stream */
    uint32_t turn;
    /* Each of these holds the number of the latest turn (signal and wake-up) in which its event happened. Written by
     * the woken task: */
    _Alignas(PORT_CACHE_LINE) atomic_uint armed; /* the woken task is about to wait */
    atomic_uint seen;                            /* the woken task has its timestamp */
    /* Written by other tasks, not at the same time: */
    _Alignas(PORT_CACHE_LINE) atomic_uint spinning; /* the other core is busy */
    atomic_uint signalled;                          /* the signaller has its timestamps */
    /* Objects of the current primitive: */
    port_sem_t sem;
    port_mutex_t mutex;
    port_queue_t queue;
    port_events_t events;
    port_stream_t stream;
} stage PORT_SHARED(switch);

static bool reached(const atomic_uint *turn) { return atomic_load_explicit(turn, memory_order_acquire) == stage.turn; }

static void reach(atomic_uint *turn) { atomic_store_explicit(turn, stage.turn, memory_order_release); }

/* ---- the primitives ---- */

/* Each primitive has two pairs of functions, to signal and to wait: one pair reads the common clock, the other the
 * core's own counter. The timed code is inlined in these functions. A simulator probe finds the signalling functions by
 * their names. */
#define TIMED_BY(clock, suffix, kind, signal, wait)                                                                    \
    static void switch_signal_##kind##suffix(struct stamps *stamps) {                                                  \
        uint64_t before = clock();                                                                                     \
        signal;                                                                                                        \
        uint64_t after = clock();                                                                                      \
        stamps->before = before;                                                                                       \
        stamps->after = after;                                                                                         \
    }                                                                                                                  \
    static uint64_t await_##kind##suffix(void) {                                                                       \
        wait;                                                                                                          \
        return clock();                                                                                                \
    }
#define TIMED(kind, signal, wait)                                                                                      \
    TIMED_BY(port_clock, , kind, signal, wait) TIMED_BY(port_cycles, _counted, kind, signal, wait)
#define FUNCTIONS(kind)                                                                                                \
    .signal = {switch_signal_##kind, switch_signal_##kind##_counted}, .await = {await_##kind, await_##kind##_counted}

TIMED(semaphore, port_sem_give(&stage.sem), (void)port_sem_take(&stage.sem, PORT_FOREVER))
TIMED(mutex, port_mutex_unlock(&stage.mutex), port_mutex_lock(&stage.mutex))
TIMED(queue, port_queue_send(&stage.queue, &stage.turn), port_queue_receive(&stage.queue, &stage.item))
TIMED(notification, port_notify(&stage.woken.task), port_notify_take())
TIMED(events, port_events_set(&stage.events, EVENT), port_events_wait(&stage.events, EVENT))
TIMED(stream, port_stream_send(&stage.stream, &stage.turn, sizeof stage.turn),
      port_stream_receive(&stage.stream, &stage.item, sizeof stage.item))
TIMED(yield, port_yield(), port_yield())

static enum port_error open_binary(void) { return port_sem_init_binary(&stage.sem); }
static enum port_error open_counting(void) { return port_sem_init(&stage.sem, 0); }
static void close_semaphore(void) { port_sem_destroy(&stage.sem); }
static enum port_error open_mutex(void) { return port_mutex_init(&stage.mutex); }
static void close_mutex(void) { port_mutex_destroy(&stage.mutex); }
static void hold_mutex(void) { port_mutex_lock(&stage.mutex); }
static void release_mutex(void) { port_mutex_unlock(&stage.mutex); }
static enum port_error open_queue(void) { return port_queue_init(&stage.queue, 1, sizeof stage.turn); }
static void close_queue(void) { port_queue_destroy(&stage.queue); }
static enum port_error open_events(void) { return port_events_init(&stage.events); }
static void close_events(void) { port_events_destroy(&stage.events); }
static enum port_error open_stream(void) { return port_stream_init(&stage.stream, 4U * sizeof stage.turn); }
static void close_stream(void) { port_stream_destroy(&stage.stream); }

static const struct primitive {
    enum port_error (*open)(void); /* NULL: nothing to create */
    void (*close)(void);
    void (*prepare)(void);                    /* in the signaller, before the other task waits; may be NULL */
    void (*signal[2])(struct stamps *stamps); /* in the signaller */
    uint64_t (*await[2])(void);               /* in the woken task; returns its timestamp */
    void (*finish)(void);                     /* in the woken task; may be NULL */
    bool carries;                             /* the primitive carries an item */
    enum port_object object;
} primitives[KINDS] = {
    [BINARY] = {.open = open_binary, .close = close_semaphore, FUNCTIONS(semaphore)},
    [COUNTING] = {.open = open_counting, .close = close_semaphore, FUNCTIONS(semaphore)},
    [MUTEX] = {.object = PORT_OBJECT_MUTEX,
               .open = open_mutex,
               .close = close_mutex,
               .prepare = hold_mutex,
               .finish = release_mutex,
               FUNCTIONS(mutex)},
    [QUEUE] =
        {.object = PORT_OBJECT_QUEUE, .open = open_queue, .close = close_queue, .carries = true, FUNCTIONS(queue)},
    [NOTIFICATION] = {FUNCTIONS(notification)},
    [EVENTS] = {.object = PORT_OBJECT_EVENTS, .open = open_events, .close = close_events, FUNCTIONS(events)},
    [STREAM] =
        {.object = PORT_OBJECT_STREAM, .open = open_stream, .close = close_stream, .carries = true, FUNCTIONS(stream)},
    [YIELD] = {FUNCTIONS(yield)},
};

static const struct primitive *primitive(void) { return &primitives[stage.kind]; }

static bool yields(void) { return stage.kind == YIELD; }

static bool keeps_busy(void) { return stage.apart && stage.run->values[P_TARGET] == TARGET_BUSY; }

/* ---- the tasks ---- */

/* Waits until woken; returns false if the task must end. */
static bool await_turn(struct party *party) {
    port_notify_take();
    if (stage.dismissed) {
        party->preempted = port_preemptions();
        return false;
    }
    return true;
}

static void report(struct party *party) {
    party->migrated = party->migrated || port_core_id() != party->core;
    port_notify(stage.leader);
}

static void run_woken(void *arg) {
    struct party *party = arg;
    while (await_turn(party)) {
        reach(&stage.armed);
        stage.woken_at = primitive()->await[stage.counted]();
        reach(&stage.seen);
        while (stage.apart && !reached(&stage.signalled)) { /* the signaller has yet to read the clock */
        }
        if (primitive()->finish != NULL) {
            primitive()->finish();
        }
        report(party);
    }
}
PORT_ENTRY(run_woken);

static void run_spinner(void *arg) {
    struct party *party = arg;
    while (await_turn(party)) {
        reach(&stage.spinning);
        while (!reached(&stage.seen)) {
        }
        report(party);
    }
}
PORT_ENTRY(run_spinner);

/* On one core: makes the other task run until it is about to wait and yields back. A system without priorities may need
 * several yields. */
static void make_other_yield(void) {
    port_notify(&stage.woken.task);
    do {
        port_yield();
    } while (!reached(&stage.armed));
}

/* Makes the other core busy. Called by the signaller, because the console task cannot run: the signaller or the spinner
 * is on its core. */
static void keep_other_busy(void) {
    port_notify(&stage.spinner.task);
    while (!reached(&stage.spinning)) {
    }
}

static void settle(void) {
    uint64_t start = port_clock();
    while (port_clock() - start < stage.settling) {
    }
}

/* First part of a turn (signal and wake-up): prepares the primitive before the other task waits, and reports this to
 * the console task. Then waits until the console task wakes this task for the second part, the signal. */
static void prepare(void) {
    if (primitive()->prepare != NULL) {
        primitive()->prepare();
    }
    port_notify(stage.leader);
    port_notify_take();
}

static void run_signaller(void *arg) {
    struct party *party = arg;
    while (await_turn(party)) {
        prepare();
        if (keeps_busy()) {
            keep_other_busy();
        }
        settle();
        ic_run_dither(stage.run);
        if (yields()) {
            make_other_yield();
        }
        primitive()->signal[stage.counted](&stage.stamps);
        stage.straight = reached(&stage.seen);
        reach(&stage.signalled);
        while (!reached(&stage.seen)) {
            if (!stage.apart) {
                port_yield(); /* without priorities, the woken task may not have run yet */
            }
        }
        report(party);
    }
}
PORT_ENTRY(run_signaller);

static void run_caller(void *arg) {
    struct party *party = arg;
    while (await_turn(party)) {
        prepare();
        settle();
        primitive()->signal[stage.counted](&stage.stamps);
        report(party);
    }
}
PORT_ENTRY(run_caller);

/* ---- a repetition ---- */

static void take_reports(uint32_t count) {
    while (count-- > 0) {
        port_notify_take();
    }
}

static void await_waiting(const struct party *party) {
    while (!port_task_waits(&party->task)) {
    }
}

/* Takes a turn in which `party` signals and, if `woken` is true, the woken task waits and is woken. */
static void take_turn(struct party *party, bool woken) {
    await_waiting(&stage.signaller);
    await_waiting(&stage.woken);
    await_waiting(stage.apart ? &stage.spinner : &stage.caller);
    stage.turn++;
    port_notify(&party->task);
    take_reports(1);
    if (woken && !yields()) {
        port_notify(&stage.woken.task);
        while (!reached(&stage.armed)) {
        }
        await_waiting(&stage.woken);
    }
    await_waiting(party);
    port_notify(&party->task);
    take_reports(1U + (woken ? 1U : 0U) + (keeps_busy() ? 1U : 0U));
}

/* With primitive=yield: whether the kernel's tick, not the signal, made the other task run, as can happen with equal
 * priorities */
static bool is_disturbed(void) {
    return yields() && (!stage.straight || (int64_t)(stage.woken_at - stage.stamps.before) < 0);
}

/* Repeats a disturbed turn. A probe of the simulator finds this function by its name, and ignores the turn before each
 * call. */
static __attribute__((noinline)) void switch_repeat_turn(void) {
    stage.run->checks.repeated_turns++;
    take_turn(&stage.signaller, true);
}

static void take_signalled_turn(void) {
    take_turn(&stage.signaller, true);
    for (uint32_t i = 0; i < REPEATS_MAX && is_disturbed(); i++) {
        switch_repeat_turn();
    }
}

static void check(bool woken) {
    bool right = !woken || (reached(&stage.armed) && reached(&stage.seen));
    if (primitive()->carries) {
        right = right && stage.item == stage.turn;
    }
    if (woken && !stage.counted) {
        right = right && stage.woken_at >= stage.stamps.before;
    }
    ic_run_check(stage.run, right && stage.stamps.after >= stage.stamps.before);
}

struct all_series {
    struct ic_series *latency;
    struct ic_series *call;
    struct ic_series *moment; /* NULL unless time=aligned */
};

/* The first repetition warms the caches and is not recorded. */
static void repeat(const struct all_series *series) {
    struct ic_run *run = stage.run;
    take_signalled_turn();
    check(true);
    struct stamps stamps = stage.stamps;
    uint64_t woken_at = stage.woken_at;
    if (!stage.apart) {
        take_turn(&stage.caller, !yields());
        check(!yields());
    }
    if (series == NULL) {
        return;
    }
    ic_run_sample(run, series->latency, (int64_t)(woken_at - stamps.before));
    ic_run_sample(run, series->call, (int64_t)(stage.stamps.after - stage.stamps.before));
    if (series->moment != NULL) {
        ic_run_sample(run, series->moment, (int64_t)(stamps.before - ic_align_origin()));
    }
}

/* ---- the benchmark ---- */

static bool start(struct party *party, uint32_t core, uint32_t priority, void (*entry)(void *)) {
    party->core = core;
    party->migrated = false;
    party->preempted = 0;
    struct port_task_config config = {
        .name = "switch", .entry = entry, .arg = party, .core = core, .priority = priority};
    return port_task_start(&party->task, &config) == PORT_OK;
}

static void dismiss(struct party *party) {
    stage.dismissed = true;
    port_notify(&party->task);
    port_task_join(&party->task);
    stage.run->checks.migrated += party->migrated;
}

/* Starts the two tasks of every turn and a third task: the caller on one core, the spinner on two. */
static bool start_all(struct ic_run *run) {
    uint32_t from = run->values[P_FROM];
    uint32_t to = run->values[P_TO];
    if (start(&stage.woken, to, PRIORITY_WOKEN, run_woken)) {
        if (start(&stage.signaller, from, yields() ? PRIORITY_WOKEN : PRIORITY_SIGNALLER, run_signaller)) {
            if (stage.apart ? start(&stage.spinner, to, PRIORITY_SPINNER, run_spinner)
                            : start(&stage.caller, from, PRIORITY_CALLER, run_caller)) {
                return true;
            }
            dismiss(&stage.signaller);
        }
        dismiss(&stage.woken);
    }
    return ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

static void dismiss_all(struct ic_run *run) {
    dismiss(&stage.signaller);
    dismiss(&stage.woken);
    dismiss(stage.apart ? &stage.spinner : &stage.caller);
    /* Preemptions on purpose do not count: on one core of the signaller, across cores of the spinner. Some platforms
     * count a yield as a preemption. */
    if (!yields()) {
        run->checks.preempted +=
            stage.woken.preempted + (stage.apart ? stage.signaller.preempted : stage.caller.preempted);
    }
}

static bool take_samples(struct ic_run *run, const struct all_series *series) {
    uint32_t from = run->values[P_FROM];
    uint32_t to = run->values[P_TO];
    bool aligned = run->values[P_TIME] == TIME_ALIGNED;
    if (aligned && !ic_align_exchange(run, IC_ALIGN_BEFORE, from, to)) {
        return false;
    }
    if (!start_all(run)) {
        return false;
    }
    repeat(NULL);
    while (ic_run_repeat(run)) {
        repeat(series);
    }
    dismiss_all(run);
    return !aligned || ic_align_exchange(run, IC_ALIGN_AFTER, from, to);
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    uint32_t from = run->values[P_FROM];
    uint32_t to = run->values[P_TO];
    bool apart = from != to;
    if (!port_object_spans(primitives[run->values[P_PRIMITIVE]].object, from, to)) {
        return ic_error_set(error, "unsupported", "not applicable on AMP: the ",
                            primitive_names[run->values[P_PRIMITIVE]], " belongs to one kernel, and the tasks to two");
    }
    return run->values[P_PRIMITIVE] != YIELD || !apart ||
           ic_error_set(error, "unsupported", "a yield stays on its core: take ", "yield",
                        " with from and to the same");
}

static bool measure(struct ic_run *run) {
    stage.kind = (enum kind)run->values[P_PRIMITIVE];
    stage.run = run;
    stage.counted = run->clock == IC_CLOCK_COUNTER;
    stage.apart = run->values[P_FROM] != run->values[P_TO];
    stage.leader = port_task_self();
    stage.dismissed = false;
    stage.settling = SETTLING_US * port_clock_hz() / 1000000U;
    stage.turn = 0;
    atomic_store(&stage.armed, 0);
    atomic_store(&stage.spinning, 0);
    atomic_store(&stage.signalled, 0);
    atomic_store(&stage.seen, 0);
    struct all_series series = {.latency = ic_run_series(run, "switch"), .call = ic_run_series(run, "call")};
    if (run->values[P_TIME] == TIME_ALIGNED) {
        series.moment = ic_run_series(run, "moment");
    }
    if (series.latency == NULL || series.call == NULL ||
        (series.moment == NULL && run->values[P_TIME] == TIME_ALIGNED)) {
        return false;
    }
    if (series.moment != NULL) {
        series.moment->unit = IC_UNIT_MOMENT;
    }
    if (primitive()->open != NULL && primitive()->open() != PORT_OK) {
        return ic_error_set(&run->error, "failed", "the platform has no memory for a ", primitive_names[stage.kind],
                            "");
    }
    bool taken = take_samples(run, &series);
    if (primitive()->close != NULL) {
        primitive()->close();
    }
    return taken;
}

static enum ic_clock clock_of(const struct ic_run *run) {
    return run->values[P_TIME] == TIME_COMMON ? IC_CLOCK_COMMON : IC_CLOCK_COUNTER;
}

const struct ic_benchmark ic_benchmark_switch = {
    .name = "switch",
    .summary =
        "wake-up latency, from before a signal to the first instruction of the woken task, on one core or across two",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 300,
    .series_count = 3,
    .clock = clock_of,
    .possible = possible,
    .measure = measure,
};
