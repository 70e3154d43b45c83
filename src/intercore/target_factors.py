"""Factors of a target: what it is built or configured with, beside what a benchmark is told.

They are given, ordered and stored as the parameters of a benchmark are, but not sent to the target: for another level
it is opened anew. Their names are reserved; no benchmark has a parameter called so.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from intercore.errors import UsageError, unknown
from intercore.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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

    @property
    def values(self) -> str:
        """The levels as a table shows them: `sram|flash`, `48 to 133`."""
        if isinstance(self.default, int):
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
            raise UsageError(f"{self.name}={text} cannot be had: {self._nearest(wanted)} ({self.values}, whole)")
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
    conditions=("compiler.flags",),
)

# PLL_SYS makes every whole number of megahertz in this range (firmware/board/rp2040/clocks.h). Other rates would have
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

FACTORS = {factor.name: factor for factor in (OPT, CLOCK_MHZ, CODE, XIP_CACHE)}
"""All factors that some target has, by name."""


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
        check(dict(zip(levels, combination, strict=True)))
    return levels


def check(levels: Mapping[str, Level]) -> None:
    """Raise UsageError if a level other than the default is given that has no effect beside the others."""
    for name, level in levels.items():
        for other, needed in FACTORS[name].needs.items():
            given = levels.get(other, FACTORS[other].default)
            if given != needed and level != FACTORS[name].default:
                raise UsageError(
                    f"{name}={level} has no effect with {other}={given}: give it with {other}={needed} only"
                )
