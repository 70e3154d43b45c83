"""Budgets checked against measurements: kept, broken, undecided, or not measured.

A number is known with its 95 % interval (`intercore.statistics.repetitions`). A limit is kept if the whole interval
keeps it, broken if the whole interval breaks it, and undecided otherwise: more repetitions decide it. One repetition on
real hardware does not show the differences between repetitions, and one run not those between runs, so that a ratio to
a baseline takes several runs, or measuring by turns. A simulated chip is deterministic, so the number itself
is compared with the limit; so are a smallest and a largest sample, which were observed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from intercore.benchmarks.series import Unit
from intercore.budgets.budget import CYCLES, UNITS
from intercore.budgets.series import check_unit
from intercore.comparison.pairs import one_rate
from intercore.comparison.quantities import percent_of
from intercore.errors import UsageError
from intercore.record.measurement import Level
from intercore.record.plan import ENOUGH_REPETITIONS, ENOUGH_RUNS
from intercore.statistics.by_turns import ratio as ratio_of_turns
from intercore.statistics.intervals import Interval, normal_reach
from intercore.statistics.probability import normal_quantile
from intercore.statistics.repetitions import BEYOND, MOST_REPETITIONS, ratio_of_intervals, ratio_of_medians

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.budgets.budget import Budget
    from intercore.comparison.quantities import Name, Quantities, Quantity
    from intercore.record.measurement import Measurement

Outcome: TypeAlias = Literal["kept", "broken", "cannot tell", "not measured"]

ONE_RUN = (
    "one run does not show how much two runs of one program differ: measure by turns (--against REVISION), or save a "
    f"baseline of {ENOUGH_RUNS} runs"
)
NO_CYCLES = "the target does not report its cycles per second: give the limit in us"
_SURELY = 1 + normal_quantile(0.9) / normal_reach()
_SEEN = frozenset({"min", "max"})
"""Statistics that need no interval: the sample was seen."""


class BudgetResult(msgspec.Struct, frozen=True):
    """A budget held against one setting."""

    budget: str
    """As the file has it."""
    line: Annotated[int, Meta(ge=1)]
    """Where it stands in the file."""
    benchmark: str
    setting: dict[str, Level]
    """Levels that the budget names, and those that distinguish its settings; empty where none is known."""
    others: dict[str, Level]
    """Levels of the other factors, without those that say how something is measured; empty where none is known."""
    what: str
    """The limited quantity: `switch p99`, `call median / baseline`."""
    bound: str
    """The limit, as `<= 20 us`."""
    unit: Unit | Literal["ratio", "cycles", "percent"] | None
    """Of `found`, `limit` and `baseline`; None where nothing was measured."""
    limit: float | None
    found: Interval | None
    """The measured number with its 95 % interval; None if unknown."""
    baseline: float | None
    """Of a ratio: what the baseline has, in the unit of the series."""
    outcome: Outcome
    more_repetitions: int | None
    """If undecided: the repetitions that would likely decide it."""
    why: str
    """Why it is undecided or was not measured; else empty."""


class Limit(msgspec.Struct, frozen=True):
    """The limit of a budget, in the unit of its series."""

    budget: Budget
    value: float
    unit: Unit | Literal["ratio"]

    def is_kept_by(self, value: float) -> bool:
        """Whether it allows a value."""
        return value <= self.value if self.budget.sense == "<=" else value >= self.value


class Side(msgspec.Struct, frozen=True):
    """The measurements of a setting."""

    pool: Sequence[Measurement]
    known: Quantities
    simulated: bool
    by_turns: bool = False
    """Of a baseline: whether the other side was measured by turns with it."""


class Setting(msgspec.Struct, frozen=True):
    """A setting that a budget is for."""

    levels: dict[str, Level]
    """Levels that the budget names, and those that distinguish its settings."""
    others: dict[str, Level]
    """Those of the other factors, without those that say how something is measured."""


def not_measured(budget: Budget, why: str, setting: Setting | None = None) -> BudgetResult:
    """Return that a budget has nothing to be held against."""
    return BudgetResult(
        budget=budget.text,
        line=budget.line,
        benchmark=budget.benchmark,
        setting={} if setting is None else setting.levels,
        others={} if setting is None else setting.others,
        what=budget.what,
        bound=budget.bound,
        unit=None,
        limit=None,
        found=None,
        baseline=None,
        outcome="not measured",
        more_repetitions=None,
        why=why,
    )


def limit_of(budget: Budget, name: Name, pool: Sequence[Measurement]) -> Limit:
    """Return the limit of a budget on a series. UsageError if its unit does not fit."""
    check_unit(budget, name)
    _, unit = name
    if budget.to_baseline:
        return Limit(budget, budget.limit, "ratio")
    if budget.unit == CYCLES:
        hz = one_rate(pool)
        if hz is None:
            raise UsageError(NO_CYCLES)
        return Limit(budget, budget.limit * 1e6 / hz, unit)
    _, scale = UNITS.get(budget.unit, (None, 1.0))
    return Limit(budget, budget.limit * scale, unit)


def held(limit: Limit, name: Name, setting: Setting, side: Side, baseline: Side | None) -> BudgetResult:
    """Hold a limit against a series that a setting has; `baseline` is the same setting there, for a ratio."""
    budget = limit.budget
    quantity, under = side.known[name], None if baseline is None else baseline.known[name]
    found = _estimate(quantity, budget.statistic)
    before = None if under is None else _estimate(under, budget.statistic)
    estimate = found
    by_turns = baseline is not None and baseline.by_turns and not side.simulated
    if under is not None and found is not None and before is not None:
        if by_turns and budget.statistic == "median" and len(quantity.medians.each) == len(under.medians.each):
            estimate = ratio_of_turns(quantity.medians.each, under.medians.each)
        else:
            estimate = _ratio(budget.statistic, quantity, under, found, before)
    elif under is not None:
        estimate = None
    exact = side.simulated and (baseline is None or baseline.simulated)
    outcome, more, why = _judged(limit, estimate, quantity, under, exact=exact, by_turns=by_turns)
    return BudgetResult(
        budget=budget.text,
        line=budget.line,
        benchmark=budget.benchmark,
        setting=setting.levels,
        others=setting.others,
        what=budget.what if budget.series is not None else f"{name[0]} {budget.what}",
        bound=budget.bound,
        unit=limit.unit,
        limit=limit.value,
        found=estimate,
        baseline=None if before is None else before.value,
        outcome=outcome,
        more_repetitions=more,
        why=why,
    )


def _estimate(quantity: Quantity, statistic: str) -> Interval | None:
    if statistic == "median":
        return quantity.medians.whole
    if statistic in _SEEN:
        value = quantity.least if statistic == "min" else quantity.largest
        return Interval(value, value, value)
    return quantity.percentile(statistic)


def _ratio(statistic: str, over: Quantity, under: Quantity, found: Interval, before: Interval) -> Interval | None:
    if statistic == "median":
        return ratio_of_medians(over.medians, under.medians)
    return ratio_of_intervals(found, before)


def _judged(
    limit: Limit,
    estimate: Interval | None,
    quantity: Quantity,
    under: Quantity | None,
    *,
    exact: bool,
    by_turns: bool,
) -> tuple[Outcome, int | None, str]:
    statistic = limit.budget.statistic
    if estimate is None:
        return "cannot tell", *_untold(statistic, quantity, under)
    if exact or statistic in _SEEN:
        return ("kept" if limit.is_kept_by(estimate.value) else "broken"), None, ""
    fewest, why = _units(statistic, quantity, under, by_turns=by_turns)
    if why:
        return "cannot tell", fewest or None, why
    if estimate.low is None or estimate.high is None:
        return "cannot tell", None, "the samples do not give an interval"
    ends = {limit.is_kept_by(estimate.low), limit.is_kept_by(estimate.high)}
    if len(ends) == 1:
        return ("kept" if ends.pop() else "broken"), None, ""
    return "cannot tell", _more(limit.value, estimate, fewest), "the limit is within the interval"


def _units(statistic: str, quantity: Quantity, under: Quantity | None, *, by_turns: bool) -> tuple[int, str]:
    """Return how many repetitions, or runs, the side with fewer has; or how many more it takes, and why."""
    sides = [quantity.medians] if under is None else [quantity.medians, under.medians]
    runs = [one.runs for one in sides]
    # A single run beside several scatters as they do (`ratio_of_medians`), but its percentile has its own interval.
    if under is not None and not by_turns and (max(runs) == 1 or (min(runs) == 1 and statistic != "median")):
        return 0, ONE_RUN
    if max(runs) > 1:
        return min(runs), ""
    fewest = min(len(one.each) for one in sides)
    if fewest > 1:
        return fewest, ""
    where = "" if under is None or len(quantity.medians.each) == 1 else " of the baseline"
    return ENOUGH_REPETITIONS - 1, f"one repetition{where} does not show the differences between repetitions"


def _untold(statistic: str, quantity: Quantity, under: Quantity | None) -> tuple[int | None, str]:
    """Return the repetitions that would give a statistic, and why it is unknown."""
    if statistic == "median":
        return None, "a ratio needs medians above 0"
    for one, whose in ((quantity, ""), (under, "the baseline's ")):
        if one is not None and one.percentile(statistic) is None:
            needed = math.ceil(round(BEYOND / (1 - percent_of(statistic) / 100), 6))
            if one.samples >= needed:
                return None, f"{whose}repetitions differ too much for a common {statistic}"
            have = len(one.medians.each)
            more = None if whose else max(1, math.ceil(needed * have / one.samples) - have)
            return more, f"{whose}{statistic} needs {needed:,} samples, and there are {one.samples:,}"
    return None, "a ratio needs values above 0"


def _more(limit: float, estimate: Interval, have: int) -> int | None:
    """Return how many more repetitions would likely move the bound that is beyond a limit to the limit.

    The width of an interval falls with the square root of their number. A value that stays would move it there in half
    of the cases; `_SURELY` times the distance does in nine of ten, if errors are normal.
    """
    value, bound = estimate.value, estimate.high if estimate.value < limit else estimate.low
    if bound is None or value == limit:
        return None
    needed = math.ceil(have * (_SURELY * (bound - value) / (limit - value)) ** 2)
    return None if needed > MOST_REPETITIONS else max(1, needed - have)
