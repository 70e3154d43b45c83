/* The benchmark `threadmetric`: the eight tests of Thread-Metric (Express Logic, now Eclipse ThreadX), which count
 * operations in a window of time. Rewritten from the definitions in the description of Thread-Metric;
 * docs/benchmarks/threadmetric.md lists the differences. Each test has two forms:
 *
 *   same    all tasks and handlers are on core `core`, as in the original
 *   cross   interactions between tasks go from core to core; an operation of a single task is done on both cores at
 *           once
 *
 *   basic                 same: a task works through an array. cross: a task on each core, each with its own array
 *   cooperative           same: five tasks of equal priority yield in turn. cross: the tasks may run on any core
 *   preemptive            same: five tasks of ascending priority. Each task resumes the next one, which preempts it,
 *                         and then suspends itself. cross: the next task is on the other core, and the last task wakes
 *                         the first. The tasks are woken by notifications, which are not lost if a task does not wait
 *                         yet
 *   interrupt             a task causes an interrupt, whose handler notifies the task. cross: the handler runs on the
 *                         other core
 *   interrupt-preemption  a task causes an interrupt, whose handler notifies a task of higher priority on the handler's
 *                         core. cross: the handler's core is the other core, where the notified task preempts a task
 *                         that computes, and notifies the causing task
 *   message               same: a task sends 16 bytes to a queue and receives them. cross: a task on the other core
 *                         receives them
 *   synchronisation       same: a task takes a semaphore and gives it. cross: a task on each core, the same semaphore
 *   memory                a task allocates 128 bytes and frees them. cross: a task on each core
 *
 * The timekeeper, a task of the highest priority, reads all counts when the tasks have run for two kernel ticks, and
 * again after the window. Series: `count`, the sum of the increases of all tasks' counts (of interrupt-preemption: only
 * of the woken task's count); `window`, the ticks of the clock between the two readings; with five tasks also `least`
 * and `most`, the smallest and the largest increase of a task's count. If the tasks take turns, `least` and `most`
 * differ by at most two, because the timekeeper may interrupt a round. */
#include <stdatomic.h>
#include <string.h>

#include "benchmarks.h"
#include "port.h"
#include "port_interrupt.h"
#include "port_objects.h"
#include "run.h"

#define TASKS_MAX 5U
#define MESSAGE_BYTES 16U
#define BLOCK_BYTES 128U
#define ARRAY_WORDS 1024U
#define START_TICKS 2U
#define LATE_TICKS 1000U

#define PRIORITY_LOWEST 2U
#define PRIORITY_TIMEKEEPER PORT_PRIORITY_MAX

enum { P_TEST, P_FORM, P_CORE, P_WINDOW, PARAMETER_COUNT };

enum test {
    TEST_BASIC,
    TEST_COOPERATIVE,
    TEST_PREEMPTIVE,
    TEST_INTERRUPT,
    TEST_INTERRUPT_PREEMPTION,
    TEST_MESSAGE,
    TEST_SYNCHRONISATION,
    TEST_MEMORY,
    TEST_COUNT
};

static const char *const test_names[TEST_COUNT] = {
    "basic", "cooperative", "preemptive", "interrupt", "interrupt-preemption", "message", "synchronisation", "memory",
};
static const char *const form_names[] = {"same", "cross"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_TEST] = {.name = "test", .help = "what is counted", .choices = test_names, .choice_count = TEST_COUNT},
    [P_FORM] = {.name = "form", .help = "on one core or across two", .choices = form_names, .choice_count = 2},
    [P_CORE] = {.name = "core", .help = "first core; cross uses the next one, too", .limit = last_core},
    [P_WINDOW] = {.name = "window_ms",
                  .help = "length of the window, in milliseconds (the original: 30000)",
                  .min = 5,
                  .max = 60000,
                  .preset = 1000},
};

struct worker {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    atomic_uint count;
    atomic_bool ended;
    uint32_t index;
    uint32_t core;
    bool wrong;
    bool migrated;
    uint32_t begin; /* count at the start of the window; `grown` is the increase during the window */
    uint32_t grown;
};

