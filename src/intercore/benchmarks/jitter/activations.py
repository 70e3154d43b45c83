"""The activations of a periodic task, measurement by measurement, and which setting each is of."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from intercore.benchmarks.grouping import by_level, ticks, varied_names
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.record.measurement import Measurement

Ticks: TypeAlias = NDArray[np.int64]

BENCHMARK = "jitter"
FORCED = ("affinity", "blockers")
"""Ways in which the task is moved while it waits."""
UNSYNCHRONISED = "unsynchronised"
PUBLISHED = "published"
"""A paper's procedure as read here: the task is moved right behind its reading, before it waits."""
BY_PROCEDURE = "by the paper's procedure"
"""The label of a setting of `migrate=published`: it is this run's, and "as published" would read as a number."""

LOADS = {"none": "", "core0": "0 busy", "core1": "1 busy", "both": "both busy", "same-priority": "equals"}
"""What a label says of a load."""

_NAMED = ("core", "load", "migrate", "wake", "time")
POOLED = (*_NAMED, "samples", "counted", "seed", "dither_us", "rest_ms")
"""Factors that do not distinguish settings: a label has them, or they change no result."""
_OF_COUNTERS = ("counter_bits",)
"""Factors that change what raw counters give and nothing else."""


class Activations(msgspec.Struct, frozen=True, eq=False):
    """The activations of one measurement in their order, in ticks of the common clock."""

    late: NDArray[np.int64]
    core: NDArray[np.int64]
    begins: NDArray[np.int64]
    """Index of the first release of each stretch."""
    period: int
    hz: int
    passed: NDArray[np.int64]
    """From the previous activation to each, if the wake time was reset, so that `late` does not give it; else empty."""

    @property
    def neighbours(self) -> NDArray[np.int64]:
        """Index of each activation that has one before it in its stretch."""
        follows = np.ones(len(self.late), np.bool_)
        follows[self.begins[(self.begins >= 0) & (self.begins < len(follows))]] = False
        return np.flatnonzero(follows)

    @property
    def deviation(self) -> NDArray[np.int64]:
        """How much longer than the period it took from the previous activation, for each of the neighbours."""
        at = self.neighbours
        found: Ticks = self.passed[at] - self.period if len(self.passed) else self.late[at] - self.late[at - 1]
        return found

    @property
    def migrated(self) -> NDArray[np.bool_]:
        """Whether each activation was on another core than the one before in its stretch."""
        moved = np.zeros(len(self.late), np.bool_)
        at = self.neighbours
        moved[at] = self.core[at] != self.core[at - 1]
        return moved


def activations(measurement: Measurement) -> Activations:
    """Return the activations of a measurement."""
    series = measurement.samples("late")
    period_us = int(measurement.factors["period_us"])
    core = ticks(measurement, "core")
    if not len(core):  # it is pinned, and the target has checked that it stayed there
        core = np.full(len(series.ticks), int(measurement.factors["core"]), np.int64)
    passed = ticks(measurement, "period")
    return Activations(
        late=series.ticks,
        core=core,
        begins=ticks(measurement, "begins"),
        period=period_us * series.hz // 1_000_000,
        hz=series.hz,
        passed=passed if len(passed) == len(series.ticks) else passed[:0],
    )


def pools(measurements: Iterable[Measurement], *, raw: bool = False) -> dict[str, list[Measurement]]:
    """Return the measurements of jitter by the label of their setting, in order: without load, under load, moved.

    Those with raw counters stand apart: they are returned alone (`raw`), or not at all. Those are left out of which the
    core of each activation is not known.
    """
    ours = [one for one in measurements if one.benchmark == BENCHMARK and is_raw(one) == raw and is_reported(one)]
    varied = varied_factors(ours, raw=raw)
    found: dict[str, list[Measurement]] = defaultdict(list)
    for one in sorted(ours, key=_order):
        found[_label(one, varied)].append(one)
    return dict(found)


def varied_factors(ours: Iterable[Measurement], *, raw: bool = False) -> list[str]:
    """Return the other factors with more than one level."""
    return varied_names(ours, POOLED if raw else (*POOLED, *_OF_COUNTERS))


def is_raw(one: Measurement) -> bool:
    """Whether the cores' own counters were subtracted as if they were one clock."""
    return one.factors.get("time") == "raw-counter"


def wake_of(one: Measurement) -> str:
    """Return whether the time of the last activation was kept or reset; a program without this factor keeps it."""
    return str(one.factors.get("wake", "kept"))


def is_reported(one: Measurement) -> bool:
    """Whether there are activations, and the core of each is known."""
    return len(ticks(one, "late")) > 0 and has_cores(one)


def has_cores(one: Measurement) -> bool:
    """Whether the core of each activation is known."""
    cores = len(ticks(one, "core"))
    return cores == len(ticks(one, "late")) or (cores == 0 and str(one.factors["core"]).isdecimal())


def lateness_us(one: Measurement) -> NDArray[np.float64]:
    """Return how late the activations of a measurement were, in µs."""
    return in_us(ticks(one, "late"), one)


def in_us(of: Ticks, one: Measurement) -> NDArray[np.float64]:
    """Return ticks of a measurement's common clock in µs."""
    us: NDArray[np.float64] = of.astype(np.float64) * (1e6 / one.samples("late").hz)
    return us


def _order(one: Measurement) -> tuple[object, ...]:
    migrations, loads = (
        ("none", *FORCED, PUBLISHED, UNSYNCHRONISED),
        ("none", "core0", "core1", "both", "same-priority"),
    )
    levels = [(str(one.factors[name]), known) for name, known in (("migrate", migrations), ("load", loads))]
    ranks = [(known.index(level) if level in known else len(known), level) for level, known in levels]
    rest = by_level({name: level for name, level in one.factors.items() if name not in POOLED})
    return int(one.factors["period_us"]), *ranks, wake_of(one) != "kept", str(one.factors["core"]), rest


def _label(one: Measurement, varied: Sequence[str]) -> str:
    """Name a setting, e.g. `core 0, both busy` or `affinity, 1 ms`."""
    core, load, migrate = (str(one.factors[name]) for name in ("core", "load", "migrate"))
    moved = {PUBLISHED: BY_PROCEDURE}.get(migrate, migrate)
    where = {"any": "any core"}.get(core, f"core {core}") if migrate == "none" else moved
    wake = "wake time reset" if wake_of(one) == "reset" else ""
    others = [
        duration(int(one.factors[name])) if name == "period_us" else f"{name}={one.factors[name]}"
        for name in varied
        if name in one.factors
    ]
    return ", ".join(filter(None, [where, LOADS.get(load, load), wake, *others]))
