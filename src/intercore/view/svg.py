"""A figure as SVG that needs no script: what a page shows at once, without JavaScript and on paper.

It draws of what plotly.js takes the kinds of marks that the figures of `intercore.view` are made of. Places along a
width are percentages, so that a picture fills any screen while its text keeps its size; colours are those of the
page's style, so that they follow light, dark and paper. Each panel is a picture of its own: where there is no room
beside another one it goes below.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from intercore.text import printable
from intercore.view.axes import Scale
from intercore.view.marks import HATCHES, SHAPES, Drawing, Panel, colour, each, hatch, hatching, plain, shape_of, stroke

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.view.axes import Tick
    from intercore.view.section import Figure

MOST_TITLES = 600
"""Marks of a picture up to which each says what it is when one points at it; of more, the page would get too large."""
DEFINITIONS = Markup().join(Markup('<path id="mark-{}" d="{}"/>').format(*shape) for shape in SHAPES.items())
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
_LEAST = 56  # pixels that a plot is high
_FLATTER = 0.75  # than a plot into which one can zoom
_MOST_COLUMNS = 4
_NARROW = 200  # pixels of a plot on a telephone


def drawn(figure: Figure, most: int | None = None) -> Markup:
    """Return the figure's panels, with a legend if there is more than one thing to tell apart.

    Of panels below each other at most `most` are drawn, the first ones.
    """
    layout = figure["layout"]
    panels = list(panels_of(figure))
    if most is not None and is_cut(figure, most):
        panels = [*panels[: most - 1], panels[most - 1]._replace(x_labels=True)]
    titles = sum(len(trace["x"]) for trace in figure["data"]) <= MOST_TITLES
    columns = min(len({str(panel.x.axis.get("domain")) for panel in panels}), _MOST_COLUMNS)
    small = columns == _MOST_COLUMNS  # of such the caption says what lines and columns are
    titled = not small and any(plain(panel.y.axis.get("title", {}).get("text")) for panel in panels)
    left = {id(panel.x.axis): 0 for panel in panels}  # panels above each other begin at one place
    for panel in panels:
        left[id(panel.x.axis)] = max(left[id(panel.x.axis)], _room(panel))
    pictures = Markup().join(
        _picture(panel, layout, left[id(panel.x.axis)], titles=titles, titled=titled, small=small) for panel in panels
    )
    label = f"{plain(layout['title']['text'])}. {printable(figure.get('caption', ''))}"
    whole = Markup('{}<div class="drawing columns-{}" role="img" aria-label="{}">{}</div>')
    return whole.format(_legend(figure), columns, label, pictures)


def is_cut(figure: Figure, most: int) -> bool:
    """Whether `drawn` leaves panels out if it draws so many at most."""
    pairs = _pairs(figure)
    return len(pairs) > most and len({str(figure["layout"][x].get("domain")) for x, _ in pairs}) == 1


# Panels


def _pairs(figure: Figure) -> dict[tuple[str, str], list[Figure]]:
    """Return what is drawn on each pair of axes, by their keys in the layout."""
    pairs: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    for trace in figure["data"]:
        pairs[_key(trace.get("xaxis", "x")), _key(trace.get("yaxis", "y"))].append(trace)
    return pairs


def panels_of(figure: Figure) -> Iterator[Panel]:
    """Yield the panels of a figure."""
    layout, data, pairs = figure["layout"], figure["data"], _pairs(figure)
    inner = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    last_of = {x: y for x, y in pairs}  # noqa: C416 - of those with one axis below, the last
    for (x, y), traces in pairs.items():
        with_x = [trace for keys, some in pairs.items() if keys[0] == x for trace in some]
        low, high = layout[y].get("domain", (0.0, 1.0))
        y_scale = Scale(layout[y], list(values_of(data if _match(layout, "y", pairs) else traces, "y")))
        yield Panel(
            _title_of(layout, x, y),
            Scale(layout[x], list(values_of(data if _match(layout, "x", pairs) else with_x, "x"))),
            y_scale,
            traces,
            max(_FLATTER * (high - low) * inner, _LEAST, _of_labels(y_scale)),
            last_of[x] == y,
        )


def _of_labels(scale: Scale) -> float:
    """Return how many pixels the labels of categories take, one below the other."""
    if scale.categories is None and "tickvals" not in scale.axis:
        return 0.0
    ticks = scale.ticks()
    most = max((len(_wrapped(tick)) for tick in ticks), default=1)
    return (scale.high - scale.low) * (most * _LINE + 4.0)


def _key(name: str) -> str:
    """Return the key of an axis in a layout: `xaxis2` for `x2`."""
    return f"{name[0]}axis{name[1:]}"


def _match(layout: Figure, axis: str, pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether all panels have the same range along an axis."""
    return any("matches" in layout[key] for pair in pairs for key in pair if key.startswith(axis))


