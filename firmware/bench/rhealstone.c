/* The benchmark `rhealstone`: the six components of Rhealstone (Kar and Porter, Dr. Dobb's Journal, February 1989; Kar,
 * April 1990), each as single samples, not as the mean of many rounds. Rewritten from the definitions;
 * docs/benchmarks/rhealstone.md lists the differences. Each component has two forms: same, with all tasks on core
 * `core`, as in the original, and cross, with the second task or the handler on the next core. A sample is the
 * difference between two readings of the common clock:
 *
 *   task-switching        same: from before a task yields until after the yield of another task of equal priority has
 *                         returned. cross: from before a task notifies another task of equal priority, which waits on a
 *                         sleeping core, until that task runs
 *   preemption            from before a task notifies a task of higher priority until that task runs. cross: the
 *                         notified task preempts a task that computes on the other core
 *   interrupt-latency     same: from when a timer is due to its handler, while a task computes. cross: from before the
 *                         other core's doorbell is rung to its handler, while a task computes there
 *   semaphore-shuffling   from before a task gives a semaphore until a waiting task of higher priority runs
 *   deadlock-breaking     from before a task of high priority requests a mutex, which a task of low priority owns,
 *                         until it has the mutex. A task of middle priority is ready and would keep the low task from
 *                         running; but the low task inherits the high priority and releases the mutex at once. cross:
 *                         the low and the middle task are on core `core`, the high task on the other core
 *   message-latency       from before a task sends 16 bytes to a queue until a task of higher priority has received
 *                         them
 *
 * In form cross, tasks on different cores run at the same time, whatever their priorities. */
#include <stdatomic.h>
#include <string.h>

#include "benchmarks.h"
#include "port.h"
#include "port_interrupt.h"
#include "port_objects.h"
#include "run.h"

#define MESSAGE_BYTES 16U
/* Iterations of an empty loop, about 10 µs, by whose end every other task has begun to wait where it must */
#define SETTLING_TURNS 200U
/* Microseconds from setting a timer until it is due; port_interrupt.h demands at least 50. */
#define AHEAD_US 100U
/* Component deadlock-breaking: after 1/PATIENCE_HZ s the task of middle priority gives up. If the mutex has not been
 * released by then, the platform has no priority inheritance. */
#define PATIENCE_HZ 20U
/* Iterations of a computing task between two readings of the clock. The task checks its time limit only then, so it may
 * run up to 0.1 ms too long. */
#define TURNS_PER_LOOK 1024U

#define PRIORITY_LOW 2U
#define PRIORITY_MIDDLE 3U
#define PRIORITY_HIGH 4U

enum { P_COMPONENT, P_FORM, P_CORE, PARAMETER_COUNT };

enum component {
    TASK_SWITCHING,
    PREEMPTION,
    INTERRUPT_LATENCY,
    SEMAPHORE_SHUFFLING,
    DEADLOCK_BREAKING,
    MESSAGE_LATENCY,
    COMPONENT_COUNT
};

static const char *const component_names[COMPONENT_COUNT] = {
    "task-switching", "preemption", "interrupt-latency", "semaphore-shuffling", "deadlock-breaking", "message-latency",
};
static const char *const form_names[] = {"same", "cross"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_COMPONENT] = {.name = "component",
                     .help = "which of the six components",
                     .choices = component_names,
                     .choice_count = COMPONENT_COUNT},
    [P_FORM] = {.name = "form", .help = "on one core or across two", .choices = form_names, .choice_count = 2},
    [P_CORE] = {.name = "core", .help = "first core; cross uses the next one, too", .limit = last_core},
};

/* Stages of the bystander, a task that only computes. In form cross another task waits until the bystander is COMPUTING
 * and then sets SEEN; the bystander does not stop before that. */
enum stage { AWAY, COMPUTING, SEEN };

/* One of the tasks: the acting task, the reacting task (in the code: reached), or the bystander */
struct role {
    port_task_t task;
    uint32_t core;
    bool migrated;
    uint64_t preempted;
};

