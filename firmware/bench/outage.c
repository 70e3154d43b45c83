/* The benchmark `outage`: for how long each core stands still while one of them erases and programs the storage that
 * programs are kept in, usually a flash, and whether the other core comes back.
 *
 * A task on core `from` changes a sector that is reserved for benchmarks (port_storage.h): it erases the sector,
 * programs `pages` pages, or does both. Each sample is one such outage. The parameter `safe` says what is done so that
 * no core executes from the storage meanwhile:
 *
 *   lockout  the other core is parked: its doorbell rings, and the doorbell's handler, which is in RAM, waits until it
 *            is released. The core that writes masks its interrupts. ESP-IDF does the like itself
 *   ram      nothing: all programs are in RAM
 *   none     nothing: programs are elsewhere (another bank, or read by the system)
 *   unsafe   nothing, although programs are in the storage that is written: expect a crash
 *
 * The parameter `other` selects what the other core does, and so how its standstill is seen:
 *
 *   ram        computes in RAM, and reads the clock all the time: the longest time between two readings
 *   flash      the same in the storage, where code is there
 *   lock       computes, and half of the time holds the kernel's critical section, for hold_us each
 *   interrupt  sleeps, and answers a timer each 100 µs: the largest lateness of its handler
 *   task       a periodic task that is activated at each kernel tick: its largest lateness
 *
 * The series `longest` has this time, and `missed` how much more there was: for a core that computes, the total of all
 * times of more than 10 µs (with `lock`, and hold_us) between two readings; else the number of activations that did
 * not come. On the core that writes, a periodic task of higher priority is activated at each kernel tick. The series
 * `own` has its largest lateness, and `behind` that of its last activation, after the outage: the kernel ticks that
 * were lost for good.
 *
 * With lockout, the moments between the last reading of the other core before its standstill and the first one after it
 * divide it into parts, whose sum is checked: `entry` (until the core is parked), `seen` (until the core that writes
 * knows), `prepare` (until the storage can be given commands), `write` (until it has done them), `restore` (until code
 * can be read from it), and `wake` (from the release to the first reading). `park` is the time from the ring until the
 * core is parked. Where the other core does not compute there are no `entry` and `wake`.
 *
 * A core that masks its interrupts is parked late. After patience_us the core that writes gives up (`gave_up` is 1),
 * and with request=withdrawn the parked core finds that nobody waits for it. With request=left it does not, as in the
 * pico-sdk before 2.2: it then waits for a release that does not come. To tell this and not to hang, a core waits for
 * its release for at most a second (`stuck` is 1). */
#include <stdatomic.h>

#include "benchmarks.h"
#include "port.h"
#include "port_interrupt.h"
#include "port_lock.h"
#include "port_storage.h"
#include "run.h"

#define NAME "outage"
#define SUMMARY "standstill of each core while one erases and programs flash, from its last sign of life to its next"

#ifdef IC_WITHOUT_OUTAGE /* a board that is short of memory may exclude this benchmark */

const struct ic_benchmark ic_benchmark_outage = {
    .name = NAME,
    .summary = SUMMARY,
    .refused = "this image is without it: there is no storage to write to, or not enough memory (take another "
               "optimisation level)",
};

#else

/* Two readings of the clock that are farther apart mean that the core has stood still. */
#define STANDSTILL_PER_S 100000U
#define TIMER_PER_S 10000U
/* Time that a timer needs before it is due (port_interrupt.h) */
#define LEAD_PER_S 20000U
#define BOUND_S 1U
/* Iterations of an empty loop between two readings: less than a microsecond or two on a chip */
#define PASS_TURNS 8U
/* Kernel ticks between the end of the outage and the last reading */
#define SETTLING_TICKS 4U

enum { P_OP, P_SAFE, P_OTHER, P_FROM, P_PAGES, P_HOLD, P_PATIENCE, P_REQUEST, PARAMETER_COUNT };
enum op { ERASE, PROGRAM, BOTH };
enum safe { LOCKOUT, RAM, NONE, UNSAFE };
enum other { OTHER_RAM, OTHER_INTERRUPT, OTHER_TASK, OTHER_LOCK, OTHER_FLASH };
enum request { WITHDRAWN, LEFT };

