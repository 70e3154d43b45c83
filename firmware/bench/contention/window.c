/* The competitors of the benchmark `contention`, and the windows in which they compete. */
#include "contention.h"

#include "port_interrupt.h"

#define PRIORITY 1U
/* Bytes of stack for each disc of a tower (each disc is a level of recursion), and for everything else: more than a
 * 32-bit core needs, even at -O0. They are added to the default stack, which is large enough by itself on 64-bit
 * cores. */
#define STACK_PER_DISC 64U
#define STACK_BESIDES 256U
/* Kernel ticks from setting `released` to the start of the window. Competitors check `released` once per tick, so all
 * of them see it before the start. */
#define LEAD_TICKS 5U
/* For this many ticks before the start, competitors spin instead of sleeping, because a sleep may end a tick late. */
#define SPIN_TICKS 2U
/* The mark pin rises 1/MARKS_HZ s = 20 µs before the window, longer than an iteration of the waiting loop, so that no
 * competitor misses this moment. */
#define MARKS_HZ 50000U

/* ---- a competitor ---- */

/* For a tower that ended in the window: adds the numbers of its parts, by core, to the counts of the window. */
static void note_cores(struct competitor *competitor) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        competitor->window.ran[core] += competitor->tower.ran[core];
    }
    competitor->window.moved += competitor->tower.moved;
}

static void note_tower(struct competitor *competitor, uint32_t checksum, uint64_t now) {
    uint32_t core = port_core_id();
    bool free = competitor->core == PORT_CORE_ANY;
    struct ic_series *towers = core < port_core_count() ? competitor->towers[core] : NULL;
    competitor->checked++;
    competitor->wrong += checksum != ic_contest.expected;
    if (towers == NULL || (competitor->tower.moved > 0 && !free)) {
        competitor->migrated++;
    } else if (now < ic_contest.end) {
        competitor->lost += !ic_samples_add(towers, (int64_t)(ic_contest.before + now - ic_contest.start));
        note_cores(competitor);
    }
}

static inline void work_once(struct competitor *competitor) {
    uint32_t checksum = ic_contest_solve(&competitor->tower);
    note_tower(competitor, checksum, port_clock());
    if (ic_contest.yields) {
        port_sleep_ticks(1);
    }
}

static void work(struct competitor *competitor) {
    while (port_clock() < ic_contest.end) {
        work_once(competitor);
    }
}

static void spin(void) {
    while (port_clock() < ic_contest.end) {
    }
}

static void delay(void) {
    while (port_clock() < ic_contest.end) {
        port_sleep_ticks(1);
    }
}

static void await_begin(void) {
    uint64_t lead = port_clock_hz() / MARKS_HZ;
    while (!atomic_load_explicit(&ic_contest.released, memory_order_acquire)) {
        port_sleep_ticks(1);
    }
    while (port_clock() + SPIN_TICKS * ic_contest.tick < ic_contest.start) {
        port_sleep_ticks(1);
    }
    while (port_clock() + lead < ic_contest.start) {
    }
    if (port_clock() < ic_contest.start) { /* a late competitor must not set the pin inside the window */
        port_mark(true);
    }
    while (port_clock() < ic_contest.start) {
    }
}

static void compete(void *arg) {
    struct competitor *competitor = arg;
    await_begin();
    competitor->began = port_clock();
    competitor->began_on = port_core_id();
    switch (competitor->role) {
    case WORK:
        work(competitor);
        break;
    case SPIN:
        spin();
        break;
    case DELAY:
        delay();
        break;
    case BLOCK:
        port_sleep_until(ic_contest.end);
        break;
    case OFF:
    case ROLES:
        break;
    }
}

/* One call of the platform's main loop. Depending on the role, the call solves a tower, sleeps for a tick, sleeps until
 * the end of the window, or does nothing. */
static bool pass(void *arg) {
    struct competitor *competitor = arg;
    if (!competitor->begun) {
        await_begin();
        competitor->begun = true;
        competitor->began = port_clock();
        competitor->began_on = port_core_id();
    }
    if (port_clock() >= ic_contest.end) {
        return false;
    }
    switch (competitor->role) {
    case WORK:
        work_once(competitor);
        break;
    case DELAY:
        port_sleep_ticks(1);
        break;
    case BLOCK:
        port_sleep_until(ic_contest.end);
        break;
    case SPIN:
    case OFF:
    case ROLES:
        break;
    }
    return true;
}

/* ---- a window ---- */

