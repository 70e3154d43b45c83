/* The benchmark `irq`: interrupt latency, from an interrupt's cause to its handler and on to a task, on the same core
 * and on the other core.
 *
 * The parameter `path` selects what is measured:
 *
 *   timer-handler        from when a timer is due to the first reading of the clock in its handler
 *   handler-task         from a clock reading in the handler, right before it wakes a task, to the task's first reading
 *   timer-task           from when a timer is due to the first reading of the task that its handler wakes; the handler
 *                        does not read the clock
 *   doorbell             from before core `from` rings the doorbell of core `to` (interrupts that core) to the first
 *                        reading in the doorbell's handler there
 *   doorbell-round-trip  from before core `from` rings the doorbell of core `to`, whose handler rings back, to the
 *                        first reading in the handler on core `from`
 *   gpio-handler         from right before core `from` changes the level of a pin to the first reading in the handler
 *                        of the pin's edges on core `to`
 *   gpio-task            the same, to the first reading of the task on core `to` that the handler wakes; the handler
 *                        does not read the clock
 *
 * The handler of a timer runs on core `from`, the woken task on core `to`. A core may ring its own doorbell, and handle
 * the edge that it makes. The last two paths need a pin (port_pin.h).
 *
 * The latency depends on what is interrupted. The parameter `interrupted` selects what the cores `from` and `to` do:
 *
 *   idle    they sleep
 *   busy    a task of low priority computes
 *   kernel  a task of low priority makes kernel calls continuously; if `from` and `to` are one core, another task does
 *           so on the next core. So the kernel often masks interrupts, and the cores often wait for each other to leave
 *           the kernel.
 *
 * The parameter `cache` says what the cache between the cores and their code holds. With `warm` it holds what the
 * interrupt before this one needed, as far as there is room; with `cold` it is emptied right before the interrupt is
 * caused. What the cores do until a timer is due fills it again in part.
 *
 * The core that rings a doorbell or makes an edge is awake. Its task first waits for a random time, without kernel
 * calls, because these would synchronise the cores. Afterwards it stays awake until the sample has been taken; with
 * interrupted=kernel it makes kernel calls meanwhile.
 *
 * The console task controls the other tasks. The causing task, on core `from`, causes the interrupt.
 * The woken task, on core `to`, waits for the handler. The tasks to be interrupted, called occupants, have a low
 * priority: they run from when the causing task wakes them until the last reading. An interrupt that does not come
 * within a second is counted as lost, a spurious interrupt as wrong. */
#include <stdatomic.h>

#include "benchmarks.h"
#include "port.h"
#include "port_interrupt.h"
#include "port_launch.h"
#include "port_pin.h"
#include "run.h"

enum { P_PATH, P_FROM, P_TO, P_INTERRUPTED, P_CACHE, PARAMETER_COUNT };
enum path { TIMER_HANDLER, HANDLER_TASK, TIMER_TASK, DOORBELL, ROUND_TRIP, GPIO_HANDLER, GPIO_TASK, PATH_COUNT };
enum interrupted { IDLE, BUSY, KERNEL, INTERRUPTED_COUNT };
enum cache { WARM, COLD };

static const char *const paths[] = {
    [TIMER_HANDLER] = "timer-handler", [HANDLER_TASK] = "handler-task",      [TIMER_TASK] = "timer-task",
    [DOORBELL] = "doorbell",           [ROUND_TRIP] = "doorbell-round-trip", [GPIO_HANDLER] = "gpio-handler",
    [GPIO_TASK] = "gpio-task",
};
static const char *const states[] = {[IDLE] = "idle", [BUSY] = "busy", [KERNEL] = "kernel"};

static const char *path_choice(uint32_t index) {
    uint32_t count = port_pin_exists() ? PATH_COUNT : GPIO_HANDLER;
    return index < count ? paths[index] : NULL;
}

static const char *cache_choice(uint32_t index) {
    return index == WARM ? "warm" : index == COLD && port_code_cache_empty() ? "cold" : NULL;
}

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_PATH] = {.name = "path", .help = "what is timed", .choice = path_choice},
    [P_FROM] = {.name = "from",
                .help = "core of the timer, or the one that rings the doorbell or drives the pin",
                .limit = last_core},
    [P_TO] = {.name = "to",
              .help = "core of the woken task, or of the doorbell's or pin's handler; not for timer-handler",
              .preset = IC_PRESET_MAX,
              .limit = last_core},
    [P_INTERRUPTED] = {.name = "interrupted",
                       .help = "what the interrupted cores do",
                       .choices = states,
                       .choice_count = INTERRUPTED_COUNT},
    [P_CACHE] = {.name = "cache", .help = "whether the cache holds the code", .choice = cache_choice},
};

