/* Shared parts of the benchmark `contention`. contention.c has its parameters, times a tower alone and allots the
 * memory; tower.c solves a tower and records the cores; window.c has the competitors in a window; table.c prints the
 * result. */
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
#if IC_OWN_MAX > 0 /* without a user's workload, reading these would delay the competitors */
    P_WORKLOAD,
    P_UNITS,
#endif
    PARAMETER_COUNT,
};
enum preset { PRESET_NONE, PRESET_QIITA };
enum role { OFF, BLOCK, DELAY, SPIN, WORK, ROLES };
enum { TASK0, TASK1, MAIN, FREE };
#define COMPETITORS (FREE + FREE_MAX)

/* On which cores a task has worked, sampled after each part of a tower. How a part that changed cores was divided
 * between them is unknown. */
struct whereabouts {
    uint32_t on;                  /* core at the last sample */
    uint32_t ran[PORT_CORES_MAX]; /* parts that began and ended on each core */
    uint32_t moved;               /* parts that began and ended on different cores */
#if IC_OWN_MAX > 0
    uint32_t first; /* first unit of the user's workload */
#endif
};

struct competitor {
    _Alignas(PORT_CACHE_LINE) port_task_t task;
    uint32_t core;
    enum role role;
    uint32_t began_on;                        /* the core on which it began */
    uint64_t began;                           /* when it began in the present window, on the common clock */
    struct ic_series *towers[PORT_CORES_MAX]; /* by the core on which they ended; NULL: a core that it may not use */
    struct ic_series *ran[PORT_CORES_MAX];    /* of an unpinned task: parts in each window */
    struct ic_series *moved;
    struct whereabouts tower;  /* the tower in progress */
    struct whereabouts window; /* all towers that ended in the present window */
    uint32_t checked;
    uint32_t wrong;
    uint32_t migrated;
    uint32_t lost;
    bool loops; /* the platform's main loop, not a task */
    bool begun; /* the loop has begun in the present window */
#if IC_OWN_MAX > 0
    uint32_t compared; /* value of `checked` when the units were checked last */
#endif
};

struct contest {
    struct ic_run *run;
    uint32_t discs;
    uint32_t expected;
#if IC_OWN_MAX > 0
    const struct intercore_workload *own; /* in place of the towers; NULL: towers */
    uint32_t units;                       /* number of units in place of one tower */
#endif
    bool yields;
    bool marks; /* there is a timer for the end of the mark */
    /* In ticks of the common clock: */
    uint64_t tick;       /* the kernel's tick */
    uint64_t shortest;   /* time of a tower alone, without the sleep after it */
    uint64_t window;     /* length of each window */
    uint64_t before;     /* total length of all windows before the present one */
    uint64_t start, end; /* of the present window; valid once it is `released` */
    atomic_bool released;
    struct competitor competitors[COMPETITORS];
};

extern struct contest ic_contest;

/* ---- towers ---- */

/* Solves a tower and returns its checksum; `where` gets the cores. */
uint32_t ic_contest_solve(struct whereabouts *where);

#if IC_OWN_MAX > 0
/* Whether the units that a competitor has written are right, while no competitor writes them; true for a workload
 * without a buffer. */
bool ic_contest_units_are_right(uint32_t first);
#endif

/* ---- windows ---- */

/* Starts a task that solves towers. Returns false, with run->error set, if there is no memory for it. */
bool ic_contest_start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core);

/* Runs a window with all competitors. Returns false, with run->error set, if they could not all be started. */
bool ic_contest_hold_window(void);

/* Handler of the timer, at the end of a window: towers may still be in progress. */
void ic_contest_end_mark(void *arg);

/* ---- competitors ---- */

/* Number of different windows: rows of the preset, or 1 */
uint32_t ic_contest_rows(void);

/* Assigns the roles of one row to all competitors. */
void ic_contest_set_roles(uint32_t row);

/* ---- interactive use ---- */

/* The towers of each competitor and of all, a line for each row that was measured */
bool ic_contest_tell(const struct ic_run *run, uint32_t index, struct ic_text *line);

#endif
