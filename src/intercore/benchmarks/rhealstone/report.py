"""The report of the benchmark `rhealstone`: its six times, on one core and across two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.rhealstone.analysis import analyse, caveats, results
from intercore.benchmarks.rhealstone.answers import answers
from intercore.finding import texts
from intercore.view.dots import Dot, dots_figure
from intercore.view.quantity import duration, significant
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, varied_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from intercore.benchmarks.rhealstone.analysis import RhealstoneAnalysis, RhealstoneTime
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

_DASH = "–"
_NOTES = (
    "The definitions are those of Kar and Porter (Rhealstone: a real-time benchmarking proposal, Dr. Dobb's Journal, "
    "February 1989) and Kar (Implementing the Rhealstone real-time benchmark, Dr. Dobb's Journal, April 1990). The "
    "originals time many rounds on one core, divide, and subtract the overhead of the loop. Here each sample is one "
    "event, from one reading of the common clock to another, and includes the timestamp overhead.",
    "Form cross is not in the originals: its task or handler is on the next core. A task cannot yield to another "
    "core. So in form cross, task-switching wakes a task of equal priority on a sleeping core, while in form same one "
    "ready task yields to another. In preemption and interrupt latency the other core is busy.",
    "Deadlock breaking is the recovery from priority inversion. The time includes the return of the low-priority task "
    "from the kernel and its release of the mutex.",
)


def report(run: Run) -> Report:
    """Report on the measurements of `rhealstone`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        "rhealstone",
        {"rhealstone": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(one) for one in analysis.times],
        found,
        Section(
            "Rhealstone's six times on two cores (rhealstone)",
            texts(found),
            [_table(run, analysis)],
            list(_figures(analysis)),
            _NOTES,
        ),
        answers=tuple(answers(analysis)),
    )


def _key(one: RhealstoneTime) -> tuple[object, ...]:
    return one.component, one.core, str(sorted(one.varied.items()))


def _table(run: Run, analysis: RhealstoneAnalysis) -> Table[RhealstoneTime]:
    at = {(_key(one), one.form): one for one in analysis.times}
    rows = list({_key(one): one for one in reversed(analysis.times)}.values())[::-1]
    with_cycles = any(one.median_cycles is not None for one in analysis.times)

    def of(form: str, text: Callable[[RhealstoneTime], str]) -> Callable[[RhealstoneTime], str]:
        return lambda row: text(at[_key(row), form]) if (_key(row), form) in at else _DASH  # type: ignore[index]

    columns: list[Column[RhealstoneTime]] = varied_columns(rows)
    columns.append(Column("component", lambda one: one.component))
    columns += [Column("core", lambda one: str(one.core), right=True)] * (len({one.core for one in rows}) > 1)
    for form in ("same", "cross"):
        columns.append(Column(f"{form} core", of(form, _median), right=True))
        columns += [Column("cycles", of(form, _cycles), right=True)] * with_cycles
        columns.append(Column("longest", of(form, _longest), right=True))
    columns.append(Column("cross/same", of("cross", _factor), right=True))
    overhead = max((one.timestamp_overhead_us for one in analysis.times), default=0.0)
    title = f"Rhealstone's components on {where(run)}, timestamp overhead included ({duration(overhead)})"
    return Table(title, rows, columns)


def _median(one: RhealstoneTime) -> str:
    return duration(one.samples_us.median.value)


def _cycles(one: RhealstoneTime) -> str:
    return _DASH if one.median_cycles is None else f"{one.median_cycles:,.0f}"


def _longest(one: RhealstoneTime) -> str:
    return duration(one.samples_us.max)


def _factor(one: RhealstoneTime) -> str:
    return _DASH if one.factor is None else significant(one.factor)


def _flat(one: RhealstoneTime) -> Mapping[str, object]:
    return {
        **one.varied,
        "component": one.component,
        "form": one.form,
        "core": one.core,
        "samples": one.samples_us.n,
        "min_us": one.samples_us.min,
        "median_us": one.samples_us.median.value,
        "max_us": one.samples_us.max,
        "median_cycles": one.median_cycles,
        "timestamp_overhead_us": one.timestamp_overhead_us,
        "factor": one.factor,
    }


def _figures(analysis: RhealstoneAnalysis) -> Iterable[Figure]:
    groups: dict[str, list[Dot]] = {}
    for one in analysis.times:
        label = f"{one.form} core" + f", core {one.core}" * (one.core > 0)
        label += "".join(f", {name}={level}" for name, level in one.varied.items())
        text = f"median {_median(one)}\nlongest of {one.samples_us.n:,} {_longest(one)}"
        groups.setdefault(label, []).append(Dot(one.component, one.samples_us.median.value / 1e6, text))
    if any(dot.value > 0 for dots in groups.values() for dot in dots):
        caption = (
            "Medians, timestamp overhead included. Marks far apart mean that the other core is expensive to reach."
        )
        yield dots_figure("rhealstone", "Rhealstone's components", "time", groups, caption)