static struct {
    struct worker workers[TASKS_MAX];
    port_task_t timekeeper;
    uint32_t size; /* number of workers */
    enum test test;
    bool cross;
    uint32_t core;
    uint32_t other;
    uint64_t window;
    uint64_t passed;
    atomic_bool stop;
    atomic_uint interrupts;
    atomic_uint handled; /* interrupts whose handler has finished */
    port_queue_t queue;
    port_sem_t semaphore;
    uint32_t *array; /* an array of ARRAY_WORDS words for each core */
} metric;

static bool is_over(void) { return atomic_load_explicit(&metric.stop, memory_order_relaxed); }

/* Only one task changes a count, so this function needs no atomic addition, which not every core has. */
static void count_one(struct worker *worker) {
    uint32_t count = atomic_load_explicit(&worker->count, memory_order_relaxed);
    atomic_store_explicit(&worker->count, count + 1U, memory_order_relaxed);
}

static void expect(struct worker *worker, bool right) { worker->wrong = worker->wrong || !right; }

static struct worker *next_of(const struct worker *worker) { return &metric.workers[worker->index + 1U]; }

/* ---- the tests ---- */

static uint32_t mixed(uint32_t word, uint32_t pass) { return (word << 1U) + (word ^ pass); }

static void work_basically(struct worker *worker) {
    uint32_t *array = metric.array + (size_t)worker->index * ARRAY_WORDS;
    for (uint32_t i = 0; i < ARRAY_WORDS; i++) {
        array[i] = i;
    }
    uint32_t pass = 0;
    for (; !is_over(); pass++) {
        for (uint32_t i = 0; i < ARRAY_WORDS; i++) {
            array[i] = mixed(array[i], pass);
        }
        count_one(worker);
    }
    uint32_t last = ARRAY_WORDS - 1U; /* checks one word only, by computing it again */
    for (uint32_t i = 0; i < pass; i++) {
        last = mixed(last, i);
    }
    expect(worker, array[ARRAY_WORDS - 1U] == last);
}

static void give_way(struct worker *worker) {
    while (!is_over()) {
        count_one(worker);
        port_yield();
    }
}

/* Test `preemptive` on one core: resumes the next task and suspends itself. Each task but the first suspends itself
 * before its first round, until the task before it resumes it. */
static void resume_the_next(struct worker *worker) {
    for (bool begun = worker->index == 0; !is_over(); begun = true) {
        if (begun && worker->index + 1U < metric.size) {
            port_task_resume(&next_of(worker)->task);
        }
        if (begun) {
            count_one(worker);
        }
        if (worker->index > 0 && !is_over()) {
            port_task_suspend(&worker->task);
        }
    }
}

static void wake_the_next(struct worker *worker) {
    bool is_last = worker->index + 1U == metric.size;
    if (worker->index > 0) {
        port_notify_take();
    }
    while (!is_over()) {
        port_notify(is_last ? &metric.workers[0].task : &next_of(worker)->task);
        count_one(worker);
        port_notify_take();
    }
}

static void handle_and_notify(void *arg) {
    struct worker *worker = arg;
    atomic_store(&metric.interrupts, atomic_load(&metric.interrupts) + 1U);
    port_notify_from_handler(&worker->task);
    atomic_store(&metric.handled, atomic_load(&metric.handled) + 1U);
}

/* Waits until the handlers of all interrupts have run. At the end an interrupt may still be on its way to another core:
 * its handler would wake a task of the next window, or a task that no longer exists. An interrupt that has not come
 * after LATE_TICKS kernel ticks is lost. */
static void await_handlers(struct worker *worker, uint32_t rung) {
    for (uint32_t i = 0; i < LATE_TICKS && atomic_load(&metric.handled) != rung; i++) {
        port_sleep_ticks(1);
    }
    expect(worker, atomic_load(&metric.handled) == rung);
}

static void cause_interrupts(struct worker *worker) {
    uint32_t core = metric.cross ? metric.other : metric.core;
    uint32_t rung = 0;
    for (; !is_over(); rung++) {
        uint32_t before = atomic_load(&metric.interrupts);
        port_doorbell_ring(core);
        port_notify_take();
        expect(worker, atomic_load(&metric.interrupts) == before + 1U || is_over()); /* or the console task
                                                                                        notified it */
        count_one(worker);
    }
    await_handlers(worker, rung);
}

