"""Factors of a target: what it is built or configured with, beside what a benchmark is told.

They are given, ordered and stored as the parameters of a benchmark are, but not sent to the target: for another level
it is opened anew. Their names are reserved; no benchmark has a parameter called so.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from intercore.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level


class Partners(msgspec.Struct, frozen=True):
    """Which levels of another factor go with those of one."""

    levels: Mapping[Level, tuple[Level, ...]]
    """By the one's own level; all go with a level that is missing here."""
    why: str
    """No others do: for people."""


class Factor(msgspec.Struct, frozen=True):
    """One thing that a target can be built or configured with."""

    name: str
    title: str
    """In messages, e.g. `optimisation level`."""
    default: Level
    levels: tuple[Level, ...]
    """All that there are: names, or whole numbers by rising value."""
    conditions: tuple[str, ...]
    """Conditions that follow from the level, and so may differ within a run that has several."""
    needs: Mapping[str, Level] = {}
    """Levels of other factors without which this one has no effect."""
    partners: Mapping[str, Partners] = {}
    """By other factors, whose levels this one's limit."""
    cautions: Mapping[Level, str] = {}
    """By levels that may do harm, what to know before a board is flashed with them: a sentence."""

    @property
    def is_range(self) -> bool:
        """Whether its levels are all whole numbers from the first to the last."""
        first, last = self.levels[0], self.levels[-1]
        return isinstance(first, int) and isinstance(last, int) and last - first == len(self.levels) - 1

    @property
    def values(self) -> str:
        """The levels as a table shows them: `sram|flash`, `48 to 133`."""
        if self.is_range:
            return f"{self.levels[0]} to {self.levels[-1]}"
        return "|".join(map(str, self.levels))

    def level(self, text: str) -> Level:
        """Return the level that a user names. Raises UsageError, with the nearest that there are."""
        if not isinstance(self.default, int):
            if text not in self.levels:
                raise UsageError(unknown(self.title, text, map(str, self.levels)))
            return text
        try:
            wanted = float(text)
        except ValueError:
            raise UsageError(f"{self.name} is a whole number ({self.values}) and not '{text}'") from None
        if wanted not in self.levels:
            known = f"{self.values}, whole" if self.is_range else self.values
            raise UsageError(f"{self.name}={text} cannot be had: {self._nearest(wanted)} ({known})")
        return int(wanted)

    def _nearest(self, wanted: float) -> str:
        numbers = [level for level in self.levels if isinstance(level, int)]
        below = [number for number in numbers if number < wanted][-1:]
        above = [number for number in numbers if number > wanted][:1]
        found = " and ".join(map(str, (*below, *above)))
        return f"the nearest {'are' if below and above else 'is'} {found}" if found else f"the least is {numbers[0]}"


OPT_LEVELS = ("O0", "O1", "O2", "O3", "Os", "Ofast")
"""What the compilers call them."""

OPT = Factor(
    name="opt",
    title="optimisation level",
    default="O2",
    levels=OPT_LEVELS,
    conditions=("compiler.flags", "memory.heap_at_start"),
)

# PLL_SYS makes every whole number of megahertz in this range (rp2040_clocks.h of the firmware). Other rates would have
# no whole number of cycles in a microsecond, which the common clock needs. USB needs 48 MHz, and 133 MHz is the highest
# that the chip is specified for (RP2040 datasheet 2.15.1).
CLOCK_MHZ = Factor(
    name="clock_mhz",
    title="rate of the system clock in MHz",
    default=125,
    levels=tuple(range(48, 134)),
    conditions=("clock_hz", "clock.sys_hz", "clock.peri_hz", "clock.pll", "flash.clock_hz"),
)

CODE = Factor(
    name="code",
    title="place for the code",
    default="sram",
    levels=("sram", "flash"),
    conditions=("memory.code", "memory.constants", "flash.xip_cache", "flash.clock_hz"),
)

XIP_CACHE = Factor(
    name="xip_cache",
    title="state of the XIP cache",
    default="on",
    levels=("on", "off"),
    conditions=("flash.xip_cache",),
    needs={"code": "flash"},
)

# The M7 runs at sys_ck, the output of PLL1, and the M4 at HCLK, which the divider HPRE makes of that (RM0399, register
# RCC_D1CFGR; D1CPRE is 1). The most is 480 and 240 MHz at the highest core voltage, VOS0, which the chip has only where
# its LDO supplies the core, and 400 and 200 MHz at VOS1 (datasheet DS12923, general operating conditions).
_M7_RATES = (60, 120, 240, 400, 480)
_M4_RATES = (60, 120, 200, 240)
_HPRE = (1, 2, 4, 8, 16, 64, 128, 256, 512)
_BOTH = tuple((m7, m4) for m7 in _M7_RATES for m4 in _M4_RATES if m7 in [m4 * divider for divider in _HPRE])
_DIVIDED = "the M4 runs at the M7's clock or at a half, a quarter or an eighth of it"
_VOS0 = "it needs the core voltage VOS0, and that a core that the LDO supplies: a NUCLEO-H745ZI-Q has to be rewired"
_BY_CLOCK = "clock_hz", "clock.m4_hz", "clock.bus_hz", "flash.wait_states", "power.vos"

