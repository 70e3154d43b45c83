/* Shared parts of the benchmark `message`. message.c has the parameters and begins a measurement, leader.c starts the
 * tasks and takes the samples, ends.c has the two ends (sender and receiver), overhead.c the loads of measure=overhead,
 * content.c the content of a message. */
#ifndef IC_MESSAGE_H
#define IC_MESSAGE_H

#include <stdatomic.h>

#include "port.h"
#include "run.h"
#include "transport.h"

#define LOAD_WORDS 8U
#define LOAD_FROM 1U
#define LOAD_TO 2U
/* Maximum number of loads */
#define LOADS 2U
/* A load's iterations are timed in blocks of this many, so that the time of the call and of the two clock readings
 * around a block is negligible. */
#define BLOCK_TURNS 128U

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
    P_IDLE,
    P_MESSAGES,
    PARAMETER_COUNT
};
enum measure { LATENCY, THROUGHPUT, OVERHEAD };
enum receiver { BLOCKED, POLLING };
enum idle { SLEEP, SPIN };
enum priority { PRIORITY_LOAD = 2, PRIORITY_SENDER, PRIORITY_RECEIVER };

/* One of the two ends: the sender or the receiver */
struct party {
    port_task_t task;
    struct ic_transport_end end;
    port_sem_t go;
    uint32_t core;
    bool fits; /* the end has memory for its message */
    bool opened;
    atomic_bool dismissed;
    bool migrated;
    uint64_t preempted;
    atomic_uint reported; /* last turn that this end has completed */
    uint32_t *own;        /* memory for a message, for a transport that copies */
};

struct load_task {
    port_task_t task;
    bool started;
    atomic_bool dismissed;
    atomic_uint reported;
    volatile uint32_t words[LOAD_WORDS];

    /* Used with measure=overhead only: */
    uint32_t value; /* state of the load's computation in registers */
    uint32_t turns; /* iterations in the window */
    uint64_t block; /* ticks of the common clock for BLOCK_TURNS iterations of this load without messages, while the
                       other core's load also runs */
};

/* A received message */
struct arrival {
    const uint32_t *message; /* NULL if the run ended before a message came */
    uint32_t bytes;
    uint64_t at;
};

struct stage {
    struct ic_run *run;
    port_task_t *leader;
    struct ic_transport_setup setup;
    bool streams; /* measure=throughput */
    bool counts;  /* measure=overhead */
    bool awake;   /* idle=spin */
    bool apart;   /* the ends are on two cores */
    bool full;    /* in this turn, contents of messages are checked, not only stamps */
    uint64_t settling;
    uint64_t patience;
    port_sem_t done; /* end of a turn: given by each participating task */
    struct party sender, receiver;
    struct load_task load_from, load_to;
    uint32_t turn;     /* number of the turn: one message or more, which the console task requests together */
    uint32_t messages; /* number of messages in the turn; with measure=overhead, in its window */
    uint32_t target;   /* number of the turn's last message, plus 1 */
    bool sends;        /* messages are sent in this turn */
    atomic_bool over;
    bool stalled; /* the run ended early */

    /* Written by the sender: */
    _Alignas(PORT_CACHE_LINE) uint64_t before;
    uint64_t after;
    uint32_t next_sent;                  /* number of the next message */
    atomic_uint sent;                    /* last turn for which the sender has read the clock */
    volatile uint32_t words[LOAD_WORDS]; /* the sender adds to these, like a load */

    /* Written by the receiver: */
    _Alignas(PORT_CACHE_LINE) struct arrival arrival;
    uint32_t next;        /* number of the next message */
    uint32_t came;        /* bit i: the message with number next - 1 - i has arrived */
    atomic_uint progress; /* messages received */
    atomic_uint armed;    /* turn in which the receiver is about to wait */
    atomic_uint arrived;  /* last turn for which the receiver has read the clock */
    struct found {
        uint32_t checked;
        uint32_t missing;
        uint32_t repeated;
        uint32_t disordered;
        uint32_t corrupted;
    } found;

