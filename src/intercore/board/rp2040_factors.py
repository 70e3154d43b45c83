"""What the RP2040's program can be built with, beside the optimisation level."""

from __future__ import annotations

from intercore.board.factors import OPT, OPT_LEVELS, Factor, Partners, recorder

# PLL_SYS makes every whole number of megahertz in this range (rp2040_clocks.h of the firmware). Other rates would have
# no whole number of cycles in a microsecond, which the common clock needs. USB needs 48 MHz, and 133 MHz is the highest
# that the chip is specified for (RP2040 datasheet 2.15.1).
CLOCK_MHZ = Factor(
    name="clock_mhz",
    title="rate of the system clock in MHz",
    default=125,
    levels=tuple(range(48, 134)),
)


def _recorder(*levels: int) -> Factor:
    beside = tuple(opt for opt in OPT_LEVELS if opt != "O0")
    return recorder(
        *levels,
        partners={OPT.name: Partners(dict.fromkeys(levels, beside), "the code of -O0 leaves the recorder no room")},
    )


# An event takes 16 bytes of a chip's 264 KiB. With a kernel on each core, code is there twice and there is less room.
TRACE = _recorder(128, 256, 512, 1024)
AMP_TRACE = _recorder(128, 256)

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
