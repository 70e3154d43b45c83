/* The towers of Hanoi, one at a time; also the work of the benchmark `contention`. */
#ifndef IC_HANOI_H
#define IC_HANOI_H

#include <stdint.h>

/* Solves one tower of 0 to 31 discs and returns the checksum of its moves. */
uint32_t ic_hanoi_tower(uint32_t discs);

/* Solves a tower in parts, each a tower of IC_HANOI_PART_DISCS discs, and calls `done` after each: 63 moves, about 16
 * µs of a core at 125 MHz. A smaller tower is one part; between two parts there is one move. */
#define IC_HANOI_PART_DISCS 6U
uint32_t ic_hanoi_tower_in_parts(uint32_t discs, void (*done)(void *arg), void *arg);

/* The checksum that both must return */
uint32_t ic_hanoi_expected(uint32_t discs);

#endif