static struct {
    port_task_t *leader;
    struct role actor;
    struct role reached;
    struct role bystander;
    enum component component;
    bool cross;
    uint32_t core;   /* core on which the sample begins */
    uint32_t target; /* core on which the sample ends */
    uint32_t shift;  /* additional delay of the timer, in ticks of the common clock */
    uint32_t number; /* number of the repetition */
    uint64_t begin;
    uint64_t end;
    bool wrong;
    bool dismissed; /* a task that is woken while this is true ends */
    atomic_bool yielding;
    atomic_bool armed;
    atomic_uint bystanding; /* a stage of the bystander */
    atomic_bool arrived;
    port_sem_t semaphore;
    port_mutex_t mutex;
    port_queue_t queue;
} rheal;

static void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

static void write_message(uint32_t *message) {
    for (uint32_t i = 0; i < MESSAGE_BYTES / sizeof *message; i++) {
        message[i] = rheal.number * 7U + i;
    }
}

static void await_bystander(void) {
    while (atomic_load(&rheal.bystanding) != COMPUTING) {
    }
    atomic_store(&rheal.bystanding, SEEN);
}

/* ---- the acting task ---- */

static void yield_to_another(void) {
    port_notify(&rheal.reached.task); /* of equal priority: that task is ready and does not run yet */
    while (!atomic_load(&rheal.yielding)) {
        port_yield();
    }
    atomic_store(&rheal.armed, true);
    rheal.begin = port_clock();
    port_yield();
}

static void await_interrupt(void) {
    while (!atomic_load(&rheal.arrived)) {
    }
}

static void set_timer_and_wait(void) {
    rheal.begin = port_timer_set(port_clock() + AHEAD_US * port_clock_hz() / 1000000U + rheal.shift);
    await_interrupt();
}

static void ring_and_wait(void) {
    rheal.begin = port_clock();
    port_doorbell_ring(rheal.target);
    await_interrupt();
}

/* Locks the mutex and wakes the reacting task, which wakes the bystander and requests the mutex. In form cross this
 * task itself wakes the bystander, which then keeps this task from running until this task inherits the reacting task's
 * priority. */
static void hold_what_another_needs(void) {
    port_mutex_lock(&rheal.mutex);
    port_notify(&rheal.reached.task);
    if (rheal.cross) {
        port_notify(&rheal.bystander.task);
    }
    port_mutex_unlock(&rheal.mutex);
}

static void send_message(void) {
    uint32_t message[MESSAGE_BYTES / sizeof(uint32_t)];
    write_message(message);
    rheal.begin = port_clock();
    port_queue_send(&rheal.queue, message);
}

static void act(void) {
    switch (rheal.component) {
    case TASK_SWITCHING:
        if (!rheal.cross) {
            yield_to_another();
            break;
        }
        rheal.begin = port_clock();
        port_notify(&rheal.reached.task);
        break;
    case PREEMPTION:
        rheal.begin = port_clock();
        port_notify(&rheal.reached.task);
        break;
    case INTERRUPT_LATENCY:
        if (rheal.cross) {
            ring_and_wait();
        } else {
            set_timer_and_wait();
        }
        break;
    case SEMAPHORE_SHUFFLING:
        rheal.begin = port_clock();
        port_sem_give(&rheal.semaphore);
        break;
    case DEADLOCK_BREAKING:
        hold_what_another_needs();
        break;
    case MESSAGE_LATENCY:
        send_message();
        break;
    case COMPONENT_COUNT:
        break;
    }
}

static bool is_dismissed(struct role *role) {
    role->migrated = role->migrated || port_core_id() != role->core;
    if (rheal.dismissed) {
        role->preempted = port_preemptions();
    }
    return rheal.dismissed;
}

/* Whether a bystander computes on the other core, where the reacting task preempts it or the handler interrupts it */
static bool has_computing_bystander(void) {
    return rheal.cross && (rheal.component == PREEMPTION || rheal.component == INTERRUPT_LATENCY);
}

