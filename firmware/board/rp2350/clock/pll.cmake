# The rate of the RP2350's clock clk_sys, and how PLL_SYS makes it: 12 MHz × FBDIV / (POSTDIV1 × POSTDIV2) (DS 8.6.3).
# Of the dividers that give exactly this rate, those with the fastest oscillator are taken, for the least jitter.
# rp2_clocks.c checks all the rules.
set(IC_CLOCK_MHZ 150 CACHE STRING "Rate of clk_sys in MHz: 48 to 133, or an even number to 150")
set(pll_fbdiv 0)
if(IC_CLOCK_MHZ MATCHES "^[0-9]+$" AND IC_CLOCK_MHZ GREATER_EQUAL 48 AND IC_CLOCK_MHZ LESS_EQUAL 150)
  foreach(second RANGE 1 7)
    foreach(first RANGE ${second} 7)
      math(EXPR twelvefold "${IC_CLOCK_MHZ} * ${first} * ${second}")
      math(EXPR fbdiv "${twelvefold} / 12")
      math(EXPR rest "${twelvefold} % 12")
      # The oscillator runs at 750 to 1600 MHz.
      if(rest EQUAL 0 AND fbdiv GREATER_EQUAL 63 AND fbdiv LESS_EQUAL 133 AND fbdiv GREATER pll_fbdiv)
        set(pll_fbdiv ${fbdiv})
        set(pll_postdiv1 ${first})
        set(pll_postdiv2 ${second})
      endif()
    endforeach()
  endforeach()
endif()
if(pll_fbdiv EQUAL 0)
  message(FATAL_ERROR
    "IC_CLOCK_MHZ is a whole number from 48 to 133, or an even one to 150, and not ${IC_CLOCK_MHZ}.")
endif()
