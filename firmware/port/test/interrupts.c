/* Tests that timers, doorbells and pins call their handlers, once and in time. */
#include "promises.h"

#include "port_interrupt.h"
#include "port_pin.h"

struct arrivals {
    port_task_t *waiting;
    atomic_uint count;
    uint32_t core; /* not atomic on purpose: a notification from a handler must order the accesses */
    uint64_t at;
    uint32_t answer; /* the core whose doorbell the handler rings; PORT_CORE_ANY: none */
};

static void note_arrival(void *arg) {
    struct arrivals *arrivals = arg;
    arrivals->at = port_clock();
    arrivals->core = port_core_id();
    atomic_store(&arrivals->count, atomic_load(&arrivals->count) + 1U); /* the handler is the only writer of the
                                                                           count */
    if (arrivals->answer != PORT_CORE_ANY) {
        port_doorbell_ring(arrivals->answer);
    }
    if (arrivals->waiting != NULL) {
        port_notify_from_handler(arrivals->waiting);
    }
}

/* Closes the timer at moments from 10 µs before to 10 µs after it fires, in steps of 0.1 µs. No task waits for the
 * interrupt, which does not come if the timer is closed first. */
static void the_timer_can_be_closed_while_it_fires(void) {
    static struct arrivals arrivals = {.waiting = NULL, .answer = PORT_CORE_ANY}; /* static, because an interrupt may
                                                                                     still be on its way when this
                                                                                     function returns */
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

struct rearmed {
    uint64_t due;
    atomic_uint count;
};

/* Sets the timer again, 100 µs after it was due, until it has fired 20 times. */
static void fire_again(void *arg) {
    struct rearmed *rearmed = arg;
    uint32_t count = atomic_load(&rearmed->count) + 1U;
    if (count < 20U) {
        rearmed->due = port_timer_set(rearmed->due + port_clock_hz() / 10000U);
    }
    atomic_store(&rearmed->count, count);
}

static void its_handler_can_set_the_timer(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        static struct rearmed rearmed;
        rearmed = (struct rearmed){0};
        expect(port_timer_open(core, fire_again, &rearmed) == PORT_OK, "the timer opens again");
        rearmed.due = port_clock() + milliseconds(1);
        (void)port_timer_set(rearmed.due);
        port_sleep_until(port_clock() + milliseconds(30));
        expect(atomic_load(&rearmed.count) == 20U, "the timer fires each time that its handler has set it");
        port_timer_close();
    }
}

struct ringer {
    uint32_t core; /* the core whose doorbell rings, or that handles the pin's edges */
    struct arrivals *arrivals;
    bool by_pin;
};

static void ring_and_wait(void *arg) {
    struct ringer *ringer = arg;
    ringer->arrivals->waiting = port_task_self();
    for (uint32_t i = 1; i <= 100; i++) {
        uint64_t before = port_clock();
        if (ringer->by_pin) {
            before = port_pin_toggle();
        } else {
            port_doorbell_ring(ringer->core);
        }
        port_notify_take();
        expect(ringer->arrivals->at >= before, "a ring, or an edge, is handled after it was caused");
        expect(ringer->arrivals->core == ringer->core, "the handler of a doorbell, or a pin, runs on its core");
        expect(atomic_load(&ringer->arrivals->count) == i, "a ring, or an edge, is handled once");
    }
}

static enum port_error open_for(const struct ringer *ringer) {
    return ringer->by_pin ? port_pin_open(ringer->core, note_arrival, ringer->arrivals)
                          : port_doorbell_open(ringer->core, note_arrival, ringer->arrivals);
}

static void each_core_can_interrupt_each(bool by_pin) {
    for (uint32_t to = 0; to < port_core_count(); to++) {
        for (uint32_t from = 0; from < port_core_count(); from++) {
            struct arrivals arrivals = {.answer = PORT_CORE_ANY};
            struct ringer ringer = {.core = to, .arrivals = &arrivals, .by_pin = by_pin};
            expect(open_for(&ringer) == PORT_OK, "a doorbell, or a pin, opens");
            port_task_t task;
            struct port_task_config config = {
                .name = "ringer", .entry = ring_and_wait, .arg = &ringer, .core = from, .priority = 1};
            expect(port_task_start(&task, &config) == PORT_OK, "a task that rings starts");
            port_task_join(&task);
            if (by_pin) {
                port_pin_close();
            } else {
                port_doorbell_close(to);
            }
        }
    }
}

/* During this test the cores also wake each other's tasks, because on some chips these wake-ups use the same hardware
 * as doorbells. */
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
        .name = "echo", .entry = port_test_answer, .arg = &echo, .core = other, .priority = 1};
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

void port_test_interrupts(void) {
    the_timer_fires_once_when_it_is_due();
    the_timer_can_be_closed_while_it_fires();
    its_handler_can_set_the_timer();
    each_core_can_interrupt_each(false);
    if (port_pin_exists()) {
        each_core_can_interrupt_each(true);
    }
    handlers_can_ring_and_no_ring_is_lost();
}
