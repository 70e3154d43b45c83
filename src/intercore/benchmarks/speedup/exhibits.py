"""Table 1 and Figure 2 of seed 000 in the numbers of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import View
from intercore.benchmarks.claims import another_kernel, chip_name, is_chip
from intercore.benchmarks.published import published
from intercore.benchmarks.speedup.claims import Evidence, verdicts
from intercore.benchmarks.speedup.groups import groups, published_groups
from intercore.benchmarks.speedup.plots import speedup_figure
from intercore.benchmarks.speedup.points import of_speedup, work_in_words
from intercore.benchmarks.speedup.printed import alike, as_printed, curve
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.benchmarks.speedup.words import differing
from intercore.view.exhibit import Exhibit
from intercore.view.figure import Line
from intercore.view.quantity import duration
from intercore.view.section import where

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.plots import Group
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

_FIGURE = "seed-000-figure-2"
_ALIKE = 0.1
"""By which part one core's times of two sizes may differ that are called about as long."""


def exhibits(run: Run, analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Exhibit]:
    """Return those that a run has numbers for: of the same work on as many cores, started in the same way."""
    for table in published(SpeedupPublication):
        points = alike(analysis.points, table)
        if not points:
            continue
        chosen = _chosen(points)
        same = [one for one in points if one.setting | {"join": ""} == chosen.setting | {"join": ""}]
        known = {one.group for one in same}
        drawn = [one for one in groups(run, analysis, differing(same), "") if one.points[0].group in known]
        evidence = _evidence(run, analysis, table, chosen.group)
        found = list(verdicts(evidence))
        untested = " ".join([_compared(evidence), *_sizes(run, evidence), *_untested(run, evidence)])
        for one in table.exhibits:
            is_curve = one.id == _FIGURE
            numbers = f"{one.name} of {table.label}, and {where(run)}"
            yield table.shown(
                one.id,
                tables=[(curve if is_curve else as_printed)(run, table, same, numbers)],
                figures=[_figure(drawn, [*published_groups(table, efficiency)], one.id, one.name)] if is_curve else [],
                verdicts=[each for each in found if one.id in each.exhibits],
                untested=untested,
            )


def _chosen(points: Sequence[SpeedupPoint]) -> SpeedupPoint:
    """Return a point of the setting that findings are held against: that of the largest work, with its end awaited."""
    sizes = Counter(one.group for one in points)
    return max(points, key=lambda one: (one.join == "notify", one.n, sizes[one.group]))


def _evidence(run: Run, analysis: SpeedupAnalysis, table: SpeedupPublication, group: str) -> Evidence:
    ours = of_speedup(run.measurements)
    tables = [one.conditions.get("memory.flash", "") for one in ours if one.factors.get("workload") == "flash"]
    return Evidence(
        table,
        tuple(sorted((one for one in analysis.points if one.group == group), key=lambda one: one.n)),
        next(one for one in analysis.fits if one.group == group),
        analysis,
        reads_flash=bool(tables) and not any(one.startswith("none") for one in tables),
        watchdog=next((one.conditions["watchdog"] for one in ours if "watchdog" in one.conditions), ""),
        chip="" if is_chip(run, "ESP32") else chip_name(run),
        kernel=another_kernel(run),
    )


def _figure(own: Sequence[Group], literature: Sequence[Group], name: str, title: str) -> Figure:
    drawn = speedup_figure(own, literature, View(axis="n"))
    caption = "Published points are hollow and grey, with a dashed line. Bars are 95 % intervals of the run's own."
    (panel,) = drawn.panels
    limits, others = [one for one in panel.references if one.at > 1], [one for one in panel.references if one.at <= 1]
    # Published points lie on the limit, so that its words would be among them: the legend has them.
    lines = [Line(one.words, "text", [panel.x.low, panel.x.high], [one.at] * 2) for one in limits]
    panels = [replace(panel, series=[*lines, *panel.series], references=others)]
    return replace(drawn, name=name, title=f"{title}: speed-up over size", caption=caption, panels=panels)


def _compared(evidence: Evidence) -> str:
    """Say which of the run's numbers the findings are held against."""
    sizes = f"n = {evidence.points[0].n:,}" + (f" to {evidence.points[-1].n:,}" if len(evidence.points) > 1 else "")
    shared = " ".join(f"{name}={level}" for name, level in evidence.setting.items() if name != "workload")
    return f"Held against the findings: {work_in_words(evidence.points[0].workload)}, {shared}, {sizes}."


def _sizes(run: Run, evidence: Evidence) -> Iterator[str]:
    """Say which sizes of the publication a run lacks, and why it likely has others."""
    theirs = {row.n: 1e3 * row.t1_ms for row in evidence.table.figures.rows}
    own = {one.n: one.t1_us.value for one in evidence.points}
    largest = max(own)
    missing = [n for n in theirs if n not in own]
    if missing:
        sizes, times = (
            " and ".join(each)
            for each in ([f"{n:,}" for n in missing], [duration(own[largest] / largest * n) for n in missing])
        )
        longer = ", and the simulator longer" if run.plan.simulated else ""
        yield f"Not measured here: n = {sizes}, which would take one core {times}{longer}."
    for n, t1_us in own.items():
        near = [size for size, us in theirs.items() if abs(t1_us / us - 1) <= _ALIKE]
        if n not in theirs and near:
            yield (
                f"n = {n:,} is not the paper's: it takes one core {duration(t1_us)} here, about as long as the paper's "
                f"n = {near[0]:,} ({duration(theirs[near[0]])})."
            )


def _untested(run: Run, evidence: Evidence) -> Iterator[str]:
    """Say what a target lacks that the publication had."""
    conditions = run.measurements[0].conditions
    if evidence.chip:
        yield f"The paper's chip is another one, {evidence.table.conditions['chip']}: this is {evidence.chip}."
    if "in software" in conditions.get("compiler.library", ""):
        yield "In the paper floating-point units did the work, by section 2.2; here it is computed in software."
    if "freertos.version" not in conditions:
        yield "The paper's tasks were those of FreeRTOS; these are the operating system's."
