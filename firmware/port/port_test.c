/* Does a port keep the promises of port.h? Runs on the target itself, on every platform, and prints what failed. */
#include "port_test.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "port.h"

static const char *failure;

static void expect(bool holds, const char *what) {
    if (!holds && failure == NULL) {
        failure = what;
    }
}

static uint64_t milliseconds(uint64_t count) { return count * port_clock_hz() / 1000U; }

/* ---- tasks ---- */

struct report {
    atomic_uint ran;
    uint32_t core;
    port_task_t *self;
};

static void report_core(void *arg) {
    struct report *report = arg;
    report->core = port_core_id();
    report->self = port_task_self();
    atomic_store(&report->ran, 1);
}

static void tasks_run_where_they_are_pinned(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        for (uint32_t priority = 1; priority <= PORT_PRIORITY_MAX; priority++) {
            struct report report = {0};
            port_task_t task;
            struct port_task_config config = {
                .name = "pinned", .entry = report_core, .arg = &report, .core = core, .priority = priority};
            expect(port_task_start(&task, &config) == PORT_OK, "a pinned task starts");
            port_task_join(&task);
            expect(atomic_load(&report.ran) == 1, "a joined task has run");
            expect(report.core == core, "a pinned task runs on its core");
            expect(report.self == &task, "a task knows itself");
        }
    }
}

static void unpinned_tasks_run(void) {
    struct report report = {0};
    port_task_t task;
    struct port_task_config config = {
        .name = "free", .entry = report_core, .arg = &report, .core = PORT_CORE_ANY, .priority = 1};
    expect(port_task_start(&task, &config) == PORT_OK, "an unpinned task starts");
    port_task_join(&task);
    expect(report.core < port_core_count(), "an unpinned task runs on some core");
}

/* ---- equals on one core ---- */

struct rival {
    struct rival *other;
    uint64_t begin;
    uint64_t end;
    atomic_bool ran;
    bool saw_other_run;
};

/* Keeps the core from begin to end, or until the other one has had it. */
static void hold_the_core(void *arg) {
    struct rival *rival = arg;
    port_sleep_until(rival->begin);
    atomic_store(&rival->ran, true);
    while (port_clock() < rival->end && !atomic_load(&rival->other->ran)) {
    }
    rival->saw_other_run = atomic_load(&rival->other->ran);
}

/* Whether both of two equals have the core before either lets go of it. */
static bool equals_take_turns(uint32_t core, uint64_t duration) {
    static port_task_t tasks[2];
    struct rival rivals[2] = {{.other = &rivals[1]}, {.other = &rivals[0]}};
    uint64_t begin = port_clock() + milliseconds(10);
    for (uint32_t i = 0; i < 2; i++) {
        rivals[i].begin = begin;
        rivals[i].end = begin + duration;
        struct port_task_config config = {
            .name = "rival", .entry = hold_the_core, .arg = &rivals[i], .core = core, .priority = 3};
        expect(port_task_start(&tasks[i], &config) == PORT_OK, "a rival starts");
    }
    port_task_join(&tasks[0]);
    port_task_join(&tasks[1]);
    return rivals[0].saw_other_run && rivals[1].saw_other_run;
}

static bool has_condition(const char *key, const char *value) {
    struct port_condition condition;
    for (uint32_t i = 0; port_condition(i, &condition); i++) {
        if (strcmp(condition.key, key) == 0 && strcmp(condition.value, value) == 0) {
            return true;
        }
    }
    return false;
}

static void equals_take_turns_when_asked(void) {
    bool always = has_condition("scheduler.policy", "SCHED_OTHER");
    for (uint32_t core = 0; core < port_core_count() && core < 2; core++) {
        port_time_slicing(true);
        expect(equals_take_turns(core, milliseconds(500)), "with time slicing, equals take turns");
        port_time_slicing(false);
        expect(always || !equals_take_turns(core, milliseconds(20)), "without it, a task keeps its core");
    }
}

/* ---- stacks ---- */

#define DEEP 3000U

/* Uses some DEEP bytes of its stack. */
static void use_stack(void *arg) {
    volatile uint8_t bytes[DEEP];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < DEEP; i++) {
        bytes[i] = (uint8_t)i;
    }
    port_sleep_ticks(1); /* a switch, in which a kernel may look whether the stack has been outgrown */
    for (uint32_t i = 0; i < DEEP; i++) {
        sum += bytes[i];
    }
    *(uint32_t *)arg = sum;
}

