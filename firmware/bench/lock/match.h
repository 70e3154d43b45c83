/* The lock operations of the benchmark `lock`; lock.c has its parameters and samples. */
#ifndef IC_MATCH_H
#define IC_MATCH_H

#include <stdatomic.h>

#include "port.h"
#include "port_lock.h"
#include "port_objects.h"
#include "run.h"

enum measure { HAND_OFF, CONTENTION, PING_PONG, MEASURES };
enum lock { MUTEX, SPINLOCK, CRITICAL_SECTION, ATOMIC_ADD, ATOMIC_SWAP, LOCKS };

/* A task and its core */
struct side {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    uint32_t core;
    bool first;                /* hand-off, ping-pong: this side begins */
    struct ic_series *moments; /* contention */
    uint32_t taken;            /* acquisitions in this bout, until its end */
    uint32_t entered;          /* acquisitions, to compare with the protected counter */
    uint64_t at;               /* reading at its release */
    uint64_t got;              /* reading at its acquisition */
    bool right;
    bool migrated;
    uint64_t preempted;
};

/* The functions of one lock, for a repetition */
struct calls {
    bool is_held;
    uint64_t (*acquire)(uint32_t turn);
    uint64_t (*release)(uint32_t turn);
    void (*play[MEASURES])(struct side *side); /* NULL: there is nothing to measure */
};

struct match {
    struct ic_run *run;
    port_task_t *leader;
    const struct calls *calls;
    void (*play)(struct side *side);
    uint32_t sides; /* tasks, at least 2 */
    uint32_t hold;
    uint32_t pause;
    uint32_t rounds;
    uint32_t batch;
    bool records;
    bool dismissed; /* a task reads this flag after it has been woken */
    struct side side[PORT_CORES_MAX];

    /* Of the present repetition: */
    uint32_t waits; /* hand-off: iterations before each of the two releases */
    uint32_t bits;  /* and further steps of a few cycles */
    volatile uint32_t step;
    uint64_t before; /* contention: total length of all bouts before */
    _Alignas(PORT_CACHE_LINE) port_atomic_t met;
    _Alignas(PORT_CACHE_LINE) atomic_uint stage; /* hand-off */
    _Alignas(PORT_CACHE_LINE) atomic_bool over;
    uint64_t start;
    atomic_bool started;

    /* The protected counter */
    _Alignas(PORT_CACHE_LINE) port_mutex_t mutex;
    _Alignas(PORT_CACHE_LINE) port_spinlock_t spinlock;
    _Alignas(PORT_CACHE_LINE) port_atomic_t atomic;
    _Alignas(PORT_CACHE_LINE) volatile uint32_t plain; /* volatile: each increment is a load and a store */
};

extern struct match ic_match;

extern const struct calls ic_lock_calls[LOCKS];

/* Creates the lock, if it needs creation, and deletes it. False if the platform has none left. */
bool ic_lock_make(enum lock lock);
void ic_lock_unmake(enum lock lock);

/* Number of increments of the protected counter */
uint32_t ic_lock_counted(enum lock lock);

/* Entry of a task that takes part each time it is notified; the argument is its side. */
void ic_lock_play_match(void *arg);

#endif
