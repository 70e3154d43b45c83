"""The result that a budget limits, known before a measurement if the benchmark declares its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.series import Unit, results
from intercore.budgets.budget import CYCLES, UNITS
from intercore.errors import UsageError, unknown
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from intercore.budgets.budget import Budget
    from intercore.comparison.quantities import Name
    from intercore.record.measurement import Level

_KINDS: Mapping[Unit, str] = {
    "us": "a time: give its limit in ns, us, ms, s or cycles",
    "bytes_per_s": "a rate: give its limit in B/s, kB/s, MB/s or GB/s",
    "count": "a number of times: give its limit without a unit",
    "factor": "a factor: give its limit without a unit",
}


def limited(budget: Budget) -> Name | None:
    """Return the result that a budget limits, of those that its settings have; None if unknown before measuring.

    UsageError if they have no such result, or several and the budget names none, or if its unit does not fit.
    """
    known = results(budget.benchmark)
    if known is None:
        return None
    if not known:
        raise UsageError(
            f"{budget.benchmark} cannot have a budget, because none of its series has a median: remove the budget"
        )
    had = [(name, one.unit) for name, one in known.items() if one.may_be_of(budget.levels)]
    if budget.series is not None and budget.series not in known:
        raise UsageError(unknown("series", budget.series, known, f"{budget.benchmark} has"))
    found = series_of(budget, had)
    if found is None:
        levels = " ".join(f"{name}={','.join(values)}" for name, values in budget.levels.items())
        others = f". The series with these levels are {listed([name for name, _ in had])}" if had else ""
        what = "series that a budget could limit" if budget.series is None else f"series {budget.series}"
        raise UsageError(f"{budget.benchmark} with {levels} has no {what}{others}")
    check_unit(budget, found)
    return found


def is_of(budget: Budget, factors: Mapping[str, Level]) -> bool:
    """Whether a budget is for a setting: it has the levels that the budget names, and may have the result it limits."""
    if not budget.has(factors):
        return False
    name = limited(budget)
    known = None if name is None else results(budget.benchmark)
    return name is None or known is None or known[name[0]].may_be_of({key: [str(factors[key])] for key in factors})


def series_of(budget: Budget, known: Collection[Name]) -> Name | None:
    """Return which of the known series a budget limits; None if it names one that is not among them, or there are none.

    UsageError if it names none and there are several.
    """
    names = {name: (name, unit) for name, unit in known}
    if budget.series is not None:
        return names.get(budget.series)
    if len(names) < 2:
        return next(iter(names.values()), None)
    if budget.benchmark in names:
        return names[budget.benchmark]
    example = f"{next(iter(names))} {budget.statistic} {budget.bound}"
    raise UsageError(
        f"{budget.benchmark} has several series ({', '.join(names)}): name the series to limit, e.g. '{example}'"
    )


def check_unit(budget: Budget, name: Name) -> None:
    """Raise UsageError if a budget limits a series in a unit that does not fit it."""
    series, unit = name
    if budget.to_baseline or (budget.unit == CYCLES and unit == "us"):
        return
    of, _ = UNITS.get(budget.unit, (None, 1.0))
    fits = of == unit if unit in ("us", "bytes_per_s") else not budget.unit
    if not fits:
        given = f"in {budget.unit}" if budget.unit else "without a unit"
        raise UsageError(f"the series {series} of {budget.benchmark} is {_KINDS[unit]}, not {given}")
