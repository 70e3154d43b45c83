/* The benchmark `message`: one-way latency, from the start of a send on core `from` to the end of the receive on core
 * `to`, and throughput, with any transport (transport/transport.h).
 *
 * measure=latency sends one message per repetition to a waiting receiver. Two series:
 *
 *   latency  from before the sending call until the receiver, after the receiving call, reads the clock; named
 *            round_trip if the message goes to an echo and back (transport.h): this time is never halved
 *   send     from before the sending call until it has returned
 *
 * measure=throughput sends a stream of `messages` messages per repetition, without waiting for an answer. One series:
 *
 *   window   from before the first message until the receiver has received the last one and reads the clock
 *
 * measure=overhead sends `messages` messages per repetition, one by one about 0.2 ms apart, to a waiting receiver,
 * while a load (a busy task of lower priority) on each core counts its iterations. Then the loads count for the same
 * time without messages. Series, for the core of each end (or for the one core of both):
 *
 *   turns_from, turns_to            iterations of the load while messages come
 *   idle_turns_from, idle_turns_to  the same without messages
 *   block_from, block_to            time of 128 iterations without messages, while the other core's load also runs: the
 *                                   shortest of about ten such times
 *   length                          length of each of the two windows: whole kernel ticks, the same number in both
 *
 * The time that a message takes from a core is that of (idle_turns - turns) / messages iterations of the load. It
 * contains the call, the interrupt, the switches to the end's task and back, the copy, the two stamps (see below), and
 * the interference of the other core with the load. (It is the overhead o of LogP: Culler et al., PPoPP 1993.) The
 * windows do not differ otherwise: in both, the load on core `from` releases the sender with a semaphore; in the second
 * window the sender sends nothing and waits for the semaphore again.
 *
 * With a transport that copies, a message is in the sender's own memory before the send begins, and in the receiver's
 * own memory when the receive has ended. With zero-copy, the message has been produced in place before the send begins
 * and is read in place after the receive has ended. So `latency` and `send` do not include producing and reading. (The
 * time of a stream includes both, but only for the two stamps, see below.)
 *
 * The receiver has the higher priority (4) and really waits: with receiver=blocked the sender (priority 3) lets the
 * receiver run, and polls until the platform reports that the receiver is blocked and off its core; with
 * receiver=polling both ends poll and never sleep, so they must be on two cores. Then the sender produces the message,
 * waits for 20 µs and the dither, and sends. From then on until both ends have read the clock nothing else runs, except
 * a load (below): each end, after it has read the clock, spins without kernel calls until the other end has read it,
 * too.
 *
 * A load is a task of priority 2 on the core of an end: it adds to its own eight words, one after the other, whenever
 * the end leaves it the core. So on core `to` it runs until the message wakes the receiver, which preempts it, and
 * until then competes with the sender for the bus. On core `from` the sender itself makes the same additions from the
 * end of its send until the message has arrived; in a stream the load makes them whenever the sender waits for room. A
 * polling end leaves a load no time. With idle=spin the load on core `to` works in registers only: the core does not
 * sleep, and uses the bus only to fetch code.
 *
 * Each message carries its sequence number and, if it has room, a checksum (FNV-1a by words: draft-eastlake-fnv, 32
 * bits; a change of one word always changes it). The receiver checks in full every message of measure=latency, and
 * every message of an untimed stream before the samples of measure=throughput. In a timed stream, where the check is
 * part of the time, it checks only two stamps: the sequence number in the first and in the last word. Errors are
 * reported in series of one count each, which exist only if the count is not 0: missing, repeated, disordered,
 * corrupted. */
#include "message.h"

#include "benchmarks.h"

/* Microseconds to wait before the dither (a random delay before each sample), so that an idle core is asleep by then */
#define SETTLING_US 20U
/* The run ends if no message comes for this many seconds plus the dither (a random delay). That is long because a busy
 * Linux can keep a task waiting for seconds. */
#define PATIENCE_S 5U
/* Largest memory that a transport may be given, in bytes; a message may be half as large. Larger messages would show
 * nothing new. */
#define BUFFER_MOST 131072U

