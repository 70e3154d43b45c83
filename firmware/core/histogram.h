/* Log-linear histograms for runs that are too long to keep every value: counts by bin, as a series.
 *
 * Values below 2 × IC_HISTOGRAM_STEPS have a bin each. Above, every doubling is divided into IC_HISTOGRAM_STEPS bins of
 * equal width: bin number e × STEPS + (v >> e), where e is chosen so that v >> e is from STEPS to 2 × STEPS - 1. So a
 * value is known to 1 part in STEPS. The series holds the counts of the bins from 0 to the last that is not empty. */
#ifndef IC_HISTOGRAM_H
#define IC_HISTOGRAM_H

#include <stdbool.h>

#include "samples.h"

#define IC_HISTOGRAM_STEPS 32U
/* Values are below 2 to this power. */
#define IC_HISTOGRAM_BITS 32U
/* log2(STEPS) = 5 of these bits choose the bin. */
#define IC_HISTOGRAM_BINS ((IC_HISTOGRAM_BITS - 5U + 1U) * IC_HISTOGRAM_STEPS)

/* Opens an empty histogram, a series of counts; NULL as ic_samples_open(). */
struct ic_series *ic_histogram_open(const char *name);

/* Counts a value; false if it is too large and goes into the last bin. */
bool ic_histogram_add(struct ic_series *histogram, uint64_t value);

#endif
