/* message: from the begin of a send on core `from` to the end of the receive on core `to`, and bytes per second, by any
 * transport (transport/transport.h).
 *
 * measure=latency sends one message per repetition to a receiver that waits for it. Two series:
 *
 *   latency  from before the call that sends until the receiver, behind the call that receives, reads the clock;
 *            round_trip instead, where it has gone to an echo and back (transport.h): that is never halved
 *   send     from before the call that sends until it has returned
 *
 * measure=throughput sends a stream of `messages` messages per repetition, and never waits for an answer. One series:
 *
 *   window   from before the first message until the receiver has received the last one and reads the clock
 *
 * By a transport that copies, a message lies in memory of the sender's own before the send begins, and in the
 * receiver's own when the receive has ended; by one that does not, it has been produced in place before the send begins
 * and is read in place after the receive has ended. Producing and reading are in neither series. (In a stream they are,
 * as far as they are done: of each message only the two stamps below.)
 *
 * The receiver has the higher priority (4) and truly waits: with receiver=blocked the sender (3) lets it go, and looks
 * until the platform says that it is blocked and off its core; with receiver=polling both ends look again and again and
 * never sleep, so they must be on two cores. Then the sender produces the message, lets 20 µs and the dither pass, and
 * sends. From then on until both have read the clock nothing else runs but what `load` says: each end, when it has its
 * reading, spins without the kernel until the other has its own.
 *
 * A load is a task of priority 2 on the core of an end: it adds to eight words of its own, one after the other,
 * whenever the end leaves it the core. So on core `to` it runs until the message wakes the receiver, which preempts it,
 * and meanwhile takes turns with the sender on the bus. On core `from` the sender itself does the same from the end of
 * its send until the message has arrived; in a stream the task does whenever the sender waits for room. An end that
 * polls leaves it nothing.
 *
 * Each message carries its number, and what of a checksum fits (FNV-1a by words: draft-eastlake-fnv, 32 bits; a change
 * of one word always changes it). The receiver compares: every message of measure=latency, and of an untimed stream
 * before the samples of measure=throughput, in full; in a timed stream, where that would be timed as well, the number,
 * which stands in the first and in the last word. What is wrong is told in series of one count each, which are there
 * only then: missing, repeated, disordered, corrupted. */
#include <stdatomic.h>
#include <string.h>

#include "benchmarks.h"
#include "port_objects.h"
#include "run.h"
#include "transport.h"

/* Passes before the dither, so that a core that has nothing to do is asleep. */
#define SETTLING_US 20U
/* With no message in so many seconds, beyond the dither, none will come any more. A busy Linux can keep a task waiting
 * for longer than one would think. */
#define PATIENCE_S 5U
/* Turns of a loop between two looks at the clock: reading it is in the way of who reads it on the other core. */
#define TURNS_PER_LOOK 65536U
#define LOAD_WORDS 8U
#define LOAD_FROM 1U
#define LOAD_TO 2U
/* Of the memory that a transport may use, and of a message: more says nothing new. */
#define BUFFER_MOST 131072U
#define NUMBER_BYTES 4U
/* That of the console task. */
#define LEADERS_CORE 0U
/* Numbers behind the newest one of which it is known whether they came. */
#define WINDOW 32U
/* Messages that the receiver takes at most before it gives up, beyond twice those that were sent. */
#define BUDGET 16U

enum {
    P_TRANSPORT,
    P_MEASURE,
    P_SIZE,
    P_FROM,
    P_TO,
    P_REGION,
    P_BUFFER,
    P_RECEIVER,
    P_LOAD,
    P_MESSAGES,
    PARAMETER_COUNT
};
enum measure { LATENCY, THROUGHPUT };
enum receiver { BLOCKED, POLLING };
enum priority { PRIORITY_LOAD = 2, PRIORITY_SENDER, PRIORITY_RECEIVER };

