"""What a factor of targets is: its levels, and which of them go with those of others.

Each name is registered in `intercore.record.factors`, with the conditions that follow from its level.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from intercore.errors import UsageError, unknown
from intercore.record.factors import OPT_NAME, TARGET_FACTORS, TRACE_NAME
from intercore.text import decimal_number

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
    """One that is registered: else its levels would be sent to the target as a benchmark's parameter."""
    title: str
    """In messages, e.g. `optimisation level`."""
    default: Level
    levels: tuple[Level, ...]
    """All that there are: names, or whole numbers by rising value."""
    needs: Mapping[str, Level] = {}
    """Levels of other factors without which this one has no effect."""
    partners: Mapping[str, Partners] = {}
    """By other factors, whose levels this one's limit."""
    cautions: Mapping[Level, str] = {}
    """By levels that may do harm, what to know before a board is flashed with them: a sentence."""

    def __post_init__(self) -> None:
        """Refuse a name that stored settings would not be understood by."""
        if self.name not in TARGET_FACTORS:
            raise ValueError(f"the factor {self.name} is not registered in intercore.record.factors")

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
        wanted = decimal_number(text)
        if wanted is None:
            raise UsageError(f"{self.name} is a whole number ({self.values}) and not '{text}'")
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
    name=OPT_NAME,
    title="optimisation level",
    default="O2",
    levels=OPT_LEVELS,
)


def recorder(*levels: int, partners: Mapping[str, Partners] | None = None) -> Factor:
    """Return the factor of a target's recorder, which can keep so many events of each core."""
    return Factor(
        name=TRACE_NAME,
        title="number of events that the recorder keeps of each core",
        default=0,
        levels=(0, *levels),
        partners={} if partners is None else partners,
    )


HOST_TRACE = recorder(1024, 4096, 16384)


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
