/* What this port records by itself, where there is a recorder (core/trace.h): what a task asks for, and when it is
 * about to wait. Who is woken and which task a core goes on with are the scheduler's events (trace_scheduler_posix.h),
 * but Linux lets few programs see them. Without them the port has events of its own in their place: whom a task wakes
 * by what it asks for, that it leaves its core as it begins to wait, and that it has come back. A task that lost its
 * core without asking is not seen to leave then. That it is back, or that another has its core, is seen by its next
 * event (IC_TRACE_IN with detail 1).
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

/* Whose event it is that has this number in a core's ring; of those that are there, and while the scheduler is seen. */
uint32_t trace_posix_author(uint32_t core, uint32_t number);

/* Calls with each core's ring the caller's own, and port_core_id() that core. */
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
