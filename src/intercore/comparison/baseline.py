"""A baseline: the results of a run in a small file, to compare later runs with; see `baseline_file` for the file.

It has the data that comparisons and budgets need: for each quantity of each setting the median, that of each
repetition, the known percentiles, and the smallest and largest sample; and the conditions of the measurement.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.benchmarks.failed import is_sound
from intercore.benchmarks.grouping import IRRELEVANT, by_level
from intercore.benchmarks.series import incomparable
from intercore.comparison.pairs import WITHOUT_LEVEL
from intercore.comparison.quantities import KeptMeasurement, kept, quantities
from intercore.errors import IntercoreError, UsageError
from intercore.record import identity
from intercore.record.conditions import lasting
from intercore.record.factors import of_target
from intercore.record.findings import in_a_row
from intercore.record.measurement import Measurement, Part, Plan, Run
from intercore.record.plan import canonical
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.record.measurement import Level


class Baseline(Run, frozen=True, eq=False, kw_only=True):
    """A baseline as the run that it is compared as; its measurements are KeptMeasurements, one for each setting."""

    file: str
    """As the user named it; empty for one that is in none yet."""
    by_turns: bool = False
    """Whether the run that is held against it was measured by turns with it, repetition beside repetition."""

    @property
    def title(self) -> str:
        """Its name in a sentence: the name of the file."""
        return Path(self.file).name or "the baseline"


def baseline(
    target: str, tool: str, measurements: Iterable[KeptMeasurement], *, simulated: bool, file: str
) -> Baseline:
    """Return the baseline of these settings."""
    settings = tuple(measurements)
    parts = tuple(Part(name, {}) for name in dict.fromkeys(one.benchmark for one in settings))
    plan = Plan(target, None, "baseline", parts, simulated=simulated)
    return Baseline(0, plan, "", tool, len(settings), settings, file=file)


def setting_key(benchmark: str, factors: Mapping[str, Level]) -> tuple[str, str]:
    """Return the levels that identify a setting, without those of the way of measuring."""
    return benchmark, canonical({name: factors[name] for name in factors if name not in IRRELEVANT | WITHOUT_LEVEL})


def of_runs(runs: Sequence[Run]) -> Baseline:
    """Return the baseline that runs of one target make. Its settings are sorted, whatever the order of measuring was.

    Of several runs, it carries how much these differ. IntercoreError if a run is unfinished, has measurements that
    failed, or conditions that changed while it was measured; UsageError if the runs are of several targets, or if
    nothing of them can be compared at all.
    """
    first = runs[0]
    if len({run.plan.target for run in runs}) > 1:
        named = listed([f"{run.title} of {run.plan.target}" for run in runs])
        raise UsageError(f"a baseline is of one target, but these are {named}: name runs of one target")
    for run in runs:
        _check(run)
    measured = [one for run in runs for one in run.measurements if not incomparable(one)]
    pools: dict[tuple[str, str], list[Measurement]] = defaultdict(list)
    for one in measured:
        pools[setting_key(one.benchmark, one.factors)].append(one)
    settings = [made for pool in pools.values() if (made := _kept(pool)).quantities]
    whole = listed([run.title for run in runs])
    if not settings:
        raise UsageError(f"{whole} cannot be a baseline: {'; '.join(map(_why_nothing_is_kept, runs))}")
    settings.sort(key=lambda one: (one.benchmark, by_level(one.factors)))
    _check_conditions(whole, [*settings, *measured])
    return baseline(first.plan.target, first.tool, settings, simulated=first.plan.simulated, file="")


def _why_nothing_is_kept(run: Run) -> str:
    reasons = {one.benchmark: why for one in run.measurements if (why := incomparable(one))}
    measured = [f"{name} was measured {why}" for name, why in reasons.items()]
    return "; ".join(measured) or "it has no series with a median"


def _kept(pool: list[Measurement]) -> KeptMeasurement:
    first = pool[0]
    found = {name: kept(known) for name, known in quantities(pool).items()}
    return KeptMeasurement(first.benchmark, first.factors, 0, (), lasting(first.conditions), {}, "", quantities=found)


def _check(run: Run) -> None:
    if run.plan.emulated:
        raise UsageError(
            f"{run.title} was measured on {run.plan.target}, which is emulated: its times mean nothing, so the run "
            "cannot be a baseline"
        )
    if not run.complete:
        raise IntercoreError(
            f"{run.title} is unfinished ({len(run.measurements)} of {run.total} measurements): finish it before you "
            "save it as a baseline"
        )
    failed = sum(not is_sound(one) for one in run.measurements)
    if failed:
        raise IntercoreError(
            f"of {len(run.measurements)} measurements of {run.title}, {failed} failed, so the run cannot be a "
            f"baseline: read the output of intercore show {run.id}, and measure again"
        )


def _check_conditions(whole: str, measured: Sequence[Measurement]) -> None:
    """Raise IntercoreError where one build has several values of a condition: no file could say which is whose."""
    known: dict[tuple[str, str], str] = {}
    for one in measured:
        build = canonical(of_target(one.factors))
        for key, value in lasting(one.conditions).items():
            if known.setdefault((build, key), value) != value:
                raise IntercoreError(
                    f"the condition {key} changed within {whole} ({known[build, key]} / {value}), so there is no "
                    "baseline: measure again in one session"
                )
    if several := identity.kernels_that_differ(measured):
        raise IntercoreError(
            f"{whole} mixes kernels ({in_a_row(several)}), so there is no baseline: measure one kernel"
        )
