/* A whole measurement: the part that all benchmarks share, and the benchmark's own part. */
#ifndef IC_MEASURE_H
#define IC_MEASURE_H

#include "run.h"

/* Measures the current setting of the run: the timestamp overhead on each core, then the benchmark. Returns false, with
 * run->error set, on failure. */
bool ic_measure(struct ic_run *run);

#endif
