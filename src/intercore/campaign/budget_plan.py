"""From budgets to the plan that measures what they need on a target, and no more."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import msgspec

from intercore.budgets.check import located
from intercore.campaign.levels import find_benchmark, level_of, repetitions_of, resolve
from intercore.comparison.baseline import setting_key
from intercore.comparison.quantities import PERCENTILES, KeptMeasurement, percent_of
from intercore.errors import UsageError, unknown
from intercore.record.factors import TARGET_FACTORS
from intercore.record.measurement import Excluded, Part
from intercore.record.plan import MAX_SETTINGS, check
from intercore.statistics.repetitions import BEYOND

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.budgets.budget import Budget
    from intercore.budgets.check import BudgetFile
    from intercore.link.session import BenchmarkInfo, Session
    from intercore.record.measurement import Level, Plan
    from intercore.record.origin import Origin

_SAMPLES = "samples"
_SPARE = 2
"""Times the samples that a percentile takes: repetitions that differ a little must not make it untold."""


def repetitions_for(file: BudgetFile, origin: Origin) -> int:
    """Return how often each setting is measured if the user does not say.

    Where a program stands for the chip, ratios are exact if it is measured as often as the baseline was, since each
    repetition has phases of its own.
    """
    known = () if file.baseline is None else file.baseline.measurements
    ratios = [one for one in file.budgets if one.to_baseline]
    if file.repetitions is None and origin == "simulated" and ratios:
        return max(
            len(quantity.medians.each)
            for one in known
            if isinstance(one, KeptMeasurement)
            for quantity in one.quantities.values()
        )
    return file.repetitions or repetitions_of(origin)


def plan_for(file: BudgetFile, plan: Plan, session: Session, built: Mapping[str, Sequence[Level]]) -> Plan:
    """Return the plan with a part for each setting that budgets need, of what the target says that it can measure.

    A ratio needs the baseline's settings as these were measured; a limit those that `intercore run` measures with the
    levels that the budget names, with enough samples for its percentile. `built` has the levels of the target's own
    factors. UsageError, with file and line, for what the target does not have.
    """
    infos = session.benchmarks()
    wanted: dict[tuple[str, str], dict[str, Level]] = {}
    left_out: list[Excluded] = []
    for budget in sorted(file.budgets, key=lambda one: not one.to_baseline):  # the baseline's settings are as they are
        with located(file, budget):
            info = find_benchmark(infos, budget.benchmark)
            for name in budget.levels:
                if name not in TARGET_FACTORS and name not in {one.name for one in info.parameters}:
                    raise UsageError(unknown(f"factor of {info.name}", name, [one.name for one in info.parameters]))
            made = _of_baseline(file, budget, info) if budget.to_baseline else _asked(budget, info, plan, built)
            possible, impossible = _possible(session, info, list(made))
            left_out += impossible
        for factors in possible:
            key = setting_key(info.name, factors)
            known = wanted.setdefault(key, factors)
            if not budget.to_baseline and _SAMPLES in known and not _is_of_ratio(file, known, info.name):
                known[_SAMPLES] = max(int(known[_SAMPLES]), int(factors[_SAMPLES]))
    parts = tuple(
        Part(benchmark, {name: [level] for name, level in factors.items()})
        for (benchmark, _), factors in wanted.items()
    )
    made_plan = msgspec.structs.replace(plan, parts=parts, excluded=tuple(left_out))
    check(made_plan)
    return made_plan


def _is_of_ratio(file: BudgetFile, factors: Mapping[str, Level], benchmark: str) -> bool:
    return any(one.to_baseline and one.benchmark == benchmark and one.has(factors) for one in file.budgets)


def _of_baseline(file: BudgetFile, budget: Budget, info: BenchmarkInfo) -> Iterator[dict[str, Level]]:
    """Return the settings of the baseline that a budget is for, in full."""
    parameters = {one.name: one for one in info.parameters}
    known = () if file.baseline is None else file.baseline.measurements
    found = [one.factors for one in known if one.benchmark == budget.benchmark and budget.has(one.factors)]
    if not found:
        of = "the baseline" if file.baseline is None else f"the baseline {file.baseline.file}"
        raise UsageError(f"{of} has no such setting: save one that has, or give a limit with a unit")
    for factors in found:
        yield {
            **{name: level_of(one, one.default) for name, one in parameters.items()},
            **{name: level for name, level in factors.items() if name in parameters or name in TARGET_FACTORS},
        }


def _asked(
    budget: Budget, info: BenchmarkInfo, plan: Plan, built: Mapping[str, Sequence[Level]]
) -> Iterator[dict[str, Level]]:
    """Return the settings of a budget with a limit of its own, in full."""
    levels = {name: values for name, values in budget.levels.items() if name not in TARGET_FACTORS}
    resolved = {**resolve(info, levels, plan.seed, plan.origin), **built}
    of_target = {name: values for name, values in budget.levels.items() if name in TARGET_FACTORS}
    for name, values in of_target.items():
        if name not in built or not set(values) <= {str(one) for one in built[name]}:
            raise UsageError(f"{name}={','.join(values)} is no build that is measured here: a budget has the usual one")
    parameters = {one.name: one for one in info.parameters}
    if budget.statistic in PERCENTILES and _SAMPLES in parameters and _SAMPLES not in budget.levels:
        most = parameters[_SAMPLES].max or MAX_SETTINGS
        spare = 1 if plan.simulated else _SPARE
        share = math.ceil(spare * BEYOND / (1 - percent_of(budget.statistic) / 100) / plan.repetitions)
        given = resolved.get(_SAMPLES, [level_of(parameters[_SAMPLES], parameters[_SAMPLES].default)])
        resolved[_SAMPLES] = [min(most, max(int(one), share)) for one in given]
    defaults = {name: level_of(one, one.default) for name, one in parameters.items()}
    for combination in itertools.product(*resolved.values()):
        yield {**defaults, **dict(zip(resolved, combination, strict=True))}


def _possible(
    session: Session, info: BenchmarkInfo, settings: Sequence[dict[str, Level]]
) -> tuple[list[dict[str, Level]], list[Excluded]]:
    """Tell the settings that the target can measure from those that it cannot."""
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
