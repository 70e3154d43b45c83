"""Check of all budgets of a file against a run, and the exit status of a build."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from intercore.benchmarks import registry
from intercore.benchmarks.failed import headline
from intercore.benchmarks.grouping import IRRELEVANT, by_level, varied_names
from intercore.benchmarks.plausibility import is_possible
from intercore.benchmarks.series import incomparable
from intercore.budgets.profile_budget import ProfileBudget, not_held
from intercore.budgets.profile_budget import held as held_against_profile
from intercore.budgets.result import (
    BudgetResult,
    Outcome,
    Setting,
    Side,
    held,
    limit_of,
    not_measured,
)
from intercore.budgets.series import is_of, limited, series_of
from intercore.comparison.analysis import compare_sides
from intercore.comparison.baseline import setting_key
from intercore.comparison.pairs import WITHOUT_LEVEL, levels_of, pools_of
from intercore.comparison.quantities import quantities
from intercore.errors import UsageError, unknown
from intercore.record import identity
from intercore.record.conditions import caveats
from intercore.record.factors import TARGET_FACTORS
from intercore.record.measurement import SPOILING_CHECKS
from intercore.record.plan import canonical
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from intercore.budgets.budget import Budget
    from intercore.comparison.analysis import UsualBuilds
    from intercore.comparison.baseline import Baseline
    from intercore.profile.summary import ProfileAnalysis
    from intercore.record.measurement import Measurement, Run

T = TypeVar("T")

STATUS: Mapping[Outcome, Literal[0, 1, 3, 4]] = {"kept": 0, "broken": 1, "cannot tell": 3, "not measured": 4}
"""Exit status of a check; 2 means a wrong file or command."""
_WORST: tuple[Outcome, ...] = ("broken", "not measured", "cannot tell", "kept")
"""The result of a check is the first of these outcomes."""
NO_PROFILE = "no profile is given (--profile app.json)"


class BudgetFile(msgspec.Struct, frozen=True):
    """What a file of budgets says."""

    name: str
    """As the user named it."""
    budgets: tuple[Budget, ...]
    baseline: Baseline | None
    """The baseline of ratios; present if a budget has one."""
    repetitions: int | None
    """Repetitions of each setting, if the file gives them."""
    of_profile: tuple[ProfileBudget, ...] = ()
    """Those that are for a profile."""


class Check(msgspec.Struct, frozen=True):
    """The result of checking the budgets of a file."""

    file: str
    target: str
    """Empty if the target is unknown."""
    simulated: bool
    run: int | None
    """Number of the run that the budgets were held against; None if nothing could be measured."""
    baseline: str | None
    """The file of the baseline that ratios are to."""
    outcome: Outcome
    """Overall: broken before not measured, that before cannot tell, and kept if all are kept."""
    exit_status: Literal[0, 1, 3, 4]
    """Of the command: 0 kept, 1 broken, 3 cannot tell, 4 not measured."""
    budgets: tuple[BudgetResult, ...]
    """Each budget held against each setting that it is for, in the order of the file."""
    first: tuple[str, ...]
    """Caveats shown first: the kernels, and other differences from the baseline."""
    warnings: tuple[str, ...]
    schema: int = 1
    """Version of this shape. 1: the first."""


def check_profile(file: BudgetFile, analysis: ProfileAnalysis | None, others: Check | None) -> Check:
    """Check the budgets that are for a profile, which may not be known, and add the result for the others."""
    found: list[BudgetResult] = [] if others is None else list(others.budgets)
    for one in file.of_profile:
        found += [not_held(one, NO_PROFILE)] if analysis is None else held_against_profile(one, analysis)
    found.sort(key=lambda one: one.line)
    if others is None:
        return _whole(file, "" if analysis is None else analysis.image, None, found, (), (), simulated=True)
    outcome = _worst(found)
    return msgspec.structs.replace(others, budgets=tuple(found), outcome=outcome, exit_status=_status(outcome))


def unmeasured(file: BudgetFile, target: str, why: str, *, simulated: bool) -> Check:
    """Return the result if nothing could be measured, with the reason in one sentence."""
    return _whole(file, target, None, [not_measured(one, why) for one in file.budgets], (), (), simulated=simulated)


def check(file: BudgetFile, run: Run, usual: UsualBuilds, missing: Mapping[str, str] = MappingProxyType({})) -> Check:
    """Check all budgets of a file against a run.

    `missing` has the reason why settings of a budget were not measured, by its text, if known. UsageError, with file
    and line, for a budget of what its benchmark does not have, or whose unit does not fit.
    """
    if run.plan.emulated:
        raise UsageError(
            f"{run.title} was measured on {run.plan.target}, which is emulated: its times mean nothing, so budgets "
            "cannot be checked"
        )
    settings = _Settings(run, file.baseline, usual)

    def against(one: Budget) -> list[BudgetResult]:
        why = missing.get(one.text) or _lacking(one, run)
        return [*(_of_baseline if one.to_baseline else _of_run)(one, settings, why)]

    found = [*chain.from_iterable(for_each(file.name, file.budgets, against))]
    first = _differences(file.baseline, run, usual) if any(one.to_baseline for one in file.budgets) else None
    identities, failure = list(identity.caveats(run)), headline(run)
    wrong = [] if failure is None else [failure.text]
    return _whole(
        file,
        run.plan.target,
        run,
        found,
        [*wrong, *([one.text for one in identities] if first is None else first)],
        [one.text for one in caveats(run) if one not in identities],
        simulated=run.plan.simulated,
    )


def for_each(file: str, budgets: Iterable[Budget], do: Callable[[Budget], T]) -> list[T]:
    """Return the results of each budget of a file. UsageError with all errors, by file and line."""
    found, wrong = [], []
    for one in budgets:
        try:
            found.append(do(one))
        except UsageError as error:
            wrong.append(f"{file}:{one.line}: {error}")
    if wrong:
        raise UsageError("\n".join(wrong))
    return found


def _lacking(budget: Budget, run: Run) -> str:
    """Return why a run has no setting of a budget: which level it did not measure, if one is the reason."""
    known = levels_of([run])[budget.benchmark]
    for name, wanted in budget.levels.items():
        measured = [str(level) for level in known[name]]
        if measured and not {*wanted}.intersection(measured):
            return f"{run.title} did not measure {name}={','.join(wanted)}, only {listed(sorted(measured))}"
    return f"{run.title} has no such setting"


class _Settings:
    """The settings of a run, and of the baseline those that are the same."""

    def __init__(self, run: Run, baseline: Baseline | None, usual: UsualBuilds) -> None:
        self.run = run
        self.baseline = baseline
        pools: dict[tuple[str, str], list[Measurement]] = defaultdict(list)
        for one in run.measurements:
            if not incomparable(one):
                pools[setting_key(one.benchmark, one.factors)].append(one)
        self.pools = list(pools.values())
        self.both: list[tuple[list[Measurement], list[Measurement] | None]] = []
        """Those of the run, with those of the baseline if it has them."""
        self.alone: list[Measurement] = []
        """Those that the baseline alone has."""
        if baseline is not None:
            first, second = (_by_setting(one, other, usual) for one, other in ((baseline, run), (run, baseline)))
            self.both = [(pool, first.get(key)) for key, pool in second.items()]
            self.alone = [pool[0] for key, pool in first.items() if key not in second]

    def of(self, budget: Budget) -> list[list[Measurement]]:
        """Return the measurements of each setting that a budget is for."""
        return [_most(ours) for pool in self.pools if (ours := _ours(budget, pool))]

    def benchmark(self, name: str) -> list[list[Measurement]]:
        """Return all settings of a benchmark."""
        return [pool for pool in self.pools if pool[0].benchmark == name]


def _by_setting(run: Run, other: Run, usual: UsualBuilds) -> dict[tuple[str, str], list[Measurement]]:
    """Return the settings of a run by the levels that distinguish them and that another run has, too.

    The builds of the two may differ, if each run has one: that is the change between them, and is reported.
    """
    mine, theirs = levels_of([run]), levels_of([other])
    names = {
        benchmark: {
            name
            for name, levels in factors.items()
            if len(levels) > 1
            or len(theirs[benchmark][name]) > 1
            or (theirs[benchmark][name] and name not in TARGET_FACTORS)
        }
        for benchmark, factors in mine.items()
    }
    return pools_of([run], names, usual.get(run.plan.target, {}))


def _ours(budget: Budget, pool: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements of a setting that a budget is for; it may name how they were measured."""
    return [one for one in pool if one.benchmark == budget.benchmark and is_of(budget, one.factors)]


