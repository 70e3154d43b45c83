/* The two ends (sender and receiver) of the benchmark `message`, and the loads on their cores */
#include "message.h"

#include "port_objects.h"

/* Iterations of a waiting loop between two readings of the clock. The clock is a shared register: polling it would
 * delay the other core's readings. */
#define TURNS_PER_LOOK 65536U
/* The console task's core */
#define LEADERS_CORE 0U
/* With idle=spin: steps of ic_message_spin() that the load makes between two checks whether the message has arrived */
#define MIXES 4U
/* The receiver gives up a turn (a request for one or more messages) after this many messages, or in a stream after
 * twice the number sent plus this many: a faulty transport may repeat messages. */
#define BUDGET 16U

struct stage ic_message PORT_SHARED(message);

const struct ic_transport *ic_message_transport;

void ic_message_find_transport(void) {
    const struct ic_transport *found = port_transport(ic_message.run->values[P_TRANSPORT]);
    if (ic_message_transport != found) { /* otherwise not written: other tasks may be reading it */
        ic_message_transport = found;
    }
}

/* ---- termination ---- */

/* Ends the run, and wakes the sender or the receiver if it waits for the other end. */
static void declare_over(void) {
    atomic_store(&ic_message.over, true);
    port_notify(&ic_message.sender.task);
    port_notify(&ic_message.receiver.task);
}

struct vigil ic_message_begin_vigil(void) {
    return (struct vigil){.since = port_clock(),
                          .progress = atomic_load_explicit(&ic_message.progress, memory_order_relaxed)};
}

void ic_message_keep_vigil(struct vigil *vigil) {
    struct vigil now = ic_message_begin_vigil();
    if (now.progress != vigil->progress) {
        *vigil = now;
    } else if (now.since - vigil->since > ic_message.patience && !over()) {
        declare_over();
    }
}

static void work(volatile uint32_t *words) {
    for (uint32_t i = 0; i < LOAD_WORDS; i++) {
        words[i]++;
    }
}

/* Like ic_message_await(): spins until `*turn` is the number of the current turn. If `words` is not NULL, also
 * increments these words meanwhile, as a load does. */
static bool await(const atomic_uint *turn, volatile uint32_t *words) {
    struct vigil vigil = ic_message_begin_vigil();
    for (uint32_t turns = 1; !reached(turn); turns++) {
        if (over()) {
            return false;
        }
        if (words != NULL) {
            work(words);
        }
        if (!ic_message.apart) {
            port_yield(); /* without priorities, the other end may not have run yet */
        }
        if (turns % TURNS_PER_LOOK == 0) {
            ic_message_keep_vigil(&vigil);
        }
    }
    return true;
}

bool ic_message_await(const atomic_uint *turn) { return await(turn, NULL); }

/* ---- wake-ups ---- */

static void wake(struct ic_transport_end *end) { port_notify(end->other); }

static void wait(struct ic_transport_end *end) {
    (void)end;
    port_notify_take();
}

/* ---- timed code ---- */

/* Functions with timed code. A probe of the simulator finds the sending functions by their names. */
static bool message_send_copied(void) {
    uint64_t before = port_clock();
    bool sent = ic_message_transport->send(&ic_message.sender.end, ic_message.sender.own);
    uint64_t after = port_clock();
    ic_message.before = before;
    ic_message.after = after;
    return sent;
}

static bool message_send_loaned(void) {
    uint64_t before = port_clock();
    bool sent = ic_message_transport->send_loan(&ic_message.sender.end);
    uint64_t after = port_clock();
    ic_message.before = before;
    ic_message.after = after;
    return sent;
}

static void receive_copied(struct arrival *arrival) {
    uint32_t bytes = ic_message_transport->receive(&ic_message.receiver.end, ic_message.receiver.own);
    arrival->at = port_clock();
    arrival->bytes = bytes;
    arrival->message = bytes > 0 ? ic_message.receiver.own : NULL;
}

static void receive_loaned(struct arrival *arrival) {
    const void *message = ic_message_transport->receive_loan(&ic_message.receiver.end, &arrival->bytes);
    arrival->at = port_clock();
    arrival->message = message;
}

/* Returns the memory in which to produce the next message; NULL if the run has ended. */
static uint32_t *room(void) {
    return ic_message_transport->zero_copy ? ic_message_transport->loan(&ic_message.sender.end) : ic_message.sender.own;
}

static bool send_one(const uint32_t *message) {
    return ic_message_transport->zero_copy ? ic_message_transport->send_loan(&ic_message.sender.end)
                                           : ic_message_transport->send(&ic_message.sender.end, message);
}

