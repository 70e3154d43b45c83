/* The benchmark `memory`: how fast a core reads, writes and copies in a memory region, alone and while another core
 * accesses memory.
 *
 * A pass goes over `bytes` bytes, word by word, in a task pinned to `core`. Each repetition times two passes, in random
 * order so that a slow change, such as of the temperature, favours neither:
 *
 *   alone      the other core sleeps
 *   contended  the other core, the next one, reads, writes or copies in `other_region` during the whole pass
 *
 * With other=none, or with a single core, there is no second pass. A pass continues where the previous pass ended, and
 * wraps around: a region larger than the caches is streamed from memory, however small a pass is.
 *
 * Each core works in the first half of its region; only if both cores use the same region, the other core works in the
 * second half. So the cores share the path to the memory, but never a word of it. A copy goes from one quarter of the
 * region to the next: `bytes` bytes are read, and as many are written.
 *
 * A word is as wide as a pointer. Each word is accessed separately, in the order of the loop (volatile): so a pass
 * makes the same accesses at every level of optimisation, and is neither removed nor vectorised. An iteration of the
 * loop makes eight accesses. A library's memcpy() can be faster, with accesses of several words.
 *
 * The mark pin, by which a power meter finds the measured time, is high during all repetitions or, with mark=alone or
 * mark=contended, during each pass of that kind.
 *
 * The contents of the memory are checked: reads by their sum, writes and copies by reading back after the pass. The
 * board supplies the contents of a region that can only be read, such as flash; writes and copies are refused there. */
#include <stdatomic.h>

#include "benchmarks.h"
#include "own.h"
#include "port.h"
#include "run.h"

typedef uintptr_t word_t;

/* Accesses in an iteration of each loop */
#define UNROLLED 8U
#define TURN_BYTES (UNROLLED * sizeof(word_t))
/* `bytes` is a multiple of this on every platform. */
#define BYTES_UNIT 64U
_Static_assert(BYTES_UNIT % TURN_BYTES == 0, "a pass consists of whole turns");
/* The other core checks after each chunk of this many bytes, which takes a few microseconds, whether to stop. */
#define CHUNK_BYTES 1024U
/* Iterations of an empty loop that let the other core fall asleep: about 10 µs on a microcontroller */
#define SETTLING_TURNS 200U

enum { P_ACCESS, P_REGION, P_CORE, P_OTHER, P_OTHER_REGION, P_BYTES, P_MARK, PARAMETER_COUNT };
enum mark { MARK_ALL, MARK_ALONE, MARK_CONTENDED };
enum access { READ, WRITE, COPY };

static const char *const accesses[] = {"read", "write", "copy"};
static const char *const marks[] = {"all", "alone", "contended"};
static const char *const others[] = {"none", "read", "write", "copy"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const char *region_name(uint32_t index) {
    struct port_region region;
    return port_region(index, &region) ? region.name : NULL;
}

#if IC_OWN_MAX > 0
#define OTHERS_HERE 4U /* followed by the user's workloads */
static const char *other_name(uint32_t index) {
    uint32_t own = index - OTHERS_HERE;
    return index < OTHERS_HERE ? others[index] : own < IC_OWN_MAX ? ic_workload_names[IC_WORKLOADS_HERE + own] : NULL;
}
#define OTHERS .choice = other_name
#else
#define OTHERS .choices = others, .choice_count = 4
#endif

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_ACCESS] = {.name = "access", .help = "kind of access", .choices = accesses, .choice_count = 3},
    [P_REGION] = {.name = "region", .help = "memory region of the passes", .choice = region_name},
    [P_CORE] = {.name = "core", .help = "core that is timed", .limit = last_core},
    [P_OTHER] = {.name = "other", .help = "access of the other core at the same time: the next one, or core 0", OTHERS},
    [P_OTHER_REGION] = {.name = "other_region", .help = "memory region of the other core", .choice = region_name},
    [P_BYTES] = {.name = "bytes",
                 .help = "bytes of a pass, a multiple of 64",
                 .min = BYTES_UNIT,
                 .max = 1U << 30U,
                 .preset = 65536},
    [P_MARK] = {.name = "mark",
                .help = "the mark pin is high during all repetitions, or passes of one kind",
                .choices = marks,
                .choice_count = 3},
};

/* The work of a core */
struct worker {
    port_task_t task;
    uint32_t core;
    enum access access;
    volatile word_t *words; /* words to read or write, or to copy to the words after them */
    size_t count;           /* number of these words, a multiple of UNROLLED */
    size_t origin;          /* index of the first of these words in the region */
    size_t at;              /* index of the next word to access */
    word_t value;           /* next value to write */
    bool right;
    bool migrated;
    uint64_t preempted;
};