static void stacks_are_as_large_as_asked(void) {
    uint32_t sum = 0;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < DEEP; i++) {
        expected += (uint8_t)i;
    }
    port_task_t task;
    struct port_task_config config = {
        .name = "deep", .entry = use_stack, .arg = &sum, .core = 0, .priority = 1, .stack_bytes = DEEP + 64U};
    expect(port_task_start(&task, &config) == PORT_OK, "a task with a large stack starts");
    port_task_join(&task);
    expect(sum == expected, "a task has the stack that was asked for");
}

/* ---- what one task does to another ---- */

/* Says where it is each time it is notified, `rounds` times. */
struct wanderer {
    port_task_t task;
    port_task_t *asker;
    uint32_t rounds;
    uint32_t core;
};

static void tell_core(void *arg) {
    struct wanderer *wanderer = arg;
    for (uint32_t i = 0; i < wanderer->rounds; i++) {
        port_notify_take();
        wanderer->core = port_core_id();
        port_notify(wanderer->asker);
    }
}

static void a_waiting_task_wakes_where_it_was_pinned_to(void) {
    uint32_t cores = port_core_count();
    struct wanderer wanderer = {.asker = port_task_self(), .rounds = 2U * cores + 1U};
    struct port_task_config config = {
        .name = "wanderer", .entry = tell_core, .arg = &wanderer, .core = PORT_CORE_ANY, .priority = 1};
    expect(port_task_start(&wanderer.task, &config) == PORT_OK, "a task that wanders starts");
    for (uint32_t i = 0; i < 2U * cores; i++) {
        expect(port_task_pin(&wanderer.task, i % cores) == PORT_OK, "a task that waits can be pinned");
        port_notify(&wanderer.task);
        port_notify_take();
        expect(wanderer.core == i % cores, "a task that waited wakes on the core it was pinned to");
    }
    expect(port_task_pin(&wanderer.task, PORT_CORE_ANY) == PORT_OK, "a task can be unpinned");
    port_notify(&wanderer.task);
    port_notify_take();
    expect(wanderer.core < cores, "an unpinned task wakes on some core");
    port_task_join(&wanderer.task);
}

struct runner {
    port_task_t task;
    atomic_uint turns;
    atomic_uint core;
    atomic_bool over;
};

static void run_about(void *arg) {
    struct runner *runner = arg;
    while (!atomic_load(&runner->over)) {
        port_checkpoint();
        atomic_store(&runner->core, port_core_id());
        atomic_store(&runner->turns, atomic_load(&runner->turns) + 1U);
    }
}

/* Lets time pass until it has made more turns, 2 s at most. */
static bool runs_on(struct runner *runner) {
    uint32_t before = atomic_load(&runner->turns);
    uint64_t limit = port_clock() + milliseconds(2000);
    while (port_clock() < limit) {
        port_sleep_ticks(2);
        if (atomic_load(&runner->turns) - before > 2) {
            return true;
        }
    }
    return false;
}

/* The runner keeps to the last core, so that this task is not kept from running. */
static void a_running_task_is_suspended_resumed_and_moved(void) {
    uint32_t last = port_core_count() - 1U;
    if (last == 0) {
        return;
    }
    struct runner runner = {0};
    struct port_task_config config = {
        .name = "runner", .entry = run_about, .arg = &runner, .core = last, .priority = 1};
    expect(port_task_start(&runner.task, &config) == PORT_OK, "a task that runs starts");
    expect(runs_on(&runner), "a task runs until it is suspended");
    port_task_suspend(&runner.task);
    port_task_suspend(&runner.task);
    port_sleep_ticks(3);
    uint32_t turns = atomic_load(&runner.turns);
    port_sleep_ticks(5);
    expect(atomic_load(&runner.turns) == turns, "a suspended task does not run");
    port_task_resume(&runner.task);
    expect(runs_on(&runner), "a task that was suspended twice and resumed once runs");
    expect(atomic_load(&runner.core) == last, "a pinned task stays on its core");
    /* The console task, of lower priority, is on core 0 and must see the end: so the runner ends itself there. */
    atomic_store(&runner.over, true);
    expect(port_task_pin(&runner.task, 0) == PORT_OK, "a task that runs can be moved");
    port_task_join(&runner.task);
}

static void a_task_pins_itself_at_once(void *arg) {
    bool *moved = arg;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        *moved = *moved && port_task_pin(port_task_self(), core) == PORT_OK && port_core_id() == core;
    }
}

