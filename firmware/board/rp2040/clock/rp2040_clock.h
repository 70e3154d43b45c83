/* The common clock: a 64-bit count of clk_sys cycles, the same for both cores.
 *
 * TIMER counts microseconds in 64 bits, which is too coarse. A PWM counter counts every cycle of clk_sys, but only in
 * 16 bits, which wrap after a few hundred µs. Both come from one crystal, so a microsecond is always exactly C cycles
 * (C is IC_CLOCK_MHZ, usually 125). The cycle count is therefore C × microseconds, corrected upwards to the nearest
 * number whose low 16 bits are those of the PWM counter. At start the counter is set so that this correction is about
 * 500 cycles plus the elapsed part of the microsecond. That is far from both ends of its range of 65,536, so neither
 * the order of the two reads nor cycles lost to the other core on the bus can change the result.
 *
 * - Resolution: 1 cycle of clk_sys; 8 ns at 125 MHz.
 * - Moment of a reading: when the PWM counter is read. That is the first read of the function, 6 cycles after its first
 *   instruction begins, plus wait states of APB and bus cycles lost to the other core until then.
 * - Offset: when TIMER starts at 0, the clock reads 512 less the few cycles from an edge of TIMER until the PWM counter
 *   is set. The offset is constant from start to reset, and the same on both cores.
 * - Cost: CLOCK_CYCLES if there are no conflicts on the bus, plus 3 cycles for the caller's BL; a call from code in
 *   flash takes longer. The cost is the same at every level of optimisation, because the function is written in
 *   assembler (rp2040_clock.S). It is always in SRAM, even if other code is in flash.
 * - Safe on both cores at once: the function only reads. It does not read TIMELR and TIMEHR, whose latch the two cores
 *   would share. Interrupts are masked from the first to the last read (16 cycles), so that no handler runs between the
 *   reads; the previous mask is then restored.
 * - Wraps after more than 4400 years. */
#ifndef RP2040_CLOCK_H
#define RP2040_CLOCK_H

#include <stdint.h>

#define CLOCK_CYCLES 41U

/* Returns the value of port_clock() when TIMER becomes 0, which is below 65536. When TIMER becomes N, port_clock() is
 * exactly C × N more (C: cycles per µs). rp2040_clock_start() determines the value. */
uint32_t rp2040_clock_phase(void);

/* Starts TIMER and the PWM counter. Call it once, on core 0, before anything reads the common clock. */
void rp2040_clock_start(void);

/* Sets the PWM counter so that it matches TIMER again. rp2040_clock_start() calls it; so do tests that have set
 * TIMER. */
void rp2040_clock_align(void);

#endif
