/* Two hardware counters make one clock of 64 bits, without a lock or an interrupt; stm32h745_clock.h has the overview.
 *
 * `fine` counts every cycle of the clock, in 32 bits; `coarse` counts each 2^24 of them. Both run from one clock, so
 * their phase is constant. `fine` was set half its range ahead, so that the count is the smallest number from coarse ×
 * 2^24 upwards whose low 32 bits are `fine`. It is about 2^31 above it: far from both ends of the 2^32 at which the
 * correction would fail. So `coarse` may be read up to CLOCK_EXTEND_MARGIN cycles before `fine`, and its lag from
 * synchronisation does not matter. */
#ifndef STM32H745_CLOCK_EXTEND_H
#define STM32H745_CLOCK_EXTEND_H

#include <stdint.h>

#define CLOCK_EXTEND_COARSE_LOG2 24U
/* Start value of `fine`, with `coarse` at 0 */
#define CLOCK_EXTEND_AHEAD 0x80000000U
/* Maximum distance of the two readings, in cycles; 8 s at 240 MHz */
#define CLOCK_EXTEND_MARGIN 0x78000000U

static inline uint64_t stm32h745_clock_extend(uint32_t coarse, uint32_t fine) {
    uint64_t least = (uint64_t)coarse << CLOCK_EXTEND_COARSE_LOG2;
    return least + (fine - (uint32_t)least);
}

/* The count of a 32-bit counter, given an earlier one, at most 2^32 - 1 less */
static inline uint64_t stm32h745_clock_extend_since(uint64_t before, uint32_t counter) {
    return before + (counter - (uint32_t)before);
}

#endif
