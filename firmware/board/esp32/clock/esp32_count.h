/* Arithmetic of the common clock: how a 32-bit counter is extended to a 64-bit count, and how exchanges between two
 * cores bound the offset of their counts. These are pure functions that access no registers, and tests/firmware/esp32
 * checks them against a model. esp32_clock.h has the overview. */
#ifndef ESP32_COUNT_H
#define ESP32_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* The 64-bit count for a 32-bit reading of the counter; `before` is an earlier count, at most 2^32 - 1 less */
static inline uint64_t count_since(uint64_t before, uint32_t counter) {
    return before + (uint32_t)(counter - (uint32_t)before);
}

/* Bounds of the lead of one core's count over another's; a negative lead is a lag */
struct count_ahead {
    int64_t least;
    int64_t most;
};

/* Bounds before the first exchange */
#define COUNT_AHEAD_UNKNOWN ((struct count_ahead){.least = INT64_MIN, .most = INT64_MAX})

/* Narrows the bounds to the part that is also within `least` and `most`. */
static inline void count_narrow(struct count_ahead *ahead, int64_t least, int64_t most) {
    ahead->least = least > ahead->least ? least : ahead->least;
    ahead->most = most < ahead->most ? most : ahead->most;
}

/* Adds the bounds that an exchange gives: a core reads `before`, then the other core reads `there`, then the first core
 * reads `after`. However long the question and the answer took, `there` was read between `before` and `after` (Cristian
 * 1989, Probabilistic clock synchronization). Both cores count the same clock, so the offset is constant, and the
 * bounds of all exchanges can be combined: the upper bound comes from the exchange with the fastest question, the lower
 * bound from the exchange with the fastest answer. */
static inline void count_exchanged(struct count_ahead *ahead, uint64_t before, uint64_t there, uint64_t after) {
    count_narrow(ahead, (int64_t)(there - after), (int64_t)(there - before));
}

/* Whether there is an offset that fits all exchanges. If not, the cores do not count the same clock. */
static inline bool count_is_known(const struct count_ahead *ahead) {
    return ahead->least != INT64_MIN && ahead->least <= ahead->most;
}

/* The offset: the middle of the bounds */
static inline int64_t count_middle(const struct count_ahead *ahead) {
    return ahead->least + (ahead->most - ahead->least) / 2;
}

/* The uncertainty of the offset: it may be this much larger or smaller than count_middle(). */
static inline uint64_t count_within(const struct count_ahead *ahead) {
    return ((uint64_t)ahead->most - (uint64_t)ahead->least + 1U) / 2U;
}

#define COUNT_WRAP (INT64_C(1) << 32)

/* Corrects the bounds if one core's count is too low by one wrap of the counter, 2^32. Returns that core, 0 or 1, or 2
 * if neither count is too low. The counts begin with the current values of the counters: if one counter has already
 * wrapped and the other has not, the offset appears to be one wrap too large. The cores must have started less than
 * half a wrap apart, 8.9 s at 240 MHz; a boot takes less. */
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

/* Compares a clock of the nominal rate `hz`, which counted `counted` ticks, with a reference clock on which `us`
 * microseconds passed meanwhile. Returns the deviation in parts per million, positive if the first clock is fast. `us`
 * is 1 to 10^6, `hz` at most 10^9. */
static inline int32_t count_ppm(uint64_t counted, uint64_t us, uint64_t hz) {
    int64_t expected = (int64_t)(us * hz / 1000000U);
    return (int32_t)(((int64_t)counted - expected) * 1000000 / expected);
}

/* ---- a slower counter relative to the clock ---- */

/* Ratio of the rates of the clock and of a counter that come from the same crystal, in lowest terms: `counts` counts of
 * the counter take `cycles` cycles of the clock. */
struct count_scale {
    uint64_t cycles;
    uint64_t counts;
};

/* Finds the ratio by Euclid's algorithm. Both rates must be at least 1 Hz. */
static inline struct count_scale count_scale_of(uint64_t clock_hz, uint64_t counter_hz) {
    uint64_t divisor = clock_hz;
    for (uint64_t rest = counter_hz; rest != 0;) {
        uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return (struct count_scale){.cycles = clock_hz / divisor, .counts = counter_hz / divisor};
}

/* Number of whole clock cycles in `counts` counts of the counter. counts × scale.cycles must be below 2^64. */
static inline uint64_t count_cycles(struct count_scale scale, uint64_t counts) {
    return counts * scale.cycles / scale.counts;
}

/* Smallest number of counts that take at least `cycles` cycles. cycles × scale.counts must be below 2^63. */
static inline uint64_t count_counts(struct count_scale scale, uint64_t cycles) {
    return (cycles * scale.counts + scale.cycles - 1U) / scale.cycles;
}

/* Narrows the bounds of the moment, on the clock, at which the counter reached a certain value. A reading of the
 * counter between the clock's readings `before` and `after` was `counted` counts above that value. The lower bound is
 * one cycle lower, because count_cycles() rounds down. */
static inline void count_read_between(struct count_ahead *began, struct count_scale scale, uint64_t before,
                                      uint64_t counted, uint64_t after) {
    count_narrow(began, (int64_t)(before - count_cycles(scale, counted + 1U) - 1U),
                 (int64_t)(after - count_cycles(scale, counted)));
}

#endif
