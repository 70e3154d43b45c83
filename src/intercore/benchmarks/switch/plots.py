"""The plots of wake-ups: by pair of cores, their distributions, and what each clock makes of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.published import published
from intercore.benchmarks.switch.analysis import samples_us
from intercore.benchmarks.switch.literature import like_published
from intercore.benchmarks.switch.names import named, pair_of
from intercore.benchmarks.switch.publication import SwitchPublication
from intercore.benchmarks.switch.wake_ups import TRUE_TIMES
from intercore.view.axes import Axis
from intercore.view.distribution import histogram_figure
from intercore.view.figure import Cells, Figure, Panel, Points
from intercore.view.quantity import duration, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.switch.analysis import FalseTime, SwitchAnalysis
    from intercore.benchmarks.switch.publication import SwitchRow
    from intercore.benchmarks.switch.wake_ups import WakeUp
    from intercore.record.measurement import Run
    from intercore.view.figure import Colour, Shape

MOST_PAIRS = 6  # that have a column; with more cores, cells have no space for words
_PANELS_A_ROW = 4
_PANEL_HEIGHT, _ROW_HEIGHT = 114, 30  # pixels
_HISTOGRAM_OF = "notification"


def figures(run: Run, analysis: SwitchAnalysis) -> Iterator[Figure]:
    """Return the plots of a run, in their order on the page."""
    true = [one for one in analysis.wake_ups if one.time in TRUE_TIMES]
    time = next((time for time in TRUE_TIMES if any(one.time == time for one in true)), None)
    if time is not None:
        best = [one for one in true if one.time == time]
        target = next((one.target for one in best if one.target), None)
        yield _heat_map([one for one in best if one.target in (None, target)])
        yield from _histograms(run, time)
    first = analysis.false_times[0] if analysis.false_times else like_published(analysis)
    if first is not None:
        yield _clocks_figure(analysis, first)


def _heat_map(wake_ups: Sequence[WakeUp]) -> Figure:
    """Draw a matrix of cores for each primitive, all in the same colours."""
    panels: dict[str, dict[tuple[int, int], WakeUp]] = defaultdict(dict)
    for one in wake_ups:
        panels[named(one)][one.first, one.second] = one
    cores = sorted({core for one in wake_ups for core in (one.first, one.second)})
    longest = max(one.wake_up_us.median.value for one in wake_ups)
    columns = min(_PANELS_A_ROW, len(panels))
    names = [str(core) for core in cores]
    has_words = len(cores) <= MOST_PAIRS
    x, y = Axis("to core").of_names(names), Axis("from core").of_names(names, down=True)
    drawn = []
    for title, found in panels.items():
        cells = [[found.get((first, second)) for second in cores] for first in cores]
        words = [[duration(one.wake_up_us.median.value) if one and has_words else "" for one in row] for row in cells]
        values = [[None if one is None else one.wake_up_us.median.value for one in row] for row in cells]
        texts = [[_text(one) for one in row] for row in cells]
        drawn.append(Panel(x, y, [Cells(values, words, texts, 0.0, longest)], _PANEL_HEIGHT, title))
    caption = (
        "Row: the signalling core; column: the core of the woken task; diagonal: the same core. Darker is longer, "
        "from 0, on the same scale for all."
    )
    return Figure("switch-core-to-core", "Median wake-up latency from core to core", caption, drawn, columns)


def _text(one: WakeUp | None) -> str:
    if one is None:
        return "not measured"
    found = one.wake_up_us
    return (
        f"{named(one)}, {pair_of(one)}\nmedian {duration(found.median.value)}, "
        f"{duration(found.min)} to {duration(found.max)}\nn = {found.n:,}"
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
        f"Wake-up latency by {primitive}",
        labelled,
        "Every measured wake-up, by pair of cores. Counts are on a logarithmic axis, so that a single late wake-up is "
        "visible.",
    )


class _Point(NamedTuple):
    label: str
    ms: float
    how: str


_MARKS: dict[str, tuple[Colour, Shape, bool]] = {
    "by one clock": ("series2", "circle", False),
    "by aligned counters": ("series0", "diamond", True),
    "raw counters": ("series1", "x", True),
    "published": ("published", "circle", True),
}
"""Colour and shape of each, and whether it is hollow."""
_HOW = {"common": "by one clock", "aligned": "by aligned counters", "raw-counter": "raw counters"}


def _clocks_figure(analysis: SwitchAnalysis, first: FalseTime | WakeUp) -> Figure:
    """Draw the times by each clock for the primitive of `first`, with the published times."""
    points = [
        _Point(f"{one.primitive} {pair_of(one)}", one.wake_up_us.median.value / 1e3, _HOW[one.time])
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
            )
            for row in table.figures.rows
        ]
    labels = list(dict.fromkeys(point.label for point in points))
    series = []
    for how, (colour, shape, hollow) in _MARKS.items():
        drawn = [point for point in points if point.how == how and point.ms]
        series.append(
            Points(
                how,
                colour,
                [abs(point.ms) / 1e3 for point in drawn],
                [labels.index(point.label) for point in drawn],
                [f"{point.label}\n{how}: {_signed(point.ms)}" for point in drawn],
                shape=shape,
                hollow=hollow,
                # The true time is labelled with its number.
                words=() if how == _HOW["aligned"] else [_signed(point.ms) for point in drawn],
            )
        )
    x = Axis("absolute value of the time", log=True, unit="s").around(
        value for one in series for value in one.values("x")
    )
    y = Axis().of_names(labels, down=True)
    title = "The same wake-up by a right and a wrong clock"
    caption = (
        "Subtracting the counters of two cores that are not aligned shows how much later one of them started; the "
        "wake-up latency is only in the last digits. Towards the core that started later, the result is negative. The "
        "published time between cores likely comes from two such counters, too."
    )
    return Figure("switch-false-time", title, caption, [Panel(x, y, series, _ROW_HEIGHT * len(labels))])


def _published_label(table: SwitchPublication, row: SwitchRow) -> str:
    return f"{table.label}, {'across cores' if row.crosses else 'one core'}"


def _signed(ms: float) -> str:
    text = duration(abs(ms) * 1e3) if abs(ms) < 1 else f"{significant(abs(ms), 4)} ms"
    return ("−" if ms < 0 else "") + text
