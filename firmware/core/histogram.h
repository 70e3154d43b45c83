/* Log-linear histograms, for runs that are too long to keep every value. The counts of all bins of a histogram form one
 * series.
 *
 * Let STEPS be IC_HISTOGRAM_STEPS. Each value below 2 × STEPS has its own bin. Above that, each octave is divided into
 * STEPS bins of equal width: the bin of a value v is e × STEPS + (v >> e), with e such that STEPS <= v >> e < 2 ×
 * STEPS. The relative error is at most 1 / STEPS. The series holds the counts from bin 0 to the last bin that is not
 * empty. */
#ifndef IC_HISTOGRAM_H
#define IC_HISTOGRAM_H

#include <stdbool.h>

#include "samples.h"

#define IC_HISTOGRAM_STEPS 32U
/* Values must be below 2^IC_HISTOGRAM_BITS. */
#define IC_HISTOGRAM_BITS 32U
/* Number of bins. log2(IC_HISTOGRAM_STEPS) = 5 of a value's bits choose the bin within an octave. */
#define IC_HISTOGRAM_BINS ((IC_HISTOGRAM_BITS - 5U + 1U) * IC_HISTOGRAM_STEPS)

/* Opens an empty histogram, which is a series of counts. Returns NULL if there is no room, like ic_samples_open(). */
struct ic_series *ic_histogram_open(const char *name);

/* Counts a value. Returns false if the value is too large; such a value is counted in the last bin. */
bool ic_histogram_add(struct ic_series *histogram, uint64_t value);

#endif
