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
    struct ic_series *moments; /* contention: moments of its acquisitions */
    uint32_t taken;            /* acquisitions in the bout, without those after its end */
    uint32_t entered;          /* all acquisitions of the repetition, to compare with the counter */
    uint64_t at;               /* clock at its release; ping-pong: at the start */
    uint64_t got;              /* clock at its acquisition; ping-pong: at the end */
    bool right;
    bool migrated;
    uint64_t preempted;
};

/* The functions of one kind of lock */
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
    uint32_t sides; /* number of tasks, at least 2 */
    uint32_t hold;
    uint32_t pause;
    uint32_t rounds;
    uint32_t batch;
    bool records;
    bool dismissed; /* a task that is woken while this is true ends */
    struct side side[PORT_CORES_MAX];

    /* Of the current repetition: */
    uint32_t waits; /* hand-off: delay of each of the two releases, in iterations */
    uint32_t bits;  /* hand-off: for each bit that is set, a further delay of a few cycles */
    volatile uint32_t step;
    uint64_t before; /* contention: total length of all earlier bouts */
    _Alignas(PORT_CACHE_LINE) port_atomic_t met;
    _Alignas(PORT_CACHE_LINE) atomic_uint stage; /* hand-off: stage that has been reached */
    _Alignas(PORT_CACHE_LINE) atomic_bool over;
    uint64_t start;
    atomic_bool started;

    /* The locks, and the counter that they protect: `plain`, or `atomic` for atomic operations */
    _Alignas(PORT_CACHE_LINE) port_mutex_t mutex;
    _Alignas(PORT_CACHE_LINE) port_spinlock_t spinlock;
    _Alignas(PORT_CACHE_LINE) port_atomic_t atomic;
    _Alignas(PORT_CACHE_LINE) volatile uint32_t plain; /* volatile: each increment is a load and a store */
};

extern struct match ic_match;

extern const struct calls ic_lock_calls[LOCKS];

/* ic_lock_make() creates the lock, if it needs creation; it returns false if the platform has no such lock left.
 * ic_lock_unmake() deletes the lock. */
bool ic_lock_make(enum lock lock);
void ic_lock_unmake(enum lock lock);

/* Value of the protected counter: how many increments it has counted */
uint32_t ic_lock_counted(enum lock lock);

/* Entry of a task that takes part in one repetition each time it is notified. The argument is its struct side. */
void ic_lock_play_match(void *arg);

#endif
