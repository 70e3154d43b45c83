/* Does a port keep the promises of port.h? Runs on the target itself, on every platform, and prints what failed. */
#include "port_test.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "port.h"
#include "port_interrupt.h"
#include "port_lock.h"
#include "port_objects.h"

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
    /* Linux without real-time scheduling, and ESP-IDF. */
    bool always = has_condition("scheduler.policy", "SCHED_OTHER") || has_condition("freertos.time_slicing", "1");
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

/* Some kernels keep the core of a task for as long as it lives, and say so, each time and of every task. */
static bool tasks_can_be_moved(void) {
    enum port_error error = port_task_pin(port_task_self(), 0); /* where it is */
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
    while (atomic_load(begun) == 1) { /* busy until it is told */
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

/* ---- the kernel's objects ---- */

#define ITEMS 20U
#define ITEM_BYTES_MAX 1024U

/* The byte at a position of a stream, or of the items of a queue one after the other. */
static uint8_t byte_at(uint32_t position) { return (uint8_t)(position * 31U + position / 251U); }

static void fill(uint8_t *bytes, uint32_t position, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = byte_at(position + i);
    }
}

static bool is_filled(const uint8_t *bytes, uint32_t position, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        if (bytes[i] != byte_at(position + i)) {
            return false;
        }
    }
    return true;
}

/* A task on each core in turn does one half of a test, this one the other half. */
static void against_each_core(void (*there)(void *), void (*here)(void *), void *arg) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        port_task_t task;
        struct port_task_config config = {.name = "other", .entry = there, .arg = arg, .core = core, .priority = 1};
        expect(port_task_start(&task, &config) == PORT_OK, "the other task of a test starts");
        here(arg);
        port_task_join(&task);
    }
}

struct handshake {
    port_sem_t asked;
    port_sem_t answered;
    uint32_t value; /* plain memory: semaphores must order it */
};

static void answer_semaphores(void *arg) {
    struct handshake *handshake = arg;
    for (uint32_t i = 1; i <= ITEMS; i++) {
        expect(port_sem_take(&handshake->asked, PORT_FOREVER) == PORT_OK, "a wait without limit ends with a unit");
        handshake->value++;
        port_sem_give(&handshake->answered);
    }
}

static void ask_by_semaphores(void *arg) {
    struct handshake *handshake = arg;
    handshake->value = 0;
    for (uint32_t i = 1; i <= ITEMS; i++) {
        port_sem_give(&handshake->asked);
        expect(port_sem_take(&handshake->answered, PORT_FOREVER) == PORT_OK, "a wait without limit ends with a unit");
        expect(handshake->value == i, "what was written before a semaphore was given is seen after it is taken");
    }
}

static void a_binary_semaphore_is_given_or_not(void) {
    struct handshake handshake;
    expect(port_sem_init_binary(&handshake.asked) == PORT_OK, "a binary semaphore can be made");
    expect(port_sem_init(&handshake.answered, 0) == PORT_OK, "a semaphore can be made");
    expect(port_sem_take(&handshake.asked, 0) == PORT_ERR_TIMEOUT, "a binary semaphore is empty at first");
    for (uint32_t i = 0; i < 2; i++) {
        port_sem_give(&handshake.asked);
        port_sem_give(&handshake.asked);
        expect(port_sem_take(&handshake.asked, PORT_FOREVER) == PORT_OK, "what was given can be taken");
        expect(port_sem_take(&handshake.asked, 0) == PORT_ERR_TIMEOUT, "what was given twice can be taken once");
    }
    against_each_core(answer_semaphores, ask_by_semaphores, &handshake);
    port_sem_destroy(&handshake.asked);
    port_sem_destroy(&handshake.answered);
}

struct account {
    port_mutex_t mutex;
    uint32_t balance; /* plain memory: the mutex must keep its users apart */
};

static void pay_in(void *arg) {
    struct account *account = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        port_mutex_lock(&account->mutex);
        uint32_t balance = account->balance;
        port_yield(); /* somebody else has time to do the same */
        account->balance = balance + 1U;
        port_mutex_unlock(&account->mutex);
    }
}

