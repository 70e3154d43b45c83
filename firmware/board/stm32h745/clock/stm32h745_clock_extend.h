/* Makes a 64-bit clock from two hardware counters, without a lock or an interrupt. stm32h745_clock.h has the overview.
 *
 * `fine` counts every cycle of the clock, in 32 bits; `coarse` counts once every 2^24 cycles. Both come from one clock,
 * so their phase is constant. The 64-bit count is the smallest number that is at least coarse × 2^24 and has `fine` as
 * its low 32 bits. `fine` starts half its range ahead, so the count is about 2^31 above coarse × 2^24: far from 0 and
 * from 2^32, between which this computation is correct. Therefore `coarse` may be read up to CLOCK_EXTEND_MARGIN cycles
 * before `fine`, and it does not matter that synchronisation makes `coarse` lag a little. */
#ifndef STM32H745_CLOCK_EXTEND_H
#define STM32H745_CLOCK_EXTEND_H

#include <stdint.h>

#define CLOCK_EXTEND_COARSE_LOG2 24U
/* Start value of `fine`, at which `coarse` is 0 */
#define CLOCK_EXTEND_AHEAD 0x80000000U
/* Maximum number of cycles from the reading of `coarse` to the reading of `fine`; 8 s at 240 MHz */
#define CLOCK_EXTEND_MARGIN 0x78000000U

static inline uint64_t stm32h745_clock_extend(uint32_t coarse, uint32_t fine) {
    uint64_t least = (uint64_t)coarse << CLOCK_EXTEND_COARSE_LOG2;
    return least + (fine - (uint32_t)least);
}

/* Extends a 32-bit counter to a 64-bit count, which is returned. `before` is an earlier 64-bit count, at most 2^32 - 1
 * below the result. */
static inline uint64_t stm32h745_clock_extend_since(uint64_t before, uint32_t counter) {
    return before + (counter - (uint32_t)before);
}

#endif
