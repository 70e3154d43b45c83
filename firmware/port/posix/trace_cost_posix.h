/* What it costs Linux to record one of its scheduler's records (trace_points_posix.h). */
#ifndef TRACE_COST_POSIX_H
#define TRACE_COST_POSIX_H

#include <stdint.h>

/* Measures it on a core, some milliseconds long, in ns. 0 if it cannot be told: tasks could not be started, nothing was
 * recorded, or it was no slower with the trace points than without. To be called while nothing is recorded. */
uint32_t trace_cost_of_record(uint32_t core);

#endif
