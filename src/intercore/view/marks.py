"""What stands on a panel: lines, points, bars and cells, as SVG in which every place is a part of the panel.

So a panel fills any room, and a part of it can be shown larger, while text and marks keep their size. Marks are placed
in percent. Lines, intervals and dots are paths, which know no percentages: they lie in an SVG of 1,000 by 1,000 units
that is stretched over the panel.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from intercore.text import printable
from intercore.view.figure import Bars, Cells, Line, Points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.view.figure import Colour, Dash, Hatch, Panel, Series, Shape

OUTLINES: Mapping[Shape, str] = {
    "circle": "M-4.5 0 A4.5 4.5 0 1 1 4.5 0 A4.5 4.5 0 1 1 -4.5 0 Z",
    "square": "M-4 -4 H4 V4 H-4 Z",
    "diamond": "M-5.5 0 L0 -5.5 L5.5 0 L0 5.5 Z",
    "triangle-up": "M-5 4 H5 L0 -5 Z",
    "triangle-down": "M-5 -4 H5 L0 5 Z",
    "cross": "M-1.5 -5 H1.5 V-1.5 H5 V1.5 H1.5 V5 H-1.5 V1.5 H-5 V-1.5 H-1.5 Z",
    "x": "M-4 -4 L4 4 M4 -4 L-4 4",
    "star": "M0 -7 L2 -2 L7 -2 L3 1.5 L4.5 7 L0 3.5 L-4.5 7 L-3 1.5 L-7 -2 L-2 -2 Z",
    "hexagram": "M0 -7 L2 -3.5 L6 -3.5 L4 0 L6 3.5 L2 3.5 L0 7 L-2 3.5 L-6 3.5 L-4 0 L-6 -3.5 L-2 -3.5 Z",
    "line-ns": "M0 -5 V5",
    "ring": "M-7 0 A7 7 0 1 1 7 0 A7 7 0 1 1 -7 0 Z",
}
"""Of the marks, around their place."""
HATCHES = {"rising": "M-1 7 L7 -1 M-1 1 L1 -1 M5 7 L7 5", "crossed": "M0 0 L6 6 M0 6 L6 0"}
"""What bars are hatched with, in squares of six pixels."""

_LINES_ALONE = ("x", "line-ns")  # shapes that nothing fills
_APART = 0.15  # of an axis: space of the text next to marks
_AT_RIGHT = 0.8  # of an axis: from where on it is written before the mark
_SHORT = 12  # letters that have room on a telephone
_BEYOND = 0.02  # of an axis: a line that leaves the plot by more is not drawn
_STRETCHED = Markup('<svg data-zoom="xy" viewBox="0 0 1000 1000" preserveAspectRatio="none">{}</svg>')

_NO_ATTRIBUTE = Markup()

Place = tuple[float | None, float | None]


def line_class(colour: Colour, dash: Dash) -> str:
    """Return the classes of a line."""
    return f"trace c-{colour}" + f" {dash}" * (dash != "solid")


def mark_class(colour: Colour, shape: Shape, *, hollow: bool) -> str:
    """Return the classes of marks."""
    return f"mark c-{colour}" + " open" * (hollow or shape in _LINES_ALONE)


def bar_class(colour: Colour, hatch: Hatch | None) -> str:
    """Return the classes of bars."""
    return f"bar c-{colour}" + (f" hatched {hatch}" if hatch else "")


def hatched(hatch: Hatch | None) -> Markup:
    """Return the attribute that hatches bars; empty for those that need none."""
    return Markup(' fill="url(#hatch-{})"').format(hatch) if hatch in HATCHES else Markup()


def percent(place: float) -> str:
    """Return a part of the width or of the height as SVG has it."""
    return f"{100 * place:.2f}".rstrip("0").rstrip(".") + "%"


def _units(place: float) -> str:
    return f"{1000 * place:.1f}".removesuffix(".0")


class Canvas:
    """Pieces of SVG, placed from 0, the left or the bottom, to 1."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.pieces: list[Markup] = []

    def line(self, kind: str, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Draw a line between two places of each axis."""
        ends = (percent(x[0]), percent(x[1]), percent(1 - y[0]), percent(1 - y[1]))
        self.pieces.append(Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(kind, *ends))

    def text(self, kind: str, x: float, y: float, text: str, *, right: float = 0, down: float = 4) -> None:
        """Write at a place, so many pixels to the right and below."""
        piece = Markup('<text class="{}" x="{}" dx="{:g}" y="{}" dy="{:g}">{}</text>')
        self.pieces.append(piece.format(kind, percent(x), right, percent(1 - y), down, printable(text)))

    def rect(
        self, x: tuple[float, float], y: tuple[float, float], look: Markup = _NO_ATTRIBUTE, title: str = ""
    ) -> None:
        """Draw a box between two places of each axis; `look` is attributes."""
        (left, right), (low, high) = sorted(x), sorted(y)
        box = (percent(left), f"{100 * (right - left):.3f}%", percent(1 - high), percent(high - low))
        piece = Markup('<rect{} x="{}" width="{}" y="{}" height="{}"{}')
        self.pieces.append(piece.format(look, *box, _end("rect", title)))

    def mark(self, x: float, y: float, shape: Shape, look: Markup = _NO_ATTRIBUTE, title: str = "") -> None:
        """Draw a mark at a place; `look` is attributes."""
        piece = Markup('<use href="#mark-{}"{} x="{}" y="{}"{}')
        self.pieces.append(piece.format(shape, look, percent(x), percent(1 - y), _end("use", title)))


def _end(tag: str, title: str) -> Markup:
    """Return the end of an element's tag, with a title in the element if it has one."""
    return Markup("><title>{}</title></{}>").format(printable(title), tag) if title else Markup("/>")


class Drawing:
    """The marks of a panel, and their text under the pointer."""

    def __init__(self, panel: Panel, names: Sequence[str] = ()) -> None:
        """Draw it; `names` are those of the legend, by whose number series can be hidden."""
        self.panel, self._names = panel, names
        self._bands, self._references, self._marks = Canvas(), Canvas(), Canvas()
        self._paths: list[Markup] = []
        self._texts_of_bands: list[str] = []
        self._texts_of_paths: list[str] = []
        self._texts_of_marks: list[str] = []
        self._written: list[tuple[float, float]] = []
        self._add_bands()
        self._add_references()
        for one in panel.series:
            if isinstance(one, Line):
                self._add_path(line_class(one.colour, one.dash), self._strokes(self._places(one)), one)
            elif isinstance(one, Points):
                self._add_points(one)
            elif isinstance(one, Bars):
                self._add_bars(one)
            else:
                self._add_cells(one)

    @property
    def texts(self) -> list[str]:
        """What each mark shows when somebody points at it, in the order of `markup`."""
        return [*self._texts_of_bands, *self._texts_of_paths, *self._texts_of_marks]

    @property
    def markup(self) -> Markup:
        """All of it; `data-zoom` has the axes along which a part grows when the panel is zoomed."""
        parts = (
            (Markup('<svg data-zoom="x">{}</svg>'), self._bands.pieces),
            (Markup('<svg data-zoom="y">{}</svg>'), self._references.pieces),
            (_STRETCHED, self._paths),
            (Markup('<svg data-zoom="xy">{}</svg>'), self._marks.pieces),
        )
        inside = Markup().join(part.format(Markup().join(pieces)) for part, pieces in parts if pieces)
        return Markup('<svg class="area">{}</svg>').format(inside)

    def _places(self, series: Line | Points) -> list[Place]:
        return [(self.panel.x.at(x), self.panel.y.at(y)) for x, y in zip(series.x, series.y, strict=True)]

    def _attributes(self, kind: str, series: Series, *, pointed: bool = False) -> Markup:
        """Return the class of a series, its number in the legend, and whether its marks say something."""
        number = Markup(' data-s="{}"').format(self._names.index(series.name)) if series.name in self._names else ""
        return Markup(' class="{}"{}{}').format(kind, number, Markup(' data-pointed=""') if pointed else "")

    def _add_bands(self) -> None:
        for band in self.panel.bands:
            low, high = self.panel.x.within(band.low), self.panel.x.within(band.high)
            if low is None or high is None or high <= 0 or low >= 1:
                continue
            pointed = Markup(' data-pointed=""') if band.text else ""
            self._bands.pieces.append(Markup('<g class="strip"{}>').format(pointed))
            self._bands.rect((low, high), (0, 1))
            self._bands.pieces.append(Markup("</g>"))
            self._texts_of_bands += [band.text] * bool(band.text)
            if band.words:
                self._bands.text("middle", (low + high) / 2, 1, band.words, down=12)

    def _add_references(self) -> None:
        for line in self.panel.references:
            place = (self.panel.x if line.upright else self.panel.y).at(line.at)
            if place is None or not 0 <= place <= 1:
                continue
            kind = "reference" + f" {line.dash}" * (line.dash != "solid")
            if line.upright:
                self._bands.line(kind, (place, place), (0, 1))
            else:
                self._references.line(kind, (0, 1), (place, place))
                if line.words:
                    self._references.text("end", 0.995, place, line.words, down=14 if line.below else -5)

    def _add_path(self, kind: str, path: str, series: Series, *, pointed: bool = False) -> None:
        if path:
            attributes = self._attributes(kind, series, pointed=pointed)
            self._paths.append(Markup('<path{} d="{}"/>').format(attributes, path))

    def _strokes(self, places: Sequence[Place]) -> str:
        """Return lines from place to place, but for those that leave the panel."""
        path, end = "", None
        for one, other in pairwise(places):
            if all(place is not None and -_BEYOND <= place <= 1 + _BEYOND for place in (*one, *other)):
                path += ("" if one == end else f"M{_point(one)}") + f"L{_point(other)}"
                end = other
        return path

    def _add_points(self, series: Points) -> None:
        places = self._places(series)
        known = [(at, x, y) for at, (x, y) in enumerate(places) if x is not None and y is not None]
        bounds = "".join((*self._bounds(series.x_bounds, places, "x"), *self._bounds(series.y_bounds, places, "y")))
        self._add_path(f"interval c-{series.colour}", bounds, series)
        texts = [series.texts[at] for at, _, _ in known] if series.texts else []
        if series.small:
            dots = "".join(f"M{_point((x, y))}h0" for _, x, y in known)
            self._add_path(f"dots c-{series.colour}", dots, series, pointed=bool(texts))
            self._texts_of_paths += texts
            return
        kind = mark_class(series.colour, series.shape, hollow=series.hollow)
        self._marks.pieces.append(Markup("<g{}>").format(self._attributes(kind, series, pointed=bool(texts))))
        for _, x, y in known:
            self._marks.mark(x, y, series.shape)
        self._marks.pieces.append(Markup("</g>"))
        self._texts_of_marks += texts
        if series.words:
            self._marks.pieces.append(Markup("<g{}>").format(self._attributes("", series)))
            for at, x, y in known:
                self._write_beside(x, y, series.words[at])
            self._marks.pieces.append(Markup("</g>"))

    def _write_beside(self, x: float, y: float, text: str) -> None:
        """Write next to a mark, unless there is text already."""
        if any(abs(x - other) < _APART and y == line for other, line in self._written):
            return
        self._written.append((x, y))
        left = x > _AT_RIGHT  # where there is no room on the other side
        room = " wide" if len(text) > _SHORT else ""
        self._marks.text(("value before" if left else "value") + room, x, y, text, right=-10 if left else 10)

    def _bounds(self, bounds: Sequence[tuple[float, float]], places: Sequence[Place], along: str) -> Iterable[str]:
        """Yield a line from the lower to the upper end of each interval."""
        axis = self.panel.x if along == "x" else self.panel.y
        for (x, y), ends in zip(places, bounds, strict=False):
            # On a logarithmic axis, what has no place reaches to its beginning.
            low, high = (axis.within(end) or 0.0 for end in ends)
            if x is not None and y is not None and high > low:
                lying = along == "x"
                yield f"M{_point((low, y))}H{_units(high)}" if lying else f"M{_point((x, low))}V{_units(1 - high)}"

    def _add_bars(self, series: Bars) -> None:
        kind = bar_class(series.colour, series.hatch)
        attributes = self._attributes(kind, series, pointed=bool(series.texts)) + hatched(series.hatch)
        self._marks.pieces.append(Markup("<g{}>").format(attributes))
        for at, (left, right, bottom, top) in enumerate(series.boxes):
            x = tuple(self.panel.x.within(end) for end in (left, right))
            y = tuple(self.panel.y.within(end) for end in (bottom, top))
            if x[1] is not None and y[1] is not None:
                self._marks.rect((x[0] or 0.0, x[1]), (y[0] or 0.0, y[1]))
                self._texts_of_marks += [series.texts[at]] if series.texts else []
        self._marks.pieces.append(Markup("</g>"))

    def _add_cells(self, series: Cells) -> None:
        known = [
            (row, column, value)
            for row, values in enumerate(series.rows)
            for column, value in enumerate(values)
            if value is not None
        ]
        written = Canvas()
        self._marks.pieces.append(Markup("<g{}>").format(self._attributes("cell", series, pointed=True)))
        for row, column, value in known:
            span = series.high - series.low
            dark = 0.5 if span <= 0 else min(max((value - series.low) / span, 0.0), 1.0)
            left, right, top, bottom = (
                axis.within(at + half) or 0.0
                for axis, at in ((self.panel.x, column), (self.panel.y, row))
                for half in (-0.5, 0.5)
            )
            look = Markup(' style="--share:{:.0f}%"').format(100 * dark)
            self._marks.rect((left, right), (top, bottom), look)
            self._texts_of_marks.append(series.texts[row][column])
            kind = "middle on-dark" if dark > 0.5 else "middle on-light"
            if series.words[row][column]:
                written.text(kind, (left + right) / 2, (top + bottom) / 2, series.words[row][column])
        self._marks.pieces += [Markup("</g>"), *written.pieces]


def _point(place: Place) -> str:
    x, y = place
    return f"{_units(x or 0.0)} {_units(1 - (y or 0.0))}"
