/* Users' workloads (intercore_workload.h): the interface for benchmarks */
#ifndef IC_OWN_H
#define IC_OWN_H

#include "port.h"

#include "intercore_workload.h"
#include "workloads.h"

/* Prefix of the names of users' workloads in lists; no other workload has it. */
#define IC_OWN_PREFIX "own:"

/* Returns the description of a user's workload, by its index in the lists; NULL for other workloads. */
const struct intercore_workload *ic_own(uint32_t workload);

/* Returns how many units a workload has (unit numbers are taken modulo this number), which is also the most units in
 * one timed call; UINT32_MAX if there is no limit. */
uint32_t ic_own_units(uint32_t workload);

/* Searches for the unit that makes a user's sum wrong: the first unit whose value depends on the units before it, or
 * that is wrong according to the user's check. Runs on this core alone, once per measurement, and takes a few times as
 * long as the `count` units themselves. Reports the unit in a series (own.c). Returns true if it searched, and found no
 * such unit. */
bool ic_own_seek(uint32_t workload, uint32_t first, uint32_t count);

/* Reports that a unit gave a different value while other cores worked at the same time. */
void ic_own_differs(uint32_t workload, uint32_t unit);

#endif