/* A timer is set at least this long before it is due, so that its core has time to fall asleep. */
#define LEAD_US 100U
/* Iterations of an empty loop after which other cores have reacted to a wake-up: about 10 µs on a microcontroller */
#define SETTLING_TURNS 400U
/* The task that rings the doorbell or makes an edge polls at most this many times, which takes a few milliseconds,
 * whether the sample has been taken. After that it sleeps between polls. */
#define MOST_LOOKS 20000U
#define TURNS_BETWEEN_LOOKS 8U

enum { OCCUPANT_PRIORITY = 1, CAUSE_PRIORITY = 3, WOKEN_PRIORITY = 4 };
/* Enough for the causing task, the woken task, and an occupant (task to be interrupted) each on core `from`, core `to`
 * and the next core */
#define PLAYERS_MAX 5U

struct player {
    port_task_t task;
    uint32_t core;
    bool migrated;
    uint64_t preempted;
};

/* What one handler, or the woken task, has recorded */
struct arrivals {
    uint32_t core;
    uint64_t at;
    bool migrated;
    atomic_uint count; /* number of runs; stored last, by a single writer */
};

static struct {
    struct ic_run *run;
    enum path path;
    enum interrupted interrupted;
    uint32_t from;
    uint32_t to;
    port_task_t *leader;
    struct player players[PLAYERS_MAX];
    uint32_t player_count;
    struct player *cause;
    struct player *woken;
    atomic_bool dismissed; /* a task that is woken while this is true ends; the interrupted tasks may wake late */
    atomic_bool over;      /* the sample has been taken: the interrupted tasks stop */
    bool answered;         /* round trip on one core, whose doorbell rings twice: the first ring was answered */

    struct arrivals handler;   /* the handler that reads the clock or wakes the task */
    struct arrivals task;      /* the woken task */
    uint32_t handlers_counted; /* how many runs in handler.count had a cause */
    uint64_t begin;            /* due time of the timer, or reading before the doorbell is rung or the pin driven */
} scene PORT_SHARED(irq);

/* ---- interrupted activities ---- */

static void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

/* Kernel calls that do not block */
static void call_kernel(void) {
    port_notify(port_task_self());
    port_notify_take();
    port_yield();
}

static void occupy(void) {
    if (scene.interrupted == KERNEL) {
        call_kernel();
    } else {
        let_pass(TURNS_BETWEEN_LOOKS);
    }
}

/* Waits until woken; returns false if the task must end. */
static bool await_turn(struct player *player) {
    port_notify_take();
    player->migrated = player->migrated || port_core_id() != player->core;
    if (atomic_load(&scene.dismissed)) {
        player->preempted = port_preemptions();
        return false;
    }
    return true;
}

static void busy_task(void *arg) {
    while (await_turn(arg)) {
        while (!atomic_load(&scene.over)) {
            occupy();
        }
    }
}
PORT_ENTRY(busy_task);

/* ---- handlers, and the task ---- */

static void count(struct arrivals *arrivals) {
    arrivals->migrated = arrivals->migrated || port_core_id() != arrivals->core;
    atomic_store(&arrivals->count, atomic_load(&arrivals->count) + 1U);
}

/* Interrupt handler for the paths whose sample ends in a handler: reads the clock. */
static void read_clock(void *arg) {
    uint64_t now = port_clock();
    (void)arg;
    scene.handler.at = now;
    atomic_store(&scene.over, true);
    count(&scene.handler);
}
PORT_ENTRY(read_clock);

static void read_clock_and_wake(void *arg) {
    (void)arg;
    count(&scene.handler);
    scene.handler.at = port_clock();
    port_notify_from_handler(&scene.woken->task);
}
PORT_ENTRY(read_clock_and_wake);

static void wake(void *arg) {
    (void)arg;
    count(&scene.handler);
    port_notify_from_handler(&scene.woken->task);
}
PORT_ENTRY(wake);

static void woken_task(void *arg) {
    for (;;) {
        port_notify_take();
        uint64_t now = port_clock();
        if (atomic_load(&scene.dismissed)) {
            break;
        }
        scene.task.at = now;
        atomic_store(&scene.over, true);
        count(&scene.task);
    }
    struct player *player = arg;
    player->preempted = port_preemptions();
}
PORT_ENTRY(woken_task);

static void ring_back(void *arg) {
    (void)arg;
    port_doorbell_ring(scene.from);
}
PORT_ENTRY(ring_back);

/* Doorbell handler for a round trip from a core to itself, where the doorbell rings twice: the first time it rings
 * back, the second time it reads the clock. */
static void ring_back_once(void *arg) {
    if (!scene.answered) {
        scene.answered = true;
        ring_back(arg);
    } else {
        read_clock(arg);
    }
}
PORT_ENTRY(ring_back_once);

