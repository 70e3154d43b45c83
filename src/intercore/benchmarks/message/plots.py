"""The plots of the benchmark `message`: latency and throughput over the size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.message.choice import copies
from intercore.benchmarks.message.curve import in_words
from intercore.benchmarks.message.rows import rate
from intercore.statistics.intervals import Interval
from intercore.view.curve import PlottedCurve, curve_figure
from intercore.view.quantity import bounds, data_rate, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.benchmark import View
    from intercore.benchmarks.message.curve import Curve, Measure
    from intercore.statistics.line import Fit
    from intercore.view.figure import Figure

_ALONE = 6  # curves that one panel holds
_KINDS = {True: "copied", False: "zero-copy"}
"""With more curves, transports that copy and those that pass an address have separate panels."""
_TITLES: Mapping[Measure, str] = {"latency": "Latency of a message", "throughput": "Throughput of a stream of messages"}


def usual_figure(measure: Measure, found: Sequence[Curve], view: View) -> Figure:
    """Draw all curves of a measure, by the factors that a user chose, or with as many lines as a panel holds."""
    # Copying transports first, and of each kind the fastest with the largest messages.
    found = sorted(found, key=lambda one: (not copies(one.setting["transport"]), float(one.points.y[-1])))
    names = [name for name in found[0].setting if len({str(curve.setting.get(name)) for curve in found}) > 1]
    lines, panels = _chosen(names, view) or _inside(found, names)
    return curves_figure(f"message-{measure}", f"{_TITLES[measure]} over its size", measure, found, lines, panels)


def curves_figure(
    name: str,
    title: str,
    measure: Measure,
    found: Sequence[Curve],
    lines: Sequence[str],
    panels: Sequence[str],
    note: str = "",
    *,
    linear: bool = False,
) -> Figure:
    """Draw curves over the size, with the levels of some factors as lines and those of others as panels.

    `note` is added to the caption. `linear` draws one line through each curve in place of its model.
    """
    labels = [in_words(curve.setting, lines) or str(curve.setting["transport"]) for curve in found]
    kinds = [copies(curve.setting["transport"]) for curve in found]
    is_split = len(set(labels)) > _ALONE and len(set(kinds)) > 1
    drawn: dict[str, list[PlottedCurve]] = {}
    for curve, label, copied in zip(found, labels, kinds, strict=True):
        panel = [in_words(curve.setting, panels), _KINDS[copied] if is_split else ""]
        models = [curve.line] if linear else [*curve.models.values()]
        drawn.setdefault(", ".join(filter(None, panel)), []).append(
            _plotted(curve, label, [one for one in models if one is not None])
        )
    is_latency = measure == "latency"
    model = "one line by least squares" if linear else "the fitted model"
    caption = (
        f"Median latency with its 95 % interval (marks), and {model} (lines). Lower is better."
        if is_latency
        else (
            f"Median throughput with its 95 % interval (marks), and the size over the time per message by {model} "
            "(lines). Higher is better."
        )
    )
    return curve_figure(
        name,
        title,
        ("message size in bytes", "latency, lower is better" if is_latency else "throughput, higher is better"),
        ("B", "s" if is_latency else "B/s"),
        drawn,
        " ".join(filter(None, (caption, _points_alone(found), note))),
    )


def _points_alone(found: Sequence[Curve]) -> str:
    """Say that settings are points without a line: those of a campaign of which a part was measured mostly are."""
    alone = sum(len(curve.measurements) == 1 for curve in found)
    return f"{alone:,} of {len(found):,} settings have one size only: a point without a line." if alone else ""


def _chosen(names: Sequence[str], view: View) -> tuple[list[str], list[str]] | None:
    """Return the factors whose levels are lines of one panel, and those whose levels are panels, as a user chose them.

    None if nothing was chosen. A direction is both `from` and `to`. Other factors are lines if only panels were chosen,
    and otherwise panels.
    """
    lines, panels = (
        [name for name in names if name in chosen or (name in ("from", "to") and {"from", "to"} & set(chosen))]
        for chosen in (view.lines, view.panels)
    )
    if not (view.lines or view.panels):
        return None
    rest = [name for name in names if name not in (*lines, *panels)]
    return ([*lines], [*panels, *rest]) if view.lines else ([*rest], [*panels])


def _inside(found: Sequence[Curve], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the factors whose levels are lines of one panel, and those whose levels are panels.

    All are lines while these are few. Otherwise transports are, and another factor with few levels if there is room.
    """
    if len(found) <= _ALONE:
        return list(names), []
    inside = [name for name in names if name == "transport"] or list(names[:1])
    rest = [name for name in names if name not in inside]
    count = len({tuple(curve.setting.get(name) for name in inside) for curve in found})
    for name in sorted(rest, key=lambda name: name != "receiver"):
        levels = len({curve.setting.get(name) for curve in found})
        if count * levels <= _ALONE:
            inside.append(name)
            count *= levels
    if {"from", "to"} & set(names):  # a direction is told by both
        inside, names = [n for n in inside if n not in ("from", "to")], [*names, "from", "to"]
    return inside, [name for name in dict.fromkeys(names) if name not in inside]


def _plotted(curve: Curve, label: str, models: Sequence[Fit]) -> PlottedCurve:
    sizes = [size for size in curve.measurements if _median(curve, size).value > 0]  # the axes are logarithmic
    times = [_median(curve, size) for size in sizes]
    drawn = times if curve.measure == "latency" else [rate(size, time) for size, time in zip(sizes, times, strict=True)]
    scale = 1e-6 if curve.measure == "latency" else 1.0
    show = duration if curve.measure == "latency" else data_rate
    return PlottedCurve(
        label,
        sizes,
        [one.value * scale for one in drawn],
        [(one.value if one.low is None else one.low) * scale for one in drawn],
        [(one.value if one.high is None else one.high) * scale for one in drawn],
        [
            f"{in_words(curve.setting, curve.setting)}\n{size:,} bytes: {show(one.value)}"
            f"{_in_brackets(bounds(one, show))}<br>model: {_model_text(curve, size)}"
            for size, one in zip(sizes, drawn, strict=True)
        ],
        [line for model in models for line in _lines(curve, model)],
    )


def _median(curve: Curve, size: int) -> Interval:
    place = int(np.searchsorted(curve.points.x, size))
    median, reach = float(curve.points.y[place]), 1.96 * float(curve.points.error[place])
    return Interval(median, max(median - reach, 0.0), median + reach)


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _model_text(curve: Curve, size: int) -> str:
    model = curve.model(size)
    if model is None:
        return "none"
    value = Interval(model.value(size))
    return duration(value.value) if curve.measure == "latency" else data_rate(rate(size, value).value)


def _lines(curve: Curve, model: Fit) -> Iterator[tuple[list[float], list[float]]]:
    """Return each piece of a model as a line, which is bent on logarithmic axes."""
    for piece in model.pieces:
        x = np.geomspace(piece.low, piece.high, 40) if piece.high > piece.low else np.array([piece.low])
        time = piece.intercept.value + piece.slope.value * x
        y = time / 1e6 if curve.measure == "latency" else np.divide(x * 1e6, time, out=np.zeros_like(x), where=time > 0)
        yield x[y > 0].tolist(), y[y > 0].tolist()
