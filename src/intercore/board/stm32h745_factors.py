"""What the STM32H745's programs can be built with, beside the optimisation level."""

from __future__ import annotations

from intercore.board.factors import Factor, Partners

# The M7 runs at sys_ck, the output of PLL1, and the M4 at HCLK, which the divider HPRE makes of that (RM0399, register
# RCC_D1CFGR; D1CPRE is 1). The most is 480 and 240 MHz at the highest core voltage, VOS0, which the chip has only where
# its LDO supplies the core, and 400 and 200 MHz at VOS1 (datasheet DS12923, general operating conditions).
_M7_RATES = (60, 120, 240, 400, 480)
_M4_RATES = (50, 60, 120, 200, 240)
_HPRE = (1, 2, 4, 8, 16, 64, 128, 256, 512)
_BOTH = tuple((m7, m4) for m7 in _M7_RATES for m4 in _M4_RATES if m7 in [m4 * divider for divider in _HPRE])
_DIVIDED = "the M4 runs at the M7's clock or at a half, a quarter or an eighth of it"
_VOS0 = "it needs the core voltage VOS0, and that a core that the LDO supplies: a NUCLEO-H745ZI-Q has to be rewired"

M7_MHZ = Factor(
    name="m7_mhz",
    title="rate of the Cortex-M7's clock in MHz",
    default=400,
    levels=_M7_RATES,
    partners={
        "m4_mhz": Partners({rate: tuple(m4 for m7, m4 in _BOTH if m7 == rate) for rate in _M7_RATES}, _DIVIDED),
        "supply": Partners({480: ("ldo",)}, _VOS0),
    },
)

M4_MHZ = Factor(
    name="m4_mhz",
    title="rate of the Cortex-M4's clock and of the buses in MHz",
    default=200,
    levels=_M4_RATES,
    partners={
        "m7_mhz": Partners({rate: tuple(m7 for m7, m4 in _BOTH if m4 == rate) for rate in _M4_RATES}, _DIVIDED),
        "supply": Partners({240: ("ldo",)}, _VOS0),
    },
)

# Set once after power-on (RM0399, PWR_CR3). A chip that is told another one than its board has does not start.
SUPPLY = Factor(
    name="supply",
    title="what the board supplies the core by; ldo: a board that was rewired for it",
    default="smps",
    levels=("smps", "ldo"),
    cautions={
        "ldo": "supply=ldo is for a board that was rewired for it: on another one it takes the core's supply away, and "
        "the board starts no more until its BOOT0 pin is held (docs/stm32h745.md)"
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

# Seed 003 calls the memories by their power domains: D1 has AXI SRAM, D2 SRAM1 to 3, D3 SRAM4 (RM0399, memory map).
SHARED = Factor(
    name="shared",
    title="domain of the memory that both cores share",
    default="d2",
    levels=("d1", "d2", "d3"),
)
