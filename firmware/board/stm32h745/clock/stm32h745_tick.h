/* The phase of this core's kernel tick on the common clock
 *
 * The tick is the core's SysTick, which counts the core's clock; the common clock counts the buses', which is the same
 * or a half, a quarter or an eighth of it. Both come from one PLL, so the phase of an edge is constant: each core
 * determines it once, from several readings of both counters. An edge is the moment when SysTick becomes 0 and requests
 * its interrupt; its uncertainty is the way to the common clock and back, about ten cycles.
 *
 * (A debugger that halts the core stops its SysTick, which changes the phase.) */
#ifndef STM32H745_TICK_H
#define STM32H745_TICK_H

/* Determines the phase. Call it on each core, in its first task, before port_tick_edge(). */
void stm32h745_tick_start(void);

#endif
