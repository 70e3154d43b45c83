/* Starts the chip's clocks, and resets the peripheral blocks that they drive. */
#ifndef RP2_CLOCKS_H
#define RP2_CLOCKS_H

#include <stdint.h>

/* Rates in Hz: the crystal of a Pico, the tick of TIMER, and clk_sys, the output of PLL_SYS. They have no suffix such
 * as U, because they also become text. clk_sys is a whole number of MHz, so that a microsecond has a whole number of
 * cycles. It is chosen at build time (board.cmake); the default of 125 MHz is the SDK's. */
#define CLOCKS_XOSC_HZ 12000000
#define CLOCKS_US_HZ 1000000
#define CLOCKS_SYS_HZ CLOCKS_MHZ_TO_HZ(IC_CLOCK_MHZ)
#define CLOCKS_MHZ_TO_HZ(mhz) CLOCKS_APPEND(mhz, 000000)
#define CLOCKS_APPEND(digits, more) digits##more

/* Starts the clocks: clk_ref from the crystal, clk_sys and clk_peri from PLL_SYS, and the tick of 1 µs for TIMER,
 * WATCHDOG and SysTick; and sets whose accesses to the bus have priority. */
void rp2_clocks_start(void);

/* Starts a PLL (PLL_SYS, PLL_USB) from the crystal: its bit of RESETS, the factor from the crystal to its oscillator,
 * and PLL_DIVIDERS() of the oscillator to its output. No clock may run from it. */
#define PLL_DIVIDERS(first, second) ((uint32_t)(first) << 16U | (uint32_t)(second) << 12U)
void rp2_clocks_start_pll(uint32_t pll, uint32_t reset, uint32_t feedback, uint32_t dividers);

/* Take peripheral blocks (bits of RESETS) out of reset and wait until they are ready. rp2_clocks_reset_blocks()
 * first puts the blocks into reset. */
void rp2_clocks_release_blocks(uint32_t blocks);
void rp2_clocks_reset_blocks(uint32_t blocks);

#endif
