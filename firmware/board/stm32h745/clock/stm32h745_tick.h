/* The phase of this core's kernel tick on the common clock
 *
 * The tick is the core's SysTick, which counts the core's clock. The common clock counts the buses' clock, which is as
 * fast, or a half, a quarter or an eighth as fast. Both come from one PLL, so an edge of the tick has a constant phase.
 * Each core determines this phase once, from several readings of both counters. An edge is the moment when SysTick
 * becomes 0 and requests its interrupt. The edge is uncertain by about ten cycles, the time that a read of the common
 * clock takes.
 *
 * A debugger that halts the core stops its SysTick, which changes the phase. */
#ifndef STM32H745_TICK_H
#define STM32H745_TICK_H

/* Determines the phase. Call it on each core, in its first task, before port_tick_edge(). */
void stm32h745_tick_start(void);

#endif