static void receive_one(struct arrival *arrival) {
    if (ic_message_transport->zero_copy) {
        arrival->message = ic_message_transport->receive_loan(&ic_message.receiver.end, &arrival->bytes);
    } else {
        arrival->bytes = ic_message_transport->receive(&ic_message.receiver.end, ic_message.receiver.own);
        arrival->message = arrival->bytes > 0 ? ic_message.receiver.own : NULL;
    }
}

static void release(void) {
    if (ic_message_transport->zero_copy) {
        ic_message_transport->release(&ic_message.receiver.end);
    }
}

/* Produces and sends a message. In a timed stream only the message's two stamps (the sequence number, in the first and
 * in the last word) are written and checked. */
static bool produce_and_send(void) {
    uint32_t *message = room();
    if (message == NULL) {
        return false;
    }
    if (ic_message.full) {
        ic_message_produce(message, ic_message.next_sent);
    } else {
        ic_message_stamp(message, ic_message.next_sent);
    }
    if (!send_one(message)) {
        return false;
    }
    ic_message.next_sent++;
    return true;
}

static bool message_send_stream(void) {
    ic_message.before = port_clock();
    while (ic_message.next_sent != ic_message.target) {
        if (!produce_and_send()) {
            return false;
        }
    }
    return true;
}

/* The timed functions are called through pointers, so that the compiler neither inlines nor duplicates them. */
static bool (*const send_timed[])(void) = {message_send_copied, message_send_loaned, message_send_stream};
static void (*const receive_timed[])(struct arrival *arrival) = {receive_copied, receive_loaned};
static uint32_t kind(void) { return ic_message.streams ? 2U : ic_message_transport->zero_copy ? 1U : 0U; }

/* ---- the tasks ---- */

static void report(struct party *party) {
    party->migrated = party->migrated || port_core_id() != party->core;
    reach(&party->reported);
    port_sem_give(&ic_message.done);
}

/* Waits until the console task starts the next turn (a request for one or more messages). Returns false if the task
 * must end. */
static bool await_turn(struct party *party) {
    (void)port_sem_take(&party->go, PORT_FOREVER);
    return !atomic_load(&party->dismissed);
}

/* If the transport copies messages, allocates memory for a message to the sender or the receiver. Returns false if
 * there is no memory. */
static bool get_memory(struct party *party) {
    party->own = ic_message_transport->zero_copy ? NULL : port_allocate(((size_t)ic_message.setup.size + 7U) / 8U * 8U);
    return ic_message_transport->zero_copy || party->own != NULL;
}

static void run_end(struct party *party, void (*take_turn)(void)) {
    ic_message_find_transport();
    party->end.wake = wake;
    party->end.wait = wait;
    party->fits = get_memory(party);
    party->opened = party->fits && ic_message_transport->open(&party->end);
    report(party);
    while (await_turn(party)) {
        take_turn();
        report(party);
    }
    if (party->opened) {
        ic_message_transport->close(&party->end);
    }
    port_free(party->own);
    party->preempted = port_preemptions();
}

static bool goes_on(uint32_t budget) { return budget > 0 && (int32_t)(ic_message.target - ic_message.next) > 0; }

void ic_message_note_progress(void) {
    atomic_store_explicit(&ic_message.progress, atomic_load_explicit(&ic_message.progress, memory_order_relaxed) + 1U,
                          memory_order_relaxed);
}

static void receive_message(void) {
    for (uint32_t budget = BUDGET; goes_on(budget); budget--) {
        receive_timed[ic_message_transport->zero_copy ? 1 : 0](&ic_message.arrival);
        reach(&ic_message.arrived);
        if (ic_message.arrival.message == NULL) {
            declare_over(); /* no message will come any more */
            return;
        }
        ic_message_note_progress();
        if (ic_message.apart && ic_message_ahead(ic_message.arrival.message) >= 0) {
            (void)await(&ic_message.sent, NULL); /* until the sender, too, has read the clock */
        }
        ic_message_check(&ic_message.arrival);
        release();
    }
}

static void receive_stream(void) {
    struct arrival arrival;
    for (uint32_t budget = BUDGET + 2U * (ic_message.target - ic_message.next); goes_on(budget); budget--) {
        receive_one(&arrival);
        if (arrival.message == NULL) {
            declare_over();
            return;
        }
        ic_message_note_progress();
        ic_message_check(&arrival);
        release();
    }
    ic_message.arrival.at = port_clock();
    reach(&ic_message.arrived);
}

static void take_receivers_turn(void) {
    reach(&ic_message.armed);
    if (ic_message.streams || ic_message.counts) {
        receive_stream();
    } else {
        receive_message();
    }
    reach(&ic_message.arrived);
    if (ic_message.apart) {
        (void)await(&ic_message.sent, NULL); /* detects that the sender is stuck */
    }
}

void ic_message_run_receiver(void *arg) { run_end(arg, take_receivers_turn); }
PORT_ENTRY(ic_message_run_receiver);

