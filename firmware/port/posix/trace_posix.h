/* What this port records by itself, where there is a recorder (core/trace.h). Linux lets programs see no switch of
 * tasks, so these are the port's own events: what a task asks for, whom it wakes by that, when it is about to wait, and
 * when it has come back from waiting. A task that lost its core without asking is not seen to leave. That it is back,
 * or that another has its core, is seen by its next event (IC_TRACE_IN with detail 1).
 *
 * The calls of port.h that are recorded are wrapped by the linker (board/linux/board.cmake). Without a recorder nothing
 * of this is there. */
#ifndef TRACE_POSIX_H
#define TRACE_POSIX_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#ifdef IC_TRACE

/* To be called once, by port_posix_start(). Returns false if the system has no mutex left. */
bool trace_posix_start(void);

/* A task is about to be started; by who starts it. */
void trace_posix_created(port_task_t *task, const char *name);

/* It runs, it is about to end; by itself. */
void trace_posix_begins(const port_task_t *task);
void trace_posix_ends(const port_task_t *task);

/* ---- between the recorder's files ---- */

/* The number of the task that calls. */
uint32_t trace_posix_task(void);

/* The task is about to wait for an object, and has come back. */
struct trace_posix_wait {
    uint32_t place; /* among those that wait */
};
struct trace_posix_wait trace_posix_leaves(const void *object);
void trace_posix_returns(struct trace_posix_wait wait);

/* Makes ready who waits for an object: the one that does, or `all`. Who it is of several is not known. To be called
 * before they are woken. */
void trace_posix_wakes(const void *object, bool all);

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
