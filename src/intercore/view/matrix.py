"""Heat maps: a number for each line and column, with the number in its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.view.figure import HEAT, base_layout, plot_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from intercore.view.section import Figure

_CELL = 44  # pixels of a line
_AROUND = 150  # of title and axes


def matrix_figure(
    name: str,
    title: str,
    cells: Mapping[tuple[str, str], float],
    caption: str,
    *,
    lines: Sequence[str],
    columns: Sequence[str],
    text: Callable[[float], str],
    axes: tuple[str, str],
    low: float | None = None,
    high: float | None = None,
) -> Figure:
    """Return a plot of `cells` by line and column; a pair that has none stays empty.

    `axes` says what lines and columns are; a column's name may have two lines. Colours go from `low` to `high`, from
    the least to the largest value without them.
    """
    values = [[cells.get((line, column)) for column in columns] for line in lines]
    layout = base_layout(
        title,
        _AROUND + _CELL * len(lines),
        {"title": {"text": axes[1]}, "type": "category"},
        {"title": {"text": axes[0]}, "type": "category", "autorange": "reversed"},
    )
    layout["showlegend"] = False
    known = list(cells.values())
    data = [
        {
            "type": "heatmap",
            "x": [plot_text(column).replace("\n", "<br>") for column in columns],
            "y": [plot_text(line) for line in lines],
            "z": values,
            "zmin": min(known, default=0.0) if low is None else low,
            "zmax": max(known, default=1.0) if high is None else high,
            "colorscale": HEAT,
            "showscale": False,
            "text": [["" if value is None else text(value) for value in line] for line in values],
            "texttemplate": "%{text}",
            "hovertemplate": f"{axes[0]}: %{{y}}<br>{axes[1]}: %{{x}}<br>%{{text}}<extra></extra>",
            "hoverongaps": False,
            "xgap": 1,
            "ygap": 1,
        }
    ]
    return {"name": name, "data": data, "layout": layout, "caption": caption}
