/* port_cycles(): the core's own cycle counter, DWT_CYCCNT (ARM C1.8), which counts the core's clock.
 *
 * The counter has 32 bits and wraps after 9 s on the Cortex-M7 at 480 MHz. Each kernel tick of the core, once a
 * millisecond, saves the 64-bit count, and a reading adds the cycles since then. So a wrap is missed only if no tick
 * comes for 9 s; the watchdog resets the chip earlier.
 *
 * A sleeping core (WFI) would stop counting, because its clock stops. DBGMCU keeps the clock running (RM 63.5.8,
 * DBGSLEEP).
 *
 * Each core counts from its own start, at its own rate, so before readings of the two cores are subtracted, they must
 * be corrected for the offset between the counters (core/align.h). */
#ifndef STM32H745_CYCLES_H
#define STM32H745_CYCLES_H

/* Width of the counter. Must be a bare literal, without U or parentheses, because it also becomes the text of the
 * condition `clock.counter_bits`, which is stored with each run. */
#define CYCCNT_BITS 32

/* Starts the counter at 0. Call it on each core when that core starts. */
void stm32h745_cycles_start(void);

/* Saves the core's 64-bit count for later readings of port_cycles(). Each core calls it in the handler of its kernel
 * tick. */
void stm32h745_cycles_note(void);

#endif