static void actor_task(void *arg) {
    struct role *role = arg;
    for (;;) {
        port_notify_take();
        if (is_dismissed(role)) {
            return;
        }
        if (has_computing_bystander()) {
            await_bystander();
        }
        let_pass(SETTLING_TURNS);
        act();
        port_notify(rheal.leader);
    }
}

/* ---- the reacting task ---- */

static uint64_t return_from_yield(void) {
    uint64_t now;
    atomic_store(&rheal.yielding, true);
    do {
        port_yield();
        now = port_clock();
    } while (!atomic_load(&rheal.armed));
    return now;
}

static uint64_t break_deadlock(void) {
    if (rheal.cross) {
        await_bystander(); /* then the owner of the mutex cannot run */
    } else {
        port_notify(&rheal.bystander.task); /* the bystander would run as soon as this task waits */
    }
    rheal.begin = port_clock();
    port_mutex_lock(&rheal.mutex);
    uint64_t now = port_clock();
    /* This task must get the mutex before the bystander gives up or, on one core, before the bystander runs at all. */
    rheal.wrong = rheal.wrong || rheal.cross == (atomic_load(&rheal.bystanding) == AWAY);
    atomic_store(&rheal.arrived, true);
    port_mutex_unlock(&rheal.mutex);
    return now;
}

static uint64_t receive_message(void) {
    uint32_t received[MESSAGE_BYTES / sizeof(uint32_t)];
    uint32_t expected[MESSAGE_BYTES / sizeof(uint32_t)];
    port_queue_receive(&rheal.queue, received);
    uint64_t now = port_clock();
    write_message(expected);
    rheal.wrong = rheal.wrong || (!rheal.dismissed && memcmp(received, expected, sizeof expected) != 0);
    return now;
}

/* Waits for the event that wakes the reacting task, such as a semaphore. Returns the clock right after it. */
static uint64_t await_event(void) {
    switch (rheal.component) {
    case SEMAPHORE_SHUFFLING: {
        enum port_error error = port_sem_take(&rheal.semaphore, PORT_FOREVER);
        uint64_t now = port_clock();
        rheal.wrong = rheal.wrong || error != PORT_OK;
        return now;
    }
    case MESSAGE_LATENCY:
        return receive_message();
    case TASK_SWITCHING:
    case PREEMPTION:
    case INTERRUPT_LATENCY:
    case DEADLOCK_BREAKING:
    case COMPONENT_COUNT:
        break;
    }
    port_notify_take();
    return port_clock();
}

static void reached_task(void *arg) {
    struct role *role = arg;
    for (;;) {
        uint64_t now = await_event();
        if (is_dismissed(role)) {
            return;
        }
        if (rheal.component == TASK_SWITCHING && !rheal.cross) {
            now = return_from_yield();
        } else if (rheal.component == DEADLOCK_BREAKING) {
            now = break_deadlock();
        }
        rheal.end = now;
        atomic_store(&rheal.arrived, true);
        port_notify(rheal.leader);
    }
}

static void handle(void *arg) {
    (void)arg;
    rheal.end = port_clock();
    atomic_store(&rheal.arrived, true);
}

/* ---- the bystander ---- */

/* The bystander computes until the reacting task or the handler has run, or until it gives up after 1/PATIENCE_HZ s. In
 * form cross this time begins only when another task has seen the bystander compute: that task may come late, and would
 * wait for ever if the bystander had ended. The bystander reads the clock rarely, because a reading takes the bus,
 * which a reading on another core may need. */
