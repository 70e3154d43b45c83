"""Build factors of the RP2350, in addition to the optimisation level and those that it shares with the RP2040."""

from __future__ import annotations

from intercore.board.factors import Factor

# PLL_SYS makes every whole number of megahertz up to 133, and every even one up to 150, the highest that the chip is
# specified for (RP2350 datasheet 8.6.3; pll.cmake of the firmware). USB needs more than 48 MHz (12.7.3.1, RP2350-E12).
CLOCK_MHZ = Factor(
    name="clock_mhz",
    title="system clock frequency in MHz",
    default=150,
    levels=(*range(49, 134), *range(134, 151, 2)),
)
