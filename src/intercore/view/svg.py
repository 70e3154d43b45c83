"""A figure as SVG that needs no script: a page shows it without JavaScript and on paper.

Places are parts of the width and of the height, so that a picture fills any screen while its text keeps its size;
colours are those of the page's style, so that they follow light, dark and paper. Each panel is its own SVG: without
space next to another one it goes below. `data-` attributes have the data for the script of the page: the figure, the
ranges of numeric axes, the marks with text, and their series.
"""

from __future__ import annotations

import textwrap
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from intercore.text import printable
from intercore.view.figure import Bars, Cells, Line, Points
from intercore.view.marks import HATCHES, OUTLINES, Canvas, Drawing, bar_class, hatched, line_class, mark_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.view.axes import Axis, Tick
    from intercore.view.figure import Figure, Panel, Series

DEFINITIONS = Markup().join(Markup('<path id="mark-{}" d="{}"/>').format(*shape) for shape in OUTLINES.items())
DEFINITIONS += Markup().join(
    Markup(
        '<pattern id="hatch-{}" width="6" height="6" patternUnits="userSpaceOnUse">'
        '<path class="hatch" d="{}"/></pattern>'
    ).format(*each_hatch)
    for each_hatch in HATCHES.items()
)
"""The outlines that pictures use: they stand once on a page, in the `defs` of an SVG."""

_LETTER, _LINE = 6.6, 14  # pixels, of text of 12 pixels
_WIDEST = 22  # letters of a line of a label at the left
_TOP, _RIGHT, _GAP = 8, 14, 12  # pixels around a plot
_TITLE = 20  # pixels for a title above or below
_MOST_COLUMNS = 4
_NARROW = 200  # pixels of a plot on a telephone


def drawn(figure: Figure, number: int = 0, most: int | None = None) -> Markup:
    """Return the figure's panels, with a legend if there is more than one series.

    `number` is that of its texts on the page. Of panels below each other at most `most` are drawn, the first ones.
    """
    panels = figure.panels[:most] if most is not None and is_cut(figure, most) else figure.panels
    small = figure.columns >= _MOST_COLUMNS  # the caption of these names lines and columns
    titled = not small and any(panel.y.title for panel in panels)
    left = max((_room(panel.y) for panel in panels), default=0)  # panels above each other begin at one place
    pictures = Markup().join(
        _picture(
            panel if not small else replace(panel, x=replace(panel.x, title="")),
            figure,
            left,
            titled=titled,
            labels_below=figure.columns > 1 or panel is panels[-1],
        )
        for panel in panels
    )
    label = f"{printable(figure.title)}. {printable(figure.caption)}"
    whole = Markup('{}<div class="drawing columns-{}" role="img" aria-label="{}" data-figure="{}">{}</div>')
    return whole.format(_legend(figure), min(figure.columns, _MOST_COLUMNS), label, number, pictures)


def is_cut(figure: Figure, most: int) -> bool:
    """Whether `drawn` leaves panels out if it draws so many at most."""
    return len(figure.panels) > most and figure.columns == 1


def texts_of(figure: Figure) -> list[list[str]]:
    """Return what the marks of each panel say where somebody points at them, in the order in which they are drawn."""
    return [[printable(text) for text in Drawing(panel).texts] for panel in figure.panels]


# One picture


def _room(axis: Axis) -> int:
    """Return how many pixels the labels at the left take."""
    widest = max((len(line) for tick in axis.ticks() for line in _wrapped(tick)), default=0)
    return round(widest * _LETTER) + _GAP


def _height(panel: Panel) -> float:
    """Return how many pixels a plot is high: as many as the names of rows take, one below the other, if it has such."""
    if not panel.y.names:
        return panel.height
    most = max((len(_wrapped(tick)) for tick in panel.y.ticks()), default=1)
    between = 4.0 if most == 1 else 10.0  # separates the lines of one name from those of the next
    return max(panel.height, abs(panel.y.high - panel.y.low) * (most * _LINE + between))


def _picture(panel: Panel, figure: Figure, left: int, *, titled: bool, labels_below: bool) -> Markup:
    height = _height(panel)
    x_ticks = [(tick, printable(tick.label).split("\n")) for tick in panel.x.ticks()]
    groups = _groups(panel.x) if labels_below else []
    upright = 0 if groups or not labels_below else _upright(panel.x)
    x_title = panel.x.title if labels_below else ""
    above = _TOP + _TITLE * bool(panel.title) + _TITLE * titled
    lines = max((len(each_of) for _, each_of in x_ticks), default=0) if labels_below else 0
    below = _TOP + _LINE * lines + _TITLE * bool(x_title)
    around = Canvas()
    if panel.title:
        around.text("panel", 0, 1, panel.title, down=_TOP + 8 - above)
    if titled and panel.y.title:
        around.text("", 0, 1, panel.y.title, right=-left, down=-8)
    if x_title:
        around.text("end" + " wide" * bool(upright), 1, 0, x_title, down=below - 4)
    narrow = upright + _TOP if upright else below
    margins = f"--below-narrow:{narrow}px;margin:{above}px {_RIGHT}px {below}px {left}px"
    place = f"{margins};width:calc(100% - {left + _RIGHT}px);height:{height:.0f}px"
    ends = Canvas()
    ends.line("axis", (0, 1), (0, 0))
    ends.line("axis", (0, 0), (0, 1))
    parts = (
        *around.pieces,
        _ticks_below([] if groups else x_ticks, panel.x, labelled=labels_below, upright=upright > 0, groups=groups),
        _ticks_beside(panel.y, height),
        *ends.pieces,
        Drawing(panel, figure.series_names if _has_legend(figure) else ()).markup,
    )
    whole = Markup('<svg class="plot" style="{}" aria-hidden="true"{}{}>{}</svg>')
    return whole.format(place, _numbers("x", panel.x), _numbers("y", panel.y), Markup().join(parts))