static struct {
    struct ic_run *run;
    port_task_t *leader;
    size_t pass; /* number of words in a pass */
    bool accompanied;
    struct worker own;
    struct worker other;
    int64_t alone; /* in ticks of the common clock */
    int64_t contended;
    bool dismissed;      /* a task that is woken while this is true ends */
    atomic_bool running; /* the task on the other core is working */
    atomic_bool wanted;  /* the task on the other core must work */
#if IC_OWN_MAX > 0
    uint32_t own_work; /* workload of the other core, by its index in the list; 0: memory accesses */
    uint32_t unit;     /* unit of that workload that was done last */
    uint32_t sum;      /* result of that unit */
#endif
} pair PORT_SHARED(memory);

/* ---- the accesses ---- */

static word_t read_words(const volatile word_t *from, size_t count) {
    word_t sum = 0;
    for (const volatile word_t *end = from + count; from < end; from += UNROLLED) {
        sum += from[0];
        sum += from[1];
        sum += from[2];
        sum += from[3];
        sum += from[4];
        sum += from[5];
        sum += from[6];
        sum += from[7];
    }
    return sum;
}

static void write_words(volatile word_t *to, size_t count, word_t value) {
    for (const volatile word_t *end = to + count; to < end; to += UNROLLED) {
        to[0] = value;
        to[1] = value;
        to[2] = value;
        to[3] = value;
        to[4] = value;
        to[5] = value;
        to[6] = value;
        to[7] = value;
    }
}

static void copy_words(volatile word_t *to, const volatile word_t *from, size_t count) {
    for (const volatile word_t *end = from + count; from < end; from += UNROLLED, to += UNROLLED) {
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
        to[3] = from[3];
        to[4] = from[4];
        to[5] = from[5];
        to[6] = from[6];
        to[7] = from[7];
    }
}

/* Accesses `words` words from the worker's position on, and wraps around at the end of its words. Returns the sum of
 * the words read; 0 for writes and copies. */
static word_t pass(struct worker *worker, size_t words) {
    word_t sum = 0;
    while (words > 0) {
        volatile word_t *first = worker->words + worker->at;
        size_t left = worker->count - worker->at;
        size_t count = words < left ? words : left;
        switch (worker->access) {
        case READ:
            sum += read_words(first, count);
            break;
        case WRITE:
            write_words(first, count, worker->value);
            break;
        case COPY:
            copy_words(first + worker->count, first, count);
            break;
        }
        words -= count;
        worker->at = count < left ? worker->at + count : 0;
    }
    return sum;
}

/* ---- the contents of words ---- */

/* Expected value of word number `index` of a worker's words. The board supplies these values in a read-only region;
 * fill() writes them into other regions. */
static word_t content(const struct worker *worker, size_t index) {
    return (word_t)(worker->origin + index) * PORT_REGION_STEP;
}

/* Expected sum of `count` words from `first` on, which do not wrap around */
static word_t sum_of(const struct worker *worker, size_t first, size_t count) {
    word_t pairs = count % 2U == 0 ? count / 2U * (count - 1U) : (count - 1U) / 2U * count;
    return (count * (worker->origin + first) + pairs) * PORT_REGION_STEP;
}

/* Expected sum of `count` words from `first` on, which wrap around at the end of the worker's words */
static word_t expected_sum(const struct worker *worker, size_t first, size_t count) {
    word_t sum = sum_of(worker, 0, worker->count) * (count / worker->count);
    size_t rest = count % worker->count;
    size_t left = worker->count - first;
    return rest <= left ? sum + sum_of(worker, first, rest)
                        : sum + sum_of(worker, first, left) + sum_of(worker, 0, rest - left);
}

/* Whether `count` words from `first` on, wrapping around, hold the written or copied values. Copied values are erased
 * after the check, so that the next check cannot find an old copy. */
static bool read_back(const struct worker *worker, size_t first, size_t count) {
    bool right = true;
    count = count < worker->count ? count : worker->count;
    for (size_t index = first; count > 0; count--) {
        if (worker->access == WRITE) {
            right = right && worker->words[index] == worker->value;
        } else {
            right = right && worker->words[worker->count + index] == content(worker, index);
            worker->words[worker->count + index] = ~content(worker, index);
        }
        index = index + 1U < worker->count ? index + 1U : 0;
    }
    return right;
}

static void fill(const struct worker *worker) {
    for (size_t i = 0; i < worker->count; i++) {
        worker->words[i] = content(worker, i);
        if (worker->access == COPY) {
            worker->words[worker->count + i] = ~content(worker, i);
        }
    }
}

/* ---- the timed core ---- */

static void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

