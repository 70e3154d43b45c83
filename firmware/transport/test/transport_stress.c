#include "transport_stress.h"

#include <stdatomic.h>
#include <string.h>

#include "port_interrupt.h"
#include "random.h"
#include "transport.h"

#define SIZE_MOST 2048U
#define MESSAGES 64U
#define LEAST_BUFFER 512U
#define BUFFER_MOST 8192U
#define PAUSE_US 100U
/* The test fails if the task `back` of the disturbance (below) runs later than this after the timer was due. */
#define LATE_US 1000U
#define DISTURBANCE_US 50U /* shortest time between disturbances; the longest is four times as long */

#define PRIORITY_DISTURBED PORT_PRIORITY_MAX

enum priority { PRIORITY_SENDER = 3, PRIORITY_RECEIVER };

struct party {
    port_task_t task;
    struct ic_transport_end end;
    struct ic_random random;
    union {
        uint64_t aligned;
        uint8_t bytes[SIZE_MOST];
    } own;
};

static struct party sender, receiver;
static struct {
    const struct ic_transport *transport;
    struct ic_transport_setup setup;
    void (*hold)(uint64_t ticks);
    uint32_t seed;       /* determines the contents of this stream */
    port_sem_t opened;   /* given when an end has been opened */
    port_sem_t received; /* given after the last message */
    port_sem_t closed;   /* given when the sender has closed */
    atomic_bool over;
} stage;
static _Atomic(const char *) failure;

static void fail(const char *what) {
    if (atomic_load(&failure) == NULL) {
        atomic_store(&failure, what);
    }
}

static uint64_t ticks(uint32_t us) { return (uint64_t)us * port_clock_hz() / 1000000U; }

/* ---- contents ---- */

/* About half of the words have values that mean something to a transport, for instance in a header. */
static uint32_t word_of(uint32_t number, uint32_t index) {
    static const uint32_t special[] = {0, 1, 2, UINT32_MAX, 0x80000000U, 0x80000001U, 0x7fffffffU, 0x7ffffffeU};
    uint32_t mixed = (stage.seed + number * 65536U + index) * 2654435769U; /* 2^32 over the golden ratio */
    return (mixed >> 16U & 1U) != 0 ? special[mixed >> 29U] : mixed;
}

static uint32_t bytes_at(uint32_t index) {
    uint32_t left = stage.setup.size - 4U * index;
    return left < 4U ? left : 4U;
}

static void produce(uint8_t *message, uint32_t number) {
    for (uint32_t index = 0; 4U * index < stage.setup.size; index++) {
        uint32_t word = word_of(number, index);
        memcpy(message + 4U * (size_t)index, &word, bytes_at(index));
    }
}

