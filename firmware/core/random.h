/* Seeded random numbers for dither: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * OOPSLA 2014). The same seed gives the same sequence on every platform. */
#ifndef IC_RANDOM_H
#define IC_RANDOM_H

#include <stdint.h>

struct ic_random {
    uint64_t state;
};

/* Returns a random number, uniform over all 64-bit values. */
uint64_t ic_random_next(struct ic_random *random);

/* Returns a random number, uniform in 0 to limit - 1, with a bias below limit / 2^32; limit is 1 to UINT32_MAX. */
uint32_t ic_random_below(struct ic_random *random, uint32_t limit);

#endif