static void bystander_task(void *arg) {
    struct role *role = arg;
    for (;;) {
        port_notify_take();
        if (is_dismissed(role)) {
            return;
        }
        atomic_store(&rheal.bystanding, COMPUTING);
        while (rheal.cross && atomic_load(&rheal.bystanding) == COMPUTING) {
        }
        uint64_t limit = port_clock() + port_clock_hz() / PATIENCE_HZ;
        for (uint32_t turns = 1; !atomic_load(&rheal.arrived); turns++) {
            if (turns % TURNS_PER_LOOK == 0 && port_clock() >= limit) {
                break;
            }
        }
        atomic_store(&rheal.bystanding, AWAY);
        port_notify(rheal.leader);
    }
}

/* ---- the console task ---- */

static bool has_reached(void) { return rheal.component != INTERRUPT_LATENCY; }

static bool has_bystander(void) { return has_computing_bystander() || rheal.component == DEADLOCK_BREAKING; }

static bool start_role(struct ic_run *run, struct role *role, void (*entry)(void *), uint32_t core, uint32_t priority) {
    role->core = core;
    role->migrated = false;
    role->preempted = 0;
    struct port_task_config config = {.name = "rheal", .entry = entry, .arg = role, .core = core, .priority = priority};
    return port_task_start(&role->task, &config) == PORT_OK ||
           ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
}

static void wake_reached(void) {
    if (rheal.component == SEMAPHORE_SHUFFLING) {
        port_sem_give(&rheal.semaphore);
    } else if (rheal.component == MESSAGE_LATENCY) {
        static const uint32_t last[MESSAGE_BYTES / sizeof(uint32_t)];
        port_queue_send(&rheal.queue, last);
    } else {
        port_notify(&rheal.reached.task);
    }
}

static void end_role(struct ic_run *run, struct role *role) {
    rheal.dismissed = true;
    if (role == &rheal.reached) {
        wake_reached();
    } else {
        port_notify(&role->task);
    }
    port_task_join(&role->task);
    run->checks.migrated += role->migrated;
}

/* Ends the tasks that start_roles() has started: the actor, with `count` 2 also the reacting task, with 3 also the
 * bystander. Only preemptions of the reacting task are an error, because the others are preempted on purpose, as is the
 * reacting task in component task-switching. */
static void end_roles(struct ic_run *run, uint32_t count) {
    if (count > 2) {
        end_role(run, &rheal.bystander);
    }
    if (count > 1 && has_reached()) {
        end_role(run, &rheal.reached);
        run->checks.preempted += rheal.component == TASK_SWITCHING ? 0 : rheal.reached.preempted;
    }
    if (count > 0) {
        end_role(run, &rheal.actor);
    }
}

static bool start_roles(struct ic_run *run) {
    bool is_equal = rheal.component == TASK_SWITCHING;
    uint32_t bystander_core = rheal.component == DEADLOCK_BREAKING ? rheal.core : rheal.target;
    rheal.dismissed = false;
    if (!start_role(run, &rheal.actor, actor_task, rheal.core, PRIORITY_LOW)) {
        return false;
    }
    if (has_reached() &&
        !start_role(run, &rheal.reached, reached_task, rheal.target, is_equal ? PRIORITY_LOW : PRIORITY_HIGH)) {
        end_roles(run, 1);
        return false;
    }
    if (has_bystander() && !start_role(run, &rheal.bystander, bystander_task, bystander_core,
                                       rheal.component == DEADLOCK_BREAKING ? PRIORITY_MIDDLE : PRIORITY_LOW)) {
        end_roles(run, 2);
        return false;
    }
    return true;
}

/* Wakes the tasks, the one on the console task's core last: it preempts the console task, which could not wake the
 * other one after that. */
static void wake_roles(void) {
    bool bystander_first = has_computing_bystander() && rheal.bystander.core != port_core_id();
    if (bystander_first) {
        port_notify(&rheal.bystander.task);
    }
    port_notify(&rheal.actor.task);
    if (has_computing_bystander() && !bystander_first) {
        port_notify(&rheal.bystander.task);
    }
}