static const char *const measures[] = {"latency", "throughput"};
static const char *const receivers[] = {"blocked", "polling"};
/* By the bits of LOAD_FROM and LOAD_TO. */
static const char *const loads[] = {"none", "from", "to", "both"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const char *transport_name(uint32_t index) {
    const struct ic_transport *found = port_transport(index);
    return found != NULL ? found->name : NULL;
}

static const char *region_name(uint32_t index) {
    struct port_region region;
    return port_region(index, &region) ? region.name : NULL;
}

static uint32_t most_buffer(void) {
    struct port_region region;
    return port_region(0, &region) && region.bytes < BUFFER_MOST ? (uint32_t)region.bytes : BUFFER_MOST;
}

/* Two of the largest fit. */
static uint32_t most_size(void) { return most_buffer() / 2U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_TRANSPORT] = {.name = "transport", .help = "what moves the messages", .choice = transport_name},
    [P_MEASURE] = {.name = "measure",
                   .help = "one message that is waited for, or a stream of them",
                   .choices = measures,
                   .choice_count = 2},
    [P_SIZE] = {.name = "size", .help = "bytes of a message", .min = 1, .preset = 64, .limit = most_size},
    [P_FROM] = {.name = "from", .help = "core of the sender", .limit = last_core},
    [P_TO] = {.name = "to", .help = "core of the receiver", .preset = IC_PRESET_MAX, .limit = last_core},
    [P_REGION] = {.name = "region", .help = "memory that the transport gets, if it uses any", .choice = region_name},
    [P_BUFFER] = {.name = "buffer",
                  .help = "bytes that it gets of it at most",
                  .min = 64,
                  .preset = IC_PRESET_MAX,
                  .limit = most_buffer},
    [P_RECEIVER] = {.name = "receiver",
                    .help = "how an end waits: blocked, and woken by the other, or polling",
                    .choices = receivers,
                    .choice_count = 2},
    [P_LOAD] = {.name = "load",
                .help = "ends on whose cores a task of lower priority keeps working",
                .choices = loads,
                .choice_count = 4},
    [P_MESSAGES] = {.name = "messages",
                    .help = "messages of a stream (measure=throughput)",
                    .min = 2,
                    .max = 1000000,
                    .preset = 64},
};

/* One of the two ends. */
struct party {
    port_task_t task;
    struct ic_transport_end end;
    port_sem_t go;
    uint32_t core;
    bool fits; /* there is memory for its message */
    bool opened;
    atomic_bool dismissed;
    bool migrated;
    uint64_t preempted;
    atomic_uint reported; /* turn that it has done */
    uint32_t *own;        /* message, where it is copied */
};

struct load_task {
    port_task_t task;
    bool started;
    atomic_bool dismissed;
    atomic_uint reported;
    volatile uint32_t words[LOAD_WORDS];
};

/* What arrived. */
struct arrival {
    const uint32_t *message; /* NULL if all was over before */
    uint32_t bytes;
    uint64_t at;
};

static struct {
    struct ic_run *run;
    port_task_t *leader;
    struct ic_transport_setup setup;
    bool streams; /* measure=throughput */
    bool apart;   /* on two cores */
    bool full;    /* contents are checked in this turn, not only stamps */
    uint64_t settling;
    uint64_t patience;
    port_sem_t done; /* of a turn: given by each who takes part */
    struct party sender, receiver;
    struct load_task load_from, load_to;
    uint32_t turn;
    uint32_t target; /* number behind the last message of the turn */
    atomic_bool over;
    bool stalled; /* it was over before its time */

    /* Written by the sender. */
    _Alignas(PORT_CACHE_LINE) uint64_t before;
    uint64_t after;
    uint32_t next_sent;                  /* number of the next message */
    atomic_uint sent;                    /* turn of which it has its readings */
    volatile uint32_t words[LOAD_WORDS]; /* of its own load */

    /* Written by the receiver. */
    _Alignas(PORT_CACHE_LINE) struct arrival arrival;
    uint32_t next;        /* number that is expected */
    uint32_t came;        /* bit i: the message with number next - 1 - i has come */
    atomic_uint progress; /* messages that came */
    atomic_uint armed;    /* turn in which all that is left to it is to wait */
    atomic_uint arrived;  /* turn of which it has its reading */
    struct found {
        uint32_t checked;
        uint32_t missing;
        uint32_t repeated;
        uint32_t disordered;
        uint32_t corrupted;
    } found;

    /* Written by the task of core `to`'s load. */
    _Alignas(PORT_CACHE_LINE) atomic_uint loading;
} stage PORT_SHARED(message);

/* Where each core has a program of its own, each has its own. */
static const struct ic_transport *transport;

static void find_transport(void) {
    const struct ic_transport *found = port_transport(stage.run->values[P_TRANSPORT]);
    if (transport != found) { /* else others may be reading it */
        transport = found;
    }
}

