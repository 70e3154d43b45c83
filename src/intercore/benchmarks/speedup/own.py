"""What is said of a workload of the user's own: from which size on several cores pay, and what limits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.speedup.points import of_speedup
from intercore.record.own_work import PREFIX
from intercore.view.quantity import duration_with_bounds, percent, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Measurement

CONFLICTS = "conflicts."
"""What the names of checks begin with that count cycles in which a core waited for what the other one held."""
_MOST_SLAVES = 4
_NEXT_TO_NOTHING = 0.005
"""A loss per core, as a fraction, that is not worth a cause."""


def sentences(analysis: SpeedupAnalysis, measurements: Sequence[Measurement]) -> Iterator[str]:
    """Say of each workload of the user's own from which size on several cores pay, and what limits, as far as known."""
    ours = of_speedup(measurements)
    for workload in dict.fromkeys(point.workload for point in analysis.points if point.workload.startswith(PREFIX)):
        groups = [_Group(fit, analysis) for fit in analysis.fits if f"workload={workload} " in f"{fit.group} "]
        groups = [group for group in groups if group.fit.cores > 1]
        if groups:
            best = min(groups, key=lambda group: (group.pays_from_us, -group.points[0].speedup.value))
            name = workload.removeprefix(PREFIX)
            yield f"{best.pays(name)} {best.overhead()} {_loss(best, workload, ours)}"


def is_own(fit: ForkJoinFit) -> bool:
    """Whether a fit is of a workload of the user's own, of which `sentences` tell."""
    return f"workload={PREFIX}" in fit.group


class _Group(NamedTuple):
    """The sizes of one way of starting the parts."""

    fit: ForkJoinFit
    analysis: SpeedupAnalysis

    @property
    def points(self) -> list[SpeedupPoint]:
        return sorted((one for one in self.analysis.points if one.group == self.fit.group), key=lambda one: one.n)

    @property
    def pays_from_us(self) -> float:
        begin = self.fit.break_even
        if begin.place == "below":
            return self.points[0].t1_us.value
        return float("inf") if begin.t1_us is None else begin.t1_us.value

    def pays(self, name: str) -> str:
        """Say from which size on its cores pay."""
        cores = "Two" if self.fit.cores == 2 else str(self.fit.cores)
        begin, smallest, largest = self.fit.break_even, self.points[0], self.points[-1]
        how = f"mode={smallest.mode}"
        best = f"and at n={largest.n} S is {significant(largest.speedup.value)}"
        if begin.place == "below":
            return f"{cores} cores pay for {name} from the smallest size measured, n={smallest.n} ({how}), {best}."
        if begin.t1_us is not None:
            units = "" if begin.n is None else f"n={round(begin.n.value)}, "
            extrapolated = ", extrapolated" if begin.extrapolated else ""
            where = f"{units}{duration_with_bounds(begin.t1_us)} of one core{extrapolated}"
            return f"{cores} cores pay for {name} from {where} ({how}), {best}."
        return f"{cores} cores do not pay for {name} at any size measured ({how}): {begin.reason}."

    def overhead(self) -> str:
        """Say what starting and joining takes."""
        overhead, unknown = self.fit.overhead_us, self.fit.resolution_us
        if unknown is not None:
            return "Of small work, what starting and joining takes cannot be told from 0."
        return f"Small work is limited by starting and joining, {duration_with_bounds(overhead)}."


def _loss(group: _Group, workload: str, measurements: Sequence[Measurement]) -> str:
    """Say what large work loses, and to what as far as the simulated chip has seen it."""
    loss = group.fit.loss
    if loss is None:
        return "Whether large work loses anything, two sizes do not tell."
    if group.fit.loss_compatible_with_zero or loss.value < _NEXT_TO_NOTHING:
        return "Large work loses next to nothing."
    begin = f"Large work loses {percent(loss.value)} per core"
    mode, seen = _waits(workload, measurements)
    if not seen:
        return f"{begin}; what limits it is unknown."
    total = sum(seen.values())
    most = sorted(seen.items(), key=lambda one: -one[1])[:_MOST_SLAVES]
    where = ", ".join(f"{slave.upper()} {percent(share)}" for slave, share in most if share > 0)
    if not where:
        return f"{begin}, and none of it waits for the other core's use of the bus: what limits it is unknown."
    return (
        f"{begin}: each waits for {percent(total)} of its work because the other one holds {where} (cycles of the bus, "
        f"counted with mode={mode})."
    )


def _waits(workload: str, measurements: Sequence[Measurement]) -> tuple[str, dict[str, float]]:
    """Return what share of a core's part of the largest work it waited for the other, by slave of the bus.

    Before it stands the mode in which that was counted.
    """
    counted = [
        one
        for one in measurements
        if one.factors.get("workload") == workload and any(name.startswith(CONFLICTS) for name in one.checks)
    ]
    sizes = [size for one in counted if isinstance(size := one.factors.get("n"), int)]
    mode, found = "", dict[str, float]()
    largest = [one for one in counted if one.factors.get("n") == max(sizes, default=0)]
    for one in largest[:1]:
        t1, cores = one.samples("t1"), one.factors.get("cores")
        windows = len(one.samples("tp").ticks) + 1  # the first one warms up
        hz = _frequency(one)
        if not isinstance(cores, int) or not hz or not len(t1.ticks):
            return "", {}
        mode = str(one.factors.get("mode"))
        part = float(t1.ns.mean()) * 1e-9 * hz / cores
        for name, cycles in one.checks.items():
            if name.startswith(CONFLICTS):
                found[name.removeprefix(CONFLICTS)] = cycles / windows / cores / part
    return mode, found


def _frequency(measurement: Measurement) -> int:
    text = measurement.conditions.get("clock.sys_hz", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


_WRONG = {
    "beyond": "writes beyond its part: unit {unit}, by itself, changes what is not its own.",
    "unexpected": "is not what its file says is right: the first unit that differs is {unit}.",
    "depends": (
        "gives another sum than its parts: the first unit that differs is {unit}. It adds something else behind others "
        "than by itself, so it depends on the order, on the split, or on what a call leaves behind."
    ),
    "differs": (
        "gives another result than on one core: the first unit that differs is {unit}. State that parts share, or the "
        "order of units, comes into it."
    ),
}
"""By series of a measurement (firmware/workload/own/own.c), what its first unit tells; what is told before others."""


def wrong_units(measurements: Sequence[Measurement]) -> Iterator[str]:
    """Say which units of the user's own work were wrong first."""
    for one in of_speedup(measurements):
        first = {series.name: int(series.ticks[0]) for series in one.series if len(series.ticks)}
        for name in (name for name in _WRONG if name in first):
            yield f"{_where(one)} {_WRONG[name].format(unit=first[name])}"
            return
    for one in of_speedup(measurements):
        if one.checks.get("wrong") and str(one.factors.get("workload", "")).startswith(PREFIX):
            yield (
                f"{_where(one)} gives another sum than its parts, and no unit by itself does: it depends on the order, "
                "on the split, or on state that parts share."
            )
            return


def _where(measurement: Measurement) -> str:
    factors = measurement.factors
    name = str(factors.get("workload", "")).removeprefix(PREFIX)
    return f"{name} with n={factors.get('n')} on {factors.get('cores')} cores"
