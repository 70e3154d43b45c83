"""Build factors of the STM32H745, in addition to the optimisation level."""

from __future__ import annotations

from intercore.board.factors import Factor, Partners

# The M7 runs at sys_ck, the output of PLL1, and the M4 at HCLK, which the divider HPRE derives from it (RM0399,
# register RCC_D1CFGR; D1CPRE is 1). The most is 480 and 240 MHz at the highest core voltage, VOS0, which the chip has
# only where its LDO supplies the core, and 400 and 200 MHz at VOS1 (datasheet DS12923, general operating conditions).
_M7_RATES = (60, 120, 240, 400, 480)
_M4_RATES = (50, 60, 120, 200, 240)
_HPRE = (1, 2, 4, 8, 16, 64, 128, 256, 512)
_BOTH = tuple((m7, m4) for m7 in _M7_RATES for m4 in _M4_RATES if m7 in [m4 * divider for divider in _HPRE])
_DIVIDED = "the M4 runs at the clock of the M7, or at a half, a quarter or an eighth of it"
_VOS0 = "it needs the core voltage VOS0, which needs supply=ldo: a NUCLEO-H745ZI-Q must be rewired for that"

M7_MHZ = Factor(
    name="m7_mhz",
    title="clock frequency in MHz of the Cortex-M7",
    default=400,
    levels=_M7_RATES,
    partners={
        "m4_mhz": Partners({rate: tuple(m4 for m7, m4 in _BOTH if m7 == rate) for rate in _M7_RATES}, _DIVIDED),
        "supply": Partners({480: ("ldo",)}, _VOS0),
    },
)

M4_MHZ = Factor(
    name="m4_mhz",
    title="clock frequency in MHz of the Cortex-M4 and the buses",
    default=200,
    levels=_M4_RATES,
    partners={
        "m7_mhz": Partners({rate: tuple(m7 for m7, m4 in _BOTH if m4 == rate) for rate in _M4_RATES}, _DIVIDED),
        "supply": Partners({240: ("ldo",)}, _VOS0),
    },
)

# Set once after power-on (RM0399, PWR_CR3). With a setting that differs from the board's supply, the chip does not
# start.
SUPPLY = Factor(
    name="supply",
    title="regulator that supplies the cores (ldo only for a board that was rewired for it)",
    default="smps",
    levels=("smps", "ldo"),
    cautions={
        "ldo": "supply=ldo is only for a board that was rewired for it: on any other board it cuts the core's supply, "
        "and "
        "the board does not start until its BOOT0 pin is held (docs/stm32h745.md)"
    },
)

ICACHE = Factor(
    name="icache",
    title="instruction cache of the Cortex-M7",
    default="on",
    levels=("on", "off"),
)

DCACHE = Factor(
    name="dcache",
    title="data cache of the Cortex-M7",
    default="on",
    levels=("on", "off"),
)

# Seed 003 names the memories by their power domains: D1 has AXI SRAM, D2 SRAM1 to 3, D3 SRAM4 (RM0399, memory map).
SHARED = Factor(
    name="shared",
    title="power domain of the memory that both cores share (d1: AXI SRAM, d2: SRAM1 to 3, d3: SRAM4)",
    default="d2",
    levels=("d1", "d2", "d3"),
)