static bool reached(const atomic_uint *turn) { return atomic_load_explicit(turn, memory_order_acquire) == stage.turn; }

static void reach(atomic_uint *turn) { atomic_store_explicit(turn, stage.turn, memory_order_release); }

/* ---- the end of it all ---- */

static bool over(void) { return atomic_load_explicit(&stage.over, memory_order_relaxed); }

/* Who waits for the other end, wakes. */
static void declare_over(void) {
    atomic_store(&stage.over, true);
    port_notify(&stage.sender.task);
    port_notify(&stage.receiver.task);
}

/* Whether messages still come. */
struct vigil {
    uint64_t since;
    uint32_t progress;
};

static struct vigil begin_vigil(void) {
    return (struct vigil){.since = port_clock(),
                          .progress = atomic_load_explicit(&stage.progress, memory_order_relaxed)};
}

/* Declares it over if none has come for too long. */
static void keep_vigil(struct vigil *vigil) {
    struct vigil now = begin_vigil();
    if (now.progress != vigil->progress) {
        *vigil = now;
    } else if (now.since - vigil->since > stage.patience && !over()) {
        declare_over();
    }
}

static void work(volatile uint32_t *words) {
    for (uint32_t i = 0; i < LOAD_WORDS; i++) {
        words[i]++;
    }
}

/* Spins, or works as a load does if there are words for it, until the turn is reached. Does without the kernel, and
 * almost without the clock. False if all is over. */
static bool await(const atomic_uint *turn, volatile uint32_t *words) {
    struct vigil vigil = begin_vigil();
    for (uint32_t turns = 1; !reached(turn); turns++) {
        if (over()) {
            return false;
        }
        if (words != NULL) {
            work(words);
        }
        if (!stage.apart) {
            port_yield(); /* where priorities mean nothing, the other may not have run yet */
        }
        if (turns % TURNS_PER_LOOK == 0) {
            keep_vigil(&vigil);
        }
    }
    return true;
}

/* ---- how one end wakes the other ---- */

static void wake(struct ic_transport_end *end) { port_notify(end->other); }

static void wait(struct ic_transport_end *end) {
    (void)end;
    port_notify_take();
}

/* ---- what a message holds ---- */

/* A message of two whole words or more has its number in the first and the checksum of all others in the last one, and
 * between them what a linear congruential generator makes of its number. A message of one has its number. Each byte
 * behind the last whole word is the exclusive or of that word's four. Without a whole word, there are the lower bytes
 * of the number. */

static uint32_t word_count(void) { return stage.setup.size / NUMBER_BYTES; }

static uint32_t checksum(const uint32_t *message) {
    uint32_t words = word_count();
    uint32_t sum = 2166136261U; /* FNV's offset basis and prime */
    for (uint32_t i = 0; i + 1U < words; i++) {
        sum = (sum ^ message[i]) * 16777619U;
    }
    return sum;
}

static uint8_t parity(uint32_t word) {
    uint32_t half = word ^ (word >> 16U);
    return (uint8_t)(half ^ (half >> 8U));
}

static void stamp(uint32_t *message, uint32_t number) {
    uint32_t words = word_count();
    if (words > 0) {
        message[0] = number;
        message[words - 1U] = number;
        return;
    }
    for (uint32_t i = 0; i < stage.setup.size; i++) {
        ((uint8_t *)message)[i] = (uint8_t)(number >> (8U * i));
    }
}

static void produce(uint32_t *message, uint32_t number) {
    uint32_t words = word_count();
    uint32_t value = number;
    stamp(message, number);
    if (words == 0) {
        return;
    }
    for (uint32_t i = 1; i + 1U < words; i++) {
        value = value * 1664525U + 1013904223U; /* Knuth, TAOCP 2, 3.3.4, table 1 */
        message[i] = value;
    }
    if (words > 1) {
        message[words - 1U] = checksum(message);
    }
    for (uint32_t i = words * NUMBER_BYTES; i < stage.setup.size; i++) {
        ((uint8_t *)message)[i] = parity(message[words - 1U]);
    }
}

/* Whether the message is as it was produced, whatever its number; where only stamps are looked at, whether these agree.
 */
static bool is_whole(const uint32_t *message) {
    uint32_t words = word_count();
    if (words == 0) {
        return true;
    }
    if (!stage.full) {
        return message[words - 1U] == message[0];
    }
    bool whole = words == 1 || message[words - 1U] == checksum(message);
    for (uint32_t i = words * NUMBER_BYTES; i < stage.setup.size; i++) {
        whole = whole && ((const uint8_t *)message)[i] == parity(message[words - 1U]);
    }
    return whole;
}

