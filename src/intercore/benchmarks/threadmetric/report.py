"""The report of the benchmark `threadmetric`: its eight counts, on one core and across two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.threadmetric import PERIOD_S
from intercore.benchmarks.threadmetric.analysis import AT_ONCE, analyse, caveats, results
from intercore.benchmarks.threadmetric.answers import answers, remarks
from intercore.finding import texts
from intercore.view.dots import Dot, dots_figure
from intercore.view.quantity import FORMATS, duration, significant
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, varied_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from intercore.benchmarks.threadmetric.analysis import ThreadMetricAnalysis, ThreadMetricCount
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

_DASH = "–"
_NOTES = (
    "The definitions are those of the description of Thread-Metric (Express Logic, now Eclipse ThreadX); the code is "
    f"our own. Counts are taken in the window and scaled to {PERIOD_S} s, as in the original. Its handlers post to a "
    "semaphore or resume a thread; ours notify the task. Basic processing is a scale and not comparable: ours is "
    "another computation of the same kind.",
    "Form cross is not in the original. In it, both cores do basic, cooperative, synchronisation and memory at once, "
    "and the count is of both. In the other tests, each round goes to the other core, or there and back, so the ratio "
    "shows the cost of that. docs/benchmarks/threadmetric.md has the details.",
    "In synchronisation both cores take and give one semaphore. It is not shared fairly: a core that has just given "
    "it can take it again before the other core has woken up.",
)


def report(run: Run) -> Report:
    """Report on the measurements of `threadmetric`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        "threadmetric",
        {"threadmetric": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(one) for one in analysis.counts],
        found,
        Section(
            "Thread-Metric's eight counts on two cores (threadmetric)",
            texts(found),
            [_table(run, analysis)],
            list(_figures(analysis)),
            _NOTES,
        ),
        answers=tuple(answers(analysis)),
        remarks=tuple(remarks(analysis)),
    )


def _key(one: ThreadMetricCount) -> tuple[object, ...]:
    return one.test, one.core, str(sorted(one.varied.items()))


def _table(run: Run, analysis: ThreadMetricAnalysis) -> Table[ThreadMetricCount]:
    at = {(_key(one), one.form): one for one in analysis.counts}
    rows = list({_key(one): one for one in reversed(analysis.counts)}.values())[::-1]

    def of(form: str, text: Callable[[ThreadMetricCount], str]) -> Callable[[ThreadMetricCount], str]:
        return lambda row: text(at[_key(row), form]) if (_key(row), form) in at else _DASH  # type: ignore[index]

    columns: list[Column[ThreadMetricCount]] = varied_columns(rows)
    columns.append(Column("test", lambda one: one.test))
    columns += [Column("core", lambda one: str(one.core), right=True)] * (len({one.core for one in rows}) > 1)
    for form in ("same", "cross"):
        columns.append(Column(f"{form} core", of(form, _per_period), right=True))
        columns.append(Column("each", of(form, _each), right=True))
    columns.append(Column("cross/same", of("cross", _factor), right=True))
    columns.append(Column("cross is", lambda one: "both" if one.test in AT_ONCE else "passed"))
    return Table(f"Thread-Metric's counts in {PERIOD_S} s on {where(run)}", rows, columns)


def _per_period(one: ThreadMetricCount) -> str:
    return FORMATS["count"](one.per_30_s)


def _each(one: ThreadMetricCount) -> str:
    return _DASH if one.each_us is None else duration(one.each_us)


def _factor(one: ThreadMetricCount) -> str:
    return _DASH if one.factor is None else significant(one.factor)


def _flat(one: ThreadMetricCount) -> Mapping[str, object]:
    return {**one.varied, **{name: level for name, level in msgspec.to_builtins(one).items() if name != "varied"}}


def _figures(analysis: ThreadMetricAnalysis) -> Iterable[Figure]:
    groups: dict[str, list[Dot]] = {}
    for one in analysis.counts:
        label = f"{one.form} core" + f", core {one.core}" * (one.core > 0)
        label += "".join(f", {name}={level}" for name, level in one.varied.items())
        text = f"{_per_period(one)} in {PERIOD_S} s\n{_each(one)} each"
        groups.setdefault(label, []).append(Dot(one.test, one.per_30_s, text))
    if any(dot.value > 0 for dots in groups.values() for dot in dots):
        caption = "Medians of the windows. Higher is better."
        title = "Thread-Metric's counts"
        yield dots_figure("threadmetric", title, f"count in {PERIOD_S} s, more is better", groups, caption, unit="")
