/* This port's own events for the recorder (core/trace.h): the calls of a task, and when it begins to wait.
 *
 * Wake-ups and switches are events of Linux's scheduler (trace_scheduler_posix.h), which few programs have permission
 * to read. Without them the port records substitutes: which task a call wakes, that a task leaves its core when it
 * begins to wait, and that it has come back. The port cannot see preemption: the preempted task is not recorded as
 * leaving. The next event of a task shows that the task has come back, or that another task has the core (IC_TRACE_IN
 * with detail 1).
 *
 * The linker redirects the recorded calls of port.h to wrappers (board/linux/board.cmake). Without a recorder, none of
 * this is in the program. */
#ifndef TRACE_POSIX_H
#define TRACE_POSIX_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#ifdef IC_TRACE

/* Call it once, in port_posix_start(). Returns false if the system has no mutex left. */
bool trace_posix_start(void);

/* Call it in the creator of a task, just before the task is started. */
void trace_posix_created(port_task_t *task, const char *name);

/* Call these in the task itself: when it begins to run, and when it is about to end. */
void trace_posix_begins(const port_task_t *task);
void trace_posix_ends(const port_task_t *task);

/* ---- between the recorder's files ---- */

/* The number of the calling task */
uint32_t trace_posix_task(void);

/* Call the first function when the calling task is about to wait for an object, the second when it has come back from
 * the wait. */
struct trace_posix_wait {
    uint32_t place; /* index among the waiting tasks */
};
struct trace_posix_wait trace_posix_leaves(const void *object);
void trace_posix_returns(struct trace_posix_wait wait);

/* Records that the task that waits for the object becomes ready; with `all`, that all tasks that wait for it do. If
 * several tasks wait and only one is woken, it is unknown which one, and nothing is recorded. Call it before the tasks
 * are woken. */
void trace_posix_wakes(const void *object, bool all);

/* Returns the task that caused event `number` in a core's ring buffer. Only for events that are still in the ring
 * buffer, and only if Linux's scheduler events are recorded. */
uint32_t trace_posix_author(uint32_t core, uint32_t number);

/* Calls `call` once for each core, with that core's ring buffer locked. During the call port_core_id() returns that
 * core. */
void trace_posix_for_each_core(void (*call)(uint32_t core));

/* Call these when a handler begins in this thread, and when it ends. */
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
