/* port_cycles(): the core's own cycle counter, DWT_CYCCNT (ARM C1.8), at the core's clock.
 *
 * It has 32 bits, which the Cortex-M7 counts through in 9 s at 480 MHz. Each kernel tick of the core, a thousandth of a
 * second, notes the whole count; a reading is the note and what has been counted since. So no wrap is missed unless the
 * tick is, for 9 s, and then the watchdog comes first.
 *
 * A core that sleeps (WFI) would stop counting, because its clock stops: DBGMCU keeps it running (RM 63.5.8, DBGSLEEP).
 *
 * Core 0 counts from its start, core 1 from its own, each at its own clock: the difference of two readings taken on two
 * cores says nothing before they are aligned (core/align.h). */
#ifndef STM32H745_CYCLES_H
#define STM32H745_CYCLES_H

/* A number alone: it is told as a condition, too. */
#define CYCCNT_BITS 32

/* Starts the counter at 0. To be called on each core, at its start. */
void stm32h745_cycles_start(void);

/* Notes the count. To be called on each core by its tick's handler. */
void stm32h745_cycles_note(void);

#endif
