#include "rp2_clocks.h"

#include "chip.h"
#include "hardware/clocks.h"

#define BIT_31 (1U << 31U)
#define SELECTED_FIRST 1U /* bit n of a SELECTED register means that source n is in use */

void rp2_clocks_release_blocks(uint32_t blocks) {
    CLEAR_BITS(RESETS_RESET) = blocks;
    while ((RESETS_RESET_DONE & blocks) != blocks) {
    }
}

void rp2_clocks_reset_blocks(uint32_t blocks) {
    SET_BITS(RESETS_RESET) = blocks;
    rp2_clocks_release_blocks(blocks);
}

/* Switches all clocks away from PLL_SYS, because nothing may run from the PLL while it is configured. After a restart
 * by a debugger, clk_sys may still run from the PLL as earlier firmware has configured it. */
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
    XOSC_STARTUP = 47;    /* in units of 256 cycles: 1 ms (DS 2.16.3) */
    XOSC_CTRL = 0xfabaa0; /* on */
    while ((XOSC_STATUS & BIT_31) == 0) {
    }
}

/* Checks the frequency of the PLL's oscillator (VCO) and the dividers that pll.cmake has chosen (rules: DS 2.18.2). */
#define VCO_HZ (CLOCKS_XOSC_HZ * IC_PLL_FBDIV)
_Static_assert(CLOCKS_XOSC_HZ >= 5000000 && CLOCKS_XOSC_HZ <= VCO_HZ / 16, "the reference is at least 5 MHz");
_Static_assert(IC_PLL_FBDIV >= 16 && IC_PLL_FBDIV <= 320, "FBDIV is 16 to 320");
_Static_assert(VCO_HZ >= 750000000 && VCO_HZ <= 1600000000, "the oscillator runs at 750 to 1600 MHz");
_Static_assert(IC_PLL_POSTDIV2 >= 1 && IC_PLL_POSTDIV2 <= IC_PLL_POSTDIV1 && IC_PLL_POSTDIV1 <= 7,
               "both dividers are 1 to 7, the first the larger one, for less power");
_Static_assert(CLOCKS_SYS_HZ *(IC_PLL_POSTDIV1 *IC_PLL_POSTDIV2) == VCO_HZ, "clk_sys is what it is called, exactly");
_Static_assert(CLOCKS_SYS_HZ <= CHIP_FULL_SPEED_HZ, "the chip is rated for it");

void rp2_clocks_start_pll(uint32_t pll, uint32_t reset, uint32_t feedback, uint32_t dividers) {
    rp2_clocks_reset_blocks(reset);
    PLL_CS(pll) = 1;
    PLL_FBDIV_INT(pll) = feedback;
    CLEAR_BITS(PLL_PWR(pll)) = 1U << 5U | 1U << 0U; /* oscillator and PLL on */
    while ((PLL_CS(pll) & BIT_31) == 0) {
    }
    PLL_PRIM(pll) = dividers;
    CLEAR_BITS(PLL_PWR(pll)) = 1U << 3U; /* dividers on */
}

void rp2_clocks_start(void) {
    leave_pll();
    start_crystal();
    rp2_clocks_start_pll(PLL_SYS, RESET_PLL_SYS, IC_PLL_FBDIV, PLL_DIVIDERS(IC_PLL_POSTDIV1, IC_PLL_POSTDIV2));
    SET_BITS(CLK_REF_CTRL) = 2; /* crystal */
    while (CLK_REF_SELECTED != SELECTED_FIRST << 2U) {
    }
    CLK_SYS_DIV = CHIP_CLK_SYS_DIV_1;
    CLEAR_BITS(CLK_SYS_CTRL) = 7U << 5U; /* auxiliary source: PLL_SYS */
    SET_BITS(CLK_SYS_CTRL) = 1;          /* from the auxiliary source */
    while (CLK_SYS_SELECTED != SELECTED_FIRST << 1U) {
    }
    CLK_PERI_CTRL = 1U << 11U; /* on, from clk_sys */
    chip_start_ticks(CLOCKS_XOSC_HZ / CLOCKS_US_HZ);
    rp2_clocks_release_blocks(RESET_BUSCTRL);
    BUSCTRL_BUS_PRIORITY = IC_BUS_PRIORITY_BITS;
}

uint32_t clock_get_hz(enum clock_index clock) {
    (void)clock; /* clk_sys is the only clock that is requested */
    return CLOCKS_SYS_HZ;
}
