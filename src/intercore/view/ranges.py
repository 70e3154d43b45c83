"""A figure of ranges: each from its least to its largest value, with its average; published ones grey and hollow."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.view.axes import Axis
from intercore.view.figure import Figure, Line, Panel, Points
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.view.figure import Colour, Series

_ROW_HEIGHT = 24  # pixels
_NARROW = 3  # labels of times, as `100 ms`, that have room beside names of rows on a telephone


class Range(NamedTuple):
    """Times of one row, in µs."""

    name: str
    low_us: float
    average_us: float
    high_us: float
    is_published: bool
    is_false: bool = False
    """Whether they are no times, and were made on purpose."""


def ranges_figure(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[Range],
    *,
    axis: str,
    ends: tuple[str, str] = ("least", "largest"),
) -> Figure:
    """Draw each range on a logarithmic axis, the first on top; one below 0 is drawn without its sign, and named so."""
    series: list[Series] = []
    names = [f"{row.name}, {_unsigned(row.average_us)}" if row.average_us < 0 else row.name for row in rows]
    for at, row in enumerate(rows):
        colour: Colour = "published" if row.is_published else "series1" if row.is_false else "series0"
        times = (row.low_us, row.high_us, row.average_us)
        low, high, average = (abs(us) / 1e6 for us in times)
        texts = [f"{row.name}\n{what} {duration(us)}" for what, us in zip((*ends, "average"), times, strict=True)]
        series += [
            Line(row.name, colour, [low, high], [at, at], "dashed" if row.is_published else "solid"),
            Points(row.name, colour, [low, high], [at, at], texts[:2], shape="line-ns"),
            Points(row.name, colour, [average], [at], texts[2:], hollow=row.is_published),
        ]
    x = Axis(axis, log=True, unit="s", narrow=_NARROW).around(value for one in series for value in one.values("x"))
    y = Axis().of_names(names, down=True)
    return Figure(name, title, caption, [Panel(x, y, series, _ROW_HEIGHT * len(rows))], legend=False)


def _unsigned(us: float) -> str:
    """Return that a value is drawn without its sign, on one line of a label."""
    return f"|{duration(us)}|".replace(" ", "\N{NO-BREAK SPACE}")
