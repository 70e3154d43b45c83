/* How long Linux takes to record one event of its scheduler (trace_points_posix.h) */
#ifndef TRACE_COST_POSIX_H
#define TRACE_COST_POSIX_H

#include <stdint.h>

/* Measures the cost of a record on a core, in ns; takes a few milliseconds. Returns 0 if the cost is unknown: the tasks
 * could not be started, nothing was recorded, or the trace points made no difference. Call it while nothing is
 * recorded. */
uint32_t trace_cost_of_record(uint32_t core);

#endif
