# The rate of the RP2040's clock clk_sys, and how PLL_SYS makes it.
set(IC_CLOCK_MHZ 125 CACHE STRING "Rate of clk_sys in MHz: 48 to 133")
if(NOT IC_CLOCK_MHZ MATCHES "^[0-9]+$" OR IC_CLOCK_MHZ LESS 48 OR IC_CLOCK_MHZ GREATER 133)
  message(FATAL_ERROR "IC_CLOCK_MHZ is a whole number from 48 to 133, and not ${IC_CLOCK_MHZ}.")
endif()
# PLL_SYS makes 12 MHz × FBDIV / (POSTDIV1 × POSTDIV2) (RP2040 datasheet, 2.18.2). If the product of the dividers is 12,
# FBDIV is the rate in MHz. For rates up to 66 MHz the product is 24, which keeps the PLL's oscillator in its range, and
# fast, for the least jitter. rp2_clocks.c checks all the rules.
set(pll_postdiv1 6)
set(pll_postdiv2 2)
if(IC_CLOCK_MHZ LESS_EQUAL 66)
  set(pll_postdiv2 4)
endif()
math(EXPR pll_fbdiv "${IC_CLOCK_MHZ} * ${pll_postdiv1} * ${pll_postdiv2} / 12")
