"""Build factors of the RP2040, in addition to the optimisation level."""

from __future__ import annotations

from intercore.board.factors import OPT, OPT_LEVELS, Factor, Partners, recorder

# PLL_SYS makes every whole number of megahertz in this range (rp2_clocks.h of the firmware). Other rates would not
# have a whole number of cycles in a microsecond, which the common clock requires. USB needs 48 MHz, and 133 MHz is the
# highest that the chip is specified for (RP2040 datasheet 2.15.1).
CLOCK_MHZ = Factor(
    name="clock_mhz",
    title="system clock frequency in MHz",
    default=125,
    levels=tuple(range(48, 134)),
)


def _recorder(*levels: int) -> Factor:
    beside = tuple(opt for opt in OPT_LEVELS if opt != "O0")
    return recorder(
        *levels,
        partners={
            OPT.name: Partners(dict.fromkeys(levels, beside), "the code at -O0 leaves no memory for the recorder")
        },
    )


# An event takes 16 bytes of the chip's 264 KiB. With a kernel on each core, code is there twice and less memory is
# left.
TRACE = _recorder(128, 256, 512, 1024)
AMP_TRACE = _recorder(128, 256)

CODE = Factor(
    name="code",
    title="memory for the code",
    default="sram",
    levels=("sram", "flash"),
)

BUS_PRIORITY = Factor(
    name="bus_priority",
    title="core whose bus accesses have priority",
    default="none",
    levels=("none", "core0", "core1"),
)

XIP_CACHE = Factor(
    name="xip_cache",
    title="cache for code in flash (XIP cache)",
    default="on",
    levels=("on", "off"),
    needs={"code": "flash"},
)