static const char *const measures[] = {"latency", "throughput", "overhead"};
static const char *const receivers[] = {"blocked", "polling"};
static const char *const idles[] = {"sleep", "spin"};
/* Series of measure=overhead, for the core of each end */
static const char *const turns_names[LOADS] = {"turns_from", "turns_to"};
static const char *const idle_turns_names[LOADS] = {"idle_turns_from", "idle_turns_to"};
static const char *const block_names[LOADS] = {"block_from", "block_to"};
/* Indexed by the bits LOAD_FROM and LOAD_TO. */
static const char *const loads[] = {"none", "from", "to", "both"};

static uint32_t last_core(void) { return port_core_count() - 1U; }

static const char *transport_name(uint32_t index) {
    const struct ic_transport *found = port_transport(index);
    return found != NULL ? found->name : NULL;
}

/* Name of writable memory region number `index`; the writable regions come first in port_region(). */
static const char *region_name(uint32_t index) {
    struct port_region region;
    return port_region(index, &region) && !region.read_only ? region.name : NULL;
}

static uint32_t most_buffer(void) {
    struct port_region region;
    return port_region(0, &region) && region.bytes < BUFFER_MOST ? (uint32_t)region.bytes : BUFFER_MOST;
}

/* Bytes of the largest message: half of the transport's memory, which must have room for two messages */
static uint32_t most_size(void) { return most_buffer() / 2U; }

static const struct ic_parameter parameters[PARAMETER_COUNT] = {
    [P_TRANSPORT] = {.name = "transport", .help = "what moves the messages", .choice = transport_name},
    [P_MEASURE] = {.name = "measure",
                   .help = "latency of a message, throughput of a stream, or time taken from each core",
                   .choices = measures,
                   .choice_count = 3},
    [P_SIZE] = {.name = "size", .help = "bytes of a message", .min = 1, .preset = 64, .limit = most_size},
    [P_FROM] = {.name = "from", .help = "core of the sender", .limit = last_core},
    [P_TO] = {.name = "to", .help = "core of the receiver", .preset = IC_PRESET_MAX, .limit = last_core},
    [P_REGION] = {.name = "region", .help = "memory for the transport, if it uses any", .choice = region_name},
    [P_BUFFER] =
        {.name = "buffer", .help = "bytes that it may use", .min = 64, .preset = IC_PRESET_MAX, .limit = most_buffer},
    [P_RECEIVER] = {.name = "receiver",
                    .help = "how both ends wait: blocked until woken, or polling",
                    .choices = receivers,
                    .choice_count = 2},
    [P_LOAD] = {.name = "load",
                .help = "ends with a busy task of lower priority on their core",
                .choices = loads,
                .choice_count = 4},
    [P_IDLE] = {.name = "idle",
                .help = "core `to` when idle: sleeps as its kernel does, or spins",
                .choices = idles,
                .choice_count = 2},
    [P_MESSAGES] = {.name = "messages",
                    .help = "messages of a stream (throughput) or of a window (overhead)",
                    .min = 2,
                    .max = 1000000,
                    .preset = 64},
};

/* The out-of-line instances of the inline functions in message.h, for calls that are not inlined */
extern inline uint32_t ic_message_words(void);
extern inline void ic_message_stamp(uint32_t *message, uint32_t number);

/* Defined here, not next to its only caller (overhead.c), so that it is not inlined: a simulator probe finds it by its
 * name. */
void ic_message_mark_window(const struct load_task *load) { (void)load; }

/* ---- a measurement ---- */

