/* Tests that critical sections and spinlocks exclude other cores, and that atomic operations lose no change. */
#include "promises.h"

#include "port_lock.h"

/* Number of steps by which each core increments a counter. If a step is lost, the sum is too small. */
#define STEPS 2000U

static port_spinlock_t spinlock;
static port_atomic_t atomic;
static volatile uint32_t plain; /* volatile, so that each step reads and writes it */
static uint32_t before_sum[PORT_CORES_MAX];

static void step_plainly(void) {
    uint32_t before = plain;
    for (volatile uint32_t pause = 0; pause < 3; pause++) { /* makes the step longer, so that losses are more likely */
    }
    plain = before + 1U;
}

static void step_inside_critical(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < STEPS; i++) {
        port_critical_enter();
        port_critical_enter();
        step_plainly();
        port_critical_exit(); /* still inside the outer one */
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

/* Runs the function on every core at the same time. */
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

/* More spinlocks than any chip has in hardware */
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
            port_spinlock_lock(&locks[i]); /* deadlocks if two of them are the same lock */
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

void port_test_locks(void) {
    critical_sections_exclude_other_cores();
    critical_sections_exclude_tasks_of_the_same_core();
    spinlocks_exclude_other_cores();
    spinlocks_are_apart_and_can_be_had_again();
    atomics_lose_nothing();
    atomics_do_as_they_say();
}
