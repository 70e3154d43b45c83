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

#endif