static const char *const ops[] = {"erase", "program", "both"};
static const char *const safes[] = {"lockout", "ram", "none", "unsafe"};
static const char *const others[] = {"ram", "interrupt", "task", "lock", "flash"};
static const char *const requests[] = {"withdrawn", "left"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

/* What can be chosen depends on where code is. */
static enum safe safe_of(uint32_t index) {
    struct port_storage storage;
    bool exists = port_storage(&storage);
    if (!exists || storage.use == PORT_STORAGE_APART) {
        return NONE;
    }
    return index == 0 ? LOCKOUT : storage.use == PORT_STORAGE_RAM ? RAM : UNSAFE;
}

static const char *safe_choice(uint32_t index) {
    struct port_storage storage;
    bool exists = port_storage(&storage);
    uint32_t count = exists && (storage.use == PORT_STORAGE_RAM || storage.use == PORT_STORAGE_CODE) ? 2 : 1;
    return index < count ? safes[safe_of(index)] : NULL;
}

static const char *other_choice(uint32_t index) {
    struct port_storage storage;
    bool in_storage = port_storage(&storage) && storage.use >= PORT_STORAGE_CODE;
    return index < (in_storage ? OTHER_FLASH + 1U : OTHER_FLASH) ? others[index] : NULL;
}

static uint32_t most_pages(void) {
    struct port_storage storage;
    return port_storage(&storage) ? storage.sector_bytes / storage.page_bytes : 1U;
}

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_OP] = {.name = "op", .help = "what is done to the sector", .preset = BOTH, .choices = ops, .choice_count = 3},
    [P_SAFE] = {.name = "safe", .help = "how the other core is kept from executing there", .choice = safe_choice},
    [P_OTHER] = {.name = "other", .help = "what the other core does", .choice = other_choice},
    [P_FROM] = {.name = "from", .help = "core that writes", .limit = last_core},
    [P_PAGES] = {.name = "pages", .help = "pages that are programmed", .min = 1, .preset = 1, .limit = most_pages},
    [P_HOLD] = {.name = "hold_us",
                .help = "other=lock: for how long the lock is held, in microseconds",
                .min = 1,
                .max = 100000,
                .preset = 20},
    [P_PATIENCE] = {.name = "patience_us",
                    .help = "for how long the other core is waited for, in microseconds",
                    .min = 1,
                    .max = 1000000,
                    .preset = 100000},
    [P_REQUEST] = {.name = "request",
                   .help = "what becomes of a request that was given up",
                   .choices = requests,
                   .choice_count = 2},
};

/* What is seen of a core */
struct watch {
    uint64_t from; /* begin and end of the longest time */
    uint64_t until;
    uint64_t missed;
    uint64_t behind;
};

struct player {
    port_task_t task;
    uint32_t core;
    bool migrated;
};

static struct {
    struct ic_run *run;
    port_task_t *leader;
    struct player writer;
    struct player own;   /* the periodic task on the core that writes */
    struct player other; /* what the other core does */
    struct port_storage storage;
    enum op op;
    enum safe safe;
    enum other doing;
    bool parks; /* the other core is parked by this benchmark, and not by the system */
    uint64_t hold;
    uint64_t patience;
    uint64_t bound;
    uint64_t standstill;
    uint64_t timer_period;
    uint32_t next_page;
    atomic_bool dismissed;

    /* Of one outage: */
    atomic_bool own_ready; /* the two tasks that watch have begun, and not ended */
    atomic_bool other_ready;
    atomic_bool over;
    struct watch own_watch;
    struct watch watch;
    uint64_t due; /* of the timer */
    atomic_bool wanted;
    atomic_bool parked;
    atomic_bool released;
    atomic_bool stuck;
    bool gave_up;
    bool failed;
    uint64_t asked_at;
    uint64_t parked_at;
    uint64_t seen_at;
    uint64_t restored_at;
    uint64_t released_at;
    struct port_storage_change change;
    uint8_t bytes[PORT_STORAGE_PAGE_MAX];
} scene PORT_SHARED(outage);

