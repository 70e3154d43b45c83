/* Tests that tasks run on their cores, have the requested stack, and can be suspended, resumed and migrated. */
#include "promises.h"

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

/* ---- equal priority on one core ---- */

struct rival {
    struct rival *other;
    uint64_t begin;
    uint64_t end;
    atomic_bool ran;
    bool saw_other_run;
};

/* Busy-waits on the core from `begin` to `end`, or until the other task has run. */
static void hold_the_core(void *arg) {
    struct rival *rival = arg;
    port_sleep_until(rival->begin);
    atomic_store(&rival->ran, true);
    while (port_clock() < rival->end && !atomic_load(&rival->other->ran)) {
    }
    rival->saw_other_run = atomic_load(&rival->other->ran);
}

/* Whether each of two tasks of equal priority on one core runs before the other task has finished */
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

static void equals_take_turns_when_asked(void) {
    /* Time slicing cannot be switched off on Linux without real-time scheduling and on ESP-IDF. */
    bool always = others_may_have_the_core() || port_test_has_condition("freertos.time_slicing", "1");
    for (uint32_t core = 0; core < port_core_count() && core < 2; core++) {
        port_time_slicing(true);
        /* The first run of the other one ends the wait: only a host that is very busy lets it last. */
        expect(equals_take_turns(core, milliseconds(5000)), "with time slicing, equals take turns");
        port_time_slicing(false);
        expect(always || !equals_take_turns(core, milliseconds(20)), "without it, a task keeps its core");
    }
}

/* ---- stacks ---- */

#define DEEP 3000U

/* Uses about DEEP bytes of its stack. */
static void use_stack(void *arg) {
    volatile uint8_t bytes[DEEP];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < DEEP; i++) {
        bytes[i] = (uint8_t)i;
    }
    port_sleep_ticks(1); /* causes a switch, at which a kernel may check for a stack overflow */
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

/* ---- tasks that affect others ---- */

/* A task that reports the core on which it runs each time it is notified, `rounds` times */
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

/* Whether the kernel can migrate tasks. If it cannot, port_task_pin() must return PORT_ERR_UNSUPPORTED for every task,
 * each time. */
static bool tasks_can_be_moved(void) {
    enum port_error error = port_task_pin(port_task_self(), 0); /* its current core */
    expect(error == PORT_OK || error == PORT_ERR_UNSUPPORTED, "to pin a task works, or is unsupported");
    return error == PORT_OK;
}

static void a_waiting_task_wakes_where_it_was_pinned_to(void) {
    if (!tasks_can_be_moved()) {
        return;
    }
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

static void wait_once(void *arg) {
    atomic_uint *begun = arg;
    atomic_store(begun, 1);
    port_notify_take();
    while (atomic_load(begun) == 1) { /* stays ready, and so does not wait, until `begun` changes */
        port_yield();
    }
    port_notify_take();
}

static void it_can_be_told_whether_a_task_waits(void) {
    for (uint32_t core = 1; core < port_core_count() && core < 3; core++) {
        atomic_uint begun = 0;
        port_task_t task;
        struct port_task_config config = {
            .name = "waits", .entry = wait_once, .arg = &begun, .core = core, .priority = 1};
        expect(port_task_start(&task, &config) == PORT_OK, "a task that waits starts");
        while (atomic_load(&begun) == 0 || !port_task_waits(&task)) {
        }
        port_sleep_ticks(2);
        expect(port_task_waits(&task), "a task that waits does so until it is woken");
        port_notify(&task);
        for (uint32_t i = 0; i < 100; i++) {
            expect(!port_task_waits(&task), "a task that has been woken does not wait");
        }
        atomic_store(&begun, 2);
        while (!port_task_waits(&task)) {
        }
        port_notify(&task);
        port_task_join(&task);
    }
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

/* Waits up to 2 s until the runner has done more iterations (`turns`) of its loop. Returns whether it has. */
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

/* The runner stays on the last core at first, so that it does not take core 0 from this task. */
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
    uint32_t last_turn = others_may_have_the_core() ? 1U : 0; /* where other programs may take the core, the iteration
                                                                 in progress at the suspension may end late */
    expect(atomic_load(&runner.turns) - turns <= last_turn, "a suspended task does not run");
    port_task_resume(&runner.task);
    expect(runs_on(&runner), "a task that was suspended twice and resumed once runs");
    expect(atomic_load(&runner.core) == last, "a pinned task stays on its core");
    /* This task has a lower priority than the runner and is on core 0. `over` makes the runner end after it has moved
     * to core 0, so that this task can continue. */
    atomic_store(&runner.over, true);
    enum port_error moved = port_task_pin(&runner.task, 0);
    expect(moved == PORT_OK || (moved == PORT_ERR_UNSUPPORTED && !tasks_can_be_moved()),
           "a task that runs can be moved");
    port_task_join(&runner.task);
}

static void a_task_pins_itself_at_once(void *arg) {
    bool *moved = arg;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        *moved = *moved && port_task_pin(port_task_self(), core) == PORT_OK && port_core_id() == core;
    }
}

static void tasks_move_themselves(void) {
    if (!tasks_can_be_moved()) {
        return;
    }
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

void port_test_tasks(void) {
    tasks_run_where_they_are_pinned();
    unpinned_tasks_run();
    equals_take_turns_when_asked();
    stacks_are_as_large_as_asked();
    a_waiting_task_wakes_where_it_was_pinned_to();
    it_can_be_told_whether_a_task_waits();
    a_running_task_is_suspended_resumed_and_moved();
    tasks_move_themselves();
    a_suspended_wait_goes_on();
}