def _most(pool: Sequence[Measurement]) -> list[Measurement]:
    """Return the largest group of measurements taken in the same way: other ways are not mixed."""
    alike: dict[str, list[Measurement]] = defaultdict(list)
    for one in pool:
        how = {name: level for name, level in one.factors.items() if name in IRRELEVANT - {"seed"}}
        alike[canonical(how)].append(one)
    return max(alike.values(), key=lambda some: sum(len(series.ticks) for one in some for series in one.series))


def _as_before(pool: list[Measurement], before: Sequence[Measurement]) -> list[Measurement]:
    """Return those that were measured as the baseline was; all if none was."""
    how = {name: level for name, level in before[0].factors.items() if name in IRRELEVANT}
    return [one for one in pool if all(one.factors.get(name) == how[name] for name in how)] or pool


def _of_run(budget: Budget, settings: _Settings, why: str) -> Iterator[BudgetResult]:
    pools = settings.of(budget)
    _check(budget, settings)
    if not pools:
        yield not_measured(budget, why)
    for pool, setting in _named(budget, pools):
        yield _held(budget, pool, setting, None, settings)


def _of_baseline(budget: Budget, settings: _Settings, why: str) -> Iterator[BudgetResult]:
    assert settings.baseline is not None, "a file with such a budget names one"  # noqa: S101 - the reader has seen to it
    file = settings.baseline.file
    of_both = [
        (_as_before(ours, before), before) for pool, before in settings.both if before and (ours := _ours(budget, pool))
    ]
    alone = [[one] for one in settings.alone if _ours(budget, [one])]
    _check(budget, settings)
    if not alone and not of_both:
        raise UsageError(
            f"the baseline {file} does not have the setting of this budget: save a baseline of a run with that "
            "setting, or give a limit with a unit"
        )
    known = {id(pool): before for pool, before in of_both}
    for pool, setting in _named(budget, [*(pool for pool, _ in of_both), *alone]):
        if id(pool) in known:
            yield _held(budget, pool, setting, known[id(pool)], settings)
        else:
            yield not_measured(budget, why, setting)


