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
from intercore.view.distribution import histogram_figure
from intercore.view.figure import AXIS, HEAT, base_layout, log_axis, plot_text
from intercore.view.quantity import duration, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.switch.analysis import FalseTime, SwitchAnalysis
    from intercore.benchmarks.switch.publication import SwitchRow
    from intercore.benchmarks.switch.wake_ups import WakeUp
    from intercore.record.measurement import Run
    from intercore.view.section import Figure

MOST_PAIRS = 6  # that have a column of their own
_PANELS_A_ROW = 4
_PANEL_HEIGHT, _PANEL_GAP = 190, 0.1
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
                "texttemplate": "%{text}" if len(cores) <= MOST_PAIRS else "",
                "hovertext": [[_hover(one) for one in line] for line in cells],
                "hoverinfo": "text",
                "xaxis": f"x{suffix}",
                "yaxis": f"y{suffix}",
                "zmin": 0,
                "zmax": max(medians),
                "colorscale": HEAT,
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
        f"<b>{plot_text(named(one))}, {pair_of(one)}</b><br>median {duration(found.median.value)}, "
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


def _clocks_figure(analysis: SwitchAnalysis, first: FalseTime | WakeUp) -> Figure:
    """Draw, of the primitive of `first`, what each clock says, beside the published times."""
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
                ": likely two counters apart" if row.likely_of_two_counters else "",
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
        "Subtracting the counters of two cores that nobody has aligned shows how much later one began, and hides the "
        "wake-up in its last digits. Towards the core that began later, the result is negative. The published time "
        "between cores likely comes from two such counters, too."
    )
    return {"name": "switch-false-time", "data": data, "layout": layout, "caption": caption}


def _published_label(table: SwitchPublication, row: SwitchRow) -> str:
    return f"{table.label}, {'across cores' if row.crosses else 'one core'}"


def _signed(ms: float) -> str:
    text = duration(abs(ms) * 1e3) if abs(ms) < 1 else f"{significant(abs(ms), 4)} ms"
    return ("−" if ms < 0 else "") + text