def _title_of(layout: Figure, x: str, y: str) -> str:
    """Return what stands above a panel: the note at its upper edge."""
    left, right = layout[x].get("domain", (0.0, 1.0))
    top = layout[y].get("domain", (0.0, 1.0))[1]
    for note in layout["annotations"]:
        at_edge = note.get("yref") == note.get("xref") == "paper" and abs(note["y"] - top) < 1e-6
        if at_edge and left - 1e-6 <= note["x"] <= right + 1e-6:
            return plain(note["text"])
    return ""


def values_of(traces: Iterable[Figure], axis: str) -> Iterator[object]:
    """Yield all that an axis has to have room for."""
    for trace in traces:
        known, error = trace[axis], trace.get(f"error_{axis}", {})
        yield from known
        if trace["type"] == "bar" and axis == "x" and isinstance(trace.get("width"), list):
            for value, width in zip(known, trace["width"], strict=True):
                yield from (value - width / 2, value + width / 2)
        if error.get("visible", bool(error)):
            for value, more, less in zip(known, error["array"], error["arrayminus"], strict=True):
                if isinstance(value, int | float):
                    yield from (value + (more or 0), value - (less or 0))
        if trace["type"] == "bar" and axis == "x" and trace.get("orientation") == "h":
            yield 0
            yield from _stacks(traces)
            return


def _stacks(traces: Iterable[Figure]) -> Iterator[float]:
    """Yield the lengths of bars that stand on each other."""
    found: dict[float, float] = defaultdict(float)
    for trace in traces:
        for place, length in zip(trace["y"], trace["x"], strict=True):
            found[place] += length
    yield from found.values()


# One picture


def _room(panel: Panel) -> int:
    """Return how many pixels the labels at the left take."""
    widest = max((len(line) for tick in panel.y.ticks() for line in _wrapped(tick)), default=0)
    return round(widest * _LETTER) + _GAP


def _picture(panel: Panel, layout: Figure, left: int, *, titles: bool, titled: bool, small: bool) -> Markup:
    drawing = Drawing(panel, titles=titles)
    y_ticks = [(tick, _wrapped(tick)) for tick in panel.y.ticks()]
    x_ticks = [(tick, plain(tick.label).split("\n")) for tick in panel.x.ticks()]
    y_title = plain(panel.y.axis.get("title", {}).get("text")) if titled else ""
    x_title = plain(panel.x.axis.get("title", {}).get("text")) if panel.x_labels and not small else ""
    groups = _groups(panel)
    upright = 0 if groups else _upright(panel)
    _add_axes(drawing, [] if groups else x_ticks, y_ticks, upright=upright > 0)
    for at, word, line in groups:
        drawing.text("middle", at, 0, word, down=16 + line * _LINE)
    _add_levels(drawing, layout)
    drawing.add_traces()
    above = _TOP + _TITLE * bool(panel.title) + _TITLE * titled
    lines = max((len(each_of) for _, each_of in x_ticks), default=0) if panel.x_labels else 0
    below = _TOP + _LINE * lines + _TITLE * bool(x_title)
    if panel.title:
        drawing.words("panel", "0", _TOP + 8 - above, panel.title)
    if y_title:
        drawing.words("", str(-left), -8, y_title)
    if x_title:
        drawing.words("end" + " wide" * bool(upright), "100%", panel.height + below - 4, x_title)
    width = f"calc(100% - {left + _RIGHT}px)"
    narrow = upright + _TOP if upright else below
    margins = f"--below-narrow:{narrow}px;margin:{above}px {_RIGHT}px {below}px {left}px"
    place = f"{margins};width:{width};height:{panel.height:.0f}px"
    return Markup('<svg class="plot" style="{}" aria-hidden="true">{}</svg>').format(
        place, Markup().join(drawing.pieces)
    )


def _wrapped(tick: Tick) -> list[str]:
    return [line for part in plain(tick.label).split("\n") for line in textwrap.wrap(part, _WIDEST) or [""]]


def _add_axes(
    drawing: Drawing,
    x_ticks: Sequence[tuple[Tick, list[str]]],
    y_ticks: Sequence[tuple[Tick, list[str]]],
    *,
    upright: bool,
) -> None:
    panel = drawing.panel
    for tick, lines in x_ticks:
        if panel.x.categories is None and panel.x.axis.get("showgrid", True):
            drawing.line("grid", (tick.at, tick.at), (0, 1))
        room = "" if tick.main and not upright else " wide"
        for number, line in enumerate(lines if panel.x_labels else ()):
            drawing.text(f"middle{room}", tick.at, 0, line, down=16 + number * _LINE)
        if upright:
            drawing.text("upright narrow", tick.at, 0, " ".join(lines), down=6)
    last = -1.0
    for tick, lines in y_ticks:
        if panel.y.categories is None and panel.y.axis.get("showgrid", True):
            drawing.line("grid", (0, 1), (tick.at, tick.at))
        named = panel.y.categories is not None or "tickvals" in panel.y.axis
        if not named and abs(tick.at - last) * panel.height < _LINE * len(lines):
            continue  # there is no room for its label
        last = tick.at
        for number, line in enumerate(lines):
            drawing.text("end", 0, tick.at, line, right=-8, down=4 + (number - (len(lines) - 1) / 2) * _LINE)
    drawing.line("axis", (0, 1), (0, 0))
    drawing.line("axis", (0, 0), (0, 1))