/* Worker 0 causes the interrupts, which wake worker 1. In form cross, worker 2 computes on the core of worker 1. */
static void cause_preemptions(struct worker *worker) {
    struct worker *woken = &metric.workers[1];
    uint32_t rung = 0;
    for (; !is_over(); rung++) {
        uint32_t before = atomic_load(&woken->count);
        port_doorbell_ring(woken->core);
        if (metric.cross) {
            port_notify_take();
        }
        while (atomic_load(&woken->count) == before && !is_over()) { /* the interrupt is under way */
        }
        count_one(worker);
    }
    await_handlers(worker, rung);
}

static void woken_task(struct worker *worker) {
    port_notify_take();
    while (!is_over()) {
        count_one(worker);
        if (metric.cross) {
            port_notify(&metric.workers[0].task);
        }
        port_notify_take();
    }
}

static void compute(struct worker *worker) {
    (void)worker;
    while (!is_over()) {
    }
}

static void preempt_by_interrupt(struct worker *worker) {
    if (worker->index == 0) {
        cause_preemptions(worker);
    } else if (worker->index == 1) {
        woken_task(worker);
    } else {
        compute(worker);
    }
}

/* The content of a message: its sequence number, in every word. An all-zero message marks the end. */
static void write_message(uint32_t *message, uint32_t number) {
    for (uint32_t i = 0; i < MESSAGE_BYTES / sizeof *message; i++) {
        message[i] = number;
    }
}

static bool is_message(const uint32_t *message, uint32_t number) {
    uint32_t expected[MESSAGE_BYTES / sizeof *message];
    write_message(expected, number);
    return memcmp(message, expected, sizeof expected) == 0;
}

static void send_and_receive(struct worker *worker) {
    uint32_t sent[MESSAGE_BYTES / sizeof(uint32_t)];
    uint32_t received[MESSAGE_BYTES / sizeof(uint32_t)];
    for (uint32_t number = 1; !is_over(); number++) {
        write_message(sent, number);
        port_queue_send(&metric.queue, sent);
        port_queue_receive(&metric.queue, received);
        expect(worker, is_message(received, number));
        count_one(worker);
    }
}

static void send_messages(void) {
    uint32_t message[MESSAGE_BYTES / sizeof(uint32_t)];
    for (uint32_t number = 1; !is_over(); number++) {
        write_message(message, number);
        port_queue_send(&metric.queue, message);
    }
    write_message(message, 0);
    port_queue_send(&metric.queue, message);
}

static void receive_messages(struct worker *worker) {
    uint32_t message[MESSAGE_BYTES / sizeof(uint32_t)];
    for (uint32_t number = 1;; number++) {
        port_queue_receive(&metric.queue, message);
        if (message[0] == 0) {
            return;
        }
        expect(worker, is_message(message, number));
        count_one(worker);
    }
}

static void pass_messages(struct worker *worker) {
    if (!metric.cross) {
        send_and_receive(worker);
    } else if (worker->index == 0) {
        send_messages();
    } else {
        receive_messages(worker);
    }
}

static void take_and_give(struct worker *worker) {
    while (!is_over()) {
        (void)port_sem_take(&metric.semaphore, PORT_FOREVER);
        port_sem_give(&metric.semaphore);
        count_one(worker);
    }
}

static void allocate_and_free(struct worker *worker) {
    while (!is_over()) {
        void *block = port_allocate(BLOCK_BYTES);
        expect(worker, block != NULL);
        port_free(block);
        count_one(worker);
    }
}

static void do_test(struct worker *worker) {
    switch (metric.test) {
    case TEST_BASIC:
        work_basically(worker);
        break;
    case TEST_COOPERATIVE:
        give_way(worker);
        break;
    case TEST_PREEMPTIVE:
        if (metric.cross) {
            wake_the_next(worker);
        } else {
            resume_the_next(worker);
        }
        break;
    case TEST_INTERRUPT:
        cause_interrupts(worker);
        break;
    case TEST_INTERRUPT_PREEMPTION:
        preempt_by_interrupt(worker);
        break;
    case TEST_MESSAGE:
        pass_messages(worker);
        break;
    case TEST_SYNCHRONISATION:
        take_and_give(worker);
        break;
    case TEST_MEMORY:
        allocate_and_free(worker);
        break;
    case TEST_COUNT:
        break;
    }
}

/* ---- the tasks ---- */

