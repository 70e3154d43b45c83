"""The lines of the figures of speed-ups: the points of one fit, of a run or as published."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from intercore.benchmarks.speedup.analysis import analyse_published
from intercore.benchmarks.speedup.plots import Group
from intercore.benchmarks.speedup.points import BENCHMARK
from intercore.benchmarks.speedup.words import called
from intercore.record import conditions
from intercore.record.origin import in_brackets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.benchmarks.speedup.publication import SpeedupPublication
    from intercore.record.measurement import Level, Measurement, Run


def groups(run: Run, analysis: SpeedupAnalysis, named: Collection[str], prefix: str) -> Iterator[Group]:
    """Return the lines of a run; groups are labelled by the given factors, behind a prefix."""
    origin = run.plan.origin
    names = {name for point in analysis.points for name in point.setting}
    for fit, points in _fits(analysis):
        yield Group(
            label=in_brackets(prefix + called(points[0].setting, named), origin),
            origin=origin,
            fit=fit,
            points=points,
            pools=tuple(_pool(run, point, names) for point in points),
            cycle_hz=conditions.cycle_hz(run),
        )


def published_groups(table: SpeedupPublication, efficiency: float) -> Iterator[Group]:
    """Return the same of a published table."""
    for fit, points in _fits(analyse_published(table, efficiency)):
        yield Group(f"published: {table.label}", "published", fit, points, (), table.setting.cpu_hz)


def _fits(analysis: SpeedupAnalysis) -> Iterator[tuple[ForkJoinFit, tuple[SpeedupPoint, ...]]]:
    known = groupby(analysis.points, key=lambda point: point.group)
    for fit, (_, points) in zip(analysis.fits, known, strict=True):
        yield fit, tuple(points)


def _pool(run: Run, point: SpeedupPoint, names: Iterable[str]) -> tuple[Measurement, ...]:
    """Return the measurements that the analysis pooled in a point; `names` are the factors that distinguish points."""
    setting: dict[str, Level | None] = {**dict.fromkeys(names), **point.setting, "n": point.n}
    return tuple(
        measurement
        for measurement in run.measurements
        if measurement.benchmark == BENCHMARK
        and all(measurement.factors.get(name) == level for name, level in setting.items())
    )