    /* Written by the load of core `from`, with measure=overhead: */
    _Alignas(PORT_CACHE_LINE) port_sem_t release; /* releases the sender: given for each message, and once afterwards */
    uint64_t begin;                               /* start of the window, on the common clock */
    uint64_t length;
    uint64_t end;
    atomic_uint begun;   /* turn for which the start of the trials (timed blocks) is set */
    atomic_uint opened;  /* turn for which the start of the window is set */
    atomic_uint closing; /* turn for which the end of the window is set */

    /* Written by the load of core `to`: */
    _Alignas(PORT_CACHE_LINE) atomic_uint loading;
    atomic_uint ready;    /* turn in which this load is ready for the trials */
    atomic_uint counting; /* turn in which this load is ready to count */
};

extern struct stage ic_message;

/* The transport that is measured. On AMP (a firmware image for each core), each image has its own copy of this
 * variable, and sets it before use. */
extern const struct ic_transport *ic_message_transport;
void ic_message_find_transport(void);

static inline bool reached(const atomic_uint *turn) {
    return atomic_load_explicit(turn, memory_order_acquire) == ic_message.turn;
}

static inline void reach(atomic_uint *turn) { atomic_store_explicit(turn, ic_message.turn, memory_order_release); }

/* Whether the run has ended: then no more messages are sent or received. */
static inline bool over(void) { return atomic_load_explicit(&ic_message.over, memory_order_relaxed); }

/* Watches whether messages still come */
struct vigil {
    uint64_t since;
    uint32_t progress;
};

struct vigil ic_message_begin_vigil(void);

/* Ends the run if no message has come for `patience` ticks of the common clock. */
void ic_message_keep_vigil(struct vigil *vigil);

/* Counts a message as received. */
void ic_message_note_progress(void);

/* Spins until `*turn` is the number of the current turn (a request for one or more messages), with few clock readings
 * and, if the ends are on two cores, without kernel calls. Returns false if the run has ended. */
bool ic_message_await(const atomic_uint *turn);

/* ---- content of a message ---- */

#define NUMBER_BYTES 4U

inline uint32_t ic_message_words(void) { return ic_message.setup.size / NUMBER_BYTES; }

void ic_message_produce(uint32_t *message, uint32_t number);

/* Writes the two stamps of a message: its sequence number, in the first and in the last word. If the message is not
 * produced in full, only the stamps are checked. Inline, because it runs inside the timed stream; a compiler that does
 * not inline uses the external definition in message.c. */
inline void ic_message_stamp(uint32_t *message, uint32_t number) {
    uint32_t words = ic_message_words();
    if (words > 0) {
        message[0] = number;
        message[words - 1U] = number;
        return;
    }
    for (uint32_t i = 0; i < ic_message.setup.size; i++) {
        ((uint8_t *)message)[i] = (uint8_t)(number >> (8U * i));
    }
}

/* Returns the sequence number of the message minus the expected sequence number. */
int32_t ic_message_ahead(const uint32_t *message);

/* Checks the received message, and counts errors. */
void ic_message_check(const struct arrival *arrival);

/* ---- tasks ---- */

/* Entries of the tasks. The argument is the struct party of an end, or the struct load_task of a load. */
void ic_message_run_sender(void *arg);
void ic_message_run_receiver(void *arg);
void ic_message_run_load(void *arg);

/* With measure=overhead, counts a load's iterations in a window that is the same on both cores. The load on core `from`
 * also releases the sender for each message. */
void ic_message_count_turns(struct load_task *load);

/* Called at the start and at the end of the window: a probe of the simulator finds this function by its name. */
void ic_message_mark_window(const struct load_task *load);

/* Computes `steps` steps of a pseudo-random sequence from `value` on, in registers only. Returns the last number, to
 * continue from. */
uint32_t ic_message_spin(uint32_t value, uint32_t steps);

/* ---- the console task ---- */

struct all_series {
    struct ic_series *latency;
    struct ic_series *send;
    struct ic_series *window;
    struct ic_series *turns[LOADS];
    struct ic_series *idle_turns[LOADS];
    struct ic_series *block[LOADS];
    struct ic_series *length;
};

/* Takes all samples of the measurement that was prepared in `ic_message`. On failure, returns false, with
 * ic_message.run->error set. */
bool ic_message_take(const struct all_series *series);

#endif
