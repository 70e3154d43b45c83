/* What the parts of the benchmark `message` have in common: message.c has its parameters and begins a measurement,
 * leader.c starts who takes part and takes the samples, ends.c is what they do, content.c what a message holds. */
#ifndef IC_MESSAGE_H
#define IC_MESSAGE_H

#include <stdatomic.h>

#include "port.h"
#include "run.h"
#include "transport.h"

#define LOAD_WORDS 8U
#define LOAD_FROM 1U
#define LOAD_TO 2U

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

struct stage {
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

/* ---- the leader ---- */

struct all_series {
    struct ic_series *latency;
    struct ic_series *send;
    struct ic_series *window;
};

/* Takes all samples with the stage as it is set. False, with run->error filled, if that could not be done. */
bool ic_message_take(const struct all_series *series);

#endif
