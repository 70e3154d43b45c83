#include "clocks.h"

#include "hardware/clocks.h"
#include "registers.h"

#define BIT_31 (1U << 31U)
#define SELECTED_FIRST 1U /* SELECTED shows source n as bit n */

void clocks_release_blocks(uint32_t blocks) {
    CLEAR_BITS(RESETS_RESET) = blocks;
    while ((RESETS_RESET_DONE & blocks) != blocks) {
    }
}

void clocks_reset_blocks(uint32_t blocks) {
    SET_BITS(RESETS_RESET) = blocks;
    clocks_release_blocks(blocks);
}

/* Nothing may run from PLL_SYS while it is set; a debugger may have started us with the clocks of another program. */
static void leave_pll(void) {
    CLK_SYS_RESUS_CTRL = 0;
    CLEAR_BITS(CLK_SYS_CTRL) = 1; /* clk_sys from clk_ref */
    while (CLK_SYS_SELECTED != SELECTED_FIRST) {
    }
    CLEAR_BITS(CLK_REF_CTRL) = 3; /* clk_ref from the ring oscillator */
    while (CLK_REF_SELECTED != SELECTED_FIRST) {
    }
}

static void start_crystal(void) {
    XOSC_CTRL = 0xaa0;    /* 1 to 15 MHz */
    XOSC_STARTUP = 47;    /* × 256 cycles: 1 ms (DS 2.16.3) */
    XOSC_CTRL = 0xfabaa0; /* on */
    while ((XOSC_STATUS & BIT_31) == 0) {
    }
}

/* 12 MHz × 125 = 1500 MHz, / 6 / 2 = 125 MHz (DS 2.18.2). */
static void start_pll(void) {
    clocks_reset_blocks(RESET_PLL_SYS);
    PLL_SYS_CS = 1;
    PLL_SYS_FBDIV_INT = 125;
    CLEAR_BITS(PLL_SYS_PWR) = 1U << 5U | 1U << 0U; /* oscillator and PLL on */
    while ((PLL_SYS_CS & BIT_31) == 0) {
    }
    PLL_SYS_PRIM = 6U << 16U | 2U << 12U;
    CLEAR_BITS(PLL_SYS_PWR) = 1U << 3U; /* dividers on */
}

void clocks_start(void) {
    leave_pll();
    start_crystal();
    start_pll();
    SET_BITS(CLK_REF_CTRL) = 2; /* crystal */
    while (CLK_REF_SELECTED != SELECTED_FIRST << 2U) {
    }
    CLK_SYS_DIV = 1U << 8U;
    CLEAR_BITS(CLK_SYS_CTRL) = 7U << 5U; /* auxiliary source: PLL_SYS */
    SET_BITS(CLK_SYS_CTRL) = 1;          /* from the auxiliary source */
    while (CLK_SYS_SELECTED != SELECTED_FIRST << 1U) {
    }
    CLK_PERI_CTRL = 1U << 11U;                                          /* on, from clk_sys */
    WATCHDOG_TICK = 1U << 9U | (uint32_t)CLOCKS_XOSC_HZ / CLOCKS_US_HZ; /* on, 1 µs (DS 4.7.2) */
}

uint32_t clock_get_hz(enum clock_index clock) {
    (void)clock; /* clk_sys is all that is asked for */
    return CLOCKS_SYS_HZ;
}
