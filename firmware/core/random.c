#include "random.h"

uint64_t ic_random_next(struct ic_random *random) {
    random->state += 0x9E3779B97F4A7C15U;
    uint64_t z = random->state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

uint32_t ic_random_below(struct ic_random *random, uint32_t limit) {
    return (uint32_t)(((ic_random_next(random) >> 32U) * limit) >> 32U);
}
