"""The report of the benchmark `api`: the cost of kernel calls, alone and with another core active."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.api.analysis import ALONE, EMPTY, SPIN, analyse, caveats, results
from intercore.benchmarks.api.answers import answers, core_times, remarks
from intercore.finding import texts
from intercore.view.axes import Axis
from intercore.view.dots import Dot, dots_figure
from intercore.view.figure import COLOURS, SHAPES, Figure, Line, Panel, Points, colour_of
from intercore.view.quantity import duration, resolved, significant
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, interval_cells, varied_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from intercore.benchmarks.api.analysis import ApiAnalysis, ApiBySize, ApiCall
    from intercore.record.measurement import Run
    from intercore.view.figure import Series

_DASH = "–"


def report(run: Run) -> Report:
    """Report on the measurements of `api`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    tables: list[Table[ApiCall] | Table[ApiBySize]] = [_calls_table(run, analysis)]
    if analysis.by_size:
        tables.append(_sizes_table(run, analysis))
    return Report(
        "api",
        {"api": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(one) for one in analysis.calls],
        found,
        Section(
            "What a kernel call costs (api)",
            texts(found),
            tables,
            list(_figures(analysis)),
            _NOTES,
        ),
        topic="kernel calls",
        answers=tuple(answers(analysis)),
        remarks=tuple(remarks(analysis)),
        core_times=tuple(core_times(analysis)),
    )


_NOTES = (
    "Each sample is the time of calls that neither block nor switch to another task. The cost of a call is the median "
    "of the samples with the timestamp overhead subtracted. Nothing is subtracted from the samples and from the "
    "longest of them. The timed window holds the call as an application makes it, and nothing else.",
    "Other core: it sleeps (none), computes without the kernel (spin), or calls the kernel without a pause, on its "
    "own objects: the same calls, or those on the object named. In the table, × spin is the factor while the other "
    "core computes. The next columns have the factor, the difference and the longest sample while the other core "
    "calls the kernel. The two cores share no kernel object, so the additional time comes from the kernel's locks "
    "and, on some chips, from the bus.",
    "create creates a task and delete deletes it; the task runs between the two. On FreeRTOS, create fills the stack "
    "with a pattern that the overflow check needs, and delete is port_task_join() of a task that has ended: "
    "vTaskDelete() and a check of the task's state.",
    "By size: the line through the costs, fixed + per byte * size. The column equal at has the number of bytes that "
    "take as long to move as the call itself; a dash means that the size has no measurable effect. A FreeRTOS stream "
    "buffer is a ring one byte longer than requested. So pieces lie at any alignment, some wrap around its end, and "
    "its samples have several levels.",
)


def _calls_table(run: Run, analysis: ApiAnalysis) -> Table[ApiCall]:
    """Show a row per call, and per what the other core calls at the same time if that takes several levels."""
    calls = analysis.calls
    at = {(_setting(one), one.other): one for one in calls}
    hammered = [one for one in calls if one.other not in (ALONE, SPIN)]
    compared = {_setting(one) for one in hammered}
    only_same = {one.other for one in hammered} <= {"same"}
    rest = {_setting(one): one for one in reversed(calls) if _setting(one) not in compared}
    rows = sorted([*hammered, *rest.values()], key=calls.index)
    with_cycles = any(one.cost_cycles is not None for one in calls)

    def beside(other: str, text: Callable[[ApiCall], str]) -> Callable[[ApiCall], str]:
        return lambda one: text(at[_setting(one), other]) if (_setting(one), other) in at else _DASH

    def when_hammered(text: Callable[[ApiCall], str]) -> Callable[[ApiCall], str]:
        return lambda one: _DASH if one.other in (ALONE, SPIN) else text(one)

    columns: list[Column[ApiCall]] = varied_columns(calls)
    columns.append(Column("call, bytes", _called))
    columns += [
        Column(name, _attribute(name), right=True)
        for name in ("core", "batch")
        if len({getattr(one, name) for one in calls}) > 1
    ]
    columns += [Column("alone", beside(ALONE, _cost), right=True)]
    columns += [Column("cycles", beside(ALONE, _cycles), right=True)] * with_cycles
    columns += [Column("longest", beside(ALONE, _longest), right=True)]
    if any(one.other == SPIN for one in calls):
        columns += [Column("× spin", beside(SPIN, _factor), right=True)]
    if hammered:
        columns += [] if only_same else [Column("other", when_hammered(lambda one: one.other))]
        columns += [Column("× same" if only_same else "×", when_hammered(_factor), right=True)]
        columns += [Column("more", when_hammered(_more), right=True)]
        columns += [Column("cycles", when_hammered(_more_cycles), right=True)] * with_cycles
        columns += [Column("longest", when_hammered(_longest), right=True)]
    return Table(f"Kernel calls on {where(run)}", rows, columns)


