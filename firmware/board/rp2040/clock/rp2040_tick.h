/* The phase of the kernel tick: at which moments of the common clock its edges come. An edge is the moment when SysTick
 * becomes 0 and requests its interrupt.
 *
 * The kernel tick is core 0's SysTick, which only core 0 can read. SysTick and the common clock (rp2040_clock.h) both
 * count clk_sys, so the phase is constant. It is determined once, on core 0, and both cores then use it.
 *
 * A debugger that halts core 0 stops its SysTick, which changes the phase. */
#ifndef RP2040_TICK_H
#define RP2040_TICK_H

/* Determines the phase of the kernel tick on the common clock. Call it on core 0, in the first task, before
 * port_tick_edge(). */
void rp2040_tick_start(void);

#endif
