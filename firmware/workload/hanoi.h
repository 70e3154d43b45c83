/* Solves one tower of Hanoi per call, for the workload `hanoi` and the benchmark `contention`. */
#ifndef IC_HANOI_H
#define IC_HANOI_H

#include <stdint.h>

/* Solves one tower of 0 to 31 discs and returns the checksum of its moves. */
uint32_t ic_hanoi_tower(uint32_t discs);

/* Solves a tower in parts, and calls `done` after each part. A part is a tower of IC_HANOI_PART_DISCS discs, which
 * takes 63 moves, about 16 µs on a core at 125 MHz. Between two parts there is one more move. A smaller tower is a
 * single part. */
#define IC_HANOI_PART_DISCS 6U
uint32_t ic_hanoi_tower_in_parts(uint32_t discs, void (*done)(void *arg), void *arg);

/* Returns the checksum that ic_hanoi_tower() and ic_hanoi_tower_in_parts() must return. */
uint32_t ic_hanoi_expected(uint32_t discs);

#endif
