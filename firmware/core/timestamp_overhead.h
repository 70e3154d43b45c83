/* The cost of looking: what an empty pair of time stamps costs, in place, on each core. It is reported beside every
 * result and never subtracted from one. */
#ifndef IC_TIMESTAMP_OVERHEAD_H
#define IC_TIMESTAMP_OVERHEAD_H

#include "run.h"

/* Fills the series looking.0, looking.1, …. False, with run->error filled, if a core cannot be reached. */
bool ic_timestamp_overhead_measure(struct ic_run *run);

#endif
