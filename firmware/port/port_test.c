/* Does a port keep the promises of port.h? Runs on the target itself, on every platform, and prints what failed. */
#include "port_test.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "port.h"
#include "port_lock.h"

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

/* ---- locks ---- */

/* Steps that each core takes; a step lost to another core shows in their sum. */
#define STEPS 2000U

static port_spinlock_t spinlock;
static port_atomic_t atomic;
static volatile uint32_t plain; /* volatile: each step reads and writes it */
static uint32_t before_sum[PORT_CORES_MAX];

static void step_plainly(void) {
    uint32_t before = plain;
    for (volatile uint32_t pause = 0; pause < 3; pause++) { /* longer in between: more to be lost */
    }
    plain = before + 1U;
}

static void step_inside_critical(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < STEPS; i++) {
        port_critical_enter();
        port_critical_enter();
        step_plainly();
        port_critical_exit(); /* still inside */
        step_plainly();
        port_critical_exit();
    }
}

static void step_under_spinlock(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < STEPS; i++) {
        port_spinlock_lock(&spinlock);
        step_plainly();
        port_spinlock_unlock(&spinlock);
    }
}

static void step_by_add(void *arg) {
    uint32_t *sum = arg;
    for (uint32_t i = 0; i < STEPS; i++) {
        *sum += port_atomic_add(&atomic, 1);
    }
}

static void step_by_swap(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < STEPS;) {
        uint32_t seen = atomic.value;
        i += port_atomic_swap(&atomic, seen, seen + 1U);
    }
}

/* On every core, at once. */
static void run_on_all_cores(void (*entry)(void *)) {
    static port_task_t tasks[PORT_CORES_MAX];
    for (uint32_t core = port_core_count(); core-- > 0;) {
        before_sum[core] = 0;
        struct port_task_config config = {
            .name = "steps", .entry = entry, .arg = &before_sum[core], .core = core, .priority = 2};
        expect(port_task_start(&tasks[core], &config) == PORT_OK, "a task starts on every core");
    }
    for (uint32_t core = 0; core < port_core_count(); core++) {
        port_task_join(&tasks[core]);
    }
}

static void critical_sections_exclude_other_cores(void) {
    plain = 0;
    run_on_all_cores(step_inside_critical);
    expect(plain == 2U * STEPS * port_core_count(), "no other core is in a critical section, and they nest");
}

static void enter_when_woken(void *arg) {
    port_notify_take();
    port_critical_enter();
    atomic_store((atomic_uint *)arg, 1);
    port_critical_exit();
}

static void critical_sections_exclude_tasks_of_the_same_core(void) {
    atomic_uint entered = 0;
    port_task_t task;
    struct port_task_config config = {
        .name = "urgent", .entry = enter_when_woken, .arg = &entered, .core = 0, .priority = 3};
    expect(port_task_start(&task, &config) == PORT_OK, "an urgent task starts");
    port_critical_enter();
    port_notify(&task);
    uint64_t end = port_clock() + milliseconds(3);
    while (port_clock() < end) {
    }
    expect(atomic_load(&entered) == 0, "a more urgent task of the same core waits outside a critical section");
    port_critical_exit();
    port_task_join(&task);
    expect(atomic_load(&entered) == 1, "it enters when it can");
}

static void spinlocks_exclude_other_cores(void) {
    plain = 0;
    expect(port_spinlock_init(&spinlock) == PORT_OK, "there is a spinlock");
    run_on_all_cores(step_under_spinlock);
    expect(plain == STEPS * port_core_count(), "one core at a time has a spinlock");
    port_spinlock_destroy(&spinlock);
}

/* More than the hardware of any chip has, in case it has some. */
#define SPINLOCKS 64U

static void spinlocks_are_apart_and_can_be_had_again(void) {
    static port_spinlock_t locks[SPINLOCKS];
    uint32_t made = 0;
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t had = made;
        for (made = 0; made < SPINLOCKS && port_spinlock_init(&locks[made]) == PORT_OK; made++) {
        }
        expect(made >= 2, "there are two spinlocks");
        expect(round == 0 || made == had, "a spinlock that was given up can be had again");
        for (uint32_t i = 0; i < made; i++) {
            port_spinlock_lock(&locks[i]); /* hangs if two are one */
        }
        for (uint32_t i = 0; i < made; i++) {
            port_spinlock_unlock(&locks[i]);
            port_spinlock_destroy(&locks[i]);
        }
    }
}

static void atomics_lose_nothing(void) {
    atomic.value = 0;
    run_on_all_cores(step_by_add);
    uint32_t all = STEPS * port_core_count();
    expect(atomic.value == all, "no atomic addition is lost");
    uint32_t sum = 0;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        sum += before_sum[core];
    }
    expect(sum == (uint32_t)((uint64_t)all * (all - 1U) / 2U), "each addition sees another value");
    run_on_all_cores(step_by_swap);
    expect(atomic.value == 2U * all, "no atomic swap is lost");
}

static void atomics_do_as_they_say(void) {
    atomic.value = UINT32_MAX;
    expect(port_atomic_add(&atomic, 3) == UINT32_MAX && atomic.value == 2U, "an atomic addition wraps");
    expect(!port_atomic_swap(&atomic, 1, 7) && atomic.value == 2U, "a swap leaves what it did not expect");
    expect(port_atomic_swap(&atomic, 2, 7) && atomic.value == 7U, "a swap stores where it finds what it expects");
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
    notifications_are_counted_and_order_memory();
    semaphores_count_and_time_out();
    clocks_run_forward();
    the_common_clock_is_common();
    sleeping_takes_the_time_asked();
    critical_sections_exclude_other_cores();
    critical_sections_exclude_tasks_of_the_same_core();
    spinlocks_exclude_other_cores();
    spinlocks_are_apart_and_can_be_had_again();
    atomics_lose_nothing();
    atomics_do_as_they_say();
    facts_are_complete();
    return failure;
}
