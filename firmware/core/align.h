/* Exchanges timestamps between two cores. From them the host computes the offset between the counters of the cores
 * (port_cycles()), and the uncertainty of that offset.
 *
 * In an exchange, core `from` reads its counter and asks with a flag. Core `to`, which spins on that flag, reads its
 * own counter and answers with another flag. Then `from` reads its counter again. The reading of `to` happens between
 * the two readings of `from`, so with
 *
 *   there = reading of `to` - first reading of `from`
 *   back  = second reading of `from` - reading of `to`
 *
 * the counter of `to` is ahead of the counter of `from` by at most `there` and at least -`back`, however long the
 * question and the answer took. So the counter of `to` is ahead by (there - back) / 2 ± (there + back) / 2. The target
 * sends the readings of all exchanges; the host uses the one with the shortest round trip (there + back). Timestamps
 * are exchanged both before and after the samples of a measurement, so that the host can correct each sample for the
 * drift between the counters. */
#ifndef IC_ALIGN_H
#define IC_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

struct ic_run;

enum ic_align_when { IC_ALIGN_BEFORE, IC_ALIGN_AFTER };

/* Makes 64 exchanges, for which both cores spin for about 100 µs, and opens the series before.at, before.there and
 * before.back (or after.…) for them. The series `at` has the moment of the first reading of `from` in each exchange.
 * Call it from the console task while no other task is ready. Does nothing if from == to. Returns false, with
 * run->error set, if the exchange failed. */
bool ic_align_exchange(struct ic_run *run, enum ic_align_when when, uint32_t from, uint32_t to);

/* Returns the first reading of core `from` in the first exchange before the samples, or 0 if from == to. All series of
 * moments count from this reading. */
uint64_t ic_align_origin(void);

#endif
