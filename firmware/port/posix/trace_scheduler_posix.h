/* Adds the switches and wake-ups of Linux's scheduler to the recorder's events, where this program may read them
 * (trace_points_posix.h). Elsewhere the port's own events replace them (trace_posix.h). */
#ifndef TRACE_SCHEDULER_POSIX_H
#define TRACE_SCHEDULER_POSIX_H

#include <stdbool.h>
#include <stdint.h>

/* Call it once, when the cores are known. */
void trace_scheduler_start(void);

/* Whether the scheduler's events are recorded */
bool trace_scheduler_is_seen(void);

/* Why the scheduler's events are not recorded; NULL if they are */
const char *trace_scheduler_why_not(void);

/* Stores that the calling thread is the task with this number. */
void trace_scheduler_know(uint32_t task);

#endif