static bool is_right(const uint8_t *message, uint32_t number) {
    for (uint32_t index = 0; 4U * index < stage.setup.size; index++) {
        uint32_t word = word_of(number, index);
        if (memcmp(message + 4U * (size_t)index, &word, bytes_at(index)) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- the two ends ---- */

/* Three times out of four there is no pause, so that the two ends often use the transport at the same time. */
static void pause(struct party *party) {
    if (ic_random_below(&party->random, 4) == 0) {
        uint64_t length = ticks(ic_random_below(&party->random, PAUSE_US));
        uint64_t start = port_clock();
        if (stage.hold != NULL && ic_random_below(&party->random, 2) == 0) {
            stage.hold(length);
        }
        while (port_clock() - start < length) {
        }
    }
}

static bool send_one(uint32_t number) {
    const struct ic_transport *transport = stage.transport;
    uint8_t *message = transport->zero_copy ? transport->loan(&sender.end) : sender.own.bytes;
    if (message == NULL) {
        return false;
    }
    produce(message, number);
    bool sent = transport->zero_copy ? transport->send_loan(&sender.end) : transport->send(&sender.end, message);
    if (!transport->zero_copy) {
        memset(message, 0xa5, stage.setup.size); /* the sender may write to it again */
    }
    return sent;
}

static bool receive_one(uint32_t number) {
    const struct ic_transport *transport = stage.transport;
    uint32_t size = 0;
    const uint8_t *message = receiver.own.bytes;
    if (transport->zero_copy) {
        message = transport->receive_loan(&receiver.end, &size);
    } else {
        size = transport->receive(&receiver.end, receiver.own.bytes);
    }
    if (message == NULL || size != stage.setup.size) {
        return false;
    }
    if (transport->zero_copy) {
        pause(&receiver); /* the message must not change before its release */
    }
    bool right = is_right(message, number);
    if (transport->zero_copy) {
        transport->release(&receiver.end);
    }
    return right;
}

static void open_end(struct party *party) {
    if (!stage.transport->open(&party->end)) {
        fail("an end could not be opened");
    }
    port_sem_give(&stage.opened);
    port_notify_take(); /* both ends are open */
}

static bool goes_on(uint32_t number) { return number < MESSAGES && atomic_load(&failure) == NULL; }

/* Reports a failure, ends the stream, and wakes the other end, which may be waiting. */
static void give_up(struct party *other, const char *why) {
    fail(why);
    atomic_store(&stage.over, true);
    port_notify(&other->task);
}

static void run_sender(void *arg) {
    struct party *party = arg;
    open_end(party);
    port_notify(&receiver.task);
    for (uint32_t number = 0; goes_on(number); number++) {
        pause(party);
        if (!send_one(number)) {
            give_up(&receiver, "a message was not sent");
        }
    }
    (void)port_sem_take(&stage.received, PORT_FOREVER);
    stage.transport->close(&party->end);
    port_sem_give(&stage.closed);
}

static void run_receiver(void *arg) {
    struct party *party = arg;
    open_end(party);
    for (uint32_t number = 0; goes_on(number); number++) {
        pause(party);
        if (!receive_one(number)) {
            give_up(&sender, "a message is lost, doubled, out of order or damaged");
        }
    }
    port_sem_give(&stage.received);
    (void)port_sem_take(&stage.closed, PORT_FOREVER);
    stage.transport->close(&party->end);
}

/* ---- the disturbance ---- */

/* The timer's handler on core `from` wakes the task `there` on core `to`. That task wakes the task `back` on core
 * `from`, which sets the timer again. */
static struct {
    port_task_t there, back;
    struct ic_random random;
    uint64_t due;
    bool over; /* both tasks are woken to see it */
    uint32_t rounds;
} disturbance;

static void timer_fires(void *arg) {
    (void)arg;
    port_notify_from_handler(&disturbance.there);
}

static void run_there(void *arg) {
    (void)arg;
    for (port_notify_take(); !disturbance.over; port_notify_take()) {
        port_notify(&disturbance.back);
    }
}

static void set_timer(void) {
    uint32_t us = DISTURBANCE_US + 2U + ic_random_below(&disturbance.random, 3U * DISTURBANCE_US);
    disturbance.due = port_timer_set(port_clock() + ticks(us));
}

static void run_back(void *arg) {
    (void)arg;
    set_timer();
    for (port_notify_take(); !disturbance.over; port_notify_take()) {
        if (port_clock() > disturbance.due + ticks(LATE_US)) {
            fail("a task was not woken in time");
        }
        disturbance.rounds++;
        set_timer();
    }
}

static void start(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core, uint32_t priority) {
    struct port_task_config config = {.name = "stress", .entry = entry, .arg = arg, .core = core, .priority = priority};
    if (port_task_start(task, &config) != PORT_OK) {
        fail("a task could not be started");
    }
}

static void begin_disturbance(void) {
    disturbance.over = false;
    if (port_timer_open(stage.setup.from, timer_fires, NULL) != PORT_OK) {
        fail("the timer could not be opened");
    }
    start(&disturbance.there, run_there, NULL, stage.setup.to, PRIORITY_DISTURBED);
    start(&disturbance.back, run_back, NULL, stage.setup.from, PRIORITY_DISTURBED);
}

/* Ends the disturbance: lets its current round end, then ends its two tasks. */
static void end_disturbance(void) {
    uint32_t rounds = disturbance.rounds;
    port_sleep_until(port_clock() + ticks(5U * LATE_US));
    if (disturbance.rounds == rounds) {
        fail("a task was not woken at all");
    }
    port_timer_close();
    port_sleep_until(port_clock() + ticks(2U * LATE_US));
    disturbance.over = true;
    port_notify(&disturbance.there);
    port_task_join(&disturbance.there);
    port_notify(&disturbance.back);
    port_task_join(&disturbance.back);
}

/* ---- streams ---- */

static void wake(struct ic_transport_end *end) { port_notify(end->other); }

static void wait(struct ic_transport_end *end) {
    (void)end;
    port_notify_take();
}

static void start_end(struct party *party, enum ic_transport_role role, struct party *other) {
    bool sends = role == IC_TRANSPORT_SENDER;
    party->end = (struct ic_transport_end){
        .setup = &stage.setup, .role = role, .wake = wake, .wait = wait, .over = &stage.over, .other = &other->task};
    start(&party->task, sends ? run_sender : run_receiver, party, sends ? stage.setup.from : stage.setup.to,
          sends ? PRIORITY_SENDER : PRIORITY_RECEIVER);
    (void)port_sem_take(&stage.opened, PORT_FOREVER);
}

static void stream(struct ic_random *random) {
    stage.seed = (uint32_t)ic_random_next(random);
    sender.random.state = ic_random_next(random);
    receiver.random.state = ic_random_next(random);
    atomic_store(&stage.over, false);
    start_end(&sender, IC_TRANSPORT_SENDER, &receiver);
    start_end(&receiver, IC_TRANSPORT_RECEIVER, &sender);
    if (stage.hold != NULL) {
        begin_disturbance();
    }
    port_notify(&sender.task); /* from now on, a polling end may keep this task from running */
    port_task_join(&sender.task);
    port_task_join(&receiver.task);
    if (stage.hold != NULL) {
        end_disturbance();
    }
}

/* Chooses memory and message size at random and runs a stream, unless the transport refuses the setup. */
static void choose_and_stream(struct ic_random *random) {
    const struct ic_transport *transport = stage.transport;
    struct ic_transport_setup *setup = &stage.setup;
    struct port_region region;
    (void)port_region(0, &region);
    uint32_t most = region.bytes < BUFFER_MOST ? (uint32_t)region.bytes : BUFFER_MOST;
    setup->memory = region.base;
    setup->memory_bytes = LEAST_BUFFER + ic_random_below(random, most - LEAST_BUFFER + 1U);
    setup->size = 1;
    setup->unit = transport->unit;
    if ((setup->polling && setup->from == setup->to) ||
        (transport->refuses != NULL && transport->refuses(setup) != NULL)) {
        return;
    }
    uint32_t capacity = transport->capacity(setup);
    capacity = capacity < SIZE_MOST ? capacity : SIZE_MOST;
    /* Small sizes are more likely than large ones. */
    setup->size = 1U + ic_random_below(random, 1U + ic_random_below(random, capacity));
    stream(random);
}

const char *transport_stress_run(uint32_t rounds, void (*hold)(uint64_t ticks)) {
    struct ic_random random = {.state = 1};
    uint32_t cores = port_core_count();
    stage.hold = hold;
    if (port_sem_init(&stage.opened, 0) != PORT_OK || port_sem_init(&stage.received, 0) != PORT_OK ||
        port_sem_init(&stage.closed, 0) != PORT_OK) {
        return "there is no memory for a semaphore";
    }
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t index = 0; (stage.transport = port_transport(index)) != NULL; index++) {
            for (uint32_t way = 0; way < 8U && atomic_load(&failure) == NULL; way++) {
                stage.setup.from = (way & 1U) % cores;
                stage.setup.to = (way >> 1U & 1U) % cores;
                stage.setup.polling = (way & 4U) != 0;
                choose_and_stream(&random);
            }
        }
    }
    port_sem_destroy(&stage.opened);
    port_sem_destroy(&stage.received);
    port_sem_destroy(&stage.closed);
    return atomic_load(&failure);
}
