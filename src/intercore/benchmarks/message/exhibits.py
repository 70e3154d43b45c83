"""The figures of publications on messages in the numbers of a run: latency and data rate over the size, by a factor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from intercore.benchmarks.claims import chip_name
from intercore.benchmarks.message.curve import MEASURES, Curve
from intercore.benchmarks.message.literature import is_its_chip
from intercore.benchmarks.message.plots import curves_figure
from intercore.benchmarks.message.publication import MessagePublication
from intercore.benchmarks.message.rows import rate
from intercore.benchmarks.message.verdicts import Evidence, verdicts
from intercore.benchmarks.published import published
from intercore.view.exhibit import Exhibit
from intercore.view.quantity import data_rate, duration
from intercore.view.section import where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.message.analysis import MessageAnalysis
    from intercore.benchmarks.published import PublishedExhibit
    from intercore.record.measurement import Level, Run
    from intercore.view.figure import Figure

_LINES: Mapping[str, tuple[str, ...]] = {
    "seed-003-figure-3": ("opt",),
    "seed-003-figure-4": ("m7_mhz", "m4_mhz", "clock_mhz", "region", "shared"),
    "seed-003-figure-5": ("icache", "dcache", "xip_cache"),
}
"""The factors whose levels are lines, as far as they vary in a run."""

_IN_D1: Mapping[str, Level] = {"region": "d1", "shared": "d1"}
_NO_CACHES: Mapping[str, Level] = {"icache": "off", "dcache": "off"}
_THERE: Mapping[str, Mapping[str, Level]] = {
    "seed-003-figure-3": {"m7_mhz": 480, "m4_mhz": 60, **_IN_D1, **_NO_CACHES},
    "seed-003-figure-4": {"opt": "O3", **_NO_CACHES},
    "seed-003-figure-5": {"m7_mhz": 240, "m4_mhz": 240, "opt": "O3", **_IN_D1},
}
"""What else was the case in each. The text does not say the level of optimisation of figure 4; it advises O3."""
_BEYOND_SMPS = 480
"""MHz of the Cortex-M7 that a board has only after it was rewired."""
_TRANSPORT = "rpmsg"
"""By its general steps the nearest to the framework that was measured there."""
_DIRECTION = ("from", "to")
_COLUMNS = 6
"""Sizes that a table has room for."""


def exhibits(run: Run, found: Sequence[Curve], analysis: MessageAnalysis) -> Iterator[Exhibit]:
    """Return the figures that a run has numbers for: those whose factor varies, between two cores."""
    across = [one for one in found if one.setting["from"] != one.setting["to"]]
    for table in published(MessagePublication):
        rows = [row for row in (*analysis.latency, *analysis.throughput) if row.first != row.second]
        other_chip = "" if is_its_chip(table, found) else chip_name(run)
        judged = verdicts(Evidence(table, across, analysis.published, rows, other_chip)) if across else []
        for one in table.exhibits:
            lines = [name for name in _LINES[one.id] if len({curve.setting.get(name) for curve in across}) > 1]
            if lines:
                drawn = _Drawn(table, one, lines, *_as_there(across, lines, _THERE[one.id]))
                yield table.shown(
                    one.id,
                    tables=list(drawn.tables(where(run))),
                    figures=list(drawn.figures()),
                    verdicts=[verdict for verdict in judged if one.id in verdict.exhibits],
                    untested=_untested(table, other_chip) if other_chip else _other_clocks(one, across),
                )


def _as_there(
    curves: Sequence[Curve], lines: Sequence[str], there: Mapping[str, Level]
) -> tuple[list[Curve], dict[str, Level]]:
    """Return the curves of one level of each factor that is not drawn, the nearest to the publication's, and these."""
    kept, fixed = list(curves), {}
    for name in dict.fromkeys(name for curve in curves for name in curve.setting):
        levels = list(dict.fromkeys(curve.setting[name] for curve in kept if name in curve.setting))
        if name not in (*lines, *_DIRECTION) and len(levels) > 1:
            wanted = _TRANSPORT if name == "transport" else there.get(name)
            fixed[name] = min(levels, key=partial(_distance, wanted))
            kept = [curve for curve in kept if curve.setting.get(name) == fixed[name]]
    return kept, fixed


