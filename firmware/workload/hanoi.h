/* The towers of Hanoi, one at a time: also the work of the benchmark `contention`. */
#ifndef IC_HANOI_H
#define IC_HANOI_H

#include <stdint.h>

/* Solves one tower and returns the checksum of its moves; `discs` is 0 to 31. */
uint32_t ic_hanoi_tower(uint32_t discs);

/* The checksum that ic_hanoi_tower() must return. */
uint32_t ic_hanoi_expected(uint32_t discs);

#endif
