"""Factors of targets: their levels, and the permitted combinations.

Each name is registered in `intercore.record.factors`, with the conditions that depend on it.
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
    """The permitted levels of another factor for each level of this one."""

    levels: Mapping[Level, tuple[Level, ...]]
    """By this factor's level; all are permitted for a missing one."""
    why: str
    """Why others are not permitted, for messages."""


class Factor(msgspec.Struct, frozen=True):
    """A build or configuration factor of a target."""

    name: str
    """A registered name: others would be sent to the target as parameters of the benchmark."""
    title: str
    """Title in messages, e.g. `optimisation level`."""
    default: Level
    levels: tuple[Level, ...]
    """All levels: names, or whole numbers in ascending order."""
    needs: Mapping[str, Level] = {}
    """Levels of other factors that this one requires to have an effect."""
    partners: Mapping[str, Partners] = {}
    """Restrictions by other factors."""
    cautions: Mapping[Level, str] = {}
    """Warnings before a board is flashed with a level that may do harm, by level."""

    def __post_init__(self) -> None:
        """Reject an unregistered name, which stored settings would not be resolved by."""
        if self.name not in TARGET_FACTORS:
            raise ValueError(f"the factor {self.name} is not registered in intercore.record.factors")

    @property
    def is_range(self) -> bool:
        """Whether its levels are all whole numbers from the first to the last."""
        first, last = self.levels[0], self.levels[-1]
        return isinstance(first, int) and isinstance(last, int) and last - first == len(self.levels) - 1

    @property
    def values(self) -> str:
        """The levels for display: `sram|flash`, `48 to 133`."""
        if self.is_range:
            return f"{self.levels[0]} to {self.levels[-1]}"
        return "|".join(map(str, self.levels))

    def level(self, text: str) -> Level:
        """Parse a level. Raises UsageError with the closest levels."""
        if not isinstance(self.default, int):
            if text not in self.levels:
                raise UsageError(unknown("level", text, map(str, self.levels), f"the factor {self.name} has"))
            return text
        wanted = decimal_number(text)
        if wanted is None:
            raise UsageError(f"{self.name} must be a whole number ({self.values}), not '{text}'")
        if wanted not in self.levels:
            known = f"whole numbers from {self.values}" if self.is_range else self.values
            raise UsageError(f"{self.name}={text} is not available: {self._nearest(wanted)} ({known})")
        return int(wanted)

    def _nearest(self, wanted: float) -> str:
        numbers = [level for level in self.levels if isinstance(level, int)]
        below = [number for number in numbers if number < wanted][-1:]
        above = [number for number in numbers if number > wanted][:1]
        found = " and ".join(map(str, (*below, *above)))
        return f"the nearest {'are' if below and above else 'is'} {found}" if found else f"the least is {numbers[0]}"


OPT_LEVELS = ("O0", "O1", "O2", "O3", "Os", "Ofast")
"""As in the options of the compilers."""

OPT = Factor(
    name=OPT_NAME,
    title="optimisation level of the compiler",
    default="O2",
    levels=OPT_LEVELS,
)


def recorder(*levels: int, partners: Mapping[str, Partners] | None = None) -> Factor:
    """Return the factor of a target's recorder: the number of events per core."""
    return Factor(
        name=TRACE_NAME,
        title="number of events that the recorder keeps for each core (0: no recorder)",
        default=0,
        levels=(0, *levels),
        partners={} if partners is None else partners,
    )


HOST_TRACE = recorder(1024, 4096, 16384)


def resolve(factors: Sequence[Factor], wanted: Mapping[str, Sequence[str]]) -> dict[str, list[Level]]:
    """Parse levels of a target's factors.

    Raises UsageError for an unknown level, and for a combination in which a level has no effect.
    """
    chosen = [factor for factor in factors if factor.name in wanted]
    levels = {factor.name: [factor.level(text) for text in wanted[factor.name]] for factor in chosen}
    for combination in itertools.product(*levels.values()):
        check(factors, dict(zip(levels, combination, strict=True)))
    return levels


def check(factors: Sequence[Factor], levels: Mapping[str, Level]) -> None:
    """Raise UsageError if a level other than the default has no effect with the others, or is not permitted with them.

    `factors` are those of the target; unnamed factors have their defaults.
    """
    known = {factor.name: factor for factor in factors}
    for name, level in levels.items():
        for other, needed in known[name].needs.items():
            given = levels.get(other, known[other].default)
            if given != needed and level != known[name].default:
                raise UsageError(
                    f"{name}={level} has no effect with {other}={given}: add {other}={needed}, or omit {name}"
                )
        for other, partners in known[name].partners.items():
            given = levels.get(other, known[other].default)
            allowed = partners.levels.get(level)
            if allowed is not None and given not in allowed:
                legal = " or ".join(f"{other}={partner}" for partner in allowed)
                raise UsageError(
                    f"{name}={level} is not possible with {other}={given}, only with {legal}: {partners.why}"
                )