/* ---- the other core ---- */

/* Handler of the doorbell; a probe of the simulator finds it by its name. */
PORT_IN_RAM(outage_park) static void outage_park(void *arg) {
    (void)arg;
    uint64_t now = port_clock();
    if (!atomic_load(&scene.wanted)) {
        return;
    }
    scene.parked_at = now;
    atomic_store(&scene.parked, true);
    while (!atomic_load(&scene.released)) {
        if (port_clock() - now > scene.bound) {
            atomic_store(&scene.stuck, true);
            return;
        }
    }
}
PORT_ENTRY(outage_park);

static inline __attribute__((always_inline)) void note(struct watch *watch, uint64_t from, uint64_t until) {
    if (until - from > watch->until - watch->from) {
        watch->from = from;
        watch->until = until;
    }
}

/* One pass of a core that computes: returns its reading of the clock. */
static inline __attribute__((always_inline)) uint64_t pass(uint64_t last) {
    for (volatile uint32_t left = PASS_TURNS; left > 0; left--) {
    }
    uint64_t now = port_clock();
    note(&scene.watch, last, now);
    if (now - last > scene.standstill) {
        scene.watch.missed += now - last;
    }
    return now;
}

PORT_IN_RAM(outage_compute) static void compute_in_ram(void) {
    for (uint64_t last = port_clock(); !atomic_load(&scene.over);) {
        last = pass(last);
    }
}

static __attribute__((noinline)) void compute(void) {
    for (uint64_t last = port_clock(); !atomic_load(&scene.over);) {
        last = pass(last);
    }
}

/* Holds the lock half of the time, so that the kernel on the other core makes progress. */
static void hold_lock(void) {
    for (uint64_t last = port_clock(); !atomic_load(&scene.over);) {
        port_critical_enter();
        for (uint64_t end = port_clock() + scene.hold; port_clock() < end;) {
        }
        port_critical_exit();
        for (uint64_t end = port_clock() + scene.hold; last < end;) {
            last = pass(last);
        }
    }
}

/* Handler of the timer. An activation that is already past, or too near, has not come. */
static void outage_answer(void *arg) {
    (void)arg;
    uint64_t now = port_clock();
    note(&scene.watch, scene.due, now);
    if (atomic_load(&scene.over)) {
        return;
    }
    scene.due += scene.timer_period;
    while (scene.due < now + scene.timer_period * TIMER_PER_S / LEAD_PER_S) {
        scene.due += scene.timer_period;
        scene.watch.missed++;
    }
    scene.due = port_timer_set(scene.due);
}
PORT_ENTRY(outage_answer);

static void be_interrupted(void) {
    scene.due = port_timer_set(port_clock() + 2U * scene.timer_period);
    while (!atomic_load(&scene.over)) {
        port_sleep_ticks(1);
    }
    port_sleep_ticks(1); /* the last interrupt */
}

static void be_periodic(struct watch *watch, atomic_bool *ready) {
    struct port_period period;
    uint64_t tick = port_clock_hz() / port_tick_hz();
    uint64_t due = port_period_begin(&period, 1);
    atomic_store(ready, true);
    while (!atomic_load(&scene.over)) {
        port_period_sleep(&period);
        uint64_t now = port_clock();
        note(watch, due, now);
        watch->behind = now - due;
        watch->missed += now - due > tick;
        due += tick;
    }
}

static void be_watched(void) {
    if (scene.doing == OTHER_TASK) {
        be_periodic(&scene.watch, &scene.other_ready);
        return;
    }
    atomic_store(&scene.other_ready, true);
    switch (scene.doing) {
    case OTHER_INTERRUPT:
        be_interrupted();
        break;
    case OTHER_LOCK:
        hold_lock();
        break;
    case OTHER_FLASH:
        compute();
        break;
    default:
        compute_in_ram();
    }
}

