"""The text of a budget: `switch from=0 to=1 primitive=notification: p99 <= 20 us`.

A benchmark with the levels that its settings have, a series if there are several, a statistic of its samples, and a
limit with its unit; or `median / baseline <= 1.05`, a limit for the ratio to the same setting in a baseline.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from intercore.comparison.quantities import PERCENTILES
from intercore.errors import UsageError, unknown
from intercore.record.level_words import parse_levels
from intercore.text import decimal_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.series import Unit
    from intercore.record.measurement import Level

STATISTICS: tuple[str, ...] = ("min", "median", *PERCENTILES, "max")
"""Of a series, by rising value."""
UNITS: Mapping[str, tuple[Unit, float]] = {
    "ns": ("us", 1e-3),
    "us": ("us", 1.0),
    "µs": ("us", 1.0),
    "ms": ("us", 1e3),
    "s": ("us", 1e6),
    "B/s": ("bytes_per_s", 1.0),
    "kB/s": ("bytes_per_s", 1e3),
    "MB/s": ("bytes_per_s", 1e6),
    "GB/s": ("bytes_per_s", 1e9),
}
"""Units of a limit, with their factors to the units of series."""
_LARGEST = 1e18
"""In the same: 30,000 years, or an exabyte per second. What is computed of a limit stays finite."""
CYCLES = "cycles"
"""Of a core: a unit of time if the target reports its cycles per second."""

Sense: TypeAlias = Literal["<=", ">="]
SENSES: Mapping[str, Sense] = {"<=": "<=", ">=": ">=", "≤": "<=", "≥": ">="}
_FORM = "a budget is 'switch from=0 to=1: p99 <= 20 us' or 'switch from=0 to=1: median / baseline <= 1.05'"
_BUDGET = re.compile(r"(?P<settings>[^:]+(?::[^ ][^:]*)*):\s+(?P<what>.*\S)\s*(?P<sense><=|>=|≤|≥)\s*(?P<limit>.+)")
_OTHER_SENSE = re.compile(r"==|=<|=>|!=|<(?!=)|>(?!=)")


class Budget(msgspec.Struct, frozen=True):
    """One line of a file of budgets."""

    text: str
    """As it stands there, with single blanks."""
    line: int
    """Where it stands, from 1."""
    benchmark: str
    levels: dict[str, tuple[str, ...]]
    """Those that its settings have, by factor, as they were typed; whatever is not named may be anything."""
    series: str | None
    """None for the one series of the benchmark, or that which bears its name."""
    statistic: str
    """One of STATISTICS."""
    to_baseline: bool
    """Whether the limit is one of the ratio to the baseline."""
    sense: Sense
    limit: float
    """Above 0; in `unit`, or a factor."""
    unit: str
    """One of UNITS, or CYCLES; empty for a number of times, a factor or a ratio."""

    @property
    def what(self) -> str:
        """The limited quantity, in short: `p99`, `call median / baseline`."""
        series = "" if self.series is None else f"{self.series} "
        return f"{series}{self.statistic}{' / baseline' if self.to_baseline else ''}"

    @property
    def bound(self) -> str:
        """The limit with its sense: `<= 20 us`."""
        return f"{self.sense} {self.limit:.12g}{self.unit and ' '}{self.unit}"

    def has(self, factors: Mapping[str, Level]) -> bool:
        """Whether it is for a setting with these factors."""
        return all(name in factors and str(factors[name]) in values for name, values in self.levels.items())


def parsed(text: str, line: int) -> Budget:
    """Parse a budget. UsageError, without file and line, for anything else."""
    found = _BUDGET.fullmatch(text.strip())
    if found is None:
        raise UsageError(_why_not(text))
    benchmark, *words = found["settings"].split()
    series, statistic, to_baseline = _what(found["what"])
    limit, unit = _limit(found["limit"].strip(), to_baseline=to_baseline)
    return Budget(
        " ".join(text.split()),
        line,
        benchmark,
        {name: tuple(values) for name, values in parse_levels(words).items()},
        series,
        statistic,
        to_baseline,
        SENSES[found["sense"]],
        limit,
        unit,
    )


def _why_not(text: str) -> str:
    if found := _OTHER_SENSE.search(text.rpartition(": ")[2]):
        return f"a budget cannot have '{found[0]}': use <= or >="
    return f"{_FORM}, not '{text}'"


def _what(text: str) -> tuple[str | None, str, bool]:
    """Return series, statistic, and whether it is the ratio to the baseline."""
    value, slash, other = (part.strip() for part in text.partition("/"))
    if slash and other != "baseline":
        raise UsageError(f"a ratio can only be to the baseline, e.g. 'median / baseline', not to '{other}'")
    *series, statistic = value.split()
    if statistic not in STATISTICS:
        raise UsageError(unknown("statistic", statistic, STATISTICS))
    if len(series) > 1:
        raise UsageError(
            f"'{' '.join(series)}' is not the name of a series: name one series, and write one budget for each series"
        )
    return (series[0] if series else None), statistic, bool(slash)


def _limit(text: str, *, to_baseline: bool) -> tuple[float, str]:
    found = re.fullmatch(r"(?P<number>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?P<unit>[^\d\s.,+_-].*)?", text)
    value = None if found is None else decimal_number(found["number"])
    if found is None or value is None:
        raise UsageError(
            f"the limit must be a number, with a unit if it has one, such as '20 us' or '1.05', not '{text}'"
        )
    if not 0 < value < float("inf"):
        raise UsageError(f"the limit {found['number']} is out of range: it must be above 0 and finite")
    unit = found["unit"] or ""
    if to_baseline and unit:
        raise UsageError(f"a ratio to the baseline has no unit: write 1.05 for 5% more, not '{text}'")
    if unit and unit not in UNITS and unit != CYCLES:
        raise UsageError(unknown("unit", unit, [*UNITS, CYCLES]))
    if not 1 / _LARGEST <= value * UNITS.get(unit, ("", 1.0))[1] <= _LARGEST:
        raise UsageError(f"the limit {text} is out of range: no measurement has such a value")
    return value, unit


def contradiction(budgets: Sequence[Budget]) -> tuple[Budget, Budget] | None:
    """Return two budgets, in their order, that no measurement could keep both of; None if there are no such.

    They are so if they have a setting in common, and one asks for at least more of a statistic than the other allows at
    most of that one, or of one that is never below it, as p99 is never below the median.
    """
    for at, one in enumerate(budgets):
        for other in budgets[:at]:
            if _may_meet(one, other) and (_excludes(one, other) or _excludes(other, one)):
                return other, one
    return None


def _may_meet(one: Budget, other: Budget) -> bool:
    if (one.benchmark, one.series, one.to_baseline) != (other.benchmark, other.series, other.to_baseline):
        return False
    return all(set(values) & set(other.levels.get(name, values)) for name, values in one.levels.items())


def _excludes(at_least: Budget, at_most: Budget) -> bool:
    if (at_least.sense, at_most.sense) != (">=", "<="):
        return False
    if at_least.to_baseline:
        below = at_least.statistic == at_most.statistic
    else:
        below = STATISTICS.index(at_least.statistic) <= STATISTICS.index(at_most.statistic)
    mine, theirs = (UNITS.get(one.unit, (one.unit, 1.0)) for one in (at_least, at_most))
    return below and mine[0] == theirs[0] and at_least.limit * mine[1] > at_most.limit * theirs[1]