M7_MHZ = Factor(
    name="m7_mhz",
    title="rate of the Cortex-M7's clock in MHz",
    default=400,
    levels=_M7_RATES,
    conditions=("clock.m7_hz", *_BY_CLOCK),
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
    conditions=_BY_CLOCK,
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
    conditions=("power.supply", "power.vos"),
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
    conditions=("cache.instructions",),
)

DCACHE = Factor(
    name="dcache",
    title="data cache of the Cortex-M7",
    default="on",
    levels=("on", "off"),
    conditions=("cache.data",),
)

# Seed 003 calls the memories by their power domains: D1 has AXI SRAM, D2 SRAM1 to 3, D3 SRAM4 (RM0399, memory map).
SHARED = Factor(
    name="shared",
    title="domain of the memory that both cores share",
    default="d2",
    levels=("d1", "d2", "d3"),
    conditions=("memory.shared",),
)

# ESP32 technical reference manual, reset and clock: PLL_CLK divided gives a CPU_CLK of 80, 160 or 240 MHz; ESP32-S3
# likewise. The menu of ESP-IDF (CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ) has these three.
CPU_MHZ = Factor(
    name="cpu_mhz",
    title="rate of both cores' clock in MHz",
    default=240,
    levels=(80, 160, 240),
    conditions=("clock_hz", "clock.cpu_hz", "clock.sys_hz", "clock.apb_hz"),
)

# Code runs from flash through each core's cache, as ESP-IDF places it, or what measures and is measured from IRAM.
ESP_CODE = Factor(
    name="code",
    title="place for the code",
    default="flash",
    levels=("flash", "iram"),
    conditions=("memory.code", "memory.regions", "memory.heap_at_start"),
)

# With it, ESP-IDF compiles everything for the first revisions of the ESP32 otherwise (-mfix-esp32-psram-cache-issue).
PSRAM = Factor(
    name="psram",
    title="external RAM of the module, used if it has some",
    default="off",
    levels=("off", "on"),
    conditions=("psram", "psram.bytes", "memory.regions", "memory.heap_at_start", "compiler.flags"),
)

_ALL = (
    *(OPT, CLOCK_MHZ, CODE, XIP_CACHE),
    *(M7_MHZ, M4_MHZ, SUPPLY, ICACHE, DCACHE, SHARED),
    *(CPU_MHZ, ESP_CODE, PSRAM),
)

FACTORS: Mapping[str, tuple[Factor, ...]] = {
    name: tuple(factor for factor in _ALL if factor.name == name) for name in dict.fromkeys(one.name for one in _ALL)
}
"""All factors that some target has, by name. Chips that call one alike need not have the same levels of it."""


def of_target(levels: Mapping[str, Level]) -> dict[str, Level]:
    """Return those of the levels of a setting that say how its target is built or configured."""
    return {name: level for name, level in levels.items() if name in FACTORS}


def resolve(factors: Sequence[Factor], wanted: Mapping[str, Sequence[str]]) -> dict[str, list[Level]]:
    """Return the levels that a user named, of the factors of a target.

    Raises UsageError for one that is no level of its factor, and for a combination in which one has no effect.
    """
    chosen = [factor for factor in factors if factor.name in wanted]
    levels = {factor.name: [factor.level(text) for text in wanted[factor.name]] for factor in chosen}
    for combination in itertools.product(*levels.values()):
        check(factors, dict(zip(levels, combination, strict=True)))
    return levels


def check(factors: Sequence[Factor], levels: Mapping[str, Level]) -> None:
    """Raise UsageError if a level has no effect beside the others and is not the default, or cannot be beside them.

    `factors` are those of the target, and `levels` are of them. What is not named has its default.
    """
    known = {factor.name: factor for factor in factors}
    for name, level in levels.items():
        for other, needed in known[name].needs.items():
            given = levels.get(other, known[other].default)
            if given != needed and level != known[name].default:
                raise UsageError(
                    f"{name}={level} has no effect with {other}={given}: give it with {other}={needed} only"
                )
        for other, partners in known[name].partners.items():
            given = levels.get(other, known[other].default)
            allowed = partners.levels.get(level)
            if allowed is not None and given not in allowed:
                legal = " or ".join(f"{other}={partner}" for partner in allowed)
                raise UsageError(f"{name}={level} cannot be had with {other}={given}, but with {legal}: {partners.why}")