static void notifications_are_counted(void) {
    expect(port_notify_count() == 0, "nobody has notified this task");
    port_notify(port_task_self());
    port_notify(port_task_self());
    expect(port_notify_count() == 2, "notifications are counted");
    port_notify_take();
    expect(port_notify_count() == 1, "to take one takes one");
    port_notify_take();
    expect(port_notify_count() == 0, "to take the last leaves none");
}

static void a_mutex_can_be_tried(void) {
    port_mutex_t mutex;
    expect(port_mutex_init(&mutex) == PORT_OK, "a mutex can be made");
    expect(port_mutex_try_lock(&mutex), "a mutex that nobody has can be locked without waiting");
    expect(!port_mutex_try_lock(&mutex), "a mutex cannot be locked twice");
    port_mutex_unlock(&mutex);
    port_mutex_lock(&mutex);
    expect(!port_mutex_try_lock(&mutex), "a locked mutex cannot be locked");
    port_mutex_unlock(&mutex);
    expect(port_mutex_try_lock(&mutex), "an unlocked mutex can be locked");
    port_mutex_unlock(&mutex);
    port_mutex_destroy(&mutex);
}

static void a_mutex_excludes(void) {
    struct account account = {.balance = 0};
    expect(port_mutex_init(&account.mutex) == PORT_OK, "a mutex can be made");
    against_each_core(pay_in, pay_in, &account);
    expect(account.balance == 2U * ITEMS * port_core_count(), "a mutex keeps its users apart");
    port_mutex_destroy(&account.mutex);
}

struct belt {
    port_queue_t queue;
    uint32_t item_bytes;
    uint8_t sent[ITEM_BYTES_MAX];
    uint8_t received[ITEM_BYTES_MAX];
};

static void send_items(void *arg) {
    struct belt *belt = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        fill(belt->sent, i * belt->item_bytes, belt->item_bytes);
        port_queue_send(&belt->queue, belt->sent);
        belt->sent[0]++; /* a queue holds a copy */
    }
}

static void receive_items(void *arg) {
    struct belt *belt = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        port_queue_receive(&belt->queue, belt->received);
        expect(is_filled(belt->received, i * belt->item_bytes, belt->item_bytes),
               "a queue keeps items and their order");
    }
}

static void queues_pass_items_in_order(void) {
    static const uint32_t lengths[] = {1, 3, 8};
    static const uint32_t sizes[] = {1, 5, 64, ITEM_BYTES_MAX};
    static struct belt belt;
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t length = lengths[i % 3];
        belt.item_bytes = sizes[i / 3];
        expect(port_queue_init(&belt.queue, length, belt.item_bytes) == PORT_OK, "a queue can be made");
        for (uint32_t k = 0; k < length; k++) {
            port_queue_send(&belt.queue, belt.sent); /* or it would wait for ever */
        }
        for (uint32_t k = 0; k < length; k++) {
            port_queue_receive(&belt.queue, belt.received);
        }
        against_each_core(send_items, receive_items, &belt);
        against_each_core(receive_items, send_items, &belt);
        port_queue_destroy(&belt.queue);
    }
}

struct flags {
    port_events_t events;
    uint32_t value; /* plain memory */
};

static void answer_events(void *arg) {
    struct flags *flags = arg;
    for (uint32_t i = 0; i < ITEMS; i++) {
        port_events_wait(&flags->events, 0x11);
        flags->value++;
        port_events_set(&flags->events, 0x80);
    }
}

static void ask_by_events(void *arg) {
    struct flags *flags = arg;
    flags->value = 0;
    for (uint32_t i = 1; i <= ITEMS; i++) {
        port_events_set(&flags->events, i % 2 == 0 ? 0x01 : 0x10);
        port_events_wait(&flags->events, 0x80);
        expect(flags->value == i, "what was written before an event was set is seen by who waited for it");
    }
}

static void an_event_group_has_bits_of_its_own(void) {
    struct flags flags;
    expect(port_events_init(&flags.events) == PORT_OK, "an event group can be made");
    expect(port_events_get(&flags.events) == 0, "an event group is made without bits");
    port_events_set(&flags.events, 0x07);
    port_events_wait(&flags.events, 0x02); /* each would wait for ever if its bit had been cleared before */
    expect(port_events_get(&flags.events) == 0x05, "a wait clears the bits that it was for, and no others");
    port_events_wait(&flags.events, 0x05);
    expect(port_events_get(&flags.events) == 0, "a wait clears all bits that it was for");
    against_each_core(answer_events, ask_by_events, &flags);
    port_events_destroy(&flags.events);
}

