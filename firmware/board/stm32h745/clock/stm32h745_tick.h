/* Where the edges of this core's kernel tick lie on the common clock.
 *
 * The tick is the core's SysTick, which counts the core's clock; the common clock counts the buses', which is the same
 * or a half, a quarter or an eighth of it. Both come from one PLL, so an edge lies at the same phase of the common
 * clock for ever: it is found once by each core, from some readings of both counters. An edge is the moment in which
 * SysTick comes to 0 and asks for its interrupt; what is known of it is right to the way to the common clock and back,
 * some ten cycles.
 *
 * (A debugger that halts the core stops its SysTick, and the phase is another one then.) */
#ifndef STM32H745_TICK_H
#define STM32H745_TICK_H

/* Finds the phase. To be called on each core, by its first task, before port_tick_edge(). */
void stm32h745_tick_start(void);

#endif
