"""Makes the plan that measures exactly the settings that budgets need."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.grouping import IRRELEVANT
from intercore.budgets.budget import CYCLES
from intercore.budgets.check import for_each
from intercore.budgets.result import NO_CYCLES
from intercore.budgets.series import is_of, series_of
from intercore.campaign.levels import checked, find_benchmark, level_of, repetitions_of, resolve, target_levels
from intercore.campaign.plan_file import Experiment
from intercore.campaign.planning import draft_plan
from intercore.comparison.baseline import setting_key
from intercore.comparison.quantities import PERCENTILES, KeptMeasurement, percent_of, quantities
from intercore.errors import UsageError
from intercore.record.factors import TARGET_FACTORS
from intercore.record.measurement import Excluded
from intercore.record.plan import MAX_SETTINGS, canonical
from intercore.statistics.repetitions import BEYOND

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.budgets.budget import Budget
    from intercore.budgets.check import BudgetFile
    from intercore.campaign.planning import Draft
    from intercore.comparison.baseline import Baseline
    from intercore.link.session import BenchmarkInfo, Session
    from intercore.record.measurement import Level, Measurement, Plan
    from intercore.record.origin import Origin
    from intercore.target.targets import Target

_SAMPLES = "samples"
_SPARE = 2
"""Factor on the samples that a percentile needs, so that slightly different repetitions still yield it."""


def repetitions_for(file: BudgetFile, origin: Origin) -> int:
    """Return the default number of repetitions.

    On a simulated chip, ratios are exact with as many repetitions as the baseline, because each repetition has its own
    phases.
    """
    known = () if file.baseline is None else file.baseline.measurements
    ratios = [one for one in file.budgets if one.to_baseline]
    if file.repetitions is None and origin == "simulated" and ratios and known:
        return max(
            len(quantity.medians.each)
            for one in known
            if isinstance(one, KeptMeasurement)
            for quantity in one.quantities.values()
        )
    return file.repetitions or repetitions_of(origin)


def draft_for(
    file: BudgetFile, plan: Plan, session: Session, benchmarks: Sequence[BenchmarkInfo], target: Target
) -> Draft:
    """Return the draft of a plan with each setting that budgets need and the target can measure, perhaps none.

    A ratio needs the settings of the baseline, if the file has one. Anything else needs those that `intercore run`
    measures at the budget's levels, with enough samples for its percentile. The plan excludes settings that the target
    cannot measure. Raises UsageError, with file and line, for anything in the file that the target or the baseline does
    not have.
    """
    has_cycles = session.info().conditions.get("clock.sys_hz", "").isdecimal()

    def needed(budget: Budget) -> list[dict[str, Level]]:
        info = find_benchmark(benchmarks, budget.benchmark)
        if budget.unit == CYCLES and not has_cycles:
            raise UsageError(NO_CYCLES)
        made = list(
            _of_baseline(file.baseline, budget, info)
            if budget.to_baseline and file.baseline is not None
            else _settings_of_limit(budget, info, plan, target)
        )
        return [one for one in made if is_of(budget, one)]

    settings = _Settings(has_baseline=file.baseline is not None)
    left_out: list[Excluded] = []
    for budget, made in zip(file.budgets, for_each(file.name, file.budgets, needed), strict=True):
        possible, impossible = _possible(session, find_benchmark(benchmarks, budget.benchmark), made)
        left_out += impossible
        for factors in possible:
            settings.add(budget, factors)
    plan = msgspec.structs.replace(plan, excluded=tuple(left_out))
    return draft_plan(plan, _alike(list(settings.needed()), target))


class _Settings:
    """The settings that budgets need, without duplicates."""

    def __init__(self, *, has_baseline: bool) -> None:
        self._has_baseline = has_baseline
        self._pinned: dict[tuple[str, str], dict[str, Level]] = {}
        """Settings with given samples, of the baseline or of a budget; by the benchmark and all its levels."""
        self._of_ratios: set[tuple[str, str]] = set()
        self._free: dict[tuple[str, str], tuple[Budget, dict[str, Level]]] = {}
        """Settings with any sufficient number of samples; by the benchmark and the other levels."""

    def add(self, budget: Budget, factors: dict[str, Level]) -> None:
        """Add a setting that a budget needs."""
        of_baseline = budget.to_baseline and self._has_baseline
        if of_baseline or _SAMPLES in budget.levels:
            key = (budget.benchmark, canonical(factors))
            self._pinned.setdefault(key, factors)
            if of_baseline:
                self._of_ratios.add(key)
            return
        key = setting_key(budget.benchmark, {name: factors[name] for name in factors if name not in IRRELEVANT})
        key = (key[0], key[1] + canonical({name: factors[name] for name in budget.levels if name in IRRELEVANT}))
        other, known = self._free.setdefault(key, (budget, factors))
        if _SAMPLES in known:
            known[_SAMPLES] = max(int(known[_SAMPLES]), int(factors[_SAMPLES]))
        if budget.statistic in PERCENTILES and other.statistic not in PERCENTILES:
            self._free[key] = (budget, known)

    def needed(self) -> Iterator[tuple[str, dict[str, Level]]]:
        """Yield the benchmark and the levels of each setting that no other one covers."""
        for (benchmark, _), factors in self._pinned.items():
            yield benchmark, factors
        for (benchmark, _), (budget, factors) in self._free.items():
            if not any(self._serves(budget, key, factors) for key in self._pinned):
                yield benchmark, factors

    def _serves(self, budget: Budget, key: tuple[str, str], wanted: Mapping[str, Level]) -> bool:
        """Whether a setting that is measured anyway has enough samples for a limit."""
        known = self._pinned[key]
        if key[0] != budget.benchmark or not budget.has(known):
            return False
        if setting_key(key[0], known) != setting_key(key[0], wanted):
            return False
        enough = key in self._of_ratios and budget.statistic not in PERCENTILES
        return enough or int(known.get(_SAMPLES, 0)) >= int(wanted.get(_SAMPLES, 0))


def _alike(settings: Sequence[tuple[str, Mapping[str, Level]]], target: Target) -> list[Experiment]:
    """Return the settings with every factor of the target that any of them names, at its default where unnamed."""
    named = {name for _, factors in settings for name in factors}
    usual = {factor.name: factor.default for factor in target.factors if factor.name in named}
    return [
        Experiment(benchmark, {name: [level] for name, level in {**usual, **factors}.items()}, may_be_impossible=True)
        for benchmark, factors in settings
    ]


def _of_baseline(baseline: Baseline, budget: Budget, info: BenchmarkInfo) -> Iterator[dict[str, Level]]:
    """Return the complete settings of the baseline that a budget applies to."""
    parameters = {one.name: one for one in info.parameters}
    checked(info, budget.levels)
    found = [one for one in baseline.measurements if one.benchmark == info.name and is_of(budget, one.factors)]
    if not found:
        raise UsageError(
            f"the baseline {baseline.file} does not have the setting of this budget: save a baseline of a run "
            "with that setting, or give a limit with a unit"
        )
    if not any(_has_statistic(budget, one) for one in found):
        raise UsageError(
            f"the baseline {baseline.file} has no {budget.what.removesuffix(' / baseline')} for these settings: "
            "save a baseline of a run with more samples, or limit another statistic"
        )
    for one in found:
        yield {
            **{name: level_of(known, known.default) for name, known in parameters.items()},
            **{name: level for name, level in one.factors.items() if name in parameters or name in TARGET_FACTORS},
        }


def _has_statistic(budget: Budget, one: Measurement) -> bool:
    known = quantities([one])
    name = series_of(budget, known)
    return name is not None and (
        budget.statistic not in PERCENTILES or known[name].percentile(budget.statistic) is not None
    )


def _settings_of_limit(budget: Budget, info: BenchmarkInfo, plan: Plan, target: Target) -> Iterator[dict[str, Level]]:
    """Return the complete settings of a budget with an absolute limit."""
    built = target_levels(target, budget.levels)
    resolved = {**resolve(info, budget.levels, plan.seed, plan.origin, interpreted=target.interpreted), **built}
    parameters = {one.name: one for one in info.parameters}
    if budget.statistic in PERCENTILES and _SAMPLES in parameters:
        most = parameters[_SAMPLES].max or MAX_SETTINGS
        needed = math.ceil(round(BEYOND / (1 - percent_of(budget.statistic) / 100), 6))
        if _SAMPLES in budget.levels:
            least = min(map(int, resolved[_SAMPLES])) * plan.repetitions
            if least < needed:
                raise UsageError(
                    f"{budget.statistic} needs {needed:,} samples, but {plan.repetitions} repetitions with "
                    f"{_SAMPLES}={','.join(budget.levels[_SAMPLES])} have only {least:,}: omit {_SAMPLES}, or "
                    "increase it"
                )
        else:
            share = math.ceil((1 if plan.simulated else _SPARE) * needed / plan.repetitions)
            given = resolved.get(_SAMPLES, [level_of(parameters[_SAMPLES], parameters[_SAMPLES].default)])
            resolved[_SAMPLES] = [min(most, max(int(one), share)) for one in given]
    defaults = {name: level_of(one, one.default) for name, one in parameters.items()}
    for combination in itertools.product(*resolved.values()):
        yield {**defaults, **dict(zip(resolved, combination, strict=True))}


def _possible(
    session: Session, info: BenchmarkInfo, settings: Sequence[dict[str, Level]]
) -> tuple[list[dict[str, Level]], list[Excluded]]:
    """Separate the settings that the target can measure from those that it cannot."""
    possible, left_out = [], []
    for factors in settings:
        impossible = session.check(info, {name: [level] for name, level in factors.items()})
        if impossible:
            left_out.append(Excluded(info.name, factors, impossible[0].why))
        else:
            possible.append(factors)
    return possible, left_out


def why_not(plan: Plan, budgets: Iterable[Budget]) -> dict[str, str]:
    """Return why the target cannot measure any setting of a budget, by the budgets' texts."""
    return {
        budget.text: one.why
        for budget in budgets
        for one in plan.excluded
        if one.benchmark == budget.benchmark and budget.has(one.factors)
    }