#define STREAM_ROOM 64U
#define STREAM_CHUNKS 200U

/* Sizes from one byte to more than there is room for. */
static uint32_t chunk(uint32_t i, uint32_t step) { return 1U + i * step % (STREAM_ROOM + 9U); }

struct channel {
    port_stream_t stream;
    uint32_t total;
};

static void send_stream(void *arg) {
    struct channel *channel = arg;
    uint8_t bytes[STREAM_ROOM + 9U];
    for (uint32_t i = 0, position = 0; position < channel->total; i++) {
        uint32_t left = channel->total - position;
        uint32_t size = chunk(i, 7) < left ? chunk(i, 7) : left;
        fill(bytes, position, size);
        port_stream_send(&channel->stream, bytes, size);
        position += size;
    }
}

static void receive_stream(void *arg) {
    struct channel *channel = arg;
    uint8_t bytes[STREAM_ROOM + 9U];
    for (uint32_t i = 0, position = 0; position < channel->total; i++) {
        uint32_t left = channel->total - position;
        uint32_t size = chunk(i, 11) < left ? chunk(i, 11) : left;
        port_stream_receive(&channel->stream, bytes, size);
        expect(is_filled(bytes, position, size), "a stream keeps bytes and their order");
        position += size;
    }
}

static void streams_pass_bytes_in_order(void) {
    struct channel channel = {.total = STREAM_ROOM};
    expect(port_stream_init(&channel.stream, STREAM_ROOM) == PORT_OK, "a stream can be made");
    send_stream(&channel); /* or it would wait for ever */
    receive_stream(&channel);
    channel.total = STREAM_CHUNKS * STREAM_ROOM / 2U;
    against_each_core(send_stream, receive_stream, &channel);
    against_each_core(receive_stream, send_stream, &channel);
    port_stream_destroy(&channel.stream);
}

static void memory_is_ours_and_comes_back(void) {
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t size = 1U + i * 13U % 1000U;
        uint8_t *one = port_allocate(size);
        uint8_t *other = port_allocate(size);
        expect(one != NULL && other != NULL, "memory that was freed can be allocated again");
        if (one != NULL && other != NULL) {
            expect((uintptr_t)one % 4U == 0 && (uintptr_t)other % 4U == 0, "allocated memory is aligned");
            fill(one, 0, size);
            fill(other, size, size);
            expect(is_filled(one, 0, size) && is_filled(other, size, size), "allocated blocks are apart");
        }
        port_free(one);
        port_free(other);
    }
}

