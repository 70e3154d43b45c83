/* Does a port keep the promises of port.h? Runs on the target itself, on every platform, and prints what failed. */
#include "port_test.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "port.h"
#include "port_interrupt.h"

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

/* ---- interrupts ---- */

struct arrivals {
    port_task_t *waiting;
    atomic_uint count;
    uint32_t core; /* plain memory: a notification from a handler must order it */
    uint64_t at;
    uint32_t answer; /* core to ring; PORT_CORE_ANY: none */
};

static void note_arrival(void *arg) {
    struct arrivals *arrivals = arg;
    arrivals->at = port_clock();
    arrivals->core = port_core_id();
    atomic_store(&arrivals->count, atomic_load(&arrivals->count) + 1U); /* its only writer */
    if (arrivals->answer != PORT_CORE_ANY) {
        port_doorbell_ring(arrivals->answer);
    }
    if (arrivals->waiting != NULL) {
        port_notify_from_handler(arrivals->waiting);
    }
}

static void the_timer_fires_once_when_it_is_due(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        struct arrivals arrivals = {.waiting = port_task_self(), .answer = PORT_CORE_ANY};
        expect(port_timer_open(core, note_arrival, &arrivals) == PORT_OK, "the timer opens on any core");
        for (uint32_t i = 1; i <= 20; i++) {
            uint64_t when = port_clock() + milliseconds(1) + i * port_clock_hz() / 3000000U;
            uint64_t due = port_timer_set(when);
            expect(due >= when && due <= when + port_clock_hz() / 1000000U,
                   "a timer is due within 1 us of what was asked");
            port_notify_take();
            expect(arrivals.at >= due, "the timer does not fire early");
            expect(arrivals.core == core, "the timer's handler runs on its core");
            expect(atomic_load(&arrivals.count) == i, "the timer fires once for each time it is set");
        }
        port_timer_set(port_clock() + milliseconds(2));
        port_timer_close();
        port_sleep_until(port_clock() + milliseconds(4));
        expect(atomic_load(&arrivals.count) == 20, "a closed timer does not fire");
    }
}

struct ringer {
    uint32_t core; /* that is rung */
    struct arrivals *arrivals;
};

static void ring_and_wait(void *arg) {
    struct ringer *ringer = arg;
    ringer->arrivals->waiting = port_task_self();
    for (uint32_t i = 1; i <= 100; i++) {
        uint64_t before = port_clock();
        port_doorbell_ring(ringer->core);
        port_notify_take();
        expect(ringer->arrivals->at >= before, "a doorbell is heard after it was rung");
        expect(ringer->arrivals->core == ringer->core, "a doorbell's handler runs on its core");
        expect(atomic_load(&ringer->arrivals->count) == i, "a ring is heard once");
    }
}

static void each_core_can_ring_each(void) {
    for (uint32_t to = 0; to < port_core_count(); to++) {
        for (uint32_t from = 0; from < port_core_count(); from++) {
            struct arrivals arrivals = {.answer = PORT_CORE_ANY};
            struct ringer ringer = {.core = to, .arrivals = &arrivals};
            expect(port_doorbell_open(to, note_arrival, &arrivals) == PORT_OK, "a doorbell opens");
            port_task_t task;
            struct port_task_config config = {
                .name = "ringer", .entry = ring_and_wait, .arg = &ringer, .core = from, .priority = 1};
            expect(port_task_start(&task, &config) == PORT_OK, "a task that rings starts");
            port_task_join(&task);
            port_doorbell_close(to);
        }
    }
}

/* While the cores also wake each other's tasks, which on some chips takes the same hardware. */
static void handlers_can_ring_and_no_ring_is_lost(void) {
    uint32_t other = port_core_count() - 1U;
    if (other == 0) {
        return;
    }
    struct arrivals here = {.waiting = port_task_self(), .answer = PORT_CORE_ANY};
    struct arrivals there = {.answer = 0};
    struct echo echo = {.asker = port_task_self(), .rounds = 300};
    port_task_t task;
    struct port_task_config config = {
        .name = "echo", .entry = answer_notifications, .arg = &echo, .core = other, .priority = 1};
    expect(port_task_start(&task, &config) == PORT_OK, "a task starts beside the doorbells");
    expect(port_doorbell_open(0, note_arrival, &here) == PORT_OK, "a doorbell opens on core 0");
    expect(port_doorbell_open(other, note_arrival, &there) == PORT_OK, "and another one on the last core");
    for (uint32_t i = 1; i <= echo.rounds; i++) {
        port_notify(&task);
        port_doorbell_ring(other);
        port_notify_take();
        port_notify_take();
        expect(atomic_load(&there.count) == i && atomic_load(&here.count) == i, "a ring is answered by a ring");
        expect(there.core == other && here.core == 0, "each on its core");
    }
    expect(echo.last_seen == echo.rounds, "doorbells leave the kernel's own signals alone");
    port_doorbell_close(0);
    port_doorbell_close(other);
    port_task_join(&task);
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
    notifications_are_counted_and_order_memory();
    semaphores_count_and_time_out();
    clocks_run_forward();
    the_common_clock_is_common();
    sleeping_takes_the_time_asked();
    the_timer_fires_once_when_it_is_due();
    each_core_can_ring_each();
    handlers_can_ring_and_no_ring_is_lost();
    facts_are_complete();
    return failure;
}