/* Polls until a task is blocked and off its core. Returns false if the run has ended. */
static bool await_waiting(const port_task_t *task) {
    struct vigil vigil = ic_message_begin_vigil();
    while (!port_task_waits(task)) {
        ic_message_keep_vigil(&vigil);
        if (over()) {
            return false;
        }
        if (!ic_message.apart) {
            port_yield();
        }
    }
    return true;
}

/* Whether the console task can run during a turn, because neither the sender nor the receiver spins on its core */
static bool leader_runs_on(void) {
    return ic_message.setup.from != LEADERS_CORE && (!ic_message.setup.polling || ic_message.setup.to != LEADERS_CORE);
}

/* Makes the receiver wait for a message. Returns true when the receiver waits and the console task no longer runs,
 * false if the run has ended. */
static bool arm_receiver(void) {
    port_sem_give(&ic_message.receiver.go);
    if (!await(&ic_message.armed, NULL)) {
        return false;
    }
    return (ic_message.setup.polling || await_waiting(&ic_message.receiver.task)) &&
           (!leader_runs_on() || await_waiting(ic_message.leader));
}

static bool start_loads(void) {
    if (ic_message.load_from.started) {
        port_notify(&ic_message.load_from.task); /* the load runs when the sender leaves the core */
    }
    if (ic_message.load_to.started) {
        port_notify(&ic_message.load_to.task);
        return await(&ic_message.loading, NULL);
    }
    return true;
}

static void settle(void) {
    uint64_t start = port_clock();
    while (port_clock() - start < ic_message.settling) {
    }
    ic_run_dither(ic_message.run);
}

static void send_message(void) {
    uint32_t *message = room();
    if (message == NULL) {
        declare_over();
        return;
    }
    ic_message_produce(message, ic_message.next_sent);
    settle();
    if (send_timed[kind()]()) {
        ic_message.next_sent++;
    } else {
        declare_over();
    }
}

static void take_senders_turn(void) {
    if (!arm_receiver() || !start_loads()) {
        return;
    }
    if (ic_message.streams) {
        settle();
        if (!send_timed[kind()]()) {
            declare_over();
        }
    } else {
        send_message();
    }
    reach(&ic_message.sent);
    (void)await(&ic_message.arrived, ic_message.load_from.started ? ic_message.words : NULL);
}

/* The sender's turn with measure=overhead. The load on this core releases the sender for each message of the window,
 * and once more after the window: with this extra message both ends finish their turns outside the window. */
static void take_paced_turn(void) {
    if ((ic_message.sends && !arm_receiver()) || !start_loads()) {
        return;
    }
    settle();
    for (uint32_t left = ic_message.messages + 1U; left > 0; left--) {
        (void)port_sem_take(&ic_message.release, PORT_FOREVER);
        if (over()) {
            return;
        }
        if (ic_message.sends && !produce_and_send()) {
            declare_over();
            return;
        }
    }
    reach(&ic_message.sent);
    if (ic_message.sends) {
        (void)await(&ic_message.arrived, NULL);
    }
}

void ic_message_run_sender(void *arg) { run_end(arg, ic_message.counts ? take_paced_turn : take_senders_turn); }
PORT_ENTRY(ic_message_run_sender);

/* Computes a pseudo-random sequence (Marsaglia, Xorshift RNGs, Journal of Statistical Software 8(14), 2003) in
 * registers only, so that the loop competes with the other core for the bus only to fetch its own code. */
uint32_t ic_message_spin(uint32_t value, uint32_t steps) {
    for (uint32_t i = 0; i < steps; i++) {
        value ^= value << 13U;
        value ^= value >> 17U;
        value ^= value << 5U;
    }
    return value;
}

static void count_turns(struct load_task *load) {
    ic_message_count_turns(load);
    if (load == &ic_message.load_from) {
        port_sem_give(&ic_message.release);
    }
}

static void keep_awake(struct load_task *load) {
    uint32_t value = load->value;
    while (!reached(&ic_message.arrived) && !over()) {
        value = ic_message_spin(value, MIXES);
    }
    load->value = value;
}

void ic_message_run_load(void *arg) {
    struct load_task *load = arg;
    for (port_notify_take(); !atomic_load(&load->dismissed); port_notify_take()) {
        if (load == &ic_message.load_to) {
            reach(&ic_message.loading);
        }
        if (ic_message.counts) {
            count_turns(load);
        } else if (ic_message.awake && load == &ic_message.load_to) {
            keep_awake(load);
        } else {
            (void)await(&ic_message.arrived, load->words);
        }
        reach(&load->reported);
        port_sem_give(&ic_message.done);
    }
}
PORT_ENTRY(ic_message_run_load);