static void worker_task(void *arg) {
    struct worker *worker = arg;
    port_notify_take(); /* waits for the timekeeper's signal */
    do_test(worker);
    worker->migrated = worker->core != PORT_CORE_ANY && port_core_id() != worker->core;
    atomic_store(&worker->ended, true);
}

static void timekeeper_task(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < metric.size; i++) {
        port_notify(&metric.workers[i].task);
    }
    port_sleep_ticks(START_TICKS);
    uint64_t begin = port_clock();
    for (uint32_t i = 0; i < metric.size; i++) {
        metric.workers[i].begin = atomic_load(&metric.workers[i].count);
    }
    port_sleep_until(begin + metric.window);
    metric.passed = port_clock() - begin;
    for (uint32_t i = 0; i < metric.size; i++) {
        metric.workers[i].grown = atomic_load(&metric.workers[i].count) - metric.workers[i].begin;
    }
    atomic_store(&metric.stop, true);
}

static uint32_t workers_of(enum test test, bool cross) {
    switch (test) {
    case TEST_COOPERATIVE:
    case TEST_PREEMPTIVE:
        return TASKS_MAX;
    case TEST_INTERRUPT_PREEMPTION:
        return cross ? 3U : 2U;
    case TEST_INTERRUPT:
        return 1;
    case TEST_BASIC:
    case TEST_MESSAGE:
    case TEST_SYNCHRONISATION:
    case TEST_MEMORY:
    case TEST_COUNT:
        break;
    }
    return cross ? 2U : 1U;
}

static uint32_t core_of(uint32_t index) {
    if (!metric.cross) {
        return metric.core;
    }
    if (metric.test == TEST_COOPERATIVE) {
        return PORT_CORE_ANY;
    }
    bool is_there = metric.test == TEST_PREEMPTIVE ? index % 2U == 1U : index > 0;
    return is_there ? metric.other : metric.core;
}

static uint32_t priority_of(uint32_t index) {
    if (metric.test == TEST_PREEMPTIVE) {
        return PRIORITY_LOWEST + index;
    }
    return PRIORITY_LOWEST + (metric.test == TEST_INTERRUPT_PREEMPTION && index == 1U ? 1U : 0U);
}

/* ---- the console task ---- */