/* By how much the number is ahead of the one expected. */
static int32_t ahead(const uint32_t *message) {
    if (word_count() > 0) {
        return (int32_t)(message[0] - stage.next);
    }
    uint32_t number = 0;
    uint32_t above = 8U * (NUMBER_BYTES - 1U - (stage.setup.size - 1U) % NUMBER_BYTES); /* bits that are not there */
    for (uint32_t i = 0; i < stage.setup.size; i++) {
        number |= (uint32_t)((const uint8_t *)message)[i] << (8U * i);
    }
    int32_t scaled = (int32_t)((number - stage.next) << above);
    return scaled / (int32_t)(1U << above);
}

static void expect_next(uint32_t steps) {
    stage.next += steps;
    stage.came = (steps < WINDOW ? stage.came << steps : 0) | 1U;
}

/* A number that has been passed already. */
static void look_back(uint32_t behind) {
    uint32_t bit = behind <= WINDOW ? 1U << (behind - 1U) : 0;
    if (bit != 0 && (stage.came & bit) == 0) {
        stage.came |= bit;
        stage.found.missing--;
        stage.found.disordered++;
    } else {
        stage.found.repeated++;
    }
}

static void check(const struct arrival *arrival) {
    stage.found.checked++;
    if (arrival->bytes != stage.setup.size || !is_whole(arrival->message)) {
        stage.found.corrupted++;
        expect_next(1);
        return;
    }
    int32_t steps = ahead(arrival->message);
    if (steps >= (int32_t)(stage.target - stage.next)) { /* that number has not been sent yet */
        stage.found.corrupted++;
        expect_next(1);
    } else if (steps >= 0) {
        stage.found.missing += (uint32_t)steps;
        expect_next((uint32_t)steps + 1U);
    } else {
        look_back(0U - (uint32_t)steps);
    }
}

/* ---- what is timed ---- */

/* What is timed stands in these functions directly. An observer from outside finds those that send by their names. */
static bool message_send_copied(void) {
    uint64_t before = port_clock();
    bool sent = transport->send(&stage.sender.end, stage.sender.own);
    uint64_t after = port_clock();
    stage.before = before;
    stage.after = after;
    return sent;
}

static bool message_send_loaned(void) {
    uint64_t before = port_clock();
    bool sent = transport->send_loan(&stage.sender.end);
    uint64_t after = port_clock();
    stage.before = before;
    stage.after = after;
    return sent;
}

static void receive_copied(struct arrival *arrival) {
    uint32_t bytes = transport->receive(&stage.receiver.end, stage.receiver.own);
    arrival->at = port_clock();
    arrival->bytes = bytes;
    arrival->message = bytes > 0 ? stage.receiver.own : NULL;
}

static void receive_loaned(struct arrival *arrival) {
    const void *message = transport->receive_loan(&stage.receiver.end, &arrival->bytes);
    arrival->at = port_clock();
    arrival->message = message;
}

/* Where the next message is produced; NULL if all is over. */
static uint32_t *room(void) { return transport->zero_copy ? transport->loan(&stage.sender.end) : stage.sender.own; }

static bool send_one(const uint32_t *message) {
    return transport->zero_copy ? transport->send_loan(&stage.sender.end) : transport->send(&stage.sender.end, message);
}

static void receive_one(struct arrival *arrival) {
    if (transport->zero_copy) {
        arrival->message = transport->receive_loan(&stage.receiver.end, &arrival->bytes);
    } else {
        arrival->bytes = transport->receive(&stage.receiver.end, stage.receiver.own);
        arrival->message = arrival->bytes > 0 ? stage.receiver.own : NULL;
    }
}

static void release(void) {
    if (transport->zero_copy) {
        transport->release(&stage.receiver.end);
    }
}

static bool message_send_stream(void) {
    stage.before = port_clock();
    while (stage.next_sent != stage.target) {
        uint32_t *message = room();
        if (message == NULL) {
            return false;
        }
        if (stage.full) {
            produce(message, stage.next_sent);
        } else {
            stamp(message, stage.next_sent);
        }
        if (!send_one(message)) {
            return false;
        }
        stage.next_sent++;
    }
    return true;
}

