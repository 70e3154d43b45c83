/* Aligning the counters of two cores: exchanged time stamps, from which the desk tells how far apart port_cycles() of
 * the two cores was, and how well that can be told.
 *
 * In an exchange, core `from` reads its counter and asks; core `to`, which spins, reads its own and answers; `from`
 * reads again. The second reading lies between the other two, so with
 *
 *   there = reading of `to` - first reading of `from`
 *   back  = second reading of `from` - reading of `to`
 *
 * `to` is ahead of `from` by at most `there` and by at least -`back`, whatever the way of the question and of the
 * answer took: by (there - back) / 2, give or take (there + back) / 2. Nothing is chosen or averaged here: of many
 * exchanges the desk takes the one with the shortest round trip. A measurement does exchanges before and after its
 * samples, so that drift between the counters shows, too, and can be taken out of each sample by its moment. */
#ifndef IC_ALIGN_H
#define IC_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

struct ic_run;

enum ic_align_when { IC_ALIGN_BEFORE, IC_ALIGN_AFTER };

/* Takes some dozens of exchanges, with both cores spinning for some 100 µs, and sends them as the series before.at,
 * before.there, before.back, or after.…: at is the moment of the first reading of `from`. To be called by the console
 * task while no other task is ready. Nothing happens if from and to are the same. False, with run->error filled, if the
 * exchange could not be done. */
bool ic_align_exchange(struct ic_run *run, enum ic_align_when when, uint32_t from, uint32_t to);

/* The reading of `from` from which the moments of the present measurement count, as those of its samples should: that
 * of the first exchange before; 0 if from and to are the same. */
uint64_t ic_align_origin(void);

#endif