static bool start_task(struct ic_run *run, port_task_t *task, void (*entry)(void *), void *arg, uint32_t core,
                       uint32_t priority) {
    struct port_task_config config = {.name = "metric", .entry = entry, .arg = arg, .core = core, .priority = priority};
    return port_task_start(task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

/* Ends the first `count` tasks. Wakes each of them until it has seen `stop`: once may not be enough, because a task
 * that is just about to wait can miss it. */
static void end_workers(uint32_t count) {
    atomic_store(&metric.stop, true);
    for (uint32_t i = 0; i < count; i++) {
        struct worker *worker = &metric.workers[i];
        while (!atomic_load(&worker->ended)) {
            port_task_resume(&worker->task);
            port_notify(&worker->task);
            port_sleep_ticks(1);
        }
        port_task_join(&worker->task);
    }
}

static bool start_workers(struct ic_run *run) {
    for (uint32_t i = 0; i < metric.size; i++) {
        struct worker *worker = &metric.workers[i];
        atomic_store(&worker->count, 0U);
        atomic_store(&worker->ended, false);
        worker->index = i;
        worker->core = core_of(i);
        worker->wrong = false;
        worker->migrated = false;
        if (!start_task(run, &worker->task, worker_task, worker, worker->core, priority_of(i))) {
            end_workers(i);
            return false;
        }
    }
    return true;
}

static void record(struct ic_run *run, struct ic_series *const *series) {
    uint32_t sum = 0;
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    bool right = true;
    for (uint32_t i = 0; i < metric.size; i++) {
        struct worker *worker = &metric.workers[i];
        /* With test=interrupt-preemption several tasks count each interrupt: only the woken task's count is used. */
        uint32_t grown = worker->grown;
        bool is_counted = metric.test != TEST_INTERRUPT_PREEMPTION || i == 1U;
        sum += is_counted ? grown : 0;
        least = grown < least ? grown : least;
        most = grown > most ? grown : most;
        right = right && !worker->wrong;
        run->checks.migrated += worker->migrated;
    }
    ic_run_check(run, right && sum > 0);
    ic_run_sample(run, series[0], sum);
    ic_run_sample(run, series[1], (int64_t)metric.passed);
    if (metric.size == TASKS_MAX) {
        ic_run_sample(run, series[2], least);
        ic_run_sample(run, series[3], most);
    }
}

static bool repeat(struct ic_run *run, struct ic_series *const *series) {
    atomic_store(&metric.stop, false);
    atomic_store(&metric.interrupts, 0U);
    atomic_store(&metric.handled, 0U);
    if (!start_workers(run)) {
        return false;
    }
    if (!start_task(run, &metric.timekeeper, timekeeper_task, NULL, metric.core, PRIORITY_TIMEKEEPER)) {
        end_workers(metric.size);
        return false;
    }
    port_task_join(&metric.timekeeper);
    end_workers(metric.size);
    record(run, series);
    return true;
}

/* ---- resources of a test ---- */

static bool needs_doorbell(void) { return metric.test == TEST_INTERRUPT || metric.test == TEST_INTERRUPT_PREEMPTION; }

static bool is_made(void) {
    switch (metric.test) {
    case TEST_MESSAGE:
        return port_queue_init(&metric.queue, 1, MESSAGE_BYTES) == PORT_OK;
    case TEST_SYNCHRONISATION:
        if (port_sem_init_binary(&metric.semaphore) != PORT_OK) {
            return false;
        }
        port_sem_give(&metric.semaphore);
        return true;
    case TEST_INTERRUPT:
    case TEST_INTERRUPT_PREEMPTION: {
        struct worker *notified = &metric.workers[metric.test == TEST_INTERRUPT ? 0 : 1];
        return port_doorbell_open(metric.cross ? metric.other : metric.core, handle_and_notify, notified) == PORT_OK;
    }
    case TEST_BASIC: {
        struct port_region region;
        bool fits = port_region(0, &region) && region.bytes >= (size_t)2 * ARRAY_WORDS * sizeof *metric.array;
        metric.array = fits ? region.base : NULL;
        return fits;
    }
    case TEST_COOPERATIVE:
    case TEST_PREEMPTIVE:
    case TEST_MEMORY:
    case TEST_COUNT:
        break;
    }
    return true;
}

static void unmake(void) {
    if (metric.test == TEST_MESSAGE) {
        port_queue_destroy(&metric.queue);
    } else if (metric.test == TEST_SYNCHRONISATION) {
        port_sem_destroy(&metric.semaphore);
    } else if (needs_doorbell()) {
        port_doorbell_close(metric.cross ? metric.other : metric.core);
    }
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    return run->values[P_FORM] == 0 || port_core_count() > 1 ||
           ic_error_set(error, "out-of-range", "this target has no other core for form=", "cross", "");
}

static bool measure(struct ic_run *run) {
    metric.test = (enum test)run->values[P_TEST];
    metric.cross = run->values[P_FORM] != 0;
    metric.core = run->values[P_CORE];
    metric.other = (metric.core + 1U) % port_core_count();
    metric.size = workers_of(metric.test, metric.cross);
    metric.window = run->values[P_WINDOW] * port_clock_hz() / 1000U;
    static const char *const names[] = {"count", "window", "least", "most"};
    static const enum ic_unit units[] = {IC_UNIT_COUNT, IC_UNIT_TICK, IC_UNIT_COUNT, IC_UNIT_COUNT};
    struct ic_series *series[4] = {NULL};
    for (size_t i = 0; i < (metric.size == TASKS_MAX ? 4U : 2U); i++) {
        series[i] = ic_run_series(run, names[i]);
        if (series[i] == NULL) {
            return false;
        }
        series[i]->unit = units[i];
    }
    if (!is_made()) {
        return ic_error_set(&run->error, "failed",
                            "the target has no memory or interrupt for test=", test_names[metric.test], "");
    }
    bool taken = true;
    while (taken && ic_run_repeat(run)) {
        taken = repeat(run, series);
    }
    unmake();
    return taken;
}

const struct ic_benchmark ic_benchmark_threadmetric = {
    .name = "threadmetric",
    .summary = "the eight counts of Thread-Metric: operations in a window, on one core or across two",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 3,
    .series_count = 4,
    .possible = possible,
    .measure = measure,
};
