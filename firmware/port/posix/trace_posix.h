/* This port's own events for the recorder (core/trace.h): a task's calls, and the begin of its waits. Wake-ups and
 * switches are events of the scheduler (trace_scheduler_posix.h), which Linux shows to few programs. Without them the
 * port records substitutes: which task a call wakes, that a task leaves its core when it begins to wait, and that it
 * has come back. A task that is preempted is not seen to leave then. That it is back, or that another task has its
 * core, is seen by its next event (IC_TRACE_IN with detail 1).
 *
 * The linker wraps the recorded calls of port.h (board/linux/board.cmake). Without a recorder none of this exists. */
#ifndef TRACE_POSIX_H
#define TRACE_POSIX_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#ifdef IC_TRACE

/* Call it once, in port_posix_start(). Returns false if the system has no mutex left. */
bool trace_posix_start(void);

/* A task is about to be started; called by its creator. */
void trace_posix_created(port_task_t *task, const char *name);

/* The task runs; it is about to end; called by itself. */
void trace_posix_begins(const port_task_t *task);
void trace_posix_ends(const port_task_t *task);

/* ---- between the recorder's files ---- */

/* The number of the calling task */
uint32_t trace_posix_task(void);

/* The task is about to wait for an object, and has come back. */
struct trace_posix_wait {
    uint32_t place; /* index among the waiting tasks */
};
struct trace_posix_wait trace_posix_leaves(const void *object);
void trace_posix_returns(struct trace_posix_wait wait);

/* Makes a task ready that waits for an object, or `all`. Which one of several is unknown. Call it before they are
 * woken. */
void trace_posix_wakes(const void *object, bool all);

/* The task of the event with this number in a core's ring; for existing events, and while the scheduler is recorded */
uint32_t trace_posix_author(uint32_t core, uint32_t number);

/* Calls with each core's ring held by the caller, and port_core_id() that core. */
void trace_posix_for_each_core(void (*call)(uint32_t core));

/* Between the two, the thread is in a handler. */
void trace_posix_enters_handler(void);
void trace_posix_leaves_handler(void);

#else

static inline bool trace_posix_start(void) { return true; }

static inline void trace_posix_created(port_task_t *task, const char *name) {
    (void)task;
    (void)name;
}

static inline void trace_posix_begins(const port_task_t *task) { (void)task; }

static inline void trace_posix_ends(const port_task_t *task) { (void)task; }

#endif
#endif
