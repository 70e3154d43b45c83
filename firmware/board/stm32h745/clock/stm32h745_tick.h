/* The phase of this core's kernel tick: at which moments of the common clock its edges come. An edge is the moment when
 * SysTick becomes 0 and requests its interrupt.
 *
 * The kernel tick is the core's SysTick, which counts the core's clock. The common clock counts the buses' clock, whose
 * rate is 1, 1/2, 1/4 or 1/8 of the core's. Both clocks come from one PLL, so the phase is constant. Each core
 * determines it once, from several readings of both counters. The result is uncertain by about ten cycles, the time
 * that a read of the common clock takes.
 *
 * A debugger that halts the core stops its SysTick, which changes the phase. */
#ifndef STM32H745_TICK_H
#define STM32H745_TICK_H

/* Determines the phase of this core's kernel tick on the common clock. Call it on each core, in its first task, before
 * port_tick_edge(). */
void stm32h745_tick_start(void);

#endif
