/* Clocks and the blocks that need them. */
#ifndef RP2040_CLOCKS_H
#define RP2040_CLOCKS_H

#include <stdint.h>

/* In Hz. Without suffixes, because they also become text. The crystal of a Pico, and the output of PLL_SYS: a whole
 * number of MHz chosen at build time (board.cmake), so that a microsecond has a whole number of cycles. The default is
 * 125, as in the SDK. */
#define CLOCKS_XOSC_HZ 12000000
#define CLOCKS_US_HZ 1000000
#define CLOCKS_SYS_HZ CLOCKS_MHZ_TO_HZ(IC_CLOCK_MHZ)
#define CLOCKS_MHZ_TO_HZ(mhz) CLOCKS_APPEND(mhz, 000000)
#define CLOCKS_APPEND(digits, more) digits##more

/* clk_ref from the crystal, clk_sys and clk_peri from PLL_SYS, the 1 µs tick for TIMER, WATCHDOG and SysTick. */
void rp2040_clocks_start(void);

/* Takes blocks (bits of RESETS) out of reset and waits until they are ready; the second function resets them first. */
void rp2040_clocks_release_blocks(uint32_t blocks);
void rp2040_clocks_reset_blocks(uint32_t blocks);

#endif