/* Called through pointers, so that each stays one function. */
static bool (*const send_timed[])(void) = {message_send_copied, message_send_loaned, message_send_stream};
static void (*const receive_timed[])(struct arrival *arrival) = {receive_copied, receive_loaned};
static uint32_t kind(void) { return stage.streams ? 2U : transport->zero_copy ? 1U : 0U; }

/* ---- the tasks ---- */

static void report(struct party *party) {
    party->migrated = party->migrated || port_core_id() != party->core;
    reach(&party->reported);
    port_sem_give(&stage.done);
}

/* Waits for the next turn; false if there is none. */
static bool await_turn(struct party *party) {
    (void)port_sem_take(&party->go, PORT_FOREVER);
    return !atomic_load(&party->dismissed);
}

/* Where the transport copies, an end has memory of its own for a message. False if there is none. */
static bool get_memory(struct party *party) {
    party->own = transport->zero_copy ? NULL : port_allocate(((size_t)stage.setup.size + 7U) / 8U * 8U);
    return transport->zero_copy || party->own != NULL;
}

static void run_end(struct party *party, void (*take_turn)(void)) {
    find_transport();
    party->end.wake = wake;
    party->end.wait = wait;
    party->fits = get_memory(party);
    party->opened = party->fits && transport->open(&party->end);
    report(party);
    while (await_turn(party)) {
        take_turn();
        report(party);
    }
    if (party->opened) {
        transport->close(&party->end);
    }
    port_free(party->own);
    party->preempted = port_preemptions();
}

static bool goes_on(uint32_t budget) { return budget > 0 && (int32_t)(stage.target - stage.next) > 0; }

static void note_progress(void) {
    atomic_store_explicit(&stage.progress, atomic_load_explicit(&stage.progress, memory_order_relaxed) + 1U,
                          memory_order_relaxed);
}

static void receive_message(void) {
    for (uint32_t budget = BUDGET; goes_on(budget); budget--) {
        receive_timed[transport->zero_copy ? 1 : 0](&stage.arrival);
        reach(&stage.arrived);
        if (stage.arrival.message == NULL) {
            declare_over(); /* nothing gets through any more */
            return;
        }
        note_progress();
        if (stage.apart && ahead(stage.arrival.message) >= 0) {
            (void)await(&stage.sent, NULL); /* it has yet to read the clock */
        }
        check(&stage.arrival);
        release();
    }
}

static void receive_stream(void) {
    struct arrival arrival;
    for (uint32_t budget = BUDGET + 2U * (stage.target - stage.next); goes_on(budget); budget--) {
        receive_one(&arrival);
        if (arrival.message == NULL) {
            declare_over();
            return;
        }
        note_progress();
        check(&arrival);
        release();
    }
    stage.arrival.at = port_clock();
    reach(&stage.arrived);
}

static void take_receivers_turn(void) {
    reach(&stage.armed);
    if (stage.streams) {
        receive_stream();
    } else {
        receive_message();
    }
    reach(&stage.arrived);
    if (stage.apart) {
        (void)await(&stage.sent, NULL); /* so that somebody sees when the sender gets no further */
    }
}

static void run_receiver(void *arg) { run_end(arg, take_receivers_turn); }
PORT_ENTRY(run_receiver);

/* Looks until a task is blocked and off its core. False if all is over. */
static bool await_waiting(const port_task_t *task) {
    struct vigil vigil = begin_vigil();
    while (!port_task_waits(task)) {
        keep_vigil(&vigil);
        if (over()) {
            return false;
        }
        if (!stage.apart) {
            port_yield();
        }
    }
    return true;
}

/* Whether the leader has its core, while a turn is taken, to finish what it does: no end spins there. */
static bool leader_runs_on(void) {
    return stage.setup.from != LEADERS_CORE && (!stage.setup.polling || stage.setup.to != LEADERS_CORE);
}

/* Lets the receiver wait, and the leader. */
static bool arm_receiver(void) {
    port_sem_give(&stage.receiver.go);
    if (!await(&stage.armed, NULL)) {
        return false;
    }
    return (stage.setup.polling || await_waiting(&stage.receiver.task)) &&
           (!leader_runs_on() || await_waiting(stage.leader));
}

static bool start_loads(void) {
    if (stage.load_from.started) {
        port_notify(&stage.load_from.task); /* it gets the core when the sender leaves it */
    }
    if (stage.load_to.started) {
        port_notify(&stage.load_to.task);
        return await(&stage.loading, NULL);
    }
    return true;
}