static int64_t time_pass(struct worker *worker, enum mark kind) {
    size_t first = worker->at;
    worker->value++;
    ic_run_dither(pair.run);
    ic_run_window(pair.run, kind, true);
    uint64_t start = port_clock();
    word_t sum = pass(worker, pair.pass);
    uint64_t end = port_clock();
    ic_run_window(pair.run, kind, false);
    worker->right = worker->right && (worker->access == READ ? sum == expected_sum(worker, first, pair.pass)
                                                             : read_back(worker, first, pair.pass));
    return (int64_t)(end - start);
}

static void time_alone(struct worker *worker) {
    let_pass(SETTLING_TURNS);
    pair.alone = time_pass(worker, MARK_ALONE);
}

static void time_contended(struct worker *worker) {
    atomic_store(&pair.wanted, true);
    port_notify(&pair.other.task);
    while (!atomic_load(&pair.running)) {
    }
    pair.contended = time_pass(worker, MARK_CONTENDED);
    atomic_store(&pair.wanted, false);
    while (atomic_load(&pair.running)) {
    }
}

/* Waits until woken; returns false if the task must end. */
static bool await_turn(struct worker *worker) {
    port_notify_take();
    if (pair.dismissed) {
        worker->preempted = port_preemptions();
    }
    return !pair.dismissed;
}

static void own_task(void *arg) {
    struct worker *worker = arg;
    while (await_turn(worker)) {
        bool alone_first = ic_random_below(&pair.run->random, 2) == 0;
        worker->right = true;
        if (alone_first) {
            time_alone(worker);
        }
        if (pair.accompanied) {
            time_contended(worker);
        }
        if (!alone_first) {
            time_alone(worker);
        }
        worker->migrated = worker->migrated || port_core_id() != worker->core;
        port_notify(pair.leader);
    }
}
PORT_ENTRY(own_task);

/* ---- the other core ---- */

static void other_task(void *arg) {
    struct worker *worker = arg;
    size_t chunk = CHUNK_BYTES / sizeof(word_t);
    while (await_turn(worker)) {
        size_t first = worker->at;
        size_t last;
        size_t words = 0;
        word_t sum = 0;
        worker->value++;
        do {
            last = worker->at;
            sum += pass(worker, chunk);
            words += chunk;
            atomic_store_explicit(&pair.running, true, memory_order_release);
        } while (atomic_load_explicit(&pair.wanted, memory_order_acquire));
        bool right =
            worker->access == READ ? sum == expected_sum(worker, first, words) : read_back(worker, last, chunk);
        worker->right = worker->right && right;
        worker->migrated = worker->migrated || port_core_id() != worker->core;
        atomic_store(&pair.running, false);
    }
}
PORT_ENTRY(other_task);

#if IC_OWN_MAX > 0
static void own_work_task(void *arg) {
    struct worker *worker = arg;
    while (await_turn(worker)) {
        do {
            pair.unit++;
            pair.sum = ic_workloads[pair.own_work]->work(pair.unit, 1);
            atomic_store_explicit(&pair.running, true, memory_order_release);
        } while (atomic_load_explicit(&pair.wanted, memory_order_acquire));
        worker->migrated = worker->migrated || port_core_id() != worker->core;
        atomic_store(&pair.running, false);
    }
}
PORT_ENTRY(own_work_task);

static bool own_work_is_right(void) {
    return pair.own_work == 0 || pair.sum == ic_workloads[pair.own_work]->expected(pair.unit, 1);
}

static void settle_own_work(uint32_t other) {
    pair.own_work = other < OTHERS_HERE ? 0 : IC_WORKLOADS_HERE + other - OTHERS_HERE;
    if (pair.own_work != 0) {
        ic_workloads[pair.own_work]->prepare();
    }
}
#define OTHER_TASK (pair.own_work != 0 ? own_work_task : other_task)
#define IS_OWN(other) ((other) >= OTHERS_HERE)
#else
#define own_work_is_right() true
#define settle_own_work(other) ((void)0)
#define OTHER_TASK other_task
#define IS_OWN(other) false
#endif

/* ---- the benchmark ---- */

