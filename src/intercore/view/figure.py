"""What a figure is made of: panels with axes, and on them lines, points, bars and cells.

A benchmark makes figures of these; `intercore.view.svg` draws them, once, and the script of the page works on what was
drawn. All text in them is plain, and may be a target's: it is escaped where it is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from intercore.record.origin import LABELS, in_brackets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.record.origin import Origin
    from intercore.view.axes import Axis

Colour: TypeAlias = Literal[
    "series0", "series1", "series2", "series3", "series4", "series5", "published", "text", "muted"
]
"""As the style of the page has them, for light, dark and paper."""
Direction: TypeAlias = Literal["x", "y"]
Dash: TypeAlias = Literal["solid", "dashed", "dotted"]
Hatch: TypeAlias = Literal["outlined", "rising", "crossed"]
Shape: TypeAlias = Literal[
    "circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "star", "hexagram", "line-ns", "ring"
]
SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle-up", "cross")
"""Those that distinguishes series: no divisor common with the number of colours, so that there are 30 pairs."""
COLOURS: tuple[Colour, ...] = ("series0", "series1", "series2", "series3", "series4", "series5")


def colour_of(index: int) -> Colour:
    """Return the colour of a series by its number; the first one follows after the last."""
    return COLOURS[index % len(COLOURS)]


def shape_of(index: int) -> Shape:
    """Return the shape of a series by its number; the first one follows after the last."""
    return SHAPES[index % len(SHAPES)]


@dataclass(frozen=True)
class Line:
    """Straight lines from point to point, of which one without a place interrupts them."""

    name: str
    """In the legend; series of one name stand there once, and are hidden together."""
    colour: Colour
    x: Sequence[float | None]
    y: Sequence[float | None]
    dash: Dash = "solid"

    def values(self, direction: Direction) -> Iterator[float | None]:
        """Yield all values that an axis has to include."""
        yield from self.x if direction == "x" else self.y


@dataclass(frozen=True)
class Points:
    """A mark for each pair of values."""

    name: str
    colour: Colour
    x: Sequence[float | None]
    y: Sequence[float | None]
    texts: Sequence[str] = ()
    """What each shows when somebody points at it: lines, the first one a heading. Empty if none is to show anything."""
    shape: Shape = "circle"
    hollow: bool = False
    small: bool = False
    """A dot, for many points. Dots are round."""
    words: Sequence[str] = ()
    """The text next to each, if any."""
    x_bounds: Sequence[tuple[float, float]] = ()
    """The interval of each value, as its lower and its upper end; empty if there are none."""
    y_bounds: Sequence[tuple[float, float]] = ()

    def values(self, direction: Direction) -> Iterator[float | None]:
        """Yield all values that an axis has to include."""
        yield from self.x if direction == "x" else self.y
        for bounds in self.x_bounds if direction == "x" else self.y_bounds:
            yield from bounds


@dataclass(frozen=True)
class Bars:
    """Boxes, each from and to an x, and from and to a y."""

    name: str
    colour: Colour
    boxes: Sequence[tuple[float, float, float, float]]
    """The ends of each: x, x, y, y. What an axis has no place for, as 0 on a logarithmic one, is its beginning."""
    texts: Sequence[str] = ()
    """As those of points."""
    hatch: Hatch | None = None
    """The hatching of bars that are not filled."""

    def values(self, direction: Direction) -> Iterator[float | None]:
        """Yield all values that an axis has to include."""
        for box in self.boxes:
            yield from box[:2] if direction == "x" else box[2:]


@dataclass(frozen=True)
class Cells:
    """A number for each row and column, by its colour: the darker, the larger. Both axes have names."""

    rows: Sequence[Sequence[float | None]]
    """None for a cell that stays empty."""
    words: Sequence[Sequence[str]]
    """What is written in each."""
    texts: Sequence[Sequence[str]]
    """What each shows when somebody points at it."""
    low: float
    high: float
    """The numbers that have the lightest and the darkest colour."""
    name: str = ""

    def values(self, direction: Direction) -> Iterator[float | None]:
        """Yield all values that an axis has to include."""
        yield from range(len(self.rows[0]) if direction == "x" else len(self.rows))


Series: TypeAlias = Line | Points | Bars | Cells


@dataclass(frozen=True)
class ReferenceLine:
    """A line across a plot at a value."""

    at: float
    words: str = ""
    """What is written at its right end."""
    dash: Dash = "solid"
    below: bool = False
    """Whether that is below the line."""
    upright: bool = False
    """Whether it is a line at a value of x, from the bottom to the top, without words."""


@dataclass(frozen=True)
class Band:
    """A shaded part of a plot, from and to an x."""

    low: float
    high: float
    words: str = ""
    """What is written at its top."""
    text: str = ""
    """What it shows when somebody points at it."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes with what is drawn on it."""

    x: Axis
    y: Axis
    series: Sequence[Series]
    height: float
    """Of the plot itself, in pixels; more if the names of its rows take more."""
    title: str = ""
    references: Sequence[ReferenceLine] = ()
    bands: Sequence[Band] = ()

    def axis(self, direction: Direction) -> Axis:
        """Return one of the axes."""
        return self.x if direction == "x" else self.y

    def values(self, direction: Direction) -> Iterator[float]:
        """Yield all values that an axis has to include."""
        for one in self.series:
            yield from (value for value in one.values(direction) if value is not None)


@dataclass(frozen=True)
class Figure:
    """A plot with its title, its caption and its legend."""

    name: str
    """Of the file as which it is saved. Figures of several targets that have one name show the same."""
    title: str
    caption: str
    """A sentence or two."""
    panels: Sequence[Panel]
    columns: int = 1
    """How many panels stand next to each other if there is space. In one column they share the label of the x axis."""
    legend: bool = True
    """Whether it has one if there is more than one name."""
    own_axes: frozenset[Direction] = frozenset()
    """Directions whose axis each target has for itself, as one that counts samples."""

    @property
    def series_names(self) -> list[str]:
        """The names of its series, each once."""
        known = dict.fromkeys(one.name for panel in self.panels for one in panel.series)
        return [name for name in known if name]


def labelled(figure: Figure, origin: Origin, *, partly: bool = False) -> Figure:
    """Return a plot whose title and file name state if its numbers were not measured.

    `partly` is whether some of them were measured.
    """
    if origin == "measured":
        return figure
    title = f"{figure.title} (partly {LABELS[origin]})" if partly else in_brackets(figure.title, origin)
    return replace(figure, name=f"{figure.name}{'-partly' * partly}-{origin}", title=title)
