"""The cost of crossing cores in one figure: all operations of a run on one axis of time."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, get_args

from markupsafe import Markup

from intercore.text import printable
from intercore.view.axes import Axis
from intercore.view.cost import BreakEvenRange, Cost, Group
from intercore.view.marks import Canvas, bar_class, mark_class
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.view.figure import Colour, Shape

USUAL_US = (0.1, 10_000.0)
"""Ends of the axis, in microseconds, unless something lies outside."""

_ROW, _HEADING, _EDGE = 31, 24, 10  # pixels: of an operation, of a group's name, at the ends
_AXIS = 22  # pixels for the labels of an axis
_SIDE = 22  # pixels beside it, for half of the label at its end
_LEFT = 0.55  # place from which on a label ends at its mark
_PARALLEL = "parallel work"


def overview(costs: Sequence[Cost | BreakEvenRange], cycle_hz: int | None) -> Markup:
    """Return the picture; empty if there is nothing to draw. `cycle_hz` gives the axis of cycles, where known."""
    rows = list(_rows(costs))
    if not rows:
        return Markup()
    height = float(sum(_HEADING if isinstance(row, str) else _ROW for row in rows) + 2 * _EDGE)
    low, high = _ends(costs)
    across = Axis("", low, high, log=True, unit="s")
    canvas = Canvas()
    for tick in across.ticks():
        canvas.line("grid", (tick.at, tick.at), (0, 1))
        canvas.text("middle", tick.at, 0, tick.label, down=16)
    if cycle_hz is not None:
        for place, label in _cycles(low, high, cycle_hz):
            canvas.line("axis", (place, place), (1, 1 - 5 / height))
            canvas.text("middle", place, 1, label, down=-8)
    down = float(_EDGE)
    for row in rows:
        if isinstance(row, str):
            canvas.text("panel", 0, 1 - (down + _HEADING / 2) / height, row)
        elif isinstance(row, Cost):
            _draw_cost(canvas, across, 1 - (down + _ROW * 0.7) / height, row)
        else:
            _draw_paying(canvas, across, 1 - (down + _ROW * 0.7) / height, 5 / height, row)
        down += _HEADING if isinstance(row, str) else _ROW
    top = _AXIS if cycle_hz is not None else 4
    around = f"margin:{top}px {_SIDE}px {_AXIS}px;width:calc(100% - {2 * _SIDE}px);height:{height:.0f}px"
    label = printable("; ".join(_words(row) for row in rows if not isinstance(row, str)))
    return Markup(
        '<svg class="plot overview" role="img" aria-label="Cost of crossing cores: {}" style="{}">{}</svg>'
    ).format(label, f"--below-narrow:{_AXIS}px;{around}", Markup().join(canvas.pieces))


def _rows(costs: Sequence[Cost | BreakEvenRange]) -> Iterator[str | Cost | BreakEvenRange]:
    """Yield the name of each group, and behind it its operations, the quickest first."""
    order = {name: place for place, name in enumerate(get_args(Group))}
    known = sorted(
        (one for one in costs if isinstance(one, Cost)), key=lambda one: (order[one.group], one.across_us or 0)
    )
    for group, of_it in groupby(known, key=lambda one: one.group):
        yield group
        yield from of_it
    break_even_ranges = sorted((one for one in costs if isinstance(one, BreakEvenRange)), key=lambda one: one.faster_us)
    if break_even_ranges:
        yield _PARALLEL
        yield from break_even_ranges


def _ends(costs: Sequence[Cost | BreakEvenRange]) -> tuple[float, float]:
    """Return the ends of the axis in seconds: whole decades that include all marks."""
    known = [
        time
        for one in costs
        for time in (one[2:] if isinstance(one, Cost) else (one.faster_us, one.used_us))
        if isinstance(time, int | float) and time > 0
    ]
    low, high = min(*known, USUAL_US[0]), max(*known, USUAL_US[1])
    return 10.0 ** math.floor(math.log10(low) + 1e-9) / 1e6, 10.0 ** math.ceil(math.log10(high) - 1e-9) / 1e6


def _cycles(low: float, high: float, hz: int) -> Iterator[tuple[float, str]]:
    """Yield where powers of ten of cycles lie, and what stands there."""
    first, last = math.ceil(math.log10(low * hz)), math.floor(math.log10(high * hz))
    for power in range(first, last + 1):
        place = (power - math.log10(low * hz)) / (math.log10(high) - math.log10(low))
        if 0.02 <= place <= 0.98:
            yield place, f"{10**power:,}" + (" cycles" if power == first else "")


def _draw_cost(canvas: Canvas, axis: Axis, y: float, row: Cost) -> None:
    places = [
        None if time is None or time <= 0 else axis.within(time / 1e6)
        for time in (row.across_us, row.same_us, row.longest_us)
    ]
    across, same, longest = places
    known = [place for place in places if place is not None]
    if not known:
        return
    if longest is not None and longest > min(known):
        canvas.line("interval c-text", (min(known), longest), (y, y))
        canvas.mark(longest, y, "line-ns", _look("text", "line-ns"), f"maximum {duration(row.longest_us or 0)}")
    if same is not None:
        canvas.mark(same, y, "ring", _look("series0", "ring", hollow=True), f"same core {duration(row.same_us or 0)}")
    if across is not None:
        canvas.mark(across, y, "circle", _look("series0", "circle"), f"across {duration(row.across_us or 0)}")
    _write(canvas, min(known), max(known), y, _words(row))


def _look(colour: Colour, shape: Shape, *, hollow: bool = False) -> Markup:
    return Markup(' class="{}"').format(mark_class(colour, shape, hollow=hollow))


def _draw_paying(canvas: Canvas, axis: Axis, y: float, half: float, row: BreakEvenRange) -> None:
    end = axis.within(row.used_us / 1e6)
    begin = axis.within(row.faster_us / 1e6) if row.faster_us > 0 else end  # how far it reaches down is not known
    if begin is None or end is None:
        return
    look = Markup(' class="{}"').format(bar_class("series2", None))
    canvas.rect((begin, max(end, begin + 0.005)), (y - half, y + half), look, _words(row))
    _write(canvas, begin, end, y, _words(row))


def _write(canvas: Canvas, low: float, high: float, y: float, words: str) -> None:
    """Write above the marks, on the side where there is room; on a narrow screen at the left."""
    canvas.text("value narrow", 0, y, words, down=-10)
    if low > _LEFT:
        canvas.text("value wide before", high, y, words, right=5, down=-10)
    else:
        canvas.text("value wide", low, y, words, right=-5, down=-10)


def _words(row: Cost | BreakEvenRange) -> str:
    if isinstance(row, Cost):
        return f"{row.label}: {duration(row.across_us or row.same_us or 0)}"
    begin = f"faster from {duration(row.faster_us)}, " if row.faster_us > 0 else ""
    used = duration(row.used_us) + " or less" * row.at_most
    return f"{row.label}: {begin}{row.efficiency:.0%} efficiency from {used}"
