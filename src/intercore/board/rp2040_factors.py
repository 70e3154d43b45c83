"""What the RP2040's program can be built with, beside the optimisation level."""

from __future__ import annotations

from intercore.board.factors import Factor

# PLL_SYS makes every whole number of megahertz in this range (rp2040_clocks.h of the firmware). Other rates would have
# no whole number of cycles in a microsecond, which the common clock needs. USB needs 48 MHz, and 133 MHz is the highest
# that the chip is specified for (RP2040 datasheet 2.15.1).
CLOCK_MHZ = Factor(
    name="clock_mhz",
    title="rate of the system clock in MHz",
    default=125,
    levels=tuple(range(48, 134)),
)

CODE = Factor(
    name="code",
    title="place for the code",
    default="sram",
    levels=("sram", "flash"),
)

XIP_CACHE = Factor(
    name="xip_cache",
    title="state of the XIP cache",
    default="on",
    levels=("on", "off"),
    needs={"code": "flash"},
)
