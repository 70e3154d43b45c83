/* What the parts of the benchmark `contention` have in common: contention.c has its parameters, measures a tower alone
 * and makes room, tower.c solves a tower and sees where, window.c is what the competitors do in a window, table.c what
 * a person is told of it. */
#ifndef IC_CONTENTION_H
#define IC_CONTENTION_H

#include <stdatomic.h>

#include "own.h"
#include "port.h"
#include "run.h"

#define FREE_MAX 4U

enum {
    P_PRESET,
    P_TASK0,
    P_TASK1,
    P_MAIN,
    P_FREE,
    P_YIELD,
    P_DISCS,
    P_WINDOW,
#if IC_OWN_MAX > 0 /* else they would be in the way of those who have none */
    P_WORKLOAD,
    P_UNITS,
#endif
    PARAMETER_COUNT,
};
enum preset { PRESET_NONE, PRESET_QIITA };
enum role { OFF, BLOCK, DELAY, SPIN, WORK, ROLES };
enum { TASK0, TASK1, MAIN, FREE };
#define COMPETITORS (FREE + FREE_MAX)

/* On which cores a task has worked, looked at after each part of a tower. What a part did before it changed cores is
 * not known. */
struct whereabouts {
    uint32_t on;                  /* core at the last look */
    uint32_t ran[PORT_CORES_MAX]; /* parts that began and ended there */
    uint32_t moved;               /* parts that ended on another core than they began on */
#if IC_OWN_MAX > 0
    uint32_t first; /* unit of the user's own work */
#endif
};

struct competitor {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    uint32_t core;
    enum role role;
    uint32_t began_on;                        /* core */
    uint64_t began;                           /* the present window, on the common clock */
    struct ic_series *towers[PORT_CORES_MAX]; /* by the core they were done on; NULL where it must not run */
    struct ic_series *ran[PORT_CORES_MAX];    /* parts in each window, of one that may run on any core */
    struct ic_series *moved;
    struct whereabouts tower;  /* the one under way */
    struct whereabouts window; /* all towers that ended in the present window */
    uint32_t checked;
    uint32_t wrong;
    uint32_t migrated;
    uint32_t lost;
    bool loops; /* it is the platform's main loop, and no task */
    bool begun; /* that loop, in the present window */
#if IC_OWN_MAX > 0
    uint32_t compared; /* so many of `checked` */
#endif
};

struct contest {
    struct ic_run *run;
    uint32_t discs;
    uint32_t expected;
#if IC_OWN_MAX > 0
    const struct intercore_workload *own; /* in place of the towers; NULL: towers */
    uint32_t units;                       /* of it, which stand for a tower */
#endif
    bool yields;
    bool marks; /* the timer is there, for the end of the energy mark */
    /* In ticks of the common clock. */
    uint64_t tick;       /* of the kernel */
    uint64_t shortest;   /* time that a tower took alone, without a sleep behind it */
    uint64_t window;     /* length of each window */
    uint64_t before;     /* lengths of the windows before the present one */
    uint64_t start, end; /* of the present one; valid once it has been released */
    atomic_bool released;
    struct competitor competitors[COMPETITORS];
};

extern struct contest ic_contest;

/* ---- towers ---- */

/* Solves a tower and returns its checksum; `where` says on which cores. */
uint32_t ic_contest_solve(struct whereabouts *where);

#if IC_OWN_MAX > 0
/* Whether the units that somebody has written, and nobody writes now, are right: true of work without a buffer. */
bool ic_contest_units_are_right(uint32_t first);
#endif

/* ---- windows ---- */

/* Starts a task that solves towers. False, with run->error filled, if there is no memory for it. */
bool ic_contest_start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core);

/* Lets all who have a role compete in a window. False, with run->error filled, if they could not all be started. */
bool ic_contest_hold_window(void);

/* At the end of a window, whatever towers are still under way: a handler of the timer. */
void ic_contest_end_mark(void *arg);

/* ---- who competes ---- */

/* Number of different windows: rows of the preset, or the one that the parameters describe. */
uint32_t ic_contest_rows(void);

/* Gives all competitors their roles in one of them. */
void ic_contest_set_roles(uint32_t row);

/* ---- what a person is told ---- */

/* The towers of each competitor and of all, a row for each that has been measured. */
bool ic_contest_tell(const struct ic_run *run, uint32_t index, struct ic_text *line);

#endif
