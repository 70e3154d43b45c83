/* Between the files of the recorder. */
#ifndef RING_TRACE_H
#define RING_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

/* Forgets the events of a core. */
void ic_trace_empty(uint32_t core);

/* Puts events in place of those of a core, for a platform that has others to add to them once the recording has ended.
 * They are in the order of time; `missing` came before the first. More than a ring holds go on over the first. */
void ic_trace_fill(uint32_t core, const struct ic_trace_event *events, uint32_t count, uint32_t missing);

/* Says what it cost that core, in ticks of the common clock, to record one of those others; 0 if it is not known. Until
 * the events are forgotten or replaced. */
void ic_trace_set_others_cost(uint32_t core, uint32_t ticks);

/* Number of a name, which is new or has been given before by this core; IC_TRACE_NAMELESS if there is no room for it.
 * One that does not stay is known until the next recording begins. To be called with nothing else on this core able to
 * come between. */
uint32_t ic_trace_name_number(const char *text, bool stays);

/* Forgets those of a core's names that do not stay. */
void ic_trace_forget_names(uint32_t core);

/* As ic_trace_task(), for a task that is not the program's own and was met in this recording only: its name does not
 * stay. */
uint32_t ic_trace_stranger(const char *name);

#endif
