/* Shared parts of the benchmark `contention`. contention.c has its parameters, times a tower (of Hanoi) alone and
 * allots the memory; tower.c solves a tower and records the cores; window.c has the competitors in a window; table.c
 * prints the result. */
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
#if IC_OWN_MAX > 0 /* only then: reading these parameters would delay the competitors */
    P_WORKLOAD,
    P_UNITS,
#endif
    PARAMETER_COUNT,
};
enum preset { PRESET_NONE, PRESET_QIITA };
enum role { OFF, BLOCK, DELAY, SPIN, WORK, ROLES };
enum { TASK0, TASK1, MAIN, FREE };
#define COMPETITORS (FREE + FREE_MAX)

/* On which cores a task has solved the parts of a tower: the core is read after each part. If the task migrated during
 * a part, it is unknown how much of that part each core did. */
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
    uint32_t began_on;                        /* the core on which it began in the current window */
    uint64_t began;                           /* when it began in the current window, on the common clock */
    struct ic_series *towers[PORT_CORES_MAX]; /* by the core where they ended; NULL: a core that it may not use */
    struct ic_series *ran[PORT_CORES_MAX];    /* of an unpinned task: number of parts, by core */
    struct ic_series *moved;
    struct whereabouts tower;  /* the tower in progress */
    struct whereabouts window; /* all towers that ended in the current window */
    uint32_t checked;
    uint32_t wrong;
    uint32_t migrated;
    uint32_t lost;
    bool loops; /* this competitor is the platform's main loop, not a task */
    bool begun; /* the loop has begun in the current window */
#if IC_OWN_MAX > 0
    uint32_t compared; /* value of `checked` when the units were checked last */
#endif
};

struct contest {
    struct ic_run *run;
    uint32_t discs;
    uint32_t expected;
#if IC_OWN_MAX > 0
    const struct intercore_workload *own; /* user's workload in place of the towers; NULL: towers */
    uint32_t units;                       /* number of units in place of one tower */
#endif
    bool yields;
    bool marks; /* a timer sets the mark pin low at the end of a window */
    /* In ticks of the common clock: */
    uint64_t tick;       /* length of a kernel tick */
    uint64_t shortest;   /* shortest time of a tower alone, without the sleep after it */
    uint64_t window;     /* length of each window */
    uint64_t before;     /* total length of all windows before the current one */
    uint64_t start, end; /* of the current window; valid once `released` is true */
    atomic_bool released;
    struct competitor competitors[COMPETITORS];
};

extern struct contest ic_contest;

/* ---- towers ---- */

/* Solves a tower and returns its checksum; records in `where` the cores on which it ran. */
uint32_t ic_contest_solve(struct whereabouts *where);

#if IC_OWN_MAX > 0
/* Whether one competitor's units in the output buffer of the user's workload, from unit `first` on, are right; true for
 * a workload without a buffer. Call it while no competitor writes these units. */
bool ic_contest_units_are_right(uint32_t first);
#endif

/* ---- windows ---- */

/* Starts a task whose stack is large enough to solve towers. Returns false, with run->error set, if there is no memory
 * for it. */
bool ic_contest_start_task(port_task_t *task, void (*entry)(void *), void *arg, uint32_t core);

/* Runs a window with all competitors. Returns false, with run->error set, if they could not all be started. */
bool ic_contest_hold_window(void);

/* Handler of the timer that sets the mark pin low at the end of a window: no task could do this on time, because towers
 * may still be in progress. */
void ic_contest_end_mark(void *arg);

/* ---- competitors ---- */

/* Number of rows of the preset's table, or 1 without a preset. A row gives each competitor a role; each window is
 * measured with the roles of one row. */
uint32_t ic_contest_rows(void);

/* Assigns the roles of one row to all competitors. */
void ic_contest_set_roles(uint32_t row);

/* ---- interactive use ---- */

/* Writes line number `index` of the result into `line`: a heading, then for each measured row the number of towers of
 * each competitor and of all together. Returns false after the last line; see ic_summary_tell(). */
bool ic_contest_tell(const struct ic_run *run, uint32_t index, struct ic_text *line);

#endif
