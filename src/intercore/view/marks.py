"""What stands on the panel of a picture that is drawn without a script: points, lines, bars and cells, as SVG.

Places along the width are percentages of it, those along the height are pixels; see `intercore.view.svg`.
"""

from __future__ import annotations

import html
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.view.axes import Scale
    from intercore.view.section import Figure

SHAPES = {
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
"""Outlines of the marks by the names that plotly.js has for them, around their place."""

_POINTS_APART = 0.7  # of a box, within which its points lie
_SMALL, _LARGE = 6, 12  # sizes of marks, in pixels, beyond which they look so
_APART = 0.15  # of an axis: what is written beside marks needs so much
_AT_RIGHT = 0.8  # of an axis: from where on it is written before the mark
_SHORT = 12  # letters that have room on a telephone
_BEYOND = 0.02  # of an axis: a line that leaves the plot by more is not drawn


class Panel(NamedTuple):
    """One pair of axes with what is drawn on it."""

    title: str
    x: Scale
    y: Scale
    traces: Sequence[Figure]
    height: float
    """Of the plot itself, in pixels."""
    x_labels: bool
    """Whether the axis below has labels; panels above each other share them."""


def plain(text: object) -> str:
    """Return text with plotly's mark-up as plain text: line ends for breaks, and nothing for all else."""
    return printable(html.unescape(re.sub(r"<[^>]*>", "", str(text or "").replace("<br>", "\n"))))


def colour(name: object) -> str:
    """Return the class of a colour that the style of the page knows."""
    known = str(name)
    return f"c-{known}" if re.fullmatch("[a-z]+[0-9]?", known) else "c-none"


def stroke(line: Figure) -> str:
    """Return the class of a line that is not solid; empty for one that is."""
    return {"dot": " dotted", "dash": " dashed"}.get(str(line.get("dash")), "")


def shape_of(symbol: object) -> tuple[str, str]:
    """Return the name of a mark's outline, and its class if it is hollow."""
    name = str(symbol).removesuffix("-open")
    return (name if name in SHAPES else "circle"), (" open" if name != symbol or name in {"x", "line-ns"} else "")


HATCHES = {"rising": "M-1 7 L7 -1 M-1 1 L1 -1 M5 7 L7 5", "crossed": "M0 0 L6 6 M0 6 L6 0"}
"""What bars are hatched with, in squares of six pixels."""
_HATCHINGS = {"/": " rising", "x": " crossed"}


def hatching(marker: Figure) -> str:
    """Return the classes of a bar that is not filled; empty for one that is."""
    return f" hatched{_HATCHINGS.get(str(marker['pattern'].get('shape')), '')}" if "pattern" in marker else ""


def hatch(kind: str) -> Markup:
    """Return the attribute that hatches a bar of these classes; empty for one that needs none."""
    known = [name for name in kind.split() if name in HATCHES]
    return Markup(' fill="url(#hatch-{})"').format(known[0]) if known else Markup()


def each(value: Any, index: int) -> Any:  # noqa: ANN401 - as plotly takes it
    """Return the value of one point, of a property that all points share or that each has."""
    return value[index] if isinstance(value, list | tuple) else value


class Drawing:
    """What is drawn on a panel, in pieces of SVG."""

    def __init__(self, panel: Panel, *, titles: bool) -> None:
        """Begin with nothing; `titles` says whether each mark tells what it is when one points at it."""
        self.panel, self.titles = panel, titles
        self.pieces: list[Markup] = []
        self._written: list[tuple[float, float]] = []

    def add_traces(self) -> None:
        """Draw all that the panel has."""
        kinds = {"scatter": self._scatter, "bar": self._bars, "heatmap": self._cells, "box": self._points}
        for index, trace in enumerate(self.panel.traces):
            kinds[trace["type"]](trace, index)

    def line(self, kind: str, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Draw a line between two places of each axis."""
        ends = (f"{100 * x[0]:.2f}%", f"{100 * x[1]:.2f}%", self._down(y[0]), self._down(y[1]))
        self.pieces.append(Markup('<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(kind, *ends))

    def text(self, kind: str, x: float, y: float, text: str, *, right: int = 0, down: float = 4) -> None:
        """Write at a place, so many pixels to the right and below."""
        piece = Markup('<text class="{}" x="{:.2f}%" dx="{}" y="{:.1f}">{}</text>')
        self.pieces.append(piece.format(kind, 100 * x, right, self._down(y) + down, printable(text)))

    def words(self, kind: str, x: str, y: float, text: str) -> None:
        """Write beside the plot, in pixels from its upper left corner or, with `%`, in parts of its width."""
        self.pieces.append(Markup('<text class="{}" x="{}" y="{:.0f}">{}</text>').format(kind, x, y, printable(text)))

    def rect(self, kind: str, x: tuple[float, float], y: tuple[float, float], title: str, dark: float = 0) -> None:
        """Draw a box between two places of each axis; `dark` is how dark a cell is, from 0 to 1."""
        (left, right), (low, high) = sorted(x), sorted(y)
        self.pieces.append(
            Markup('<rect class="{}"{} x="{:.2f}%" width="{:.3f}%" y="{:.1f}" height="{:.1f}">{}</rect>').format(
                kind,
                Markup(' style="--share:{:.0f}%"').format(100 * dark) if kind == "cell" else hatch(kind),
                100 * left,
                100 * (right - left),
                self._down(high),
                (high - low) * self.panel.height,
                self._title(title),
            )
        )

    def mark(self, x: float, y: float, symbol: object, kind: str, size: float, title: str) -> None:
        """Draw a mark at a place."""
        shape, hollow = shape_of(symbol)
        scale = " small" if size < _SMALL else " large" if size > _LARGE else ""
        piece = Markup('<use href="#mark-{}" class="mark {}{}{}" x="{:.2f}%" y="{:.1f}">{}</use>')
        self.pieces.append(piece.format(shape, kind, hollow, scale, 100 * x, self._down(y), self._title(title)))

    def _down(self, place: float) -> float:
        return (1 - place) * self.panel.height

    def _title(self, text: str) -> Markup:
        return Markup("<title>{}</title>").format(plain(text)) if self.titles and text else Markup()

    def _scatter(self, trace: Figure, _: int) -> None:
        x, y = self.panel.x, self.panel.y
        places = [(x.at(a), y.at(b)) for a, b in zip(trace["x"], trace["y"], strict=True)]
        mode, line, marker = str(trace.get("mode", "markers")), trace.get("line", {}), trace.get("marker", {})
        if "lines" in mode:
            kind = f"trace {colour(line.get('color', marker.get('color')))}{stroke(line)}"
            for (x0, y0), (x1, y1) in pairwise(places):
                if x0 is not None and x1 is not None and y0 is not None and y1 is not None:
                    ends = (x0, x1), (y0, y1)
                    if all(-_BEYOND <= one <= 1 + _BEYOND for pair in ends for one in pair):
                        self.line(kind, *ends)
        self._errors(trace, places)
        if "markers" not in mode:
            return
        hover, texts = _texts(trace), trace.get("text", [])
        for index, (at_x, at_y) in enumerate(places):
            if at_x is not None and at_y is not None:
                of_it = colour(each(marker.get("color"), index))
                symbol, size = each(marker.get("symbol", "circle"), index), float(each(marker.get("size", 8), index))
                self.mark(at_x, at_y, symbol, of_it, size, hover[index])
                if "text" in mode:
                    self._write_value(at_x, at_y, plain(texts[index]))

    def _write_value(self, x: float, y: float, text: str) -> None:
        """Write beside a mark, unless something is written there already."""
        if any(abs(x - other) < _APART and y == line for other, line in self._written):
            return
        self._written.append((x, y))
        left = x > _AT_RIGHT  # where there is no room on the other side
        room = " wide" if len(text) > _SHORT else ""
        self.text(("value before" if left else "value") + room, x, y, text, right=-10 if left else 10)

    def _errors(self, trace: Figure, places: Sequence[tuple[float | None, float | None]]) -> None:
        for axis, scale in (("x", self.panel.x), ("y", self.panel.y)):
            error = trace.get(f"error_{axis}", {})
            if not error.get("visible", bool(error)):
                continue
            kind = f"interval {colour(error.get('color', each(trace.get('marker', {}).get('color'), 0)))}"
            for (x, y), value, more, less in zip(places, trace[axis], error["array"], error["arrayminus"], strict=True):
                if x is None or y is None or not isinstance(value, int | float):
                    continue
                # On a logarithmic axis, what has no place reaches to its beginning.
                low, high = scale.within(value - (less or 0)) or 0.0, scale.within(value + (more or 0)) or 0.0
                if high > low:
                    self.line(kind, *(((low, high), (y, y)) if axis == "x" else ((x, x), (low, high))))

    def _bars(self, trace: Figure, index: int) -> None:
        lying = trace.get("orientation") == "h"
        along, across = ("x", "y") if lying else ("y", "x")
        lengths, stands = (self.panel.x, self.panel.y) if lying else (self.panel.y, self.panel.x)
        marker, hover = trace["marker"], _texts(trace)
        kind = f"bar {colour(marker.get('pattern', {}).get('fgcolor', marker.get('color')))}"
        kind += hatching(marker)
        for number, (stand, length) in enumerate(zip(trace[across], trace[along], strict=True)):
            width = float(each(trace.get("width", 0.8), number))
            below = self._stacked(index, stand, across, along) if lying else 0.0
            begin, end = lengths.within(below) or 0.0, lengths.within(below + length)
            low, high = stands.within(stand - width / 2), stands.within(stand + width / 2)
            if end is not None and low is not None and high is not None:
                x, y = ((begin, end), (low, high)) if lying else ((low, high), (begin, end))
                self.rect(kind, x, y, hover[number])

    def _stacked(self, index: int, stand: float, across: str, along: str) -> float:
        """Return where a bar begins: behind those of the traces before it at the same place."""
        return sum(
            float(length)
            for trace in self.panel.traces[:index]
            for place, length in zip(trace[across], trace[along], strict=True)
            if place == stand
        )

    def _cells(self, trace: Figure, _: int) -> None:
        low, high = float(trace["zmin"]), float(trace["zmax"])
        width, height = 1 / len(trace["x"]), 1 / len(trace["y"])
        text = trace["text"]
        hover: Any = trace.get("hovertext", text)
        for line, (name, row) in enumerate(zip(trace["y"], trace["z"], strict=True)):
            for column, (other, value) in enumerate(zip(trace["x"], row, strict=True)):
                x, y = self.panel.x.at(other), self.panel.y.at(name)
                if value is None or x is None or y is None:
                    continue
                dark = 0.5 if high <= low else min(max((value - low) / (high - low), 0.0), 1.0)
                ends = (x - width / 2, x + width / 2), (y - height / 2, y + height / 2)
                self.rect("cell", *ends, str(hover[line][column]), dark)
                self.text("middle on-dark" if dark > 0.5 else "middle on-light", x, y, plain(text[line][column]))

    def _points(self, trace: Figure, index: int) -> None:
        """Draw all points of boxes, beside each other within their category, so that neighbours in time lie apart."""
        x, y = self.panel.x, self.panel.y
        width = 0.85 / max(len(x.categories or ()), 1)
        kind, hover = colour(trace["marker"]["color"]), _texts(trace)
        for number, (name, value) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            at_x, at_y = x.at(name), y.at(value)
            if at_x is not None and at_y is not None:
                spread = (1 - _POINTS_APART) / 2 + _POINTS_APART * ((number * 0.618034) % 1)  # by the golden ratio
                offset = ((index + spread) / len(self.panel.traces) - 0.5) * width
                self.mark(at_x + offset, at_y, "circle", kind, _SMALL - 1, hover[number])


def _texts(trace: Figure) -> Sequence[str]:
    """Return what each point says when one points at it."""
    known = trace.get("hovertext") or trace.get("text") or ()
    return [str(text) for text in known] if len(known) else [""] * len(trace["x"])