def _groups(panel: Panel) -> list[tuple[float, str, int]]:
    """Return where words stand below columns whose labels have two lines, if neighbours share the first of them.

    Each is a place, a word and its line: the columns' own second lines, and below them once what several share. Empty
    where there is nothing to share, or no room for it on a narrow screen.
    """
    ticks = panel.x.ticks() if panel.x.categories is not None and panel.x_labels else []
    labels = [(tick.at, plain(tick.label).split("\n")) for tick in ticks]
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


def _upright(panel: Panel) -> int:
    """Return how many pixels the labels below take if they stand upright, as they do on a narrow screen.

    0 where they have room side by side there, too.
    """
    if panel.x.categories is None or not panel.x_labels:
        return 0
    labels = [plain(tick.label) for tick in panel.x.ticks()]
    widest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    if widest * len(labels) * _LETTER < _NARROW:
        return 0
    return round(max(len(label) for label in labels) * _LETTER) + _GAP


def _add_levels(drawing: Drawing, layout: Figure) -> None:
    """Draw the lines across a plot, with the words that stand at them."""
    panel = drawing.panel
    for shape in layout["shapes"]:
        if shape["type"] == "rect" and (shape["y0"], shape["y1"]) == tuple(panel.y.axis.get("domain", ())):
            drawing.rect("strip", (0, 1), (0, 1), "")
        if shape["type"] == "rect" and shape.get("xref") == "x" and shape.get("yref") == "paper":
            left, right = (panel.x.at(shape[side]) for side in ("x0", "x1"))
            if left is not None and right is not None and right > 0 and left < 1:
                drawing.rect("strip", (max(left, 0.0), min(right, 1.0)), (0, 1), shape.get("name", ""))
                drawing.text("middle", (left + right) / 2, 1, plain(shape.get("label", {}).get("text")), down=12)
        if shape["type"] == "line":
            level = shape.get("xref") == "paper"
            place = panel.y.at(shape["y0"]) if level else panel.x.at(shape["x0"])
            if place is not None and 0 <= place <= 1:
                ends = ((0.0, 1.0), (place, place)) if level else ((place, place), (0.0, 1.0))
                drawing.line(f"level{stroke(shape['line'])}", *ends)
    for note in layout["annotations"]:
        if note.get("xref") == "paper" and note.get("yref") != "paper":
            # On a logarithmic axis plotly takes the logarithm of a note's place, though not of a shape's.
            place = panel.y.at(10 ** note["y"] if panel.y.log else note["y"])
            if place is not None and 0 <= place <= 1:
                below = note.get("yanchor") == "top"
                drawing.text("end", 0.995, place, plain(note["text"]), down=14 if below else -5)


# Legend


def _legend(figure: Figure) -> Markup:
    """Return what each colour and shape stands for; nothing where one thing alone is drawn."""
    entries: dict[str, Markup] = {}
    if figure["layout"].get("showlegend", True):
        for trace in figure["data"]:
            if trace.get("showlegend", True) and trace.get("name"):
                entries.setdefault(plain(trace["name"]), _sample(trace))
    if len(entries) < 2:
        return Markup()
    items = Markup().join(Markup("<li>{} {}</li>").format(sample, name) for name, sample in entries.items())
    return Markup('<ul class="key">{}</ul>').format(items)


def _sample(trace: Figure) -> Markup:
    """Return a mark as the trace has it."""
    marker, line, mode = trace.get("marker", {}), trace.get("line", {}), str(trace.get("mode", "markers"))
    of_mark = each(marker.get("pattern", {}).get("fgcolor", marker.get("color")), 0)
    parts = Markup()
    if trace["type"] == "bar":
        kind = f"bar {colour(of_mark)}{hatching(marker)}"
        parts += Markup('<rect class="{}"{} x="-6" y="-5" width="12" height="10"/>').format(kind, hatch(kind))
    else:
        if "lines" in mode and trace["type"] == "scatter":
            kind = f"trace {colour(line.get('color', of_mark))}{stroke(line)}"
            parts += Markup('<line class="{}" x1="-8" x2="8" y1="0" y2="0"/>').format(kind)
        if "markers" in mode or trace["type"] == "box":
            shape, hollow = shape_of(each(marker.get("symbol", "circle"), 0))
            kind = f"mark {colour(of_mark)}{hollow}"
            parts += Markup('<use href="#mark-{}" class="{}"/>').format(shape, kind)
    return Markup('<svg viewBox="-8 -8 16 16" aria-hidden="true">{}</svg>').format(parts)