static struct ic_transport_setup setup_of(const struct ic_run *run) {
    const uint32_t *values = run->values;
    struct port_region region;
    (void)port_region(values[P_REGION], &region); /* cannot fail: the index is a choice of region_name() */
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

/* Whether the requested loads, or idle=spin, are possible together with the other parameters */
static bool sensible(const struct ic_run *run, const struct ic_transport_setup *setup, struct ic_error *error) {
    bool counts = run->values[P_MEASURE] == OVERHEAD;
    bool awake = run->values[P_IDLE] == SPIN;
    if (counts && setup->polling) {
        return ic_error_set(error, "unsupported", "a polling end leaves no time for a load: take ", "receiver=blocked",
                            "");
    }
    if (counts && (run->values[P_LOAD] != 0 || awake)) {
        return ic_error_set(error, "unsupported", "this measure has its own load on each core: take ",
                            "load=none idle=sleep", "");
    }
    if (awake && setup->from == setup->to) {
        return ic_error_set(error, "unsupported", "the receiver's core is the sender's and never idles: take ",
                            "idle=sleep", ", or for another core");
    }
    if (awake && (setup->polling || (run->values[P_LOAD] & LOAD_TO) != 0)) {
        return ic_error_set(error, "unsupported", "with a polling receiver or a load, a core never idles: take ",
                            "idle=sleep", "");
    }
    return true;
}

static bool possible(const struct ic_run *run, struct ic_error *error) {
    const struct ic_transport *asked = port_transport(run->values[P_TRANSPORT]);
    struct ic_transport_setup setup = setup_of(run);
    if (setup.polling && setup.from == setup.to) {
        return ic_error_set(error, "unsupported", "a polling receiver keeps the sender from running: take ",
                            "receiver=blocked", ", or for another core");
    }
    if (setup.polling && (run->values[P_LOAD] & LOAD_TO) != 0) {
        return ic_error_set(error, "unsupported", "a polling receiver leaves no time for a load: take ",
                            "receiver=blocked", ", or for a load of the other core only");
    }
    if (!sensible(run, &setup, error)) {
        return false;
    }
    if (asked->round_trip && run->values[P_MEASURE] != LATENCY) {
        return ic_error_set(error, "unsupported", "an echo has no one-way throughput: take ", "measure=latency", "");
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

static struct ic_series *count_series(struct ic_run *run, const char *name) {
    struct ic_series *series = ic_run_series(run, name);
    if (series != NULL) {
        series->unit = IC_UNIT_COUNT;
    }
    return series;
}

static bool open_counts(struct ic_run *run, struct all_series *series) {
    for (uint32_t i = 0; i < (ic_message.apart ? LOADS : 1U); i++) {
        series->turns[i] = count_series(run, turns_names[i]);
        series->idle_turns[i] = count_series(run, idle_turns_names[i]);
        series->block[i] = ic_run_series(run, block_names[i]);
        if (series->turns[i] == NULL || series->idle_turns[i] == NULL || series->block[i] == NULL) {
            return false;
        }
    }
    series->length = ic_run_series(run, "length");
    return series->length != NULL;
}

static bool open_series(struct ic_run *run, struct all_series *series) {
    if (ic_message.counts) {
        return open_counts(run, series);
    }
    if (ic_message.streams) {
        series->window = ic_run_series(run, "window");
        return series->window != NULL;
    }
    series->latency = ic_run_series(run, ic_message_transport->round_trip ? "round_trip" : "latency");
    series->send = ic_run_series(run, "send");
    return series->latency != NULL && series->send != NULL;
}

static void begin(struct ic_run *run) {
    ic_message.run = run;
    ic_message.leader = port_task_self();
    ic_message_find_transport();
    ic_message.setup = setup_of(run);
    ic_message.streams = run->values[P_MEASURE] == THROUGHPUT;
    ic_message.counts = run->values[P_MEASURE] == OVERHEAD;
    ic_message.awake = run->values[P_IDLE] == SPIN;
    ic_message.sends = true;
    ic_message.apart = ic_message.setup.from != ic_message.setup.to;
    ic_message.settling = SETTLING_US * port_clock_hz() / 1000000U;
    ic_message.patience =
        PATIENCE_S * port_clock_hz() + ic_run_common(run, IC_COMMON_DITHER) * (port_clock_hz() / 1000U) / 1000U;
    ic_message.turn = 0;
    ic_message.target = 0;
    ic_message.next_sent = 0;
    ic_message.next = 0;
    ic_message.came = 0;
    ic_message.found = (struct found){0};
    atomic_store(&ic_message.progress, 0);
    atomic_store(&ic_message.sent, 0);
    atomic_store(&ic_message.armed, 0);
    atomic_store(&ic_message.arrived, 0);
    atomic_store(&ic_message.loading, 0);
    atomic_store(&ic_message.counting, 0);
    atomic_store(&ic_message.ready, 0);
    atomic_store(&ic_message.begun, 0);
    atomic_store(&ic_message.opened, 0);
    atomic_store(&ic_message.closing, 0);
    atomic_store(&ic_message.over, false);
}

static bool measure(struct ic_run *run) {
    begin(run);
    struct all_series series = {0};
    return open_series(run, &series) && ic_message_take(&series);
}

const struct ic_benchmark ic_benchmark_message = {
    .name = "message",
    .summary = "messages between cores by any transport: one-way latency from send to receive, and throughput",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .samples = 1024,
    .series_count = 2,
    .possible = possible,
    .measure = measure,
};