bool ic_contest_start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core) {
    struct port_task_config config = {.name = "competitor",
                                      .entry = entry,
                                      .arg = arg,
                                      .core = core,
                                      .priority = PRIORITY,
                                      .stack_bytes = STACK_BESIDES + STACK_PER_DISC * ic_contest.discs};
    return port_task_start(task, &config) == PORT_OK ||
           ic_error_set(&ic_contest.run->error, "failed", "the platform could not start a task for each ", "competitor",
                        "");
}

/* Starts the platform's main loop as a competitor or, if there is none, a task in its place. */
static bool start_main(struct competitor *competitor) {
    struct port_loop_config config = {.pass = pass, .arg = competitor, .core = competitor->core, .priority = PRIORITY};
    competitor->begun = false;
    enum port_error error = port_loop_start(&config);
    competitor->loops = error == PORT_OK;
    if (error == PORT_ERR_UNSUPPORTED) {
        return ic_contest_start_task(&competitor->task, compete, competitor, competitor->core);
    }
    return error == PORT_OK || ic_error_set(&ic_contest.run->error, "failed", "the program's main loop is busy ",
                                            "with other work; main=off measures without it", "");
}

static bool start_competitor(struct competitor *competitor) {
    if (competitor == &ic_contest.competitors[MAIN]) {
        return start_main(competitor);
    }
    return ic_contest_start_task(&competitor->task, compete, competitor, competitor->core);
}

static void join(struct competitor *competitor) {
    if (competitor->loops) {
        port_loop_join();
    } else {
        port_task_join(&competitor->task);
    }
}

/* Starts all competitors, which then wait until `released` is set. On failure returns false; then only the competitors
 * with an index below `*started` have been started. */
static bool start_competitors(uint32_t *started) {
    for (*started = 0; *started < COMPETITORS; (*started)++) {
        struct competitor *competitor = &ic_contest.competitors[*started];
        if (competitor->role != OFF && !start_competitor(competitor)) {
            return false;
        }
    }
    return true;
}

static void record_cores(struct competitor *competitor) {
    if (competitor->moved == NULL || competitor->role != WORK) {
        return;
    }
    for (uint32_t core = 0; core < port_core_count(); core++) {
        competitor->lost += !ic_samples_add(competitor->ran[core], competitor->window.ran[core]);
    }
    competitor->lost += !ic_samples_add(competitor->moved, competitor->window.moved);
    competitor->window = (struct whereabouts){0};
}

static void release(uint64_t start, uint64_t end) {
    ic_contest.start = start;
    ic_contest.end = end;
    atomic_store_explicit(&ic_contest.released, true, memory_order_release);
}

/* Whether the competitor `late` had to wait for the core because a competitor that works or spins had begun before it
 * on the same core */
static bool waited_for_its_turn(const struct competitor *late) {
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        const struct competitor *other = &ic_contest.competitors[i];
        bool holds = other->role == WORK || other->role == SPIN;
        if (holds && other->began_on == late->began_on && other->began < late->began) {
            return true;
        }
    }
    return false;
}

/* Counts each competitor that began more than a tick late as preempted, unless it waited for the time slice of another
 * competitor. */
static void count_late(void) {
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        const struct competitor *competitor = &ic_contest.competitors[i];
        bool late = competitor->role != OFF && competitor->began > ic_contest.start + ic_contest.tick;
        ic_contest.run->checks.preempted += late && !waited_for_its_turn(competitor);
    }
}

void ic_contest_end_mark(void *arg) {
    (void)arg;
    port_mark(false);
}

bool ic_contest_hold_window(void) {
    uint32_t started;
    atomic_store(&ic_contest.released, false);
    bool ready = start_competitors(&started);
    if (ready) {
        ic_run_dither(ic_contest.run);
        uint64_t start = port_clock() + LEAD_TICKS * ic_contest.tick;
        release(start, start + ic_contest.window);
        if (ic_contest.marks) {
            (void)port_timer_set(ic_contest.end);
        }
        port_sleep_until(ic_contest.end);
    } else {
        release(0, 0);
    }
    for (uint32_t i = 0; i < started; i++) {
        if (ic_contest.competitors[i].role != OFF) {
            join(&ic_contest.competitors[i]);
        }
    }
    port_mark(false); /* the pin may still be high if there is no timer */
    if (ready) {
        count_late();
        for (uint32_t i = FREE; i < COMPETITORS; i++) {
            record_cores(&ic_contest.competitors[i]);
        }
    }
    ic_contest.before += ic_contest.window;
    return ready;
}