static void take(struct ic_run *run, struct ic_series *series) {
    atomic_store(&rheal.yielding, false);
    atomic_store(&rheal.armed, false);
    atomic_store(&rheal.bystanding, AWAY);
    atomic_store(&rheal.arrived, false);
    rheal.number++;
    rheal.shift = ic_random_below(&run->random, (uint32_t)(port_clock_hz() / 100000U));
    ic_run_dither(run);
    wake_roles();
    uint32_t reports = 1U + (has_reached() ? 1U : 0U) + (has_bystander() ? 1U : 0U);
    for (uint32_t i = 0; i < reports; i++) {
        port_notify_take();
    }
    int64_t took = (int64_t)(rheal.end - rheal.begin);
    ic_run_check(run, took >= 0 && !rheal.wrong);
    if (series != NULL) {
        ic_run_sample(run, series, took);
    }
    rheal.wrong = false;
}

static bool is_made(void) {
    switch (rheal.component) {
    case SEMAPHORE_SHUFFLING:
        return port_sem_init_binary(&rheal.semaphore) == PORT_OK;
    case DEADLOCK_BREAKING:
        return port_mutex_init(&rheal.mutex) == PORT_OK;
    case MESSAGE_LATENCY:
        return port_queue_init(&rheal.queue, 1, MESSAGE_BYTES) == PORT_OK;
    case INTERRUPT_LATENCY:
        return (rheal.cross ? port_doorbell_open(rheal.target, handle, NULL)
                            : port_timer_open(rheal.core, handle, NULL)) == PORT_OK;
    case TASK_SWITCHING:
    case PREEMPTION:
    case COMPONENT_COUNT:
        break;
    }
    return true;
}

static void unmake(void) {
    if (rheal.component == SEMAPHORE_SHUFFLING) {
        port_sem_destroy(&rheal.semaphore);
    } else if (rheal.component == DEADLOCK_BREAKING) {
        port_mutex_destroy(&rheal.mutex);
    } else if (rheal.component == MESSAGE_LATENCY) {
        port_queue_destroy(&rheal.queue);
    } else if (rheal.component == INTERRUPT_LATENCY && rheal.cross) {
        port_doorbell_close(rheal.target);
    } else if (rheal.component == INTERRUPT_LATENCY) {
        port_timer_close();
    }
}

static uint32_t target_core(const struct ic_run *run) {
    uint32_t core = run->values[P_CORE];
    return run->values[P_FORM] != 0 ? (core + 1U) % port_core_count() : core;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    if (run->values[P_FORM] != 0 && port_core_count() < 2) {
        return ic_error_set(error, "out-of-range", "this target has no other core for form=", "cross", "");
    }
    return run->values[P_COMPONENT] != DEADLOCK_BREAKING || port_mutex_lends(run->values[P_CORE], target_core(run)) ||
           ic_error_set(error, "unsupported",
                        "component=deadlock-breaking: a task does not get its core by inheriting a ",
                        "priority in this kernel, with form=", form_names[run->values[P_FORM]]);
}

static bool measure(struct ic_run *run) {
    struct ic_series *series = ic_run_series(run, "time");
    if (series == NULL) {
        return false;
    }
    rheal.leader = port_task_self();
    rheal.component = (enum component)run->values[P_COMPONENT];
    rheal.cross = run->values[P_FORM] != 0;
    rheal.core = run->values[P_CORE];
    rheal.target = target_core(run);
    rheal.number = 0;
    rheal.wrong = false;
    if (!is_made()) {
        return ic_error_set(&run->error, "failed",
                            "the target has no memory or interrupt for component=", component_names[rheal.component],
                            "");
    }
    bool started = start_roles(run);
    if (started) {
        take(run, NULL); /* warms the caches */
        while (ic_run_repeat(run)) {
            take(run, series);
        }
        end_roles(run, has_bystander() ? 3 : 2);
    }
    unmake();
    return started;
}

const struct ic_benchmark ic_benchmark_rhealstone = {
    .name = "rhealstone",
    .summary = "the six components of Rhealstone, on one core and across two",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 200,
    .series_count = 1,
    .possible = possible,
    .measure = measure,
};
