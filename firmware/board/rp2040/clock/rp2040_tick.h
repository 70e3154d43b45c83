/* The phase of the kernel's tick on the common clock
 *
 * The kernel's tick is core 0's SysTick, which counts clk_sys and which only core 0 can read. The common clock also
 * counts clk_sys (rp2040_clock.h), so an edge of the tick has a constant phase. The phase is determined once, on core
 * 0, and both cores then use it. An edge is the moment when SysTick becomes 0 and requests its interrupt.
 *
 * A debugger that halts core 0 stops its SysTick, which changes the phase. */
#ifndef RP2040_TICK_H
#define RP2040_TICK_H

/* Determines the phase. Call it on core 0, in the first task, before port_tick_edge(). */
void rp2040_tick_start(void);

#endif