static void objects_come_and_go(void) {
    for (uint32_t i = 0; i < 100; i++) {
        port_mutex_t mutex;
        port_queue_t queue;
        port_events_t events;
        port_stream_t stream;
        bool made = port_mutex_init(&mutex) == PORT_OK && port_queue_init(&queue, 8, 1024) == PORT_OK &&
                    port_events_init(&events) == PORT_OK && port_stream_init(&stream, 4096) == PORT_OK;
        expect(made, "what destroyed objects were made of can be used again");
        if (!made) {
            return;
        }
        port_stream_destroy(&stream);
        port_events_destroy(&events);
        port_queue_destroy(&queue);
        port_mutex_destroy(&mutex);
    }
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

/* What passes by both in some 10 ms on one core. */
struct passed {
    uint64_t ticks;
    uint64_t cycles;
    bool backwards;
};

static void count_cycles(void *arg) {
    struct passed *passed = arg;
    uint64_t begin = port_clock();
    uint64_t first = port_cycles();
    uint64_t last = first;
    while (port_clock() - begin < milliseconds(10)) {
        uint64_t now = port_cycles();
        passed->backwards = passed->backwards || now < last;
        last = now;
    }
    passed->cycles = port_cycles() - first;
    passed->ticks = port_clock() - begin;
}

static void each_core_has_a_counter(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        struct passed passed = {0};
        port_task_t task;
        struct port_task_config config = {
            .name = "counter", .entry = count_cycles, .arg = &passed, .core = core, .priority = 1};
        expect(port_task_start(&task, &config) == PORT_OK, "the counter's task starts");
        port_task_join(&task);
        uint64_t expected = passed.ticks * port_cycles_hz() / port_clock_hz();
        expect(!passed.backwards, "a core's counter does not step back");
        expect(passed.cycles > expected / 2U && passed.cycles <= expected + expected / 100U,
               "a core's counter runs at its rate");
    }
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

/* From 10 us before to 10 us after, in steps of 0.1 us. Who waits for what is lost then waits for ever. */
static void the_timer_can_be_closed_while_it_fires(void) {
    static struct arrivals arrivals = {.waiting = NULL,
                                       .answer = PORT_CORE_ANY}; /* an interrupt may be on its way yet */
    uint64_t us = port_clock_hz() / 1000000U;
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t core = port_core_count() - 1U;
        expect(port_timer_open(core, note_arrival, &arrivals) == PORT_OK, "the timer opens again");
        uint64_t when = port_timer_set(port_clock() + 50U * us);
        uint64_t close = when - 10U * us + i * port_clock_hz() / 10000000U;
        while (port_clock() < close) {
        }
        port_timer_close();
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

/* The grid of the tick, seen from one core: whoever sleeps by ticks wakes just after an edge, and edges lie whole ticks
 * apart, for as long as one looks. A machine that does something else now and then is late some times, not each time.
 * Where each core wakes its own at a tick of its own, that is so many cycles behind the edge, always. */
static bool has_own_tick(void) { return port_core_id() != 0 && has_condition("freertos.tick_core", "each"); }

/* How far two moments of the tick are apart, the shorter way round. */
static uint64_t apart(uint64_t one, uint64_t other, uint64_t tick) {
    uint64_t ahead = (one + tick - other) % tick;
    return ahead < tick - ahead ? ahead : tick - ahead;
}

static void look_at_ticks(void *arg) {
    (void)arg;
    uint64_t tick = port_clock_hz() / port_tick_hz();
    uint64_t first = port_tick_edge();
    uint64_t least = tick;
    uint64_t before = 0;
    for (uint32_t i = 1; i <= 50; i++) {
        port_sleep_ticks(i % 3U + 1U);
        uint64_t edge = port_tick_edge();
        uint64_t late = port_clock() - edge;
        expect((edge - first) % tick == 0, "edges lie whole ticks apart");
        uint64_t distance = !has_own_tick() ? late : i > 1 ? apart(late, before, tick) : tick;
        least = distance < least ? distance : least;
        before = late;
    }
    expect(least < tick / 4U, "a task that sleeps by ticks wakes just after an edge, or always as long after it");
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
    expect(least < (has_own_tick() ? tick : 0) + tick / 4U, "releases come when they are due");
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
    bool has_mark = false;
    for (uint32_t i = 0; port_condition(i, &condition); i++) {
        expect(condition.key[0] != '\0' && condition.value[0] != '\0', "a condition has a key and a value");
        has_mark = has_mark || strcmp(condition.key, "mark") == 0;
    }
    expect(has_mark, "a condition names the pin of the energy mark, or says that there is none");
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
    it_can_be_told_whether_a_task_waits();
    a_running_task_is_suspended_resumed_and_moved();
    tasks_move_themselves();
    a_suspended_wait_goes_on();
    notifications_are_counted_and_order_memory();
    semaphores_count_and_time_out();
    a_binary_semaphore_is_given_or_not();
    a_mutex_can_be_tried();
    a_mutex_excludes();
    notifications_are_counted();
    queues_pass_items_in_order();
    an_event_group_has_bits_of_its_own();
    streams_pass_bytes_in_order();
    memory_is_ours_and_comes_back();
    objects_come_and_go();
    clocks_run_forward();
    each_core_has_a_counter();
    the_common_clock_is_common();
    sleeping_takes_the_time_asked();
    time_has_a_grid_on_every_core();
    critical_sections_exclude_other_cores();
    critical_sections_exclude_tasks_of_the_same_core();
    spinlocks_exclude_other_cores();
    spinlocks_are_apart_and_can_be_had_again();
    atomics_lose_nothing();
    atomics_do_as_they_say();
    the_timer_fires_once_when_it_is_due();
    the_timer_can_be_closed_while_it_fires();
    each_core_can_ring_each();
    handlers_can_ring_and_no_ring_is_lost();
    facts_are_complete();
    return failure;
}