static void tasks_move_themselves(void) {
    bool moved = true;
    port_task_t task;
    struct port_task_config config = {
        .name = "mover", .entry = a_task_pins_itself_at_once, .arg = &moved, .core = PORT_CORE_ANY, .priority = 1};
    expect(port_task_start(&task, &config) == PORT_OK, "a task that moves itself starts");
    port_task_join(&task);
    expect(moved, "a task that pins itself is there when that returns");
}

static void a_suspended_wait_goes_on(void) {
    struct wanderer wanderer = {.asker = port_task_self(), .rounds = 1};
    struct port_task_config config = {.name = "waiter", .entry = tell_core, .arg = &wanderer, .core = 0, .priority = 1};
    wanderer.core = PORT_CORE_ANY;
    expect(port_task_start(&wanderer.task, &config) == PORT_OK, "a task that waits starts");
    port_task_suspend(&wanderer.task);
    port_task_resume(&wanderer.task);
    port_sleep_ticks(2);
    expect(wanderer.core == PORT_CORE_ANY, "a wait does not end because the task was suspended");
    port_notify(&wanderer.task);
    port_notify_take();
    port_task_join(&wanderer.task);
}

/* ---- waking ---- */

struct echo {
    port_task_t *asker;
    uint32_t rounds;
    uint64_t last_seen; /* plain memory: notifications must order it */
};

static void answer_notifications(void *arg) {
    struct echo *echo = arg;
    for (uint32_t i = 0; i < echo->rounds; i++) {
        port_notify_take();
        echo->last_seen++;
        port_notify(echo->asker);
    }
}

static void notifications_are_counted_and_order_memory(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        struct echo echo = {.asker = port_task_self(), .rounds = 1000};
        port_task_t task;
        struct port_task_config config = {
            .name = "echo", .entry = answer_notifications, .arg = &echo, .core = core, .priority = 1};
        expect(port_task_start(&task, &config) == PORT_OK, "the echo task starts");
        for (uint32_t i = 1; i < echo.rounds; i++) {
            port_notify(&task);
            port_notify_take();
            expect(echo.last_seen == i, "what was written before a notification is seen after it");
        }
        port_notify(&task);
        port_task_join(&task);
        port_notify_take(); /* the count is kept although nobody waited when it was given */
        expect(echo.last_seen == echo.rounds, "no notification is lost");
    }
}

static void semaphores_count_and_time_out(void) {
    port_sem_t sem;
    expect(port_sem_init(&sem, 2) == PORT_OK, "a semaphore can be made");
    expect(port_sem_take(&sem, PORT_FOREVER) == PORT_OK, "the first of two is there");
    expect(port_sem_take(&sem, 0) == PORT_OK, "the second of two is there");
    uint64_t deadline = port_clock() + milliseconds(20);
    expect(port_sem_take(&sem, deadline) == PORT_ERR_TIMEOUT, "the third is not");
    expect(port_clock() >= deadline, "a wait does not end before its deadline");
    port_sem_give(&sem);
    expect(port_sem_take(&sem, port_clock() + milliseconds(1000)) == PORT_OK, "what was given can be taken");
    port_sem_destroy(&sem);
}

/* ---- time ---- */

static void clocks_run_forward(void) {
    expect(port_clock_hz() >= 1000, "the common clock has at least 1000 ticks per second");
    expect(port_tick_hz() >= 1, "the kernel tick has a rate");
    uint64_t last = port_clock();
    for (uint32_t i = 0; i < 10000; i++) {
        uint64_t now = port_clock();
        expect(now >= last, "the common clock does not step back");
        last = now;
    }
    uint64_t cycles = port_cycles();
    port_sleep_until(port_clock() + milliseconds(10));
    uint64_t passed = port_cycles() - cycles;
    expect(passed >= port_cycles_hz() / 200, "the cycle counter runs while the clock does");
}

static void ask_clock(void *arg) { *(uint64_t *)arg = port_clock(); }

static void the_common_clock_is_common(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        uint64_t there = 0;
        port_task_t task;
        struct port_task_config config = {
            .name = "clock", .entry = ask_clock, .arg = &there, .core = core, .priority = 1};
        uint64_t before = port_clock();
        expect(port_task_start(&task, &config) == PORT_OK, "the clock task starts");
        port_task_join(&task);
        expect(before <= there && there <= port_clock(), "a reading on another core lies between two of this one");
    }
}

