/* port_cycles(): the core's own cycle counter, DWT_CYCCNT (ARM C1.8), at the core's clock.
 *
 * It has 32 bits, which wrap after 9 s on the Cortex-M7 at 480 MHz. Each kernel tick of the core, a thousandth of a
 * second, notes the whole count; a reading adds the counts since then. So a wrap is missed only if the tick fails for 9
 * s; the watchdog acts before.
 *
 * A sleeping core (WFI) would stop counting, because its clock stops: DBGMCU keeps it running (RM 63.5.8, DBGSLEEP).
 *
 * Each core counts from its own start, at its own clock: the difference of readings on two cores is meaningless before
 * they are aligned (core/align.h). */
#ifndef STM32H745_CYCLES_H
#define STM32H745_CYCLES_H

/* A plain number, which is also a condition */
#define CYCCNT_BITS 32

/* Starts the counter at 0. Call it on each core, at its start. */
void stm32h745_cycles_start(void);

/* Notes the count. Call it on each core in its tick's handler. */
void stm32h745_cycles_note(void);

#endif
