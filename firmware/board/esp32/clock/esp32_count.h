/* The arithmetic of the common clock: how a core's counter of 32 bits becomes one of 64, and what exchanges between the
 * cores say about how far apart two of those are. Pure functions, which touch no register: tests/firmware/esp32 has
 * them checked against a model. esp32_clock.h has the whole. */
#ifndef ESP32_COUNT_H
#define ESP32_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* The count of 64 bits, from the counter's 32 bits and a count at most 2^32 - 1 before. */
static inline uint64_t count_since(uint64_t before, uint32_t counter) {
    return before + (uint32_t)(counter - (uint32_t)before);
}

/* By how much the count of one core is ahead of another's (behind if negative): between `least` and `most`. */
struct count_ahead {
    int64_t least;
    int64_t most;
};

/* Nothing is known. */
#define COUNT_AHEAD_UNKNOWN ((struct count_ahead){.least = INT64_MIN, .most = INT64_MAX})

/* What else is known. */
static inline void count_narrow(struct count_ahead *ahead, int64_t least, int64_t most) {
    ahead->least = least > ahead->least ? least : ahead->least;
    ahead->most = most < ahead->most ? most : ahead->most;
}

/* What an exchange adds to that: a core has read `before`, then the other one `there`, then the first one `after`.
 * Whatever the ways took, `there` was read between the two (Cristian 1989, Probabilistic clock synchronization). As the
 * counts run from one clock, they stay as far apart as they are, so bounds of different exchanges hold together: the
 * upper one is from that in which the way there was the shortest, the lower one from that of the shortest way back. */
static inline void count_exchanged(struct count_ahead *ahead, uint64_t before, uint64_t there, uint64_t after) {
    count_narrow(ahead, (int64_t)(there - after), (int64_t)(there - before));
}

/* Whether there is an offset that fits all exchanges. If not, the counts do not run from one clock. */
static inline bool count_is_known(const struct count_ahead *ahead) {
    return ahead->least != INT64_MIN && ahead->least <= ahead->most;
}

/* The offset to be taken, in the middle of what is known, */
static inline int64_t count_middle(const struct count_ahead *ahead) {
    return ahead->least + (ahead->most - ahead->least) / 2;
}

/* and how far the true one can be from it, either way. */
static inline uint64_t count_within(const struct count_ahead *ahead) {
    return ((uint64_t)ahead->most - (uint64_t)ahead->least + 1U) / 2U;
}

#define COUNT_WRAP (INT64_C(1) << 32)

/* The counts begin as what the counters hold then. Where one counter has wrapped before that and the other has not,
 * they seem to be a whole wrap farther apart than they are. Says whose count lacks one, 0 or 1, or 2 for neither, and
 * puts right what is known. The cores must have begun less than half a wrap apart: 8.9 s at 240 MHz, where a boot takes
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

/* By how many parts per million `counted` differs from what `us` microseconds of a clock at `hz` are: positive if the
 * clock is the faster one. `us` is at least 1 and at most 10^6, hz at most 10^9. */
static inline int32_t count_ppm(uint64_t counted, uint64_t us, uint64_t hz) {
    int64_t expected = (int64_t)(us * hz / 1000000U);
    return (int32_t)(((int64_t)counted - expected) * 1000000 / expected);
}

/* ---- a slower counter beside the clock ---- */

/* How the clock and a counter from the same crystal go together: `counts` of the counter last `cycles` of the clock, in
 * lowest terms. */
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

/* Whole cycles that so many counts last. Their product with scale.cycles is below 2^64. */
static inline uint64_t count_cycles(struct count_scale scale, uint64_t counts) {
    return counts * scale.cycles / scale.counts;
}

/* Counts after which so many cycles are over: the least that last as long. Its product with scale.counts is below
 * 2^63. */
static inline uint64_t count_counts(struct count_scale scale, uint64_t cycles) {
    return (cycles * scale.counts + scale.cycles - 1U) / scale.cycles;
}

/* What a reading adds to what is known of the clock's moment at which a count began: the counter had gone `counted`
 * counts since, somewhere between the clock's readings `before` and `after`. A cycle more is left at the lower end for
 * the part of one that count_cycles() drops. */
static inline void count_read_between(struct count_ahead *began, struct count_scale scale, uint64_t before,
                                      uint64_t counted, uint64_t after) {
    count_narrow(began, (int64_t)(before - count_cycles(scale, counted + 1U) - 1U),
                 (int64_t)(after - count_cycles(scale, counted)));
}

#endif
