/* A whole measurement: what precedes a benchmark's own, and what is told of it afterwards. */
#ifndef IC_MEASURE_H
#define IC_MEASURE_H

#include "run.h"

/* Measures what the run is ready for: the cost of looking on each core, then the benchmark. False if that could not be
 * done; run->error says why. */
bool ic_measure(struct ic_run *run);

#endif