static void settle(void) {
    uint64_t start = port_clock();
    while (port_clock() - start < stage.settling) {
    }
    ic_run_dither(stage.run);
}

static void send_message(void) {
    uint32_t *message = room();
    if (message == NULL) {
        declare_over();
        return;
    }
    produce(message, stage.next_sent);
    settle();
    if (send_timed[kind()]()) {
        stage.next_sent++;
    } else {
        declare_over();
    }
}

static void take_senders_turn(void) {
    if (!arm_receiver() || !start_loads()) {
        return;
    }
    if (stage.streams) {
        settle();
        if (!send_timed[kind()]()) {
            declare_over();
        }
    } else {
        send_message();
    }
    reach(&stage.sent);
    (void)await(&stage.arrived, stage.load_from.started ? stage.words : NULL);
}

static void run_sender(void *arg) { run_end(arg, take_senders_turn); }
PORT_ENTRY(run_sender);

static void run_load(void *arg) {
    struct load_task *load = arg;
    for (port_notify_take(); !atomic_load(&load->dismissed); port_notify_take()) {
        if (load == &stage.load_to) {
            reach(&stage.loading);
        }
        (void)await(&stage.arrived, load->words);
        reach(&load->reported);
        port_sem_give(&stage.done);
    }
}
PORT_ENTRY(run_load);

/* ---- a repetition ---- */

static bool has_reported(const struct load_task *load) { return !load->started || reached(&load->reported); }

static uint32_t load_count(void) { return (stage.load_from.started ? 1U : 0U) + (stage.load_to.started ? 1U : 0U); }

static void take_reports(uint32_t count) {
    struct vigil vigil = begin_vigil();
    while (count > 0 && !over()) {
        if (port_sem_take(&stage.done, port_clock() + stage.patience) == PORT_OK) {
            count--;
        } else {
            keep_vigil(&vigil);
        }
    }
}

/* Lets that many messages be sent and received. False if they did not all arrive. */
static bool take_turn(uint32_t messages, bool full) {
    stage.full = full;
    stage.turn++;
    stage.target = stage.next_sent + messages;
    port_sem_give(&stage.sender.go);
    take_reports(2U + load_count());
    return !over() && reached(&stage.sender.reported) && reached(&stage.receiver.reported) &&
           has_reported(&stage.load_from) && has_reported(&stage.load_to);
}

struct all_series {
    struct ic_series *latency;
    struct ic_series *send;
    struct ic_series *window;
};

static void take_sample(const struct all_series *series) {
    struct ic_run *run = stage.run;
    if (stage.streams) {
        if (take_turn(run->values[P_MESSAGES], false)) {
            ic_run_sample(run, series->window, (int64_t)(stage.arrival.at - stage.before));
        }
    } else if (take_turn(1, true)) {
        ic_run_sample(run, series->latency, (int64_t)(stage.arrival.at - stage.before));
        ic_run_sample(run, series->send, (int64_t)(stage.after - stage.before));
    }
}

/* Nothing is kept of what comes before the samples: it warms caches. A message behind them shows whether something has
 * been left over. */
static void take_samples(const struct all_series *series) {
    struct ic_run *run = stage.run;
    bool goes_on = take_turn(stage.streams ? run->values[P_MESSAGES] : 1U, true);
    while (goes_on && ic_run_repeat(run)) {
        take_sample(series);
        goes_on = !over();
    }
    if (goes_on) {
        (void)take_turn(1, true);
    }
}

/* A series of one count, if there is something to count. */
static void tell(const char *name, uint32_t count) {
    struct ic_series *series = count > 0 ? ic_samples_open(name, IC_SERIES_PLAIN, 1) : NULL;
    if (series != NULL) {
        series->unit = IC_UNIT_COUNT;
        (void)ic_samples_add(series, count);
    }
}

/* What the transport knows of what went wrong; NULL if nothing. */
static const char *trouble(void) { return transport->trouble != NULL ? transport->trouble() : NULL; }