/* ---- the causing task ---- */

static bool rings(void) { return scene.path == DOORBELL || scene.path == ROUND_TRIP; }

static bool drives_pin(void) { return scene.path >= GPIO_HANDLER; }

static bool ends_in_task(void) {
    return scene.path == HANDLER_TASK || scene.path == TIMER_TASK || scene.path == GPIO_TASK;
}

static struct arrivals *last_arrivals(void) { return ends_in_task() ? &scene.task : &scene.handler; }

static void prepare_cache(void) {
    if (scene.run->values[P_CACHE] == COLD) {
        (void)port_code_cache_empty();
    }
}

static uint64_t ticks_of(uint64_t us) { return us * port_clock_hz() / 1000000U; }

static void occupy_cores(void) {
    atomic_store(&scene.over, false);
    for (uint32_t i = 0; i < scene.player_count; i++) {
        if (&scene.players[i] != scene.cause && &scene.players[i] != scene.woken) {
            port_notify(&scene.players[i].task);
        }
    }
    let_pass(SETTLING_TURNS);
}

/* Sets the timer and sleeps until it must have fired. */
static void set_timer(void) {
    uint64_t dither = ticks_of(ic_run_common(scene.run, IC_COMMON_DITHER));
    uint64_t later = dither > 0 ? ic_random_next(&scene.run->random) % dither : 0;
    prepare_cache();
    uint64_t now = port_clock();
    scene.begin = port_timer_set(now + ticks_of(LEAD_US) + later);
    /* One tick more because the division rounds down, one because the first tick of a sleep may come at once. */
    port_sleep_ticks((uint32_t)((scene.begin - now) * port_tick_hz() / port_clock_hz()) + 2U);
}

/* Rings the doorbell or makes an edge, and stays awake until `arrived` is no longer `before`, for at most MOST_LOOKS
 * polls. */
static void trigger(const atomic_uint *arrived, uint32_t before) {
    ic_run_dither(scene.run);
    scene.answered = false;
    prepare_cache();
    if (drives_pin()) {
        scene.begin = port_pin_toggle();
    } else {
        uint64_t now = port_clock();
        port_doorbell_ring(scene.to);
        scene.begin = now;
    }
    for (uint32_t looks = 0; looks < MOST_LOOKS && atomic_load(arrived) == before; looks++) {
        occupy();
    }
}

static void cause_once(void) {
    const atomic_uint *arrived = &last_arrivals()->count;
    uint32_t before = atomic_load(arrived);
    occupy_cores();
    if (rings() || drives_pin()) {
        trigger(arrived, before);
    } else {
        set_timer();
    }
    for (uint32_t ticks = port_tick_hz(); ticks > 0 && atomic_load(arrived) == before; ticks--) {
        port_sleep_ticks(1); /* the interrupt is late, or lost */
    }
    atomic_store(&scene.over, true);
}

static void causing_task(void *arg) {
    while (await_turn(arg)) {
        cause_once();
        port_notify(scene.leader);
    }
}
PORT_ENTRY(causing_task);

/* ---- the console task ---- */

/* Returns the number of spurious interrupts since the previous call. Call it only when no requested interrupt is still
 * to come. */
static uint32_t surplus(void) {
    uint32_t arrived = atomic_load(&scene.handler.count);
    uint32_t more = arrived - scene.handlers_counted;
    scene.handlers_counted = arrived;
    return more;
}

static void take(struct ic_run *run, struct ic_series *series) {
    run->checks.wrong += surplus();
    struct arrivals *last = last_arrivals();
    uint32_t before = atomic_load(&last->count);
    port_notify(&scene.cause->task);
    port_notify_take();
    if (atomic_load(&last->count) == before) {
        run->checks.lost++;
        return;
    }
    scene.handlers_counted++;
    uint64_t begin = scene.path == HANDLER_TASK ? scene.handler.at : scene.begin;
    int64_t latency = (int64_t)(last->at - begin);
    ic_run_check(run, latency >= 0);
    if (series != NULL) {
        ic_run_sample(run, series, latency);
    }
}

static bool start(struct ic_run *run, void (*entry)(void *), uint32_t core, uint32_t priority) {
    struct player *player = &scene.players[scene.player_count];
    player->core = core;
    player->migrated = false;
    player->preempted = 0;
    struct port_task_config config = {.name = "irq", .entry = entry, .arg = player, .core = core, .priority = priority};
    if (port_task_start(&player->task, &config) != PORT_OK) {
        return ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
    }
    scene.player_count++;
    return true;
}