def _distance(wanted: Level | None, level: Level) -> float:
    """Tell how far a level is from one that is wanted: 0 for the same, a ratio for numbers."""
    if isinstance(wanted, int) and isinstance(level, int) and wanted > 0 < level:
        return abs(math.log(level / wanted))
    return float(level != wanted)


def _other_clocks(exhibit: PublishedExhibit, curves: Sequence[Curve]) -> str:
    """Say which clocks stand for those of a figure that the run does not have; empty if it has them."""
    wanted = _THERE[exhibit.id].get("m7_mhz")
    rates = {rate for curve in curves for pool in curve.measurements.values() for one in pool
             if (rate := one.factors.get("m7_mhz")) is not None}  # fmt: skip
    if wanted != _BEYOND_SMPS or not rates or wanted in rates:
        return ""
    return (
        f"The paper's {wanted} MHz need a core that the LDO supplies (supply=ldo), for which a NUCLEO-H745ZI-Q has to "
        "be rewired. As it comes, m7_mhz=400 with m4_mhz=50 has the ratio of 480 and 60 MHz."
    )


def _untested(table: MessagePublication, chip: str) -> str:
    return (
        f"The paper's chip is the {table.conditions['chip']}, whose two cores are of two kinds, with a clock each; "
        f"this one is {chip}. Levels of a factor are compared with each other, and no time with one of the paper's."
    )


@dataclass(frozen=True)
class _Drawn:
    """What a figure shows of a run."""

    table: MessagePublication
    exhibit: PublishedExhibit
    lines: Sequence[str]
    curves: Sequence[Curve]
    fixed: Mapping[str, Level]

    def figures(self) -> Iterator[Figure]:
        """Draw the latency and the data rate, a panel for each direction."""
        number = self.exhibit.id.rpartition("-")[2]
        for measure in MEASURES:
            ours = [curve for curve in self.curves if curve.measure == measure and float(curve.points.y.max()) > 0]
            if ours:
                yield curves_figure(
                    f"{self.exhibit.id}-{measure}",
                    f"As in figure {number}: {'latency' if measure == 'latency' else 'data rate'} over the size",
                    measure,
                    ours,
                    self._told,
                    _DIRECTION,
                    self._also,
                    linear=True,
                )

    @property
    def _told(self) -> list[str]:
        """The factors that the lines name; two that always have one level are named once."""
        twice = all(curve.setting.get("region") == curve.setting.get("shared") for curve in self.curves)
        return [name for name in self.lines if not (name == "shared" and "region" in self.lines and twice)]

    @property
    def _also(self) -> str:
        """What holds for all lines, as a sentence; empty if nothing was chosen."""
        return f"Drawn is {', '.join(f'{name}={level}' for name, level in self.fixed.items())}." if self.fixed else ""

    def tables(self, place: str) -> Iterator[Table[Curve]]:
        """Return the same as numbers, a row for each line."""
        for measure in MEASURES:
            ours = [curve for curve in self.curves if curve.measure == measure]
            sizes = sorted({size for curve in ours for size in curve.measurements})
            step = max(1, math.ceil(len(sizes) / _COLUMNS))
            if ours:
                what = "Latency" if measure == "latency" else "Data rate"
                also = f", {', '.join(f'{name}={level}' for name, level in self.fixed.items())}" if self.fixed else ""
                yield Table(
                    f"{self.exhibit.name}, on {place}: {what.lower()} by bytes of a message{also}",
                    ours,
                    [
                        Column("cores", lambda curve: f"{curve.setting['from']} → {curve.setting['to']}"),
                        *(Column[Curve](name, partial(_level, name)) for name in self._told),
                        *(Column[Curve](f"{size:,}", partial(_cell, size), right=True) for size in sizes[::step]),
                    ],
                )


def _level(name: str, curve: Curve) -> str:
    return str(curve.setting.get(name, ""))


def _cell(size: int, curve: Curve) -> str:
    if size not in curve.measurements:
        return ""
    known = curve.median(size)
    return duration(known.value) if curve.measure == "latency" else data_rate(rate(size, known).value)
