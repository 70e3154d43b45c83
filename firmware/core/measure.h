/* A whole measurement: the steps that are the same for all benchmarks, and the benchmark's own measure(). */
#ifndef IC_MEASURE_H
#define IC_MEASURE_H

#include "run.h"

/* Measures the current setting (combination of parameter values): the timestamp overhead on each core, then the
 * benchmark. Returns false, with run->error set, on failure. */
bool ic_measure(struct ic_run *run);

#endif