def _numbers(direction: str, axis: Axis) -> Markup:
    """Return where an axis of numbers goes and how they are written; empty for an axis of names."""
    if axis.names:
        return Markup()
    words = (f"{axis.low:.12g}", f"{axis.high:.12g}", "log" if axis.log else "linear", axis.form, axis.unit)
    return Markup(' data-{}="{}"').format(direction, " ".join(words))


def _wrapped(tick: Tick) -> list[str]:
    label = printable(tick.label)
    return [line for part in label.split("\n") for line in textwrap.wrap(part, _WIDEST) or [""]]


def _ticks_below(
    ticks: Sequence[tuple[Tick, list[str]]],
    axis: Axis,
    *,
    labelled: bool,
    upright: bool,
    groups: Sequence[tuple[float, str, int]],
) -> Markup:
    canvas = Canvas()
    for tick, lines in ticks:
        if axis.grid:
            canvas.line("grid", (tick.at, tick.at), (0, 1))
        room = "" if tick.main and not upright else " wide"
        for number, words in enumerate(lines if labelled else ()):
            canvas.text(f"middle{room}", tick.at, 0, words, down=16 + number * _LINE)
        if upright:
            canvas.text("upright narrow", tick.at, 0, " ".join(lines), down=6)
    for at, word, number in groups:
        canvas.text("middle", at, 0, word, down=16 + number * _LINE)
    return Markup('<g class="ticks-x">{}</g>').format(Markup().join(canvas.pieces))


def _ticks_beside(axis: Axis, height: float) -> Markup:
    canvas = Canvas()
    last = -1.0
    for tick in axis.ticks():
        lines = _wrapped(tick)
        if axis.grid:
            canvas.line("grid", (0, 1), (tick.at, tick.at))
        if not axis.names and abs(tick.at - last) * height < _LINE * len(lines):
            continue  # there is no room for its label
        last = tick.at
        for number, line in enumerate(lines):
            canvas.text("end", 0, tick.at, line, right=-8, down=4 + (number - (len(lines) - 1) / 2) * _LINE)
    return Markup('<g class="ticks-y">{}</g>').format(Markup().join(canvas.pieces))


def _groups(axis: Axis) -> list[tuple[float, str, int]]:
    """Return where words stand below columns whose labels have two lines, if neighbours share the first of them.

    Each is a place, a word and its line: the columns' own second lines, and below them once what several share. Empty
    where there is nothing to share, or no room for it on a narrow screen.
    """
    labels = [(tick.at, printable(tick.label).split("\n")) for tick in axis.ticks()] if axis.names else []
    if not labels or any(len(lines) != 2 for _, lines in labels):
        return []
    own = [(at, lines[1]) for at, lines in labels]
    shared = [
        (sum(at for at, _ in some) / len(some), name)
        for name, some in ((name, list(some)) for name, some in groupby(labels, key=lambda label: label[1][0]))
    ]
    fits = all(
        (len(word) + len(after)) / 2 * _LETTER < (end - at) * _NARROW
        for line in (own, shared)
        for (at, word), (end, after) in pairwise(line)
    )
    return (
        [(*one, line) for line, ones in enumerate((own, shared)) for one in ones]
        if fits and len(shared) < len(own)
        else []
    )


def _upright(axis: Axis) -> int:
    """Return how many pixels the labels below take if they stand upright, as they do on a narrow screen.

    0 where they have room side by side there, too.
    """
    if not axis.names:
        return 0
    labels = [printable(tick.label) for tick in axis.ticks()]
    widest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    if widest * len(labels) * _LETTER < _NARROW:
        return 0
    return round(max(len(label) for label in labels) * _LETTER) + _GAP


# Legend


def _has_legend(figure: Figure) -> bool:
    return figure.legend and len(figure.series_names) > 1


def _legend(figure: Figure) -> Markup:
    """Return what each colour and shape stands for; nothing where one thing alone is drawn."""
    if not _has_legend(figure):
        return Markup()
    every = [one for panel in figure.panels for one in panel.series]
    items = Markup().join(
        Markup('<li data-s="{}">{} {}</li>').format(
            number, _sample([one for one in every if one.name == name]), printable(name)
        )
        for number, name in enumerate(figure.series_names)
    )
    return Markup('<ul class="key">{}</ul>').format(items)


def _sample(alike: Sequence[Series]) -> Markup:
    """Return a line and a mark as the series of one name have them."""
    parts: dict[type[Series], Markup] = {}
    for one in alike:
        parts.setdefault(type(one), _sample_of(one))
    ordered = Markup().join(parts[kind] for kind in (Line, Points, Bars) if kind in parts)
    return Markup('<svg viewBox="-8 -8 16 16" aria-hidden="true">{}</svg>').format(ordered)


def _sample_of(series: Series) -> Markup:
    if isinstance(series, Line):
        kind = line_class(series.colour, series.dash)
        return Markup('<line class="{}" x1="-8" x2="8" y1="0" y2="0"/>').format(kind)
    if isinstance(series, Points):
        kind = mark_class(series.colour, series.shape, hollow=series.hollow)
        return Markup('<use href="#mark-{}" class="{}"/>').format(series.shape, kind)
    if isinstance(series, Cells):
        return Markup()
    kind = bar_class(series.colour, series.hatch)
    return Markup('<rect class="{}"{} x="-6" y="-5" width="12" height="10"/>').format(kind, hatched(series.hatch))
