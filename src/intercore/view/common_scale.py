"""Figures of several targets that show the same, on common scales: so one compares what was measured, and not axes."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from intercore.view.svg import panels_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.view.axes import Scale
    from intercore.view.section import Figure

OWN_AXES = "own axes"
"""In the `meta` of a figure's layout: directions whose axis each target has for itself, as one that counts samples."""
_APART = 5  # times that one target's largest value is another's, from which on a common axis is logarithmic
_MARGIN = 0.02  # of such an axis, on either side
_MOST_BARS = 250  # beside each other on an axis: narrower ones are not seen
_SAID = " All targets are on one scale."


class _Side(NamedTuple):
    """An axis of one figure."""

    scale: Scale
    least: float
    largest: float


def on_common_scales(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures; those of one name get axes, and colours of heat maps, that have room for what all show."""
    found = [_copied(figure) for figure in figures]
    by_name: dict[str, list[Figure]] = defaultdict(list)
    for figure in found:
        by_name[figure["name"]].append(figure)
    for alike in by_name.values():
        if len(alike) > 1 and (_share_axes(alike) | _share_colours(alike)):
            for figure in alike:
                figure["caption"] += _SAID
    return found


def _copied(figure: Figure) -> Figure:
    """Return a copy whose axes and heat maps may be changed; what it draws is not copied."""
    layout = {
        key: dict(value) if key.startswith(("xaxis", "yaxis")) else value for key, value in figure["layout"].items()
    }
    return {**figure, "layout": layout, "data": [dict(trace) for trace in figure["data"]]}


def _share_axes(figures: Sequence[Figure]) -> bool:
    """Give axes of one kind one range; return whether there are such."""
    sides: dict[tuple[str, str], list[list[_Side]]] = defaultdict(list)
    for figure in figures:
        for key, known in _sides(figure).items():
            sides[key].append(known)
    several = [[side for known in some for side in known] for some in sides.values() if len(some) > 1]
    for known in several:
        _unite(known)
    for figure in figures:
        _widen_bars(figure)
    return bool(several)


def _sides(figure: Figure) -> dict[tuple[str, str], list[_Side]]:
    """Return the axes with numbers, by their direction and, where panels have axes of their own, the panel's title."""
    found: dict[tuple[str, str], list[_Side]] = defaultdict(list)
    panels = list(panels_of(figure))
    for direction in {"x", "y"} - {*figure["layout"].get("meta", {}).get(OWN_AXES, ())}:
        scales: list[Scale] = [getattr(panel, direction) for panel in panels]
        shared = len({id(scale.axis) for scale in scales}) == 1 or any("matches" in scale.axis for scale in scales)
        for panel, scale in zip(panels, scales, strict=True):
            values = [float(one) for one in values_of(panel.traces, direction) if isinstance(one, int | float)]
            if values and scale.categories is None and "tickvals" not in scale.axis:
                side = _Side(scale, min(values), max(values))
                found[direction, "" if shared else panel.title].append(side)
    return found


def _unite(sides: Sequence[_Side]) -> None:
    """Give axes the range that all of them have room in: a logarithmic one where they are of different sizes."""
    logs = {side.scale.log for side in sides}
    largest = [side.largest for side in sides]
    least = min(side.least for side in sides)
    if logs == {True} or (logs == {False} and (least <= 0 or max(largest) <= _APART * min(largest))):
        low, high = min(side.scale.low for side in sides), max(side.scale.high for side in sides)
    elif least > 0:
        low, high = math.log10(least), math.log10(max(largest))
        margin = _MARGIN * (high - low)
        low, high = low - margin, high + margin
        for side in sides:
            side.scale.axis["type"] = "log"
    else:
        return  # a logarithmic axis has no place for what another one shows
    for side in sides:
        for key in ("rangemode", "autorange", "nticks"):
            side.scale.axis.pop(key, None)
        side.scale.axis["range"] = [high, low] if side.scale.reversed else [low, high]


def _widen_bars(figure: Figure) -> None:
    """Make bars of bins that can be seen, however narrow their bins are on an axis that another target needs."""
    for panel in panels_of(figure):
        scale = panel.x
        half = (scale.high - scale.low) / _MOST_BARS / 2
        for trace in panel.traces:
            if trace["type"] != "bar" or not isinstance(trace.get("width"), list):
                continue
            ends = []
            for middle, width in zip(trace["x"], trace["width"], strict=True):
                near = (10 ** (math.log10(middle) + side) if scale.log else middle + side for side in (-half, half))
                ends.append((min(middle - width / 2, next(near)), max(middle + width / 2, next(near))))
            trace["x"] = [(low + high) / 2 for low, high in ends]
            trace["width"] = [high - low for low, high in ends]


def _share_colours(figures: Iterable[Figure]) -> bool:
    """Give all heat maps the same colours for the same values; return whether there are any."""
    maps = [trace for figure in figures for trace in figure["data"] if trace["type"] == "heatmap"]
    if maps:
        low, high = min(trace["zmin"] for trace in maps), max(trace["zmax"] for trace in maps)
        for trace in maps:
            trace["zmin"], trace["zmax"] = low, high
    return bool(maps)
