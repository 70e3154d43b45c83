/* port_cycles(): a counter of clk_sys for each core, which begins when that core does, as the CCOUNT of an ESP32 or the
 * CYCCNT of a Cortex-M7 would.
 *
 * Core 0 counts from the first function of the image (rp2040_start.c), core 1 from its launch by the scheduler. Nothing
 * synchronises the two, so the difference of two readings taken on two cores says nothing before they are aligned
 * (core/align.h); `switch time=raw-counter` shows what becomes of it.
 *
 * Each core has a PWM slice of its own for it (1 + its number), 16 bits at clk_sys, which nothing else uses. How often
 * the slice has wrapped is told by TIMER, in the way of rp2040_clock.h, whose margins hold here, too: so no interrupt
 * counts wraps, and none can be missed. Until the clocks run, SysTick counts the cycles of core 0.
 *
 * - Resolution: 1 cycle of clk_sys.
 * - Moment: that in which the slice's counter is read, 18 cycles after the function's first instruction begins, plus
 *   what the other core takes of the bus until then.
 * - Cost: CYCLES_CYCLES, without conflicts on the bus, and 3 for the caller's BL; the same at every level of
 *   optimisation.
 * - Safe in tasks and interrupts, on both cores at once. The reads are done with interrupts masked (19 cycles), so that
 *   an unpinned task cannot change cores between them.
 * - Wraps after 4600 years. */
#ifndef RP2040_CYCLES_H
#define RP2040_CYCLES_H

#include <stdint.h>

#define CYCLES_CYCLES 62U

/* Of a PWM slice's counter (DS 4.5.2). A number alone: it is told as a condition, too. */
#define CYCLES_BITS 16

/* Begins to count core 0's cycles, by SysTick. To be called on core 0, first of all, before any variable is set. */
void rp2040_cycles_begin(void);

/* Has core 0's counter go on from what SysTick has counted, less the few cycles in between. To be called on core 0,
 * once the common clock has been started, before the scheduler takes SysTick, and within 2^24 cycles after
 * rp2040_cycles_begin(): a start takes a hundredth of that. Waits for up to a microsecond, which is counted. */
void rp2040_cycles_go_on(void);

/* Starts a core's counter at `count`. To be called on that core, once the common clock has been started. Waits as
 * above. */
void rp2040_cycles_start(uint32_t core, uint64_t count);

#endif