static bool start(struct ic_run *run, struct worker *worker, void (*entry)(void *)) {
    struct port_task_config config = {
        .name = "memory", .entry = entry, .arg = worker, .core = worker->core, .priority = 2};
    return port_task_start(&worker->task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

/* Ends a task and counts its migrations and preemptions. */
static void dismiss(struct ic_run *run, struct worker *worker) {
    pair.dismissed = true;
    port_notify(&worker->task);
    port_task_join(&worker->task);
    run->checks.migrated += worker->migrated;
    run->checks.preempted += worker->preempted;
}

/* Bytes of a region that one worker reads or writes: half of the region or, for a copy, a quarter */
static size_t share_of(const struct port_region *region, enum access access) {
    return region->bytes / 2U / (access == COPY ? 2U : 1U);
}

/* Gives a worker the first or the second half of a region. */
static void settle(struct worker *worker, uint32_t index, bool second) {
    struct port_region region;
    (void)port_region(index, &region); /* cannot fail: the index is a choice of region_name() */
    size_t half = region.bytes / 2U;
    worker->words = (volatile word_t *)(void *)((uint8_t *)region.base + (second ? half : 0));
    worker->count = share_of(&region, worker->access) / TURN_BYTES * UNROLLED;
    worker->origin = second ? half / sizeof(word_t) : 0;
    worker->at = 0;
    worker->value = PORT_REGION_STEP;
    worker->right = true;
    worker->migrated = false;
    worker->preempted = 0;
    if (!region.read_only) {
        fill(worker);
    }
}

static void settle_both(const struct ic_run *run) {
    const uint32_t *values = run->values;
    uint32_t cores = port_core_count();
    pair.accompanied = values[P_OTHER] != 0 && cores > 1;
    pair.own.core = values[P_CORE];
    pair.own.access = (enum access)values[P_ACCESS];
    pair.other.core = (values[P_CORE] + 1U) % cores;
    settle_own_work(values[P_OTHER]);
    pair.other.access = pair.accompanied && !IS_OWN(values[P_OTHER]) ? (enum access)(values[P_OTHER] - 1U) : READ;
    pair.pass = values[P_BYTES] / sizeof(word_t);
    settle(&pair.own, values[P_REGION], false);
    if (pair.accompanied) {
        settle(&pair.other, values[P_OTHER_REGION], values[P_OTHER_REGION] == values[P_REGION]);
    }
}

static bool can_be(uint32_t index, enum access access, struct ic_error *error) {
    struct port_region region;
    (void)port_region(index, &region); /* cannot fail: the index is a choice of region_name() */
    if (region.read_only && access != READ) {
        return ic_error_set(error, "unsupported", "the region ", region.name, " can only be read");
    }
    return share_of(&region, access) >= TURN_BYTES ||
           ic_error_set(error, "unsupported", "there is not enough memory in the region ", region.name, "");
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    const uint32_t *values = run->values;
    if (values[P_BYTES] % BYTES_UNIT != 0) {
        return ic_error_set(error, "bad-value", "bytes is not a multiple of 64", "", "");
    }
    return can_be(values[P_REGION], (enum access)values[P_ACCESS], error) &&
           (values[P_OTHER] == 0 || IS_OWN(values[P_OTHER]) || port_core_count() < 2 ||
            can_be(values[P_OTHER_REGION], (enum access)(values[P_OTHER] - 1U), error));
}

static void take(struct ic_run *run, struct ic_series *alone, struct ic_series *contended) {
    port_notify(&pair.own.task);
    port_notify_take();
    ic_run_check(run, pair.own.right && own_work_is_right());
    if (alone != NULL) {
        ic_run_sample(run, alone, pair.alone);
    }
    if (contended != NULL) {
        ic_run_sample(run, contended, pair.contended);
    }
}

static bool repeat(struct ic_run *run, struct ic_series *alone, struct ic_series *contended) {
    if (!start(run, &pair.own, own_task)) {
        return false;
    }
    take(run, NULL, NULL); /* warms the caches and page tables */
    run->marked = run->values[P_MARK];
    while (ic_run_repeat(run)) {
        take(run, alone, contended);
    }
    dismiss(run, &pair.own);
    return true;
}

static bool measure(struct ic_run *run) {
    pair.run = run;
    pair.leader = port_task_self();
    pair.dismissed = false;
    atomic_store(&pair.running, false);
    atomic_store(&pair.wanted, false);
    settle_both(run);
    struct ic_series *alone = ic_run_series(run, "alone");
    struct ic_series *contended = pair.accompanied ? ic_run_series(run, "contended") : NULL;
    if (alone == NULL || (pair.accompanied && contended == NULL)) {
        return false;
    }
    if (!pair.accompanied) {
        return repeat(run, alone, NULL);
    }
    if (!start(run, &pair.other, OTHER_TASK)) {
        return false;
    }
    bool taken = repeat(run, alone, contended);
    dismiss(run, &pair.other);
    ic_run_check(run, pair.other.right);
    return taken;
}

const struct ic_benchmark ic_benchmark_memory = {
    .name = "memory",
    .summary = "passes over a memory region by one core: read, write or copy; alone and with the other core active",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 25,
    .series_count = 2,
    .possible = possible,
    .measure = measure,
};