def _sizes_table(run: Run, analysis: ApiAnalysis) -> Table[ApiBySize]:
    rows = analysis.by_size
    columns: list[Column[ApiBySize]] = varied_columns(rows)
    columns += [
        Column("call", lambda one: one.call),
        Column("core", lambda one: str(one.core), right=True),
        Column("other core", lambda one: one.other),
        Column("bytes", lambda one: f"{one.sizes[0]:,} – {one.sizes[-1]:,}", right=True),
        Column("fixed", lambda one: resolved(one.fixed_us, one.resolution_us), right=True),
        Column("per byte", lambda one: duration(one.per_byte_us) if one.even_bytes else _DASH, right=True),
        Column("equal at", lambda one: f"{one.even_bytes:,.0f}" if one.even_bytes else _DASH, right=True),
        Column("off the line", lambda one: resolved(one.residual_us, one.resolution_us), right=True),
    ]
    return Table(f"Calls by size on {where(run)}: fixed + per byte * size", rows, columns)


def _setting(one: ApiCall) -> tuple[object, ...]:
    return one.call, one.size, one.core, one.batch, str(sorted(one.varied.items()))


def _attribute(name: str) -> Callable[[ApiCall], str]:
    return lambda one: str(getattr(one, name))


def _called(one: ApiCall) -> str:
    return one.call if one.size is None else f"{one.call} {one.size:,}"


def _cost(one: ApiCall) -> str:
    return resolved(max(one.cost_us.value, 0.0), one.resolution_us)


def _cycles(one: ApiCall) -> str:
    return _DASH if one.cost_cycles is None else f"{one.cost_cycles:,.0f}"


def _longest(one: ApiCall) -> str:
    return duration(one.samples_us.max)


def _factor(one: ApiCall) -> str:
    return _DASH if one.factor is None else significant(one.factor)


def _more(one: ApiCall) -> str:
    return _DASH if one.more_us is None else resolved(one.more_us.value, one.resolution_us)


def _more_cycles(one: ApiCall) -> str:
    return _DASH if one.more_cycles is None else f"{one.more_cycles:+,.0f}"


def _flat(one: ApiCall) -> Mapping[str, object]:
    samples = one.samples_us
    return {
        **one.varied,
        "call": one.call,
        "size": one.size,
        "core": one.core,
        "other": one.other,
        "batch": one.batch,
        "samples": samples.n,
        "timestamp_overhead_us": one.timestamp_overhead_us,
        "min_us": samples.min,
        "median_us": samples.median.value,
        "p99_us": samples.p99.value if samples.p99 else None,
        "max_us": samples.max,
        **interval_cells("cost", one.cost_us, "_us"),
        "cost_cycles": one.cost_cycles,
        "factor": one.factor,
        "more_us": one.more_us.value if one.more_us else None,
        "more_cycles": one.more_cycles,
    }


# Figures


def _figures(analysis: ApiAnalysis) -> Iterable[Figure]:
    calls = [one for one in analysis.calls if one.call != EMPTY]
    if any(one.cost_us.value > 0 for one in calls):
        yield _costs_figure(calls)
    if analysis.by_size:
        yield _sizes_figure(analysis.by_size)


def _costs_figure(calls: Sequence[ApiCall]) -> Figure:
    groups: dict[str, list[Dot]] = defaultdict(list)
    for one in calls:
        groups[f"other core: {one.other}"].append(Dot(_label(one), one.cost_us.value / 1e6, _hover(one)))
    caption = (
        "Medians, timestamp overhead subtracted. The farther apart the marks of one call are, the more the other core "
        "slows it down."
    )
    return dots_figure("api-costs", "Cost of a call", "cost of a call", groups, caption)


def _label(one: ApiCall) -> str:
    parts = [one.call if one.size is None else f"{one.call} {one.size} B"]
    parts += [f"core {one.core}"] * (one.core != 0) + [f"{name}={level}" for name, level in one.varied.items()]
    return ", ".join(parts)


def _hover(one: ApiCall) -> str:
    lines = [f"cost {_cost(one)}"]
    lines += [f"{one.cost_cycles:,.0f} cycles"] if one.cost_cycles is not None else []
    return "\n".join([*lines, f"longest of {one.samples_us.n:,} samples {_longest(one)}"])


def _sizes_figure(lines: Sequence[ApiBySize]) -> Figure:
    """Draw costs over size, with the line through them."""
    largest = max(line.sizes[-1] for line in lines)
    series: list[Series] = []
    calls = list(dict.fromkeys(line.call for line in lines))
    for line in lines:
        place = calls.index(line.call)
        name = line.call if line.other == ALONE else f"{line.call}, other core: {line.other}"
        ends = (0, largest)
        series += [
            Line(
                name,
                colour_of(place),
                ends,
                [(line.fixed_us + line.per_byte_us * end) / 1e6 for end in ends],
                "solid" if line.other == ALONE else "dotted",
            ),
            Points(
                name,
                colour_of(place),
                line.sizes,
                [cost / 1e6 for cost in line.costs_us],
                [
                    f"{name}\n{size:,} bytes: {resolved(cost, line.resolution_us)}"
                    for size, cost in zip(line.sizes, line.costs_us, strict=True)
                ],
                shape=SHAPES[place // len(COLOURS) % len(SHAPES)],
            ),
        ]
    x = Axis("size in bytes", high=1.05 * largest)
    y = Axis("cost of a call", unit="s").around((value for one in series for value in one.values("y")), from_zero=True)
    caption = "Each line begins at the cost of the call itself; its slope is the cost per byte."
    return Figure("api-sizes", "Cost of a call by size", caption, [Panel(x, y, series, 250)])
