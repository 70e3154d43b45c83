/* The clocks, and the peripheral blocks that need them */
#ifndef RP2040_CLOCKS_H
#define RP2040_CLOCKS_H

#include <stdint.h>

/* Rates in Hz, without suffixes, because they also become text: the crystal of a Pico, and the output of PLL_SYS. The
 * latter is a whole number of MHz, so that a microsecond has a whole number of cycles. It is chosen at build time
 * (board.cmake); the default of 125 is the SDK's. */
#define CLOCKS_XOSC_HZ 12000000
#define CLOCKS_US_HZ 1000000
#define CLOCKS_SYS_HZ CLOCKS_MHZ_TO_HZ(IC_CLOCK_MHZ)
#define CLOCKS_MHZ_TO_HZ(mhz) CLOCKS_APPEND(mhz, 000000)
#define CLOCKS_APPEND(digits, more) digits##more

/* Starts the clocks: clk_ref from the crystal, clk_sys and clk_peri from PLL_SYS, and the tick of 1 µs for TIMER,
 * WATCHDOG and SysTick. */
void rp2040_clocks_start(void);

/* Takes peripheral blocks (bits of RESETS) out of reset and waits until they are ready. The second function first
 * resets them. */
void rp2040_clocks_release_blocks(uint32_t blocks);
void rp2040_clocks_reset_blocks(uint32_t blocks);

#endif
