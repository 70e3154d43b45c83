/* port_cycles(): each core has its own counter of clk_sys cycles, which starts when that core starts, like the CCOUNT
 * of an ESP32 or the CYCCNT of a Cortex-M7.
 *
 * Core 0 counts from the first function of the image (rp2040_start.c), core 1 from when the scheduler launches it. The
 * two counters are not synchronised, so before readings of the two cores are subtracted, they must be corrected for the
 * offset between the counters (core/align.h). The benchmark `switch` with `time=raw-counter` shows what happens
 * otherwise.
 *
 * Each core has its own PWM slice (1 + the core's number), which counts clk_sys in 16 bits and has no other use. The
 * number of its wraps follows from TIMER, by the method of rp2040_clock.h and with the same margins. So there is no
 * interrupt that counts wraps, and no wrap can be missed. Until the clocks run, SysTick counts the cycles of core 0.
 *
 * - Resolution: 1 cycle of clk_sys.
 * - Moment of a reading: when the slice's counter is read, 18 cycles after the function's first instruction begins,
 *   plus bus cycles lost to the other core until then.
 * - Cost: CYCLES_CYCLES if there are no conflicts on the bus, plus 3 cycles for the caller's BL. The cost is the same
 *   at every level of optimisation.
 * - Safe in tasks and interrupts, on both cores at once. Interrupts are masked between the reads (19 cycles), so that
 *   an unpinned task cannot migrate between them.
 * - Wraps after 4600 years. */
#ifndef RP2040_CYCLES_H
#define RP2040_CYCLES_H

#include <stdint.h>

#define CYCLES_CYCLES 62U

/* Width of a PWM slice's counter in bits (DS 4.5.2). Must be a bare literal, because it also becomes the text of the
 * condition `clock.counter_bits`. */
#define CYCLES_BITS 16

/* The text of the condition `clock.counter` */
#define CYCLES_TEXT "a PWM counter for each core at clk_sys, begun when the core begins"

/* Begins to count core 0's cycles with SysTick. Call it on core 0, before all else and before any variable is set. */
void rp2040_cycles_begin(void);

/* Continues core 0's count in its PWM slice, from SysTick's count; the few cycles in between are not counted. Call it
 * on core 0 after the common clock has been started, and before the scheduler takes SysTick. The call must come within
 * 2^24 cycles after rp2040_cycles_begin(), because SysTick has 24 bits; start-up takes about a hundredth of that. Waits
 * for up to a microsecond, which the count includes. */
void rp2040_cycles_go_on(void);

/* Starts a core's counter at `count`. Call it on that core, after the common clock has been started. Waits for up to a
 * microsecond, which the count includes. */
void rp2040_cycles_start(uint32_t core, uint64_t count);

#endif