/* Starts an occupant (task to be interrupted) on each core that must not idle. */
static bool start_occupants(struct ic_run *run) {
    if (scene.interrupted == IDLE) {
        return true;
    }
    uint32_t other = scene.interrupted == KERNEL ? (scene.from + 1U) % port_core_count() : scene.to;
    return start(run, busy_task, scene.from, OCCUPANT_PRIORITY) &&
           (scene.to == scene.from || start(run, busy_task, scene.to, OCCUPANT_PRIORITY)) &&
           (scene.to != scene.from || other == scene.from || start(run, busy_task, other, OCCUPANT_PRIORITY));
}

static bool start_players(struct ic_run *run) {
    scene.cause = &scene.players[0];
    if (!start(run, causing_task, scene.from, CAUSE_PRIORITY)) {
        return false;
    }
    scene.woken = NULL;
    if (ends_in_task()) {
        scene.woken = &scene.players[1];
        if (!start(run, woken_task, scene.to, WOKEN_PRIORITY)) {
            return false;
        }
    }
    return start_occupants(run);
}

/* Whether preemptions of this task count as disturbances. They do not for tasks that are interrupted on purpose: the
 * occupants, and a causing task on the handler's core. */
static bool must_not_be_preempted(const struct player *player) {
    return player == scene.woken || (player == scene.cause && player->core != scene.handler.core);
}

/* Ends the tasks and counts their migrations and preemptions. */
static void dismiss(struct ic_run *run) {
    atomic_store(&scene.dismissed, true);
    for (uint32_t i = 0; i < scene.player_count; i++) {
        struct player *player = &scene.players[i];
        port_notify(&player->task);
        port_task_join(&player->task);
        run->checks.migrated += player->migrated;
        run->checks.preempted += must_not_be_preempted(player) ? player->preempted : 0;
    }
    run->checks.migrated += scene.handler.migrated;
    run->checks.migrated += scene.task.migrated;
}

static void close_interrupts(void) {
    if (rings()) {
        port_doorbell_close(scene.to);
        if (scene.path == ROUND_TRIP && scene.from != scene.to) {
            port_doorbell_close(scene.from);
        }
    } else if (drives_pin()) {
        port_pin_close();
    } else {
        port_timer_close();
    }
}

static enum port_error open_doorbells(void) {
    if (scene.path == DOORBELL) {
        return port_doorbell_open(scene.to, read_clock, NULL);
    }
    if (scene.from == scene.to) {
        return port_doorbell_open(scene.to, ring_back_once, NULL);
    }
    enum port_error error = port_doorbell_open(scene.to, ring_back, NULL);
    if (error == PORT_OK) {
        error = port_doorbell_open(scene.from, read_clock, NULL);
        if (error != PORT_OK) {
            port_doorbell_close(scene.to);
        }
    }
    return error;
}

static bool open_interrupts(struct ic_run *run) {
    enum port_error error;
    if (rings()) {
        error = open_doorbells();
    } else if (drives_pin()) {
        error = port_pin_open(scene.to, scene.path == GPIO_HANDLER ? read_clock : wake, NULL);
    } else {
        void (*handler)(void *) = scene.path == TIMER_HANDLER  ? read_clock
                                  : scene.path == HANDLER_TASK ? read_clock_and_wake
                                                               : wake;
        error = port_timer_open(scene.from, handler, NULL);
    }
    return error == PORT_OK ||
           ic_error_set(&run->error, "failed", "the platform has no ", "timer, doorbell or pin", " left");
}

static void prepare(struct ic_run *run) {
    scene.run = run;
    scene.path = (enum path)run->values[P_PATH];
    scene.interrupted = (enum interrupted)run->values[P_INTERRUPTED];
    scene.from = run->values[P_FROM];
    scene.to = scene.path == TIMER_HANDLER ? scene.from : run->values[P_TO];
    scene.leader = port_task_self();
    scene.player_count = 0;
    atomic_store(&scene.dismissed, false);
    scene.handlers_counted = 0;
    atomic_store(&scene.over, true);
    scene.handler = (struct arrivals){.core = scene.path == DOORBELL || drives_pin() ? scene.to : scene.from};
    scene.task = (struct arrivals){.core = scene.to};
}

static bool measure(struct ic_run *run) {
    struct ic_series *series = ic_run_series(run, "latency");
    if (series == NULL) {
        return false;
    }
    prepare(run);
    bool ready = start_players(run) && open_interrupts(run);
    if (ready) {
        take(run, NULL); /* warms the caches */
        while (ic_run_repeat(run)) {
            take(run, series);
        }
        port_sleep_ticks(2);
        run->checks.wrong += surplus();
        close_interrupts();
    }
    dismiss(run);
    return ready;
}

const struct ic_benchmark ic_benchmark_irq = {
    .name = "irq",
    .summary = "latency from a timer, doorbell or pin to an interrupt handler or a task, on one core or two",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 200,
    .series_count = 1,
    .measure = measure,
};