static void sleeping_takes_the_time_asked(void) {
    uint64_t when = port_clock() + milliseconds(20);
    port_sleep_until(when);
    expect(port_clock() >= when, "sleep-until does not end early");
    port_sleep_until(0); /* long ago: must return */
    uint64_t start = port_clock();
    port_sleep_ticks(3);
    uint64_t tick = port_clock_hz() / port_tick_hz();
    expect(port_clock() - start >= 2 * tick, "three tick edges are at least two ticks apart");
    port_yield();
}

/* The grid of the tick, seen from one core: whoever sleeps by ticks wakes just after an edge, and edges lie whole ticks
 * apart, for as long as one looks. A machine that does something else now and then is late some times, not each time.
 */
static void look_at_ticks(void *arg) {
    (void)arg;
    uint64_t tick = port_clock_hz() / port_tick_hz();
    uint64_t first = port_tick_edge();
    uint64_t least = tick;
    for (uint32_t i = 1; i <= 50; i++) {
        port_sleep_ticks(i % 3U + 1U);
        uint64_t edge = port_tick_edge();
        uint64_t late = port_clock() - edge;
        expect((edge - first) % tick == 0, "edges lie whole ticks apart");
        least = late < least ? late : least;
    }
    expect(least < tick / 4U, "a task that sleeps by ticks wakes just after an edge");
}

static void be_periodic(void *arg) {
    (void)arg;
    uint64_t tick = port_clock_hz() / port_tick_hz();
    struct port_period period;
    uint64_t begun = port_tick_edge();
    uint64_t due = port_period_begin(&period, 2);
    expect((due - begun) % tick == 0 && due > begun + tick, "the first release is due a period from an edge");
    uint64_t least = tick;
    for (uint32_t i = 0; i < 20; i++) {
        port_period_sleep(&period);
        uint64_t now = port_clock();
        expect(now >= due, "a release does not come before it is due");
        least = now - due < least ? now - due : least;
        due += 2U * tick;
    }
    expect(least < tick / 4U, "releases come when they are due");
    while (port_clock() < due + 3U * tick) { /* past two releases */
    }
    port_period_sleep(&period);
    port_period_sleep(&period);
    expect(port_clock() >= due + 2U * tick, "two releases were overdue");
    port_period_sleep(&period);
    expect(port_clock() >= due + 4U * tick, "overdue releases are not left out");
}

static void time_has_a_grid_on_every_core(void) {
    static void (*const looks[])(void *arg) = {look_at_ticks, be_periodic};
    for (uint32_t core = 0; core < port_core_count(); core++) {
        for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
            port_task_t task;
            struct port_task_config config = {.name = "grid", .entry = looks[i], .core = core, .priority = 2};
            expect(port_task_start(&task, &config) == PORT_OK, "a task that looks at the grid starts");
            port_task_join(&task);
        }
    }
}

/* ---- what the target is ---- */

static void facts_are_complete(void) {
    struct port_region region;
    expect(port_region(0, &region), "there is a memory region");
    for (uint32_t i = 0; port_region(i, &region); i++) {
        expect(region.bytes > 0 && region.bytes % 64 == 0, "a region's size is a multiple of 64");
        expect((uintptr_t)region.base % 64 == 0, "a region is aligned to 64 bytes");
    }
    struct port_condition condition;
    for (uint32_t i = 0; port_condition(i, &condition); i++) {
        expect(condition.key[0] != '\0' && condition.value[0] != '\0', "a condition has a key and a value");
    }
    expect(strlen(port_board()) > 0 && strlen(port_chip()) > 0, "board and chip have names");
    expect(strlen(port_clock_name()) > 0, "the clock has a name");
    expect(port_core_id() == 0, "the console task runs on core 0");
}

const char *port_test(void) {
    failure = NULL;
    tasks_run_where_they_are_pinned();
    unpinned_tasks_run();
    equals_take_turns_when_asked();
    stacks_are_as_large_as_asked();
    a_waiting_task_wakes_where_it_was_pinned_to();
    a_running_task_is_suspended_resumed_and_moved();
    tasks_move_themselves();
    a_suspended_wait_goes_on();
    notifications_are_counted_and_order_memory();
    semaphores_count_and_time_out();
    clocks_run_forward();
    the_common_clock_is_common();
    sleeping_takes_the_time_asked();
    time_has_a_grid_on_every_core();
    facts_are_complete();
    return failure;
}
