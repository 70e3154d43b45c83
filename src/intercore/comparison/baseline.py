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

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from intercore.record.measurement import Level


class Baseline(Run, frozen=True, eq=False, kw_only=True):
    """A baseline as the run that it is compared as; its measurements are KeptMeasurements, one for each setting."""

    file: str
    """As the user named it; empty for one that is in none yet."""

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


def of_run(run: Run) -> Baseline:
    """Return the baseline that a run makes. Its settings are sorted, whatever the order of measuring was.

    IntercoreError if the run is unfinished, has measurements that failed, or conditions that changed while it was
    measured; UsageError if nothing of it can be compared at all.
    """
    _check(run)
    pools: dict[tuple[str, str], list[Measurement]] = defaultdict(list)
    for one in run.measurements:
        if not incomparable(one):
            pools[setting_key(one.benchmark, one.factors)].append(one)
    settings = [made for pool in pools.values() if (made := _kept(pool)).quantities]
    if not settings:
        raise UsageError(f"{run.title} cannot be a baseline: {_why_nothing_is_kept(run)}")
    settings.sort(key=lambda one: (one.benchmark, by_level(one.factors)))
    _check_conditions(run, settings)
    return baseline(run.plan.target, run.tool, settings, simulated=run.plan.simulated, file="")


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


def _check_conditions(run: Run, settings: Iterable[Measurement]) -> None:
    """Raise IntercoreError where one build has several values of a condition: no file could say which is whose."""
    known: dict[tuple[str, str], str] = {}
    measured = [one for one in run.measurements if not incomparable(one)]
    for one in (*settings, *measured):
        build = canonical(of_target(one.factors))
        for key, value in lasting(one.conditions).items():
            if known.setdefault((build, key), value) != value:
                raise IntercoreError(
                    f"the condition {key} changed within {run.title} ({known[build, key]} / {value}), so the run "
                    "cannot be a baseline: measure again in one session"
                )
    if several := identity.kernels_that_differ(run.measurements):
        raise IntercoreError(
            f"{run.title} mixes kernels ({in_a_row(several)}), so the run cannot be a baseline: measure one kernel"
        )
