"""Figures of several targets that show the same, on common scales: so one compares what was measured, and not axes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, get_args

from intercore.view.figure import Bars, Cells, Direction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.view.axes import Axis
    from intercore.view.figure import Figure, Panel

_APART = 5  # times that one target's largest value is another's, from which on a common axis is logarithmic
_MARGIN = 0.02  # of such an axis, on either side
_MOST_BARS = 250  # beside each other on an axis: narrower ones are not seen
_COMMON = " All targets are on one scale."

_Key: TypeAlias = tuple[Direction, str]
"""Which axes of figures have one scale: a direction and, if panels have separate axes, the panel's title."""


class _Extent(NamedTuple):
    """An axis and the values on it."""

    axis: Axis
    least: float
    largest: float


def on_common_scales(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures; those of one name get axes, and colours of cells, that have room for what all show."""
    by_name: dict[str, list[Figure]] = defaultdict(list)
    for figure in figures:
        by_name[figure.name].append(figure)
    common = {name: iter(_on_common_scale(alike)) for name, alike in by_name.items()}
    return [next(common[figure.name]) for figure in figures]


def _on_common_scale(figures: Sequence[Figure]) -> Sequence[Figure]:
    if len(figures) == 1:
        return figures
    extents: dict[_Key, list[list[_Extent]]] = defaultdict(list)
    for figure in figures:
        for key, known in _extents(figure).items():
            extents[key].append(known)
    common = {key: _united([one for some in known for one in some]) for key, known in extents.items() if len(known) > 1}
    ends = {key: found for key, found in common.items() if found is not None}
    cells = [one for figure in figures for panel in figure.panels for one in panel.series if isinstance(one, Cells)]
    colours = (min(one.low for one in cells), max(one.high for one in cells)) if cells else None
    caption = _COMMON if common or cells else ""
    return [_changed(figure, ends, colours, caption) for figure in figures]


def _extents(figure: Figure) -> dict[_Key, list[_Extent]]:
    """Return the axes with numbers and what is on them."""
    found: dict[_Key, list[_Extent]] = defaultdict(list)
    for direction in get_args(Direction):
        if direction in figure.own_axes:
            continue
        for panel in figure.panels:
            axis, values = panel.axis(direction), list(panel.values(direction))
            if values and not axis.names:
                found[_key(figure, panel, direction)].append(_Extent(axis, min(values), max(values)))
    return found


def _key(figure: Figure, panel: Panel, direction: Direction) -> _Key:
    axes = {replace(each.axis(direction), title="") for each in figure.panels}
    return direction, "" if len(axes) == 1 else panel.title


def _united(extents: Sequence[_Extent]) -> tuple[float, float, bool] | None:
    """Return the ends that all axes have room in, and whether they are logarithmic, as those of different sizes are.

    None where they keep theirs: a logarithmic axis has no place for what another one shows.
    """
    logs = {one.axis.log for one in extents}
    largest = [one.largest for one in extents]
    least = min(one.least for one in extents)
    if logs == {True} or (logs == {False} and (least <= 0 or max(largest) <= _APART * min(largest))):
        return min(one.axis.low for one in extents), max(one.axis.high for one in extents), logs == {True}
    if least <= 0:
        return None
    margin = (max(largest) / least) ** _MARGIN
    return least / margin, max(largest) * margin, True


def _changed(
    figure: Figure, ends: dict[_Key, tuple[float, float, bool]], colours: tuple[float, float] | None, caption: str
) -> Figure:
    panels = []
    for panel in figure.panels:
        x, y = (_stretched(panel.axis(one), ends.get(_key(figure, panel, one))) for one in get_args(Direction))
        series = [_with_colours(one, colours) if isinstance(one, Cells) else one for one in panel.series]
        if not panel.y.names:
            series = [_with_wide_bins(one, x) if isinstance(one, Bars) else one for one in series]
        panels.append(replace(panel, x=x, y=y, series=series))
    return replace(figure, panels=panels, caption=figure.caption + caption)


def _stretched(axis: Axis, ends: tuple[float, float, bool] | None) -> Axis:
    return axis if ends is None else replace(axis, low=ends[0], high=ends[1], log=ends[2])


def _with_colours(cells: Cells, ends: tuple[float, float] | None) -> Cells:
    """Give cells the same colours for the same values as others have."""
    return cells if ends is None else replace(cells, low=ends[0], high=ends[1])


def _with_wide_bins(bars: Bars, x: Axis) -> Bars:
    """Make bars of bins that can be seen, however narrow their bins are on an axis that another target needs."""
    boxes = []
    for low, high, bottom, top in bars.boxes:
        middle = (low + high) / 2
        if x.log:
            half = (x.high / x.low) ** (0.5 / _MOST_BARS)
            near = middle / half, middle * half
        else:
            half = (x.high - x.low) / _MOST_BARS / 2
            near = middle - half, middle + half
        boxes.append((min(low, near[0]), max(high, near[1]), bottom, top))
    return replace(bars, boxes=boxes)
