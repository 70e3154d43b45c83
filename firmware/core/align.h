/* Clock offset of two cores' counters, by exchanged timestamps. The host computes the offset of port_cycles() and its
 * uncertainty from them.
 *
 * In an exchange, core `from` reads its counter and asks; core `to`, which spins, reads its own counter and answers;
 * `from` reads again. The second reading lies between the other two, so with
 *
 *   there = reading of `to` - first reading of `from`
 *   back  = second reading of `from` - reading of `to`
 *
 * `to` is ahead of `from` by at most `there` and by at least -`back`, however long question and answer took: the offset
 * is (there - back) / 2 ± (there + back) / 2. The target does not select or average: the host uses the exchange with
 * the shortest round trip. A measurement exchanges timestamps before and after its samples, so that the host can
 * correct each sample for drift. */
#ifndef IC_ALIGN_H
#define IC_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

struct ic_run;

enum ic_align_when { IC_ALIGN_BEFORE, IC_ALIGN_AFTER };

/* Takes some dozens of exchanges, for which both cores spin for about 100 µs, and opens the series before.at,
 * before.there and before.back (or after.…). `at` is the moment of the first reading of `from`. Call it from the
 * console task while no other task is ready. Does nothing if from == to. Returns false, with run->error set, if the
 * exchange failed. */
bool ic_align_exchange(struct ic_run *run, enum ic_align_when when, uint32_t from, uint32_t to);

/* The origin of the measurement's moments: the reading of `from` in the first exchange before the samples. 0 if from ==
 * to. */
uint64_t ic_align_origin(void);

#endif
