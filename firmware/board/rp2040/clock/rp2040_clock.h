/* The common clock: 64 bits of clk_sys, the same for both cores.
 *
 * TIMER counts microseconds in 64 bits, which is too coarse; a PWM counter counts every cycle of clk_sys, in 16 bits,
 * which wrap after some hundred µs. Both run from one crystal: a microsecond is always exactly C cycles (C is
 * IC_CLOCK_MHZ, usually 125). So the cycle count is C × microseconds, corrected upwards to the nearest number whose low
 * 16 bits are those of the PWM counter. The counter is set at start so that the correction is about 500 cycles plus the
 * elapsed part of the microsecond: far from both ends of its 65,536, so that neither the order of the two reads, nor
 * cycles lost to the other core on the bus, can change the result.
 *
 * - Resolution: 1 cycle of clk_sys; 8 ns at 125 MHz.
 * - Moment: when the PWM counter is read, the first read of the function, 6 cycles after its first instruction begins,
 *   plus the wait states of APB and bus cycles lost to the other core until then.
 * - Offset: the clock counts from the start of TIMER, + 512 cycles + a constant below C (the phase of the PWM counter
 *   in TIMER's microsecond): constant from start to reset, and the same on both cores.
 * - Cost: CLOCK_CYCLES, without conflicts on the bus, and 3 for the caller's BL; a call from code in flash takes
 *   longer. The same at every level of optimisation: the function is in assembler (rp2040_clock.S), and in SRAM
 *   wherever other code is.
 * - Safe on both cores at once: it only reads, and not TIMELR and TIMEHR, whose latch the cores would share. The reads
 *   are done with interrupts masked (16 cycles), since they belong together; the mask is restored.
 * - Wraps after more than 4400 years. */
#ifndef RP2040_CLOCK_H
#define RP2040_CLOCK_H

#include <stdint.h>

#define CLOCK_CYCLES 41U

/* Value of port_clock() when TIMER becomes 0, below 65536: when TIMER becomes N it is C × N more, exactly. Determined
 * by rp2040_clock_start(). */
uint32_t rp2040_clock_phase(void);

/* Starts both counters. Call it once, on core 0, before anything reads the clock. */
void rp2040_clock_start(void);

/* Sets the PWM counter according to TIMER: the second half of rp2040_clock_start(), for tests that set TIMER. */
void rp2040_clock_align(void);

#endif
