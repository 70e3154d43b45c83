/* Timestamp overhead: the differences of pairs of back-to-back clock readings, taken on each core before the samples of
 * a measurement. It is reported with every result and never subtracted from a result. */
#ifndef IC_TIMESTAMP_OVERHEAD_H
#define IC_TIMESTAMP_OVERHEAD_H

#include "run.h"

/* Opens and fills the series timestamp_overhead.0, timestamp_overhead.1, …. Returns false, with run->error set, if
 * there is no memory or a core cannot be reached. */
bool ic_timestamp_overhead_measure(struct ic_run *run);

#endif
