/* What the cores do with a lock: the benchmark `lock` without its parameters and its samples, which lock.c has. */
#ifndef IC_MATCH_H
#define IC_MATCH_H

#include <stdatomic.h>

#include "port.h"
#include "port_lock.h"
#include "port_objects.h"
#include "run.h"

enum measure { HAND_OFF, CONTENTION, PING_PONG, MEASURES };
enum lock { MUTEX, SPINLOCK, CRITICAL_SECTION, ATOMIC_ADD, ATOMIC_SWAP, LOCKS };

/* A task and its core. */
struct side {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    uint32_t core;
    bool first;                /* hand-off, ping-pong: begins */
    struct ic_series *moments; /* contention */
    uint32_t taken;            /* in this bout, while it lasted */
    uint32_t entered;          /* as often as it had the lock */
    uint64_t at;               /* of its release */
    uint64_t got;              /* of its acquisition */
    bool right;
    bool migrated;
    uint64_t preempted;
};

/* What a repetition does with a lock. */
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
    bool dismissed; /* read by a task after it has been woken */
    struct side side[PORT_CORES_MAX];

    /* Of the present repetition. */
    uint32_t waits; /* hand-off: turns before the release, there and back */
    uint32_t bits;  /* and steps */
    volatile uint32_t step;
    uint64_t before; /* contention: lengths of the bouts before */
    _Alignas(PORT_CACHE_LINE) port_atomic_t met;
    _Alignas(PORT_CACHE_LINE) atomic_uint stage; /* hand-off */
    _Alignas(PORT_CACHE_LINE) atomic_bool over;
    uint64_t start;
    atomic_bool started;

    /* What the cores want. */
    _Alignas(PORT_CACHE_LINE) port_mutex_t mutex;
    _Alignas(PORT_CACHE_LINE) port_spinlock_t spinlock;
    _Alignas(PORT_CACHE_LINE) port_atomic_t atomic;
    _Alignas(PORT_CACHE_LINE) volatile uint32_t plain; /* volatile: each change of it is a reading and a writing */
};

extern struct match ic_match;

extern const struct calls ic_lock_calls[LOCKS];

/* Makes the lock, if it is one that is made, and unmakes it. False if the platform has none left. */
bool ic_lock_make(enum lock lock);
void ic_lock_unmake(enum lock lock);

/* How often what is protected was changed. */
uint32_t ic_lock_counted(enum lock lock);

/* A task that plays each time it is notified, given its side. */
void ic_lock_play_match(void *arg);

#endif
