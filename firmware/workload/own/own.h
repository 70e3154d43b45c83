/* Workloads of a user's own (intercore_workload.h), as benchmarks see them. */
#ifndef IC_OWN_H
#define IC_OWN_H

#include "port.h"

#include "intercore_workload.h"
#include "workloads.h"

/* What their names begin with in lists: no other workload's does. */
#define IC_OWN_PREFIX "own:"

/* What is declared of a workload, by its index in the lists; NULL of one that is not the user's own. */
const struct intercore_workload *ic_own(uint32_t workload);

/* How many units of a workload differ: no window has more; UINT32_MAX if there is no limit. */
uint32_t ic_own_units(uint32_t workload);

/* Of the units of a sum nothing is kept. Where one of the user's own is wrong, this looks for the first unit that is to
 * blame, on this core alone and once in a measurement, and tells it in a series of its own: the first that adds
 * something else behind those before it than by itself, or that is not what the file says is right. Takes as long as
 * these units do, a few times. True if it has looked, and there is none. */
bool ic_own_seek(uint32_t workload, uint32_t first, uint32_t count);

/* Tells that a unit gave something else while other cores worked too. */
void ic_own_differs(uint32_t workload, uint32_t unit);

#endif
