/* port_cycles(): a counter of clk_sys for each core, which starts with that core, like the CCOUNT of an ESP32 or the
 * CYCCNT of a Cortex-M7.
 *
 * Core 0 counts from the first function of the image (rp2040_start.c), core 1 from its launch by the scheduler. The two
 * are not synchronised, so the difference of readings on two cores is meaningless before they are aligned
 * (core/align.h); `switch time=raw-counter` shows the result.
 *
 * Each core has its own PWM slice (1 + its number), 16 bits at clk_sys, not used otherwise. The number of wraps follows
 * from TIMER, in the way of rp2040_clock.h, whose margins apply: no interrupt counts wraps, and none can be missed.
 * Until the clocks run, SysTick counts the cycles of core 0.
 *
 * - Resolution: 1 cycle of clk_sys.
 * - Moment: when the slice's counter is read, 18 cycles after the function's first instruction begins, plus bus cycles
 *   lost to the other core until then.
 * - Cost: CYCLES_CYCLES, without conflicts on the bus, and 3 for the caller's BL; the same at every level of
 *   optimisation.
 * - Safe in tasks and interrupts, on both cores at once. The reads are done with interrupts masked (19 cycles), so that
 *   an unpinned task cannot migrate between them.
 * - Wraps after 4600 years. */
#ifndef RP2040_CYCLES_H
#define RP2040_CYCLES_H

#include <stdint.h>

#define CYCLES_CYCLES 62U

/* Of a PWM slice's counter (DS 4.5.2). A plain number, which is also a condition. */
#define CYCLES_BITS 16

/* Begins to count core 0's cycles, with SysTick. Call it first on core 0, before any variable is set. */
void rp2040_cycles_begin(void);

/* Continues core 0's counter from SysTick's count, less the few cycles in between. Call it on core 0 after the common
 * clock has been started, before the scheduler takes SysTick, and within 2^24 cycles after rp2040_cycles_begin(): a
 * start takes a hundredth of that. Waits for up to a microsecond, which is counted. */
void rp2040_cycles_go_on(void);

/* Starts a core's counter at `count`. Call it on that core, after the common clock has been started. Waits as above. */
void rp2040_cycles_start(uint32_t core, uint64_t count);

#endif
