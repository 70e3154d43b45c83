/* Where the edges of the kernel's tick lie on the common clock.
 *
 * The kernel's tick is core 0's SysTick, which counts clk_sys and which only core 0 can read. The common clock counts
 * clk_sys as well (rp2040_clock.h), so an edge lies at the same phase of it for ever: it is found once, on core 0, and
 * known from then on to both cores. An edge is the moment in which SysTick comes to 0 and asks for its interrupt.
 *
 * (A debugger that halts core 0 stops its SysTick, and the phase is another one then.) */
#ifndef RP2040_TICK_H
#define RP2040_TICK_H

/* Finds the phase. To be called on core 0, by the first task, before port_tick_edge(). */
void rp2040_tick_start(void);

#endif
