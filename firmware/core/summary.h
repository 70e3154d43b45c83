/* What was measured, in words for who types commands: a table with a row for each series. */
#ifndef IC_SUMMARY_H
#define IC_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"
#include "text.h"

/* Adds the line with this index, from 0 up, to an empty one; false beyond the last. The first names the benchmark and
 * what of its setting is not the default, the second the columns. A row has how many samples there are, the least, the
 * median (of an even number the lower one of the two in the middle) and the greatest: times in units of the second,
 * counts as they are. Series of moments and of cores have no row. To be asked while the samples are there; it searches
 * them where they lie. */
bool ic_summary_tell(const struct ic_run *run, uint32_t index, struct ic_text *line);

#endif
