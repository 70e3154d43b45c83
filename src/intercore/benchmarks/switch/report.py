"""The report of the benchmark `switch`: what it costs to wake a task, by primitive and pair of cores.

And what a false clock makes of it, beside a published figure that was made so.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from intercore.benchmarks.published import published
from intercore.benchmarks.switch.analysis import TRUE_TIMES, analyse, samples_us, warnings
from intercore.benchmarks.switch.publication import SwitchPublication
from intercore.view.distribution import histogram_figure
from intercore.view.figure import AXIS, base_layout, log_axis, plot_text
from intercore.view.quantity import duration, duration_bounds, significant
from intercore.view.section import Report, Section, where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from intercore.benchmarks.switch.analysis import FalseTime, Ratio, SwitchAnalysis, WakeUp
    from intercore.benchmarks.switch.publication import SwitchRow
    from intercore.record.measurement import Run
    from intercore.view.section import Figure

_MOST_PAIRS = 6  # that have a column of their own
_PANELS_A_ROW = 4
_PANEL_HEIGHT, _PANEL_GAP = 190, 0.1
_HEAT = [
    [0, "#f4f1d0"],
    [0.35, "#9fd3b5"],
    [0.7, "#3f9bb4"],
    [1, "#28508f"],
]  # of equal steps to the eye, on any ground
_HISTOGRAM_OF = "notification"
_CLOCKS = {"common": "one clock", "aligned": "aligned counters"}

_NOTES = (
    "A wake-up is timed from a reading of the clock in front of the signal to the first reading in the woken task. The "
    "woken task is known to be blocked before: the platform is asked. On one core the woken task has the higher "
    "priority and preempts the signaller; on another core it finds the core asleep, or busy with a task of lower "
    "priority, as `target` says. The cost of looking, an empty pair of readings, is contained in every number, and not "
    "subtracted.",
    "The signalling call is timed where it does not switch to the woken task: across cores as it is, on one core from "
    "a caller of higher priority than the task that it wakes. Of yield it is a yield with nobody to yield to.",
    "For a design: where the ratio is near 1, a task belongs where its data and its deadline are, and what it costs to "
    "wake it does not matter for that. What a wake-up across cores adds is the interrupt to the other core, its waking "
    "up, and both cores' way through the kernel's locks; what it saves is that the signaller goes on at once, while on "
    "one core it waits until the woken task has done its work.",
    "With time=aligned each core reads a counter of its own. Before and after the samples the cores exchange time "
    "stamps, spinning; of 64 exchanges the one with the shortest round trip tells by how much one counter is ahead, "
    "give or take half of it. Each sample is corrected for its moment; ± is what remains, for all samples alike.",
)
_NOTE_ON_FALSE_TIMES = (
    "A published measurement of an ESP32 found 190.334 ms from a signal on one core to a task on the other, and 0.012 "
    "ms on one core. Both ends were read from the processor's own tick counter, and of these every core has one, which "
    "starts when its core does. time=raw-counter does the same: on a chip whose second core starts later it gives a "
    "time that is as constant as theirs, as large as the start was late, and negative in the opposite direction; with "
    "one clock for both ends, or aligned counters, the same wake-ups take microseconds."
)


def report(run: Run) -> Report:
    """Report on the measurements of `switch`."""
    analysis = analyse(run.measurements)
    is_compared = bool(analysis.false_times) or _like_published(analysis) is not None
    notes = [*_NOTES, *([_NOTE_ON_FALSE_TIMES, *_sources()] if is_compared else [])]
    return Report(
        "switch",
        {"switch": msgspec.to_builtins(analysis)},
        [_flat(one) for one in analysis.wake_ups],
        warnings(run.measurements),
        Section(
            "What it costs to wake a task (switch)",
            analysis.sentences,
            list(_tables(run, analysis)),
            list(_figures(run, analysis)),
            notes,
        ),
    )


def _sources() -> Iterator[str]:
    for table in published(SwitchPublication):
        yield f"Published: {table.source.citation}. {table.conditions['chip']}. " + " ".join(table.notes)


def _flat(one: WakeUp) -> dict[str, object]:
    return {
        "primitive": one.primitive,
        "from": one.first,
        "to": one.second,
        "target": one.target,
        "time": one.time,
        **one.varied,
        "samples": one.wake_up_us.n,
        "wake_up_us": one.wake_up_us.median.value,
        "wake_up_us_low": one.wake_up_us.median.low,
        "wake_up_us_high": one.wake_up_us.median.high,
        "wake_up_us_min": one.wake_up_us.min,
        "wake_up_us_p99": None if one.wake_up_us.p99 is None else one.wake_up_us.p99.value,
        "wake_up_us_max": one.wake_up_us.max,
        "within_us": one.within_us,
        "call_us": one.call_us.median.value,
    }


def _pair(one: WakeUp | FalseTime) -> str:
    return f"{one.first} → {one.second}" + (", busy" if one.target == "busy" else "")


def _named(one: WakeUp | Ratio) -> str:
    """Return the primitive, and what else tells a row apart that has no column."""
    return " ".join([one.primitive] + [f"{name}={level}" for name, level in one.varied.items()])


# Tables


def _tables(run: Run, analysis: SwitchAnalysis) -> Iterator[Table[Any]]:
    for time, clock in _CLOCKS.items():
        found = [one for one in analysis.wake_ups if one.time == time]
        if found:
            within = max(one.within_us for one in found)
            by = clock + (f", give or take {duration(within)}" if within else "")
            yield _matrix(f"{where(run)}, by {by}", found, [one for one in analysis.ratios if one.time == time])
            yield _wake_ups(f"{where(run)}, by {by}", found)
    if analysis.false_times:
        yield _false_times(run, analysis.false_times)
    rows = list(_beside_published(run, analysis))
    if any(row.is_own for row in rows):
        yield _literature_table(run, rows)


class _Line(NamedTuple):
    """The pairs of cores for one primitive."""

    primitive: str
    target: str
    medians: dict[tuple[int, int], float]
    """In µs, by pair of cores."""
    ratio: Ratio | None


def _matrix(place: str, wake_ups: Sequence[WakeUp], ratios: Sequence[Ratio]) -> Table[_Line]:
    """One row per primitive, one column per pair of cores, one core before two. Of many pairs, the medians of all."""
    on_one_core: dict[str, dict[tuple[int, int], float]] = defaultdict(dict)
    across: dict[tuple[str, str], dict[tuple[int, int], float]] = defaultdict(dict)
    for one in wake_ups:
        medians = across[_named(one), one.target] if one.target else on_one_core[_named(one)]
        medians[one.first, one.second] = one.wake_up_us.median.value
    known = {(_named(ratio), str(ratio.target)): ratio for ratio in ratios}
    rows = [
        _Line(name, target, {**on_one_core[name], **medians}, known.get((name, target)))
        for (name, target), medians in across.items()
    ]
    seen = {row.primitive for row in rows}
    rows += [_Line(name, "", medians, None) for name, medians in on_one_core.items() if name not in seen]
    pairs = sorted({pair for row in rows for pair in row.medians}, key=lambda pair: (pair[0] != pair[1], pair))
    columns: list[Column[_Line]] = [Column("primitive", lambda row: row.primitive)]
    if any(row.target == "busy" for row in rows):
        columns.append(Column("target", lambda row: row.target))
    if len(pairs) <= _MOST_PAIRS:
        columns += [Column(f"{first} → {second}", _median_of(first, second), right=True) for first, second in pairs]
    else:
        columns += [
            Column("one core", lambda row: "–" if row.ratio is None else duration(row.ratio.same_us.value), right=True),
            Column("across", lambda row: "–" if row.ratio is None else duration(row.ratio.cross_us.value), right=True),
        ]
    columns += [
        Column("across : one", lambda row: "–" if row.ratio is None else f"{row.ratio.ratio.value:.2f}", right=True),
        Column("95 %", _ratio_bounds, right=True),
    ]
    return Table(f"Median wake-up by primitive and cores on {place}", rows, columns)


def _median_of(first: int, second: int) -> Callable[[_Line], str]:
    def text(row: _Line) -> str:
        found = row.medians.get((first, second))
        return "–" if found is None else duration(found)

    return text


def _ratio_bounds(row: _Line) -> str:
    if row.ratio is None or row.ratio.ratio.low is None or row.ratio.ratio.high is None:
        return "–"
    return f"{row.ratio.ratio.low:.2f} – {row.ratio.ratio.high:.2f}"


def _wake_ups(place: str, wake_ups: Sequence[WakeUp]) -> Table[WakeUp]:
    columns: list[Column[WakeUp]] = [
        Column("primitive", _named),
        Column("cores", _pair),
        Column("samples", lambda one: f"{one.wake_up_us.n:,}", right=True),
        Column("median", lambda one: duration(one.wake_up_us.median.value), right=True),
        Column("95 %", lambda one: duration_bounds(one.wake_up_us.median) or "–", right=True),
        Column("max", lambda one: duration(one.wake_up_us.max), right=True),
        Column("call", lambda one: duration(one.call_us.median.value), right=True),
    ]
    # Either fits the width; without p99 the least value tells more.
    if any(one.wake_up_us.p99 is not None for one in wake_ups):
        columns.insert(-2, Column("p99", _p99, right=True))
    else:
        columns.insert(3, Column("min", lambda one: duration(one.wake_up_us.min), right=True))
    return Table(f"From a signal to the woken task, and the signalling call, on {place}", wake_ups, columns)


def _p99(one: WakeUp) -> str:
    return "–" if one.wake_up_us.p99 is None else duration(one.wake_up_us.p99.value)


class _Compared(NamedTuple):
    """A time beside the true one, ours or published."""

    what: str
    cores: str
    shown_ms: float
    deviation: str
    true: str


def _false_times(run: Run, false_times: Sequence[FalseTime]) -> Table[_Compared]:
    rows = [
        _Compared(
            f"{one.primitive}, raw counters",
            _pair(one),
            one.raw_us.median.value / 1e3,
            f"{_ms(one.raw_us.min / 1e3)} to {_ms(one.raw_us.max / 1e3)}",
            "–" if one.true_us is None else f"{_ms(one.true_us / 1e3)}",
        )
        for one in false_times
    ]
    for table in published(SwitchPublication):
        rows += [
            _Compared(
                f"published: {table.label}",
                "across" if row.crosses else "same",
                row.average_ms,
                f"{_ms(row.minimum_ms)} to {_ms(row.maximum_ms)}",
                "–",
            )
            for row in table.figures.rows
        ]
    return Table(
        f"FALSE times, made on purpose on {where(run)}, beside the published ones, in ms",
        rows,
        [
            Column("what", lambda row: row.what),
            Column("cores", lambda row: row.cores),
            Column("as subtracted", lambda row: _ms(row.shown_ms), right=True),
            Column("least to largest", lambda row: row.deviation, right=True),
            Column("by one clock", lambda row: row.true, right=True),
        ],
    )


def _ms(ms: float) -> str:
    return f"{ms:,.4f}"


class _Printed(NamedTuple):
    """A wake-up as the publication prints one: average and ends, ms."""

    of: str
    cores: str
    average: float
    low: float
    high: float
    meaning: str
    """What the numbers are."""
    primitive: str
    is_own: bool


_TRUE = "a wake-up"
_COUNTERS_APART = "FALSE: two counters apart"


def _beside_published(run: Run, analysis: SwitchAnalysis) -> Iterator[_Printed]:
    """Return the published rows, and below each those of this run that measure the same."""
    known = {one.primitive for one in analysis.wake_ups}
    for table in published(SwitchPublication):
        same = next((name for name in _SAME_AS.get(table.setting.primitive, ()) if name in known), None)
        for row in table.figures.rows:
            meaning = _COUNTERS_APART if row.is_of_two_counters else _TRUE
            cores = "across" if row.crosses else "one core"
            times = (row.average_ms, row.minimum_ms, row.maximum_ms)
            yield _Printed("published", cores, *times, meaning, table.setting.primitive, is_own=False)
            for one in analysis.wake_ups:
                if one.primitive == same and one.crosses == row.crosses:
                    yield _own_printed(run, one, analysis.false_times)


def _own_printed(run: Run, one: WakeUp, false_times: Iterable[FalseTime]) -> _Printed:
    found = one.wake_up_us
    setting = " ".join([whose(run), *(f"{name}={level}" for name, level in one.varied.items())])
    if one.is_true:
        meaning = f"{_TRUE}, {_CLOCKS.get(one.time, 'one counter')}"
    else:
        plainly = any(other.is_plain for other in false_times if _setting_of(other) == _setting_of(one))
        meaning = _COUNTERS_APART if plainly else "two counters, not aligned"
    times = (found.mean / 1e3, found.min / 1e3, found.max / 1e3)
    return _Printed(setting, _pair(one), *times, meaning, one.primitive, is_own=True)


def _setting_of(one: WakeUp | FalseTime) -> tuple[object, ...]:
    return one.primitive, one.first, one.second, one.target, one.varied


_SAME_AS = {"semaphore": ("binary-semaphore", "counting-semaphore")}
"""Our levels that a published primitive may stand for, the likeliest first."""


def _literature_table(run: Run, rows: Sequence[_Printed]) -> Table[_Printed]:
    labels = " and ".join(table.label for table in published(SwitchPublication))
    primitive = next(row.primitive for row in rows if row.is_own)
    return Table(
        f"The tables of {labels}, and the same by {primitive} on {where(run)}, in ms",
        rows,
        [
            Column("of", lambda row: row.of),
            Column("cores", lambda row: row.cores),
            Column("average", lambda row: _ms(row.average), right=True),
            Column("minimum", lambda row: _ms(row.low), right=True),
            Column("maximum", lambda row: _ms(row.high), right=True),
            Column("what it is", lambda row: row.meaning),
        ],
    )


# Figures


def _figures(run: Run, analysis: SwitchAnalysis) -> Iterator[Figure]:
    true = [one for one in analysis.wake_ups if one.time in TRUE_TIMES]
    time = next((time for time in TRUE_TIMES if any(one.time == time for one in true)), None)
    if time is not None:
        best = [one for one in true if one.time == time]
        target = next((one.target for one in best if one.target), None)
        yield _heat_map([one for one in best if one.target in (None, target)])
        yield from _histograms(run, time)
    first = analysis.false_times[0] if analysis.false_times else _like_published(analysis)
    if first is not None:
        yield _clocks_figure(analysis, first)


def _heat_map(wake_ups: Sequence[WakeUp]) -> Figure:
    """Draw a matrix of cores for each primitive, all in the same colours."""
    panels: dict[str, dict[tuple[int, int], WakeUp]] = defaultdict(dict)
    for one in wake_ups:
        panels[_named(one)][one.first, one.second] = one
    cores = sorted({core for one in wake_ups for core in (one.first, one.second)})
    medians = [one.wake_up_us.median.value for one in wake_ups]
    columns = min(_PANELS_A_ROW, len(panels))
    rows = -(-len(panels) // columns)
    layout = base_layout("From core to core: median wake-up", 90 + _PANEL_HEIGHT * rows, {}, {})
    layout["showlegend"] = False
    layout["margin"] |= {"t": 80, "b": 48}
    width, height = (1 + _PANEL_GAP) / columns - _PANEL_GAP, (1 + 0.3 / rows) / rows - 0.3 / rows
    names = [str(core) for core in cores]
    data = []
    for index, (title, found) in enumerate(panels.items()):
        suffix = "" if index == 0 else str(index + 1)
        row, column = divmod(index, columns)
        left, top = column * (width + _PANEL_GAP), 1 - row * (height + 0.3 / rows)
        axis = AXIS | {"type": "category", "categoryarray": names, "showgrid": False}
        layout[f"xaxis{suffix}"] = axis | {
            "domain": [left, min(left + width, 1)],
            "anchor": f"y{suffix}",
            "title": {"text": "to core"} if index + columns >= len(panels) else {},  # below the last one of a column
            "tickangle": 0,
        }
        layout[f"yaxis{suffix}"] = axis | {
            "domain": [max(top - height, 0), top],
            "anchor": f"x{suffix}",
            "title": {"text": "from core"} if column == 0 else {},
            "autorange": "reversed",
        }
        layout["annotations"].append(
            {
                "text": plot_text(title),
                "xref": "paper",
                "yref": "paper",
                "x": left + width / 2,
                "y": top,
                "xanchor": "center",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"color": "text", "size": 12},
            }
        )
        cells = [[found.get((first, second)) for second in cores] for first in cores]
        data.append(
            {
                "type": "heatmap",
                "x": names,
                "y": names,
                "z": [[None if one is None else one.wake_up_us.median.value for one in line] for line in cells],
                "text": [
                    ["" if one is None else duration(one.wake_up_us.median.value) for one in line] for line in cells
                ],
                "texttemplate": "%{text}" if len(cores) <= _MOST_PAIRS else "",
                "hovertext": [[_hover(one) for one in line] for line in cells],
                "hoverinfo": "text",
                "xaxis": f"x{suffix}",
                "yaxis": f"y{suffix}",
                "zmin": 0,
                "zmax": max(medians),
                "colorscale": _HEAT,
                "showscale": False,
                "xgap": 2,
                "ygap": 2,
            }
        )
    caption = (
        "The row is the core that signals, the column that of the woken task; the diagonal is one core. Darker is "
        "longer, from 0, on one scale for all."
    )
    return {"name": "switch-core-to-core", "data": data, "layout": layout, "caption": caption}


def _hover(one: WakeUp | None) -> str:
    if one is None:
        return "not measured"
    found = one.wake_up_us
    return (
        f"<b>{plot_text(_named(one))}, {_pair(one)}</b><br>median {duration(found.median.value)}, "
        f"{duration(found.min)} to {duration(found.max)}<br>n = {found.n:,}"
    )


def _histograms(run: Run, time: str) -> Iterator[Figure]:
    """Draw one primitive, every pair of cores: the one that most programs use, if it was measured."""
    samples = {key: values for key, values in samples_us(run.measurements).items() if key[4] == time}
    primitives = list(dict.fromkeys(key[0] for key in samples))
    if not primitives:
        return
    primitive = _HISTOGRAM_OF if _HISTOGRAM_OF in primitives else primitives[0]
    busy = any(key[3] == "busy" for key in samples if key[0] == primitive)
    labelled = {
        f"{first} → {second}" + (f", {target}" if busy and target else ""): values
        for (name, first, second, target, _), values in samples.items()
        if name == primitive
    }
    yield histogram_figure(
        "switch-histogram",
        f"From a signal to the woken task, by {primitive}",
        labelled,
        "Every wake-up that was measured, by pair of cores. Counts are on a logarithmic axis: a single late one shows.",
    )


class _Point(NamedTuple):
    label: str
    ms: float
    how: str
    remark: str = ""


_MARKS = {
    "by one clock": ("series2", "circle"),
    "by aligned counters": ("series0", "diamond-open"),
    "raw counters": ("series1", "x"),
    "published": ("published", "circle-open"),
}
_HOW = {"common": "by one clock", "aligned": "by aligned counters", "raw-counter": "raw counters"}


def _like_published(analysis: SwitchAnalysis) -> WakeUp | None:
    """Return a wake-up across cores by a primitive that was published, if there is one."""
    likely = [name for table in published(SwitchPublication) for name in _SAME_AS.get(table.setting.primitive, ())]
    found = [one for one in analysis.wake_ups if one.crosses and one.primitive in likely]
    return min(found, key=lambda one: likely.index(one.primitive), default=None)


def _clocks_figure(analysis: SwitchAnalysis, first: FalseTime | WakeUp) -> Figure:
    """Draw, of the primitive of `first`, what each clock says, beside the published times."""
    points = [
        _Point(f"{one.primitive} {_pair(one)}", one.wake_up_us.median.value / 1e3, _HOW[one.time])
        for one in analysis.wake_ups
        if (one.primitive, one.varied) == (first.primitive, first.varied)
        and one.target in (None, first.target)
        and (one.time in TRUE_TIMES or one.crosses)
    ]
    for table in published(SwitchPublication):
        points += [
            _Point(
                _published_label(table, row),
                row.average_ms,
                "published",
                ": two counters apart" if row.is_of_two_counters else "",
            )
            for row in table.figures.rows
        ]
    labels = list(dict.fromkeys(point.label for point in points))
    layout = base_layout(
        "One wake-up, by the right and by the wrong clock",
        170 + 34 * len(labels),
        log_axis("size of the time, whatever its sign", [abs(point.ms) / 1e3 for point in points if point.ms])
        | {"ticksuffix": "s"},
        {"type": "category", "categoryarray": labels[::-1]},
    )
    data = []
    for how, (colour, symbol) in _MARKS.items():
        drawn = [point for point in points if point.how == how and point.ms]
        data.append(
            {
                "type": "scatter",
                "mode": "markers" if how == _HOW["aligned"] else "markers+text",  # the truth has its text beside it
                "name": how,
                "x": [abs(point.ms) / 1e3 for point in drawn],
                "y": [point.label for point in drawn],
                "text": [_signed(point.ms) + point.remark for point in drawn],
                "textposition": "middle right",
                "marker": {"color": colour, "symbol": symbol, "size": 10, "line": {"width": 2}},
                "hoverinfo": "text",
                "hovertext": [
                    f"<b>{plot_text(point.label)}</b><br>{how}: {_signed(point.ms)}{point.remark}" for point in drawn
                ],
            }
        )
    caption = (
        "Subtracting the counters of two cores that nobody has aligned gives how much later one began, and hides the "
        "wake-up in its last digits; towards the core that began later it is negative. The published time between "
        "cores is of two such counters, too."
    )
    return {"name": "switch-false-time", "data": data, "layout": layout, "caption": caption}


def _published_label(table: SwitchPublication, row: SwitchRow) -> str:
    return f"{table.label}, {'across cores' if row.crosses else 'one core'}"


def _signed(ms: float) -> str:
    text = duration(abs(ms) * 1e3) if abs(ms) < 1 else f"{significant(abs(ms), 4)} ms"
    return ("−" if ms < 0 else "") + text
