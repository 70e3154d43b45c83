/* Shared parts of the benchmark `outage`. outage.c has its parameters and samples; writer.c has the task that writes;
 * watched.c has the tasks and handlers whose standstill is measured. */
#ifndef IC_OUTAGE_H
#define IC_OUTAGE_H

#include <stdatomic.h>

#include "port.h"
#include "port_storage.h"
#include "run.h"

enum { P_OP, P_SAFE, P_OTHER, P_FROM, P_PAGES, P_HOLD, P_PATIENCE, P_REQUEST, PARAMETER_COUNT };
enum op { ERASE, PROGRAM, BOTH };
enum safe { LOCKOUT, RAM, NONE, UNSAFE };
enum other { OTHER_RAM, OTHER_INTERRUPT, OTHER_TASK, OTHER_LOCK, OTHER_FLASH };
enum request { WITHDRAWN, LEFT };

/* What is seen of a core */
struct watch {
    uint64_t from; /* begin and end of the longest time */
    uint64_t until;
    uint64_t missed;
    uint64_t behind;
};

struct player {
    port_task_t task;
    uint32_t core;
    bool migrated;
};

struct outage {
    struct ic_run *run;
    port_task_t *leader;
    struct player writer;
    struct player own;   /* the periodic task on the core that writes */
    struct player other; /* what the other core does */
    enum op op;
    enum safe safe;
    enum other doing;
    bool parks;    /* the other core is parked by this benchmark, and not by the system */
    uint32_t hold; /* these in ticks of the clock */
    uint32_t patience;
    uint32_t bound;
    uint32_t standstill;
    uint32_t timer_period;
    uint32_t next_page;
    atomic_bool dismissed;

    /* Of one outage: */
    atomic_bool own_ready; /* the two tasks that watch have begun, and not ended */
    atomic_bool other_ready;
    atomic_bool over;
    struct watch own_watch;
    struct watch watch;
    uint64_t due; /* of the timer */
    atomic_bool wanted;
    atomic_bool parked;
    atomic_bool released;
    atomic_bool stuck;
    bool gave_up;
    bool failed;
    uint64_t asked_at;
    uint64_t parked_at;
    uint64_t seen_at;
    uint64_t restored_at;
    uint64_t released_at;
    struct port_storage_change change;
    uint32_t content; /* the seed of each page's bytes */
};

extern struct outage ic_outage;

/* Entries of the three tasks, each with its struct player as the argument: the one that writes, the periodic one on the
 * same core, and that of the other core */
void ic_outage_writing_task(void *arg);
void ic_outage_own_task(void *arg);
void ic_outage_other_task(void *arg);

/* Waits until the calling task is woken for an outage; returns false if it must end. */
bool ic_outage_await_turn(struct player *player);

/* Whether the other core computes, so that its standstill is the time between two of its readings */
bool ic_outage_computes(void);

/* Open and close the doorbell and the timer of the other core, where the setting needs them. Opening returns false,
 * with run->error set, if the platform has none left. */
bool ic_outage_open_interrupts(struct ic_run *run);
void ic_outage_close_interrupts(void);

#endif