/* Waits until woken; returns false if the task must end. */
static bool await_turn(struct player *player) {
    port_notify_take();
    player->migrated = player->migrated || port_core_id() != player->core;
    return !atomic_load(&scene.dismissed);
}

static void outage_other_task(void *arg) {
    while (await_turn(arg)) {
        be_watched();
        atomic_store(&scene.other_ready, false);
    }
}
PORT_ENTRY(outage_other_task);

static void outage_own_task(void *arg) {
    while (await_turn(arg)) {
        be_periodic(&scene.own_watch, &scene.own_ready);
        atomic_store(&scene.own_ready, false);
    }
}
PORT_ENTRY(outage_own_task);

/* ---- the core that writes ---- */

/* Returns false if the other core has not been parked in time. */
static bool park_other(void) {
    atomic_store(&scene.wanted, true);
    port_doorbell_ring(scene.other.core);
    while (!atomic_load(&scene.parked)) {
        if (port_clock() - scene.asked_at > scene.patience) {
            return false;
        }
    }
    return true;
}

static void write_storage(void) {
    scene.gave_up = false;
    scene.asked_at = port_clock();
    if (scene.parks && !park_other()) {
        scene.gave_up = true;
        if (scene.run->values[P_REQUEST] == LEFT) {
            return;
        }
    } else {
        scene.seen_at = port_clock();
        scene.failed = !port_storage_write(&scene.change);
        scene.restored_at = port_clock();
    }
    atomic_store(&scene.wanted, false);
    scene.released_at = port_clock();
    atomic_store(&scene.released, true);
}

/* With other=lock: this task could only be woken while the lock was free, so it waits for a random part of the period
 * in which the lock is held and not. */
static void await_phase(void) {
    if (scene.doing == OTHER_LOCK) {
        uint64_t wait = ic_random_next(&scene.run->random) % (2U * scene.hold);
        for (uint64_t begin = port_clock(); port_clock() - begin < wait;) {
        }
    }
}

static void outage_writing_task(void *arg) {
    while (await_turn(arg)) {
        while (!atomic_load(&scene.own_ready) || !atomic_load(&scene.other_ready)) {
            port_sleep_ticks(1);
        }
        ic_run_dither(scene.run);
        await_phase();
        write_storage();
        port_sleep_ticks(SETTLING_TICKS);
        while (!atomic_load(&scene.released) && !atomic_load(&scene.stuck)) {
            port_sleep_ticks(1);
        }
        atomic_store(&scene.over, true);
        port_notify(scene.leader);
    }
}
PORT_ENTRY(outage_writing_task);

/* ---- the console task ---- */

enum series {
    S_LONGEST,
    S_MISSED,
    S_OWN,
    S_BEHIND,
    S_GAVE_UP,
    S_STUCK,
    S_PREPARE,
    S_WRITE,
    S_RESTORE,
    S_PARK,
    S_SEEN,
    S_ENTRY,
    S_WAKE,
    SERIES_COUNT
};
static const char *const names[SERIES_COUNT] = {"longest", "missed",  "own",  "behind", "gave_up", "stuck", "prepare",
                                                "write",   "restore", "park", "seen",   "entry",   "wake"};

static bool computes(void) { return scene.doing != OTHER_INTERRUPT && scene.doing != OTHER_TASK; }

/* Opens the series that this setting has. */
static bool open_series(struct ic_run *run, struct ic_series **series) {
    uint32_t count = !scene.parks ? S_PARK : computes() ? SERIES_COUNT : S_ENTRY;
    for (uint32_t i = 0; i < count; i++) {
        series[i] = ic_run_series(run, names[i]);
        if (series[i] == NULL) {
            return false;
        }
    }
    series[S_GAVE_UP]->unit = IC_UNIT_COUNT;
    series[S_STUCK]->unit = IC_UNIT_COUNT;
    if (!computes()) {
        series[S_MISSED]->unit = IC_UNIT_COUNT;
    }
    return true;
}