def _check(budget: Budget, settings: _Settings) -> None:
    """Raise UsageError if there is no such benchmark, factor or series."""
    of_benchmark = settings.benchmark(budget.benchmark)
    known = sorted({*registry.names(), *settings.run.plan.benchmarks})
    if budget.benchmark not in known:
        raise UsageError(unknown("benchmark", budget.benchmark, known))
    declared = limited(budget)
    if not of_benchmark:
        return
    factors = {name for pool in of_benchmark for name in pool[0].factors}
    for name in budget.levels:
        if name not in factors:
            raise UsageError(unknown("factor", name, sorted(factors), f"{budget.benchmark} has"))
    series = set(chain.from_iterable(quantities(pool) for pool in of_benchmark if not _failure(pool)))
    if declared is None and budget.series is not None and series and series_of(budget, series) is None:
        raise UsageError(
            unknown("series", budget.series, sorted({name for name, _ in series}), f"{budget.benchmark} has")
        )


def _named(budget: Budget, pools: Sequence[list[Measurement]]) -> list[tuple[list[Measurement], Setting]]:
    """Return each setting with the levels that distinguish it: those of the budget, and those that differ."""
    unsaid = WITHOUT_LEVEL | IRRELEVANT
    names = dict.fromkeys((*budget.levels, *varied_names([pool[0] for pool in pools], unsaid)))
    found = []
    for pool in pools:
        factors = pool[0].factors
        levels = {name: factors[name] for name in names if name in factors}
        others = {name: level for name, level in factors.items() if name not in {*names, *unsaid}}
        found.append((pool, Setting(levels, others)))
    return sorted(found, key=lambda pair: by_level(pair[1].levels))


def _held(
    budget: Budget,
    pool: list[Measurement],
    setting: Setting,
    before: list[Measurement] | None,
    settings: _Settings,
) -> BudgetResult:
    if why := _failure(pool):
        return not_measured(budget, why, setting)
    side = Side(pool, quantities(pool), settings.run.plan.simulated)
    name = series_of(budget, side.known)
    if name is None:
        return not_measured(budget, f"this setting has no series {budget.series or 'with a median'}", setting)
    limit = limit_of(budget, name, pool)
    if before is None or settings.baseline is None:
        return held(limit, name, setting, side, None)
    baseline = Side(before, quantities(before), settings.baseline.plan.simulated, by_turns=settings.baseline.by_turns)
    if name not in baseline.known:
        return not_measured(budget, f"the baseline has no series {name[0]} of it", setting)
    return held(limit, name, setting, side, baseline)


def _failure(pool: Sequence[Measurement]) -> str:
    """Return why the measurements of a setting are none; empty if they are."""
    spoilt = {name: sum(one.checks.get(name, 0) for one in pool) for name in SPOILING_CHECKS}
    reasons = [f"{name}: {count}" for name, count in spoilt.items() if count]
    if not all(map(is_possible, pool)):
        reasons.append("impossible samples")
    return f"the measurement failed ({', '.join(reasons)})" if reasons else ""


def _differences(baseline: Baseline | None, run: Run, usual: UsualBuilds) -> list[str] | None:
    """Return which kernels baseline and run are of, and what else differs that may decide a ratio."""
    if baseline is None:
        return None
    with contextlib.suppress(UsageError):  # nothing in common: then no ratio is reasons either
        found = compare_sides([baseline], [run], usual)
        return [*found.identities, *found.deciding, *found.warnings]
    return None


def _whole(
    file: BudgetFile,
    target: str,
    run: Run | None,
    found: Sequence[BudgetResult],
    first: Iterable[str],
    doubts: Iterable[str],
    *,
    simulated: bool,
) -> Check:
    outcome = _worst(found)
    return Check(
        file=file.name,
        target=target,
        simulated=simulated,
        run=None if run is None else run.id,
        baseline=None if file.baseline is None else file.baseline.file,
        outcome=outcome,
        exit_status=_status(outcome),
        budgets=tuple(found),
        first=tuple(first),
        warnings=tuple(doubts),
    )


def _worst(found: Iterable[BudgetResult]) -> Outcome:
    outcomes = {one.outcome for one in found}
    return next(one for one in _WORST if one in outcomes)


def _status(outcome: Outcome) -> Literal[0, 1, 3, 4]:
    return STATUS[outcome]
