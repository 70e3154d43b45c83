/* Switches and wake-ups of Linux's scheduler among the recorder's events, where they can be read
 * (trace_points_posix.h); otherwise the port's own events replace them (trace_posix.h). */
#ifndef TRACE_SCHEDULER_POSIX_H
#define TRACE_SCHEDULER_POSIX_H

#include <stdbool.h>
#include <stdint.h>

/* Call it once, when the cores are known. */
void trace_scheduler_start(void);

/* Whether they are recorded */
bool trace_scheduler_is_seen(void);

/* Why they are not; NULL if they are */
const char *trace_scheduler_why_not(void);

/* Declares the calling thread as a task. */
void trace_scheduler_know(uint32_t task);

#endif
