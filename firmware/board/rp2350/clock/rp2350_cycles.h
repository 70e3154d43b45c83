/* port_cycles(): each core's own mcycle, a 64-bit count of clk_sys cycles that starts when that core starts.
 *
 * Core 0 counts from the first function of the image (rp2_start.c), core 1 from when the scheduler launches it. The two
 * counters are not synchronised, so before readings of the two cores are subtracted, they must be corrected for the
 * offset between the counters (core/align.h).
 *
 * - Resolution: 1 cycle of clk_sys.
 * - Moment of a reading: when mcycle is read, the second instruction of the function.
 * - Cost: the same at every level of optimisation, because the function is written in assembler (rp2350_clock.S).
 * - Safe in tasks and interrupts, on both cores at once.
 * - Wraps after 3900 years. */
#ifndef RP2350_CYCLES_H
#define RP2350_CYCLES_H

#include <stdint.h>

/* Width of mcycle in bits (DS 3.8.9). A bare literal, because it also becomes the text of the condition
 * `clock.counter_bits`. */
#define CYCLES_BITS 64

/* The text of the condition `clock.counter` */
#define CYCLES_TEXT "mcycle of each core, begun when the core begins"

/* Starts the calling core's counter at 0. After a reset it stands still (DS 3.8.9, MCOUNTINHIBIT). */
static inline void rp2350_cycles_begin(void) {
    __asm volatile("csrw mcycle, zero\n"
                   "csrw mcycleh, zero\n"
                   "csrw mcountinhibit, zero");
}

#endif