/* False, with run->error filled, if it ended before its time and the transport says why, or no message is missing. */
static bool conclude(void) {
    const char *why = stage.stalled ? trouble() : NULL;
    if (why != NULL) {
        return ic_error_set(&stage.run->error, "failed", transport->name, ": ", why);
    }
    struct ic_checks *checks = &stage.run->checks;
    struct found *found = &stage.found;
    found->missing += stage.target - stage.next;
    tell("missing", found->missing);
    tell("repeated", found->repeated);
    tell("disordered", found->disordered);
    tell("corrupted", found->corrupted);
    uint32_t wrong = found->missing + found->repeated + found->disordered + found->corrupted;
    checks->checked += found->checked;
    checks->wrong += wrong;
    return wrong > 0 || !stage.stalled ||
           ic_error_set(&stage.run->error, "failed", "a task got no processor for seconds: does ", "something else",
                        " use these cores?");
}

/* ---- who takes part ---- */

static bool start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core, enum priority priority) {
    struct port_task_config config = {
        .name = "message", .entry = entry, .arg = arg, .core = core, .priority = (uint32_t)priority};
    return port_task_start(task, &config) == PORT_OK;
}

static bool fails(const char *what) {
    return ic_error_set(&stage.run->error, "failed", "the platform has no memory left for ", what, "");
}

/* In the order in which it must be done: the sender first. */
static bool start_end(struct party *party, void (*entry)(void *), enum priority priority) {
    bool sends = party == &stage.sender;
    struct party *other = sends ? &stage.receiver : &stage.sender;
    party->core = sends ? stage.setup.from : stage.setup.to;
    party->end = (struct ic_transport_end){.setup = &stage.setup,
                                           .role = sends ? IC_TRANSPORT_SENDER : IC_TRANSPORT_RECEIVER,
                                           .over = &stage.over,
                                           .other = &other->task};
    party->opened = false;
    atomic_store(&party->dismissed, false);
    party->migrated = false;
    if (port_sem_init(&party->go, 0) != PORT_OK) {
        return fails("a semaphore");
    }
    if (!start_task(&party->task, entry, party, party->core, priority)) {
        port_sem_destroy(&party->go);
        return fails("a task");
    }
    (void)port_sem_take(&stage.done, PORT_FOREVER); /* it has opened its end */
    return true;
}

static void dismiss_end(struct party *party) {
    atomic_store(&party->dismissed, true);
    port_sem_give(&party->go);
    port_task_join(&party->task);
    port_sem_destroy(&party->go);
    stage.run->checks.migrated += party->migrated;
}

static bool start_load(struct load_task *load, uint32_t core) {
    atomic_store(&load->dismissed, false);
    load->started = start_task(&load->task, run_load, load, core, PRIORITY_LOAD);
    return load->started || fails("a task");
}

static void dismiss_load(struct load_task *load) {
    if (load->started) {
        atomic_store(&load->dismissed, true);
        port_notify(&load->task);
        port_task_join(&load->task);
    }
}

/* On one core there is one load, whatever it is called. */
static bool start_loads_asked_for(void) {
    uint32_t asked = stage.run->values[P_LOAD];
    stage.load_from.started = false;
    stage.load_to.started = false;
    if (!stage.apart) {
        return asked == 0 || start_load(&stage.load_from, stage.setup.from);
    }
    return ((asked & LOAD_FROM) == 0 || start_load(&stage.load_from, stage.setup.from)) &&
           ((asked & LOAD_TO) == 0 || start_load(&stage.load_to, stage.setup.to));
}

static bool measure_with_loads(const struct all_series *series) {
    bool started = start_loads_asked_for();
    if (started) {
        take_samples(series);
    }
    dismiss_load(&stage.load_from);
    dismiss_load(&stage.load_to);
    return started;
}

static bool opened(const struct party *party) {
    if (!party->fits) {
        return fails("a message");
    }
    const char *why = party->opened ? NULL : trouble();
    if (why != NULL) {
        return ic_error_set(&stage.run->error, "failed", transport->name, ": ", why);
    }
    return party->opened ||
           ic_error_set(&stage.run->error, "failed", "the platform has no resource left for the ", transport->name, "");
}

static bool measure_with_tasks(const struct all_series *series) {
    if (!start_end(&stage.sender, run_sender, PRIORITY_SENDER)) {
        return false;
    }
    if (opened(&stage.sender) && start_end(&stage.receiver, run_receiver, PRIORITY_RECEIVER)) {
        bool taken = opened(&stage.receiver) && measure_with_loads(series);
        stage.stalled = over();
        atomic_store(&stage.over, true);
        dismiss_end(&stage.sender);
        dismiss_end(&stage.receiver);
        stage.run->checks.preempted += stage.receiver.preempted + (stage.apart ? stage.sender.preempted : 0);
        return taken && conclude();
    }
    atomic_store(&stage.over, true);
    dismiss_end(&stage.sender);
    return false;
}