static void take_parts(struct ic_run *run, struct ic_series **series) {
    const struct watch *watch = &scene.watch;
    ic_run_sample(run, series[S_PREPARE],
                  (int64_t)(scene.change.prepared - (scene.parks ? scene.seen_at : scene.asked_at)));
    ic_run_sample(run, series[S_WRITE], (int64_t)(scene.change.written - scene.change.prepared));
    ic_run_sample(run, series[S_RESTORE], (int64_t)(scene.released_at - scene.change.written));
    if (!scene.parks) {
        return;
    }
    ic_run_sample(run, series[S_PARK], (int64_t)(scene.parked_at - scene.asked_at));
    ic_run_sample(run, series[S_SEEN], (int64_t)(scene.seen_at - scene.parked_at));
    if (computes()) {
        ic_run_check(run, watch->from <= scene.parked_at && scene.released_at <= watch->until);
        ic_run_sample(run, series[S_ENTRY], (int64_t)(scene.parked_at - watch->from));
        ic_run_sample(run, series[S_WAKE], (int64_t)(watch->until - scene.released_at));
    }
}

static void take_samples(struct ic_run *run, struct ic_series **series) {
    const struct watch *watch = &scene.watch;
    ic_run_sample(run, series[S_GAVE_UP], scene.gave_up);
    ic_run_sample(run, series[S_STUCK], atomic_load(&scene.stuck));
    ic_run_sample(run, series[S_LONGEST], (int64_t)(watch->until - watch->from));
    ic_run_sample(run, series[S_MISSED], (int64_t)watch->missed);
    ic_run_sample(run, series[S_OWN], (int64_t)(scene.own_watch.until - scene.own_watch.from));
    ic_run_sample(run, series[S_BEHIND], (int64_t)scene.own_watch.behind);
    if (!scene.gave_up) {
        take_parts(run, series);
    }
}

static bool holds(void) {
    bool right = !scene.failed;
    const struct port_storage_change *change = &scene.change;
    uint32_t page_bytes = scene.storage.page_bytes;
    for (uint32_t at = 0; right && at < scene.storage.sector_bytes; at++) {
        uint32_t page = at / page_bytes;
        bool programmed = page >= change->page && page < change->page + change->pages;
        right = programmed ? port_storage_read(at) == scene.bytes[at % page_bytes]
                           : !change->erase || port_storage_read(at) == 0xff;
    }
    return right;
}

static void play(void) {
    scene.own_watch = (struct watch){0};
    scene.watch = (struct watch){0};
    atomic_store(&scene.over, false);
    atomic_store(&scene.parked, false);
    atomic_store(&scene.released, false);
    atomic_store(&scene.stuck, false);
    port_notify(&scene.writer.task);
    port_notify(&scene.own.task);
    port_notify(&scene.other.task); /* last: it may keep this core until the outage is over */
    port_notify_take();
    while (atomic_load(&scene.own_ready) || atomic_load(&scene.other_ready)) { /* they have not seen the end yet */
        port_sleep_ticks(1);
    }
}

static void change_next(enum op op, uint32_t pages) {
    for (uint32_t i = 0; i < scene.storage.page_bytes; i++) {
        scene.bytes[i] = (uint8_t)ic_random_next(&scene.run->random);
    }
    scene.change = (struct port_storage_change){.erase = op != PROGRAM,
                                                .masked = scene.safe == LOCKOUT,
                                                .page = op == PROGRAM ? scene.next_page : 0,
                                                .pages = op == ERASE ? 0 : pages,
                                                .bytes = scene.bytes};
    scene.next_page = scene.change.page + scene.change.pages;
}

static void take(struct ic_run *run, struct ic_series **series) {
    uint32_t pages = run->values[P_PAGES];
    if (scene.op == PROGRAM && (scene.next_page + pages) * scene.storage.page_bytes > scene.storage.sector_bytes) {
        change_next(ERASE, 0);
        play();
    }
    change_next(scene.op, pages);
    play();
    take_samples(run, series);
    if (!scene.gave_up) {
        ic_run_check(run, holds());
    }
}

