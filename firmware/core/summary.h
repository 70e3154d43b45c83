/* Human-readable result table for interactive use, with a row for each series. */
#ifndef IC_SUMMARY_H
#define IC_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"
#include "text.h"

/* Writes the line of the result table with this index, from 0, into an empty text; returns false beyond the last line.
 * The first line names the benchmark and the parameters that are not at their default, the second line the columns. A
 * row has the number of samples, the minimum, the median (the lower of two middle values) and the maximum: times with a
 * unit, counts as they are. Series of moments and of cores have no row. Call it before the next measurement begins: it
 * reads the samples themselves, not a copy. */
bool ic_summary_tell(const struct ic_run *run, uint32_t index, struct ic_text *line);

#endif
