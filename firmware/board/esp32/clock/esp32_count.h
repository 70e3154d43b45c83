/* Arithmetic of the common clock: how a core's counter of 32 bits becomes one of 64, and the bounds that exchanges
 * between cores give for their offset. Pure functions without registers: tests/firmware/esp32 checks them against a
 * model. esp32_clock.h has the overview. */
#ifndef ESP32_COUNT_H
#define ESP32_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* The count of 64 bits, from the counter's 32 bits and an earlier count, at most 2^32 - 1 less */
static inline uint64_t count_since(uint64_t before, uint32_t counter) {
    return before + (uint32_t)(counter - (uint32_t)before);
}

/* The lead of one core's count over another's (negative: lag): between `least` and `most` */
struct count_ahead {
    int64_t least;
    int64_t most;
};

/* Nothing is known. */
#define COUNT_AHEAD_UNKNOWN ((struct count_ahead){.least = INT64_MIN, .most = INT64_MAX})

/* Adds other knowledge. */
static inline void count_narrow(struct count_ahead *ahead, int64_t least, int64_t most) {
    ahead->least = least > ahead->least ? least : ahead->least;
    ahead->most = most < ahead->most ? most : ahead->most;
}

/* Adds an exchange: a core has read `before`, then the other one `there`, then the first one `after`. However long the
 * ways took, `there` was read between the two (Cristian 1989, Probabilistic clock synchronization). The counts run from
 * one clock, so their offset is constant, and bounds of different exchanges combine: the upper one is from the shortest
 * way there, the lower one from the shortest way back. */
static inline void count_exchanged(struct count_ahead *ahead, uint64_t before, uint64_t there, uint64_t after) {
    count_narrow(ahead, (int64_t)(there - after), (int64_t)(there - before));
}

/* Whether an offset fits all exchanges. If not, the counts do not run from one clock. */
static inline bool count_is_known(const struct count_ahead *ahead) {
    return ahead->least != INT64_MIN && ahead->least <= ahead->most;
}

/* The middle of the bounds, as the offset, */
static inline int64_t count_middle(const struct count_ahead *ahead) {
    return ahead->least + (ahead->most - ahead->least) / 2;
}

/* and its uncertainty, either way. */
static inline uint64_t count_within(const struct count_ahead *ahead) {
    return ((uint64_t)ahead->most - (uint64_t)ahead->least + 1U) / 2U;
}

#define COUNT_WRAP (INT64_C(1) << 32)

/* The counts begin with the present values of the counters. If one counter has wrapped before and the other has not,
 * the offset appears to be a whole wrap larger. Returns the core whose count lacks a wrap, 0 or 1, or 2 for neither,
 * and corrects the bounds. The cores must have started less than half a wrap apart: 8.9 s at 240 MHz; a boot takes
 * less. */
static inline uint32_t count_unwrap(struct count_ahead *ahead) {
    int64_t found = count_middle(ahead);
    if (found > -COUNT_WRAP / 2 && found < COUNT_WRAP / 2) {
        return 2;
    }
    int64_t wrap = found < 0 ? -COUNT_WRAP : COUNT_WRAP;
    ahead->least -= wrap;
    ahead->most -= wrap;
    return found < 0 ? 1 : 0;
}

/* Difference of `counted` from `us` microseconds of a clock at `hz`, in parts per million; positive if the clock is
 * faster. `us` is at least 1 and at most 10^6, hz at most 10^9. */
static inline int32_t count_ppm(uint64_t counted, uint64_t us, uint64_t hz) {
    int64_t expected = (int64_t)(us * hz / 1000000U);
    return (int32_t)(((int64_t)counted - expected) * 1000000 / expected);
}

/* ---- a slower counter relative to the clock ---- */

/* Ratio of the clock and a counter from the same crystal: `counts` of the counter last `cycles` of the clock, in lowest
 * terms. */
struct count_scale {
    uint64_t cycles;
    uint64_t counts;
};

/* Both rates are at least 1 Hz. By Euclid's algorithm. */
static inline struct count_scale count_scale_of(uint64_t clock_hz, uint64_t counter_hz) {
    uint64_t divisor = clock_hz;
    for (uint64_t rest = counter_hz; rest != 0;) {
        uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return (struct count_scale){.cycles = clock_hz / divisor, .counts = counter_hz / divisor};
}

/* Whole cycles of that many counts. Their product with scale.cycles is below 2^64. */
static inline uint64_t count_cycles(struct count_scale scale, uint64_t counts) {
    return counts * scale.cycles / scale.counts;
}

/* Smallest number of counts that last at least that many cycles. Its product with scale.counts is below 2^63. */
static inline uint64_t count_counts(struct count_scale scale, uint64_t cycles) {
    return (cycles * scale.counts + scale.cycles - 1U) / scale.cycles;
}

/* Narrows the bounds of the clock's moment at which a count began: the counter had advanced by `counted` since, between
 * the clock's readings `before` and `after`. The lower bound has one cycle more, for the fraction that count_cycles()
 * drops. */
static inline void count_read_between(struct count_ahead *began, struct count_scale scale, uint64_t before,
                                      uint64_t counted, uint64_t after) {
    count_narrow(began, (int64_t)(before - count_cycles(scale, counted + 1U) - 1U),
                 (int64_t)(after - count_cycles(scale, counted)));
}

#endif
