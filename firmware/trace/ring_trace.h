/* Internal interface of the recorder's files */
#ifndef RING_TRACE_H
#define RING_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

/* Removes the events of a core. */
void ic_trace_empty(uint32_t core);

/* Replaces the events of a core by `events`, which are sorted by time. A platform that adds events of its own (Linux's
 * scheduler) does this after the recording has ended. `missing` is the number of lost events before the first one. If
 * there are too many events for the ring buffer, the oldest are overwritten. */
void ic_trace_fill(uint32_t core, const struct ic_trace_event *events, uint32_t count, uint32_t missing);

/* Sets the cost of recording one of the platform's added events on that core, in ticks of the common clock; 0 if
 * unknown. Valid until the events are removed or replaced. */
void ic_trace_set_others_cost(uint32_t core, uint32_t ticks);

/* Returns the number of a name in this core's list, and adds the name if it is new; IC_TRACE_NAMELESS if there is no
 * room. `stays` makes the name permanent; other names are removed when the next recording begins. Call it with
 * interrupts and preemption off on this core. */
uint32_t ic_trace_name_number(const char *text, bool stays);

/* Removes the names in a core's list that are not permanent. */
void ic_trace_forget_names(uint32_t core);

/* Like ic_trace_task(), for a thread that is not a task of this program: its name is not permanent. */
uint32_t ic_trace_stranger(const char *name);

#endif