static bool start(struct ic_run *run, struct player *player, void (*entry)(void *), uint32_t core, uint32_t priority) {
    player->core = core;
    player->migrated = false;
    struct port_task_config config = {
        .name = "outage", .entry = entry, .arg = player, .core = core, .priority = priority};
    return port_task_start(&player->task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

static void dismiss(struct ic_run *run, struct player *player) {
    port_notify(&player->task);
    port_task_join(&player->task);
    run->checks.migrated += player->migrated;
}

static bool start_players(struct ic_run *run) {
    uint32_t from = run->values[P_FROM];
    uint32_t to = from == 0 ? 1 : 0;
    atomic_store(&scene.dismissed, false);
    if (!start(run, &scene.writer, outage_writing_task, from, 3)) {
        return false;
    }
    bool own = start(run, &scene.own, outage_own_task, from, 4);
    bool other = own && start(run, &scene.other, outage_other_task, to, 2);
    if (!other) {
        atomic_store(&scene.dismissed, true);
        dismiss(run, &scene.writer);
        if (own) {
            dismiss(run, &scene.own);
        }
    }
    return other;
}

static bool open_interrupts(struct ic_run *run) {
    enum port_error error = scene.parks ? port_doorbell_open(scene.other.core, outage_park, NULL) : PORT_OK;
    if (error == PORT_OK && scene.doing == OTHER_INTERRUPT) {
        error = port_timer_open(scene.other.core, outage_answer, NULL);
        if (error != PORT_OK && scene.parks) {
            port_doorbell_close(scene.other.core);
        }
    }
    return error == PORT_OK ||
           ic_error_set(&run->error, "failed", "the platform has no ", "timer or doorbell", " left");
}

static void prepare(struct ic_run *run) {
    scene.run = run;
    scene.leader = port_task_self();
    scene.op = (enum op)run->values[P_OP];
    scene.safe = safe_of(run->values[P_SAFE]);
    scene.doing = (enum other)run->values[P_OTHER];
    scene.parks = scene.safe == LOCKOUT && scene.storage.use != PORT_STORAGE_SYSTEM;
    scene.hold = run->values[P_HOLD] * port_clock_hz() / 1000000U;
    scene.bound = BOUND_S * port_clock_hz();
    scene.patience = run->values[P_PATIENCE] * port_clock_hz() / 1000000U;
    scene.standstill = port_clock_hz() / STANDSTILL_PER_S + (scene.doing == OTHER_LOCK ? scene.hold : 0);
    scene.timer_period = port_clock_hz() / TIMER_PER_S;
    atomic_store(&scene.own_ready, false);
    atomic_store(&scene.other_ready, false);
    scene.next_page = scene.storage.sector_bytes / scene.storage.page_bytes;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    struct port_storage storage;
    (void)run;
    if (!port_storage(&storage)) {
        return ic_error_set(error, "unsupported", "this platform has no storage for benchmarks", "", "");
    }
    return port_core_count() > 1 ||
           ic_error_set(error, "unsupported", "this needs two cores, and the target has one", "", "");
}

static bool measure(struct ic_run *run) {
    struct ic_series *series[SERIES_COUNT];
    (void)port_storage(&scene.storage);
    prepare(run);
    if (!open_series(run, series) || !start_players(run)) {
        return false;
    }
    bool ready = open_interrupts(run);
    while (ready && ic_run_repeat(run)) {
        take(run, series);
    }
    if (ready && scene.parks) {
        port_doorbell_close(scene.other.core);
    }
    if (ready && scene.doing == OTHER_INTERRUPT) {
        port_timer_close();
    }
    atomic_store(&scene.dismissed, true);
    dismiss(run, &scene.writer);
    dismiss(run, &scene.own);
    dismiss(run, &scene.other);
    return ready;
}

const struct ic_benchmark ic_benchmark_outage = {
    .name = NAME,
    .summary = SUMMARY,
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 10,
    .series_count = SERIES_COUNT,
    .possible = possible,
    .measure = measure,
};

#endif
