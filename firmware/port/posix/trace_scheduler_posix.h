/* The switches and wake-ups of Linux' scheduler among the recorder's events, where they may be read
 * (trace_points_posix.h); where not, the port's own events stand in (trace_posix.h). */
#ifndef TRACE_SCHEDULER_POSIX_H
#define TRACE_SCHEDULER_POSIX_H

#include <stdbool.h>
#include <stdint.h>

/* To be called once, when the cores are known. */
void trace_scheduler_start(void);

/* Whether they are recorded. */
bool trace_scheduler_is_seen(void);

/* Why they are not; NULL if they are. */
const char *trace_scheduler_why_not(void);

/* That the thread that calls is a task. */
void trace_scheduler_know(uint32_t task);

#endif
