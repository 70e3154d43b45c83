"""Heat maps: a number for each line and column, with the number in its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.view.axes import Axis
from intercore.view.figure import Cells, Figure, Panel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_CELL = 36  # pixels of a line


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

    `axes` names lines and columns; a column's name may have two lines. Colours go from `low` to `high`, from the least
    to the largest value without them.
    """
    values = [[cells.get((line, column)) for column in columns] for line in lines]
    words = [["" if value is None else text(value) for value in row] for row in values]
    known = list(cells.values())
    drawn = Cells(
        values,
        words,
        [
            [
                f"{word}\n{axes[0]}: {line}\n{axes[1]}: {' '.join(column.split())}"
                for column, word in zip(columns, row, strict=True)
            ]
            for line, row in zip(lines, words, strict=True)
        ],
        min(known, default=0.0) if low is None else low,
        max(known, default=1.0) if high is None else high,
    )
    x, y = Axis(axes[1]).of_names(columns), Axis(axes[0]).of_names(lines, down=True)
    return Figure(name, title, caption, [Panel(x, y, [drawn], _CELL * len(lines))])