/* ---- the benchmark ---- */

static struct ic_transport_setup setup_of(const struct ic_run *run) {
    const uint32_t *values = run->values;
    struct port_region region;
    (void)port_region(values[P_REGION], &region); /* the index is one of those that region_name() has */
    return (struct ic_transport_setup){
        .from = values[P_FROM],
        .to = values[P_TO],
        .size = values[P_SIZE],
        .memory = region.base,
        .memory_bytes = region.bytes < values[P_BUFFER] ? (uint32_t)region.bytes : values[P_BUFFER],
        .polling = values[P_RECEIVER] == POLLING,
        .unit = port_transport(values[P_TRANSPORT])->unit,
    };
}

static const char *decimal(uint32_t number, char digits[11]) {
    char *at = &digits[10];
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10U);
        number /= 10U;
    } while (number > 0);
    return at;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    const struct ic_transport *asked = port_transport(run->values[P_TRANSPORT]);
    struct ic_transport_setup setup = setup_of(run);
    if (setup.polling && setup.from == setup.to) {
        return ic_error_set(error, "unsupported", "a receiver that polls keeps its core from the sender: ask for ",
                            "receiver=blocked", ", or for another core");
    }
    if (setup.polling && (run->values[P_LOAD] & LOAD_TO) != 0) {
        return ic_error_set(error, "unsupported", "a receiver that polls leaves its core to no load: ask for ",
                            "receiver=blocked", ", or for a load of the other core only");
    }
    if (asked->round_trip && run->values[P_MEASURE] == THROUGHPUT) {
        return ic_error_set(error, "unsupported",
                            "of a stream that comes back from an echo no direction is known: ask for ",
                            "measure=latency", "");
    }
    const char *why = asked->refuses != NULL ? asked->refuses(&setup) : NULL;
    if (why != NULL) {
        return ic_error_set(error, "unsupported", asked->name, ": ", why);
    }
    uint32_t capacity = asked->capacity(&setup);
    if (setup.size > capacity) {
        char digits[11];
        return ic_error_set(error, "out-of-range", "the largest message that fits this transport and its buffer has ",
                            decimal(capacity, digits), " bytes");
    }
    return true;
}

static bool open_series(struct ic_run *run, struct all_series *series) {
    if (stage.streams) {
        series->window = ic_run_series(run, "window");
        return series->window != NULL;
    }
    series->latency = ic_run_series(run, transport->round_trip ? "round_trip" : "latency");
    series->send = ic_run_series(run, "send");
    return series->latency != NULL && series->send != NULL;
}

static void begin(struct ic_run *run) {
    stage.run = run;
    stage.leader = port_task_self();
    find_transport();
    stage.setup = setup_of(run);
    stage.streams = run->values[P_MEASURE] == THROUGHPUT;
    stage.apart = stage.setup.from != stage.setup.to;
    stage.settling = SETTLING_US * port_clock_hz() / 1000000U;
    stage.patience =
        PATIENCE_S * port_clock_hz() + ic_run_common(run, IC_COMMON_DITHER) * (port_clock_hz() / 1000U) / 1000U;
    stage.turn = 0;
    stage.target = 0;
    stage.next_sent = 0;
    stage.next = 0;
    stage.came = 0;
    stage.found = (struct found){0};
    atomic_store(&stage.progress, 0);
    atomic_store(&stage.sent, 0);
    atomic_store(&stage.armed, 0);
    atomic_store(&stage.arrived, 0);
    atomic_store(&stage.loading, 0);
    atomic_store(&stage.over, false);
}

static bool measure(struct ic_run *run) {
    begin(run);
    struct all_series series = {0};
    if (!open_series(run, &series)) {
        return false;
    }
    if (port_sem_init(&stage.done, 0) != PORT_OK) {
        return fails("a semaphore");
    }
    bool taken = measure_with_tasks(&series);
    port_sem_destroy(&stage.done);
    return taken;
}

const struct ic_benchmark ic_benchmark_message = {
    .name = "message",
    .summary = "messages from core to core by any transport: from begin of send to end of receive, and in a stream",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 1024,
    .series_count = 2,
    .possible = possible,
    .measure = measure,
};
