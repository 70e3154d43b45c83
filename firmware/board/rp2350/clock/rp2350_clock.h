/* The common clock: MTIME (DS 3.1.8), which counts clk_sys in 64 bits and which both cores read in a cycle, each
 * through its own port.
 *
 * - Resolution: 1 cycle of clk_sys; 6.7 ns at 150 MHz.
 * - Moment of a reading: when the low half is read, the third instruction of port_clock().
 * - Cost: 12 cycles from one reading to the next, with calls and nothing else between. It is the same at every level of
 *   optimisation, because the function is written in assembler (rp2350_clock.S). It is always in SRAM, even if other
 *   code is in flash.
 * - Safe on both cores at once, in tasks and interrupts: the function only reads. If the low half wraps between its
 *   reads, which happens once in 28 s, it returns the moment of the wrap.
 * - Wraps after 3900 years. */
#ifndef RP2350_CLOCK_H
#define RP2350_CLOCK_H

#include <stdint.h>

/* Returns the value of port_clock() when TIMER0 becomes 0. When TIMER0 becomes N, port_clock() is exactly C × N more
 * (C: cycles per µs), because both follow one crystal. rp2350_clock_start() determines the value. */
uint32_t rp2350_clock_phase(void);

/* Starts MTIME and TIMER0. Call it once, on core 0, before anything reads the common clock. */
void rp2350_clock_start(void);

#endif
