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
#include "outage.h"

#include "benchmarks.h"

/* Two readings of the clock that are farther apart mean that the core has stood still. */
#define STANDSTILL_PER_S 100000U
#define TIMER_PER_S 10000U
#define BOUND_S 1U

struct outage ic_outage PORT_SHARED(outage);

static const char *const ops[] = {"erase", "program", "both"};
static const char *const safes[] = {"lockout", "ram", "none", "unsafe"};
static const char *const others[] = {"ram", "interrupt", "task", "lock", "flash"};
static const char *const requests[] = {"withdrawn", "left"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

/* What can be chosen depends on where code is. */
static enum safe safe_of(uint32_t index) {
    enum port_storage_use use = port_storage().use;
    if (use == PORT_STORAGE_APART) {
        return NONE;
    }
    return index == 0 ? LOCKOUT : use == PORT_STORAGE_RAM ? RAM : UNSAFE;
}

static const char *safe_choice(uint32_t index) {
    enum port_storage_use use = port_storage().use;
    uint32_t count = use == PORT_STORAGE_RAM || use == PORT_STORAGE_CODE ? 2 : 1;
    return index < count ? safes[safe_of(index)] : NULL;
}

static const char *other_choice(uint32_t index) {
    bool in_storage = port_storage().use >= PORT_STORAGE_CODE;
    return index < (in_storage ? OTHER_FLASH + 1U : OTHER_FLASH) ? others[index] : NULL;
}

static uint32_t most_pages(void) { return port_storage().sector_bytes / port_storage().page_bytes; }

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

/* Opens the series that this setting has. */
static bool open_series(struct ic_run *run, struct ic_series **series) {
    uint32_t count = !ic_outage.parks ? S_PARK : ic_outage_computes() ? SERIES_COUNT : S_ENTRY;
    for (uint32_t i = 0; i < count; i++) {
        series[i] = ic_run_series(run, names[i]);
        if (series[i] == NULL) {
            return false;
        }
    }
    series[S_GAVE_UP]->unit = IC_UNIT_COUNT;
    series[S_STUCK]->unit = IC_UNIT_COUNT;
    if (!ic_outage_computes()) {
        series[S_MISSED]->unit = IC_UNIT_COUNT;
    }
    return true;
}

static void take_parts(struct ic_run *run, struct ic_series **series) {
    const struct watch *watch = &ic_outage.watch;
    ic_run_sample(run, series[S_PREPARE],
                  (int64_t)(ic_outage.change.prepared - (ic_outage.parks ? ic_outage.seen_at : ic_outage.asked_at)));
    ic_run_sample(run, series[S_WRITE], (int64_t)(ic_outage.change.written - ic_outage.change.prepared));
    ic_run_sample(run, series[S_RESTORE], (int64_t)(ic_outage.released_at - ic_outage.change.written));
    if (!ic_outage.parks) {
        return;
    }
    ic_run_sample(run, series[S_PARK], (int64_t)(ic_outage.parked_at - ic_outage.asked_at));
    ic_run_sample(run, series[S_SEEN], (int64_t)(ic_outage.seen_at - ic_outage.parked_at));
    if (ic_outage_computes()) {
        ic_run_check(run, watch->from <= ic_outage.parked_at && ic_outage.released_at <= watch->until);
        ic_run_sample(run, series[S_ENTRY], (int64_t)(ic_outage.parked_at - watch->from));
        ic_run_sample(run, series[S_WAKE], (int64_t)(watch->until - ic_outage.released_at));
    }
}

static void take_samples(struct ic_run *run, struct ic_series **series) {
    const struct watch *watch = &ic_outage.watch;
    ic_run_sample(run, series[S_GAVE_UP], ic_outage.gave_up);
    ic_run_sample(run, series[S_STUCK], atomic_load(&ic_outage.stuck));
    ic_run_sample(run, series[S_LONGEST], (int64_t)(watch->until - watch->from));
    ic_run_sample(run, series[S_MISSED], (int64_t)watch->missed);
    ic_run_sample(run, series[S_OWN], (int64_t)(ic_outage.own_watch.until - ic_outage.own_watch.from));
    ic_run_sample(run, series[S_BEHIND], (int64_t)ic_outage.own_watch.behind);
    if (!ic_outage.gave_up) {
        take_parts(run, series);
    }
}

static bool holds(void) {
    bool right = !ic_outage.failed;
    const struct port_storage_change *change = &ic_outage.change;
    struct port_storage storage = port_storage();
    struct ic_random bytes = {0};
    for (uint32_t at = 0; right && at < storage.sector_bytes; at++) {
        uint32_t page = at / storage.page_bytes;
        if (at % storage.page_bytes == 0) {
            bytes = (struct ic_random){ic_outage.content};
        }
        uint8_t byte = (uint8_t)ic_random_next(&bytes);
        bool programmed = page >= change->page && page < change->page + change->pages;
        right = programmed ? port_storage_read(at) == byte : !change->erase || port_storage_read(at) == 0xff;
    }
    return right;
}

static void play(void) {
    ic_outage.own_watch = (struct watch){0};
    ic_outage.watch = (struct watch){0};
    atomic_store(&ic_outage.over, false);
    atomic_store(&ic_outage.parked, false);
    atomic_store(&ic_outage.released, false);
    atomic_store(&ic_outage.stuck, false);
    port_notify(&ic_outage.writer.task);
    port_notify(&ic_outage.own.task);
    port_notify(&ic_outage.other.task); /* last: it may keep this core until the outage is over */
    port_notify_take();
    /* until they have seen the end */
    while (atomic_load(&ic_outage.own_ready) || atomic_load(&ic_outage.other_ready)) {
        port_sleep_ticks(1);
    }
}

static void change_next(enum op op, uint32_t pages) {
    ic_outage.content = (uint32_t)ic_random_next(&ic_outage.run->random);
    ic_outage.change = (struct port_storage_change){.erase = op != PROGRAM,
                                                    .masked = ic_outage.safe == LOCKOUT,
                                                    .page = op == PROGRAM ? ic_outage.next_page : 0,
                                                    .pages = op == ERASE ? 0 : pages};
    ic_outage.next_page = ic_outage.change.page + ic_outage.change.pages;
}

static void take(struct ic_run *run, struct ic_series **series) {
    uint32_t pages = run->values[P_PAGES];
    if (ic_outage.op == PROGRAM && ic_outage.next_page + pages > most_pages()) {
        change_next(ERASE, 0);
        play();
    }
    change_next(ic_outage.op, pages);
    play();
    take_samples(run, series);
    if (!ic_outage.gave_up) {
        ic_run_check(run, holds());
    }
}

static bool start(struct ic_run *run, struct player *player, void (*entry)(void *), uint32_t core, uint32_t priority) {
    player->core = core;
    player->migrated = false;
    struct port_task_config config = {.name = "outage",
                                      .entry = entry,
                                      .arg = player,
                                      .core = core,
                                      .priority = priority,
                                      .stack_bytes = player == &ic_outage.writer ? PORT_STORAGE_PAGE_MAX : 0};
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
    atomic_store(&ic_outage.dismissed, false);
    if (!start(run, &ic_outage.writer, ic_outage_writing_task, from, 3)) {
        return false;
    }
    bool own = start(run, &ic_outage.own, ic_outage_own_task, from, 4);
    bool other = own && start(run, &ic_outage.other, ic_outage_other_task, to, 2);
    if (!other) {
        atomic_store(&ic_outage.dismissed, true);
        dismiss(run, &ic_outage.writer);
        if (own) {
            dismiss(run, &ic_outage.own);
        }
    }
    return other;
}

static void prepare(struct ic_run *run) {
    ic_outage.run = run;
    ic_outage.leader = port_task_self();
    ic_outage.op = (enum op)run->values[P_OP];
    ic_outage.safe = safe_of(run->values[P_SAFE]);
    ic_outage.doing = (enum other)run->values[P_OTHER];
    ic_outage.parks = ic_outage.safe == LOCKOUT && port_storage().use != PORT_STORAGE_SYSTEM;
    uint64_t hz = port_clock_hz();
    ic_outage.hold = (uint32_t)(run->values[P_HOLD] * hz / 1000000U);
    ic_outage.bound = (uint32_t)(BOUND_S * hz);
    ic_outage.patience = (uint32_t)(run->values[P_PATIENCE] * hz / 1000000U);
    ic_outage.standstill = (uint32_t)(hz / STANDSTILL_PER_S) + (ic_outage.doing == OTHER_LOCK ? ic_outage.hold : 0);
    ic_outage.timer_period = (uint32_t)(hz / TIMER_PER_S);
    atomic_store(&ic_outage.own_ready, false);
    atomic_store(&ic_outage.other_ready, false);
    ic_outage.next_page = most_pages();
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    (void)run;
    const char *missing = port_storage().missing;
    if (port_core_count() < 2) {
        missing = "this needs two cores, and the target has one";
    }
    return missing == NULL || ic_error_set(error, "unsupported", missing, "", "");
}

static bool measure(struct ic_run *run) {
    struct ic_series *series[SERIES_COUNT];
    prepare(run);
    if (!open_series(run, series) || !start_players(run)) {
        return false;
    }
    bool ready = ic_outage_open_interrupts(run);
    while (ready && ic_run_repeat(run)) {
        take(run, series);
    }
    if (ready) {
        ic_outage_close_interrupts();
    }
    atomic_store(&ic_outage.dismissed, true);
    dismiss(run, &ic_outage.writer);
    dismiss(run, &ic_outage.own);
    dismiss(run, &ic_outage.other);
    return ready;
}

const struct ic_benchmark ic_benchmark_outage = {
    .name = "outage",
    .summary = "standstill of each core while one erases and programs flash, from its last sign of life to its next",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 10,
    .series_count = SERIES_COUNT,
    .possible = possible,
    .measure = measure,
};
