/* What the parts of the benchmark `message` have in common: message.c has its parameters and begins a measurement,
 * leader.c starts who takes part and takes the samples, ends.c is what they do, overhead.c what is left to others
 * beside them, content.c what a message holds. */
#ifndef IC_MESSAGE_H
#define IC_MESSAGE_H

#include <stdatomic.h>

#include "port.h"
#include "run.h"
#include "transport.h"

#define LOAD_WORDS 8U
#define LOAD_FROM 1U
#define LOAD_TO 2U
/* Most loads. */
#define LOADS 2U
/* Turns of a load that are timed together: so many that the call and the readings around them do not count. */
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

    /* Of measure=overhead. */
    uint32_t value; /* what its turns work on */
    uint32_t turns; /* in the window */
    uint64_t block; /* ticks of the common clock that BLOCK_TURNS turns take beside the other core's load alone */
};

/* What arrived. */
struct arrival {
    const uint32_t *message; /* NULL if all was over before */
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
    bool apart;   /* on two cores */
    bool full;    /* contents are checked in this turn, not only stamps */
    uint64_t settling;
    uint64_t patience;
    port_sem_t done; /* of a turn: given by each who takes part */
    struct party sender, receiver;
    struct load_task load_from, load_to;
    uint32_t turn;
    uint32_t messages; /* of the turn; of measure=overhead, in its window */
    uint32_t target;   /* number behind the last message of the turn */
    bool sends;        /* messages are sent in this turn */
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

    /* Written by the task of core `from`'s load, of measure=overhead. */
    _Alignas(PORT_CACHE_LINE) port_sem_t release; /* of the sender: one for each message, and one behind the window */
    uint64_t begin;                               /* of the window, on the common clock */
    uint64_t length;
    uint64_t end;
    atomic_uint begun;   /* turn of which the begin is known, of the trials that show how long a turn takes */
    atomic_uint opened;  /* the same of the window */
    atomic_uint closing; /* turn of which the end is known */

    /* Written by the task of core `to`'s load. */
    _Alignas(PORT_CACHE_LINE) atomic_uint loading;
    atomic_uint ready;    /* turn in which it is ready for these trials */
    atomic_uint counting; /* turn in which it is ready to count */
};

extern struct stage ic_message;

/* Where each core has a program of its own, each has its own, and finds it before it is used. */
extern const struct ic_transport *ic_message_transport;
void ic_message_find_transport(void);

static inline bool reached(const atomic_uint *turn) {
    return atomic_load_explicit(turn, memory_order_acquire) == ic_message.turn;
}

static inline void reach(atomic_uint *turn) { atomic_store_explicit(turn, ic_message.turn, memory_order_release); }

/* Nothing more will be sent or received. */
static inline bool over(void) { return atomic_load_explicit(&ic_message.over, memory_order_relaxed); }

/* Whether messages still come. */
struct vigil {
    uint64_t since;
    uint32_t progress;
};

struct vigil ic_message_begin_vigil(void);

/* Declares it over if none has come for too long. */
void ic_message_keep_vigil(struct vigil *vigil);

/* Another message has come. */
void ic_message_note_progress(void);

/* Spins until the turn is reached. Does without the kernel, and almost without the clock. False if all is over. */
bool ic_message_await(const atomic_uint *turn);

/* ---- what a message holds ---- */

#define NUMBER_BYTES 4U

inline uint32_t ic_message_words(void) { return ic_message.setup.size / NUMBER_BYTES; }

void ic_message_produce(uint32_t *message, uint32_t number);

/* Of a message that is not produced, its number alone, which is what is looked at then. Inline, for it stands inside a
 * stream that is timed; where the compiler inlines nothing there is one function, in message.c. */
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

/* By how much the number is ahead of the one expected. */
int32_t ic_message_ahead(const uint32_t *message);

/* Compares what arrived with what was sent, and counts what is wrong. */
void ic_message_check(const struct arrival *arrival);

/* ---- what the tasks do ---- */

/* Of an end, given its struct party, and of a load, given its struct load_task. */
void ic_message_run_sender(void *arg);
void ic_message_run_receiver(void *arg);
void ic_message_run_load(void *arg);

/* What a load does in a turn of measure=overhead: counts its turns in a window that is the same on both cores, and on
 * core `from` lets the sender go. */
void ic_message_count_turns(struct load_task *load);

/* At either end of the window: what an observer from outside knows it by. */
void ic_message_mark_window(const struct load_task *load);

/* Work in registers alone; returns what to go on with. */
uint32_t ic_message_spin(uint32_t value, uint32_t steps);

/* ---- the leader ---- */

struct all_series {
    struct ic_series *latency;
    struct ic_series *send;
    struct ic_series *window;
    struct ic_series *turns[LOADS];
    struct ic_series *idle_turns[LOADS];
    struct ic_series *block[LOADS];
    struct ic_series *length;
};

/* Takes all samples with the stage as it is set. False, with run->error filled, if that could not be done. */
bool ic_message_take(const struct all_series *series);

#endif
