"""Tables for people, as the terminal and the page show them, at most 100 columns wide; and cells of rows of CSV."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from intercore.record.measurement import Level
    from intercore.statistics.intervals import Interval

Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table for people."""

    title: str
    text: Callable[[Row], str]
    """The cell of a row."""
    right: bool = False
    """Whether cells are aligned to the right, as numbers are."""


def _nobodys(_row: object) -> bool:
    return False


@dataclass(frozen=True)
class Table(Generic[Row]):
    """A table for people: rows of any kind, and the columns that show them."""

    title: str
    rows: Sequence[Row]
    columns: Sequence[Column[Row]]
    published: bool = False
    """Whether it compares a paper's figures with the run's: shown on request."""
    is_theirs: Callable[[Row], bool] = _nobodys
    """Whether a row is what a publication prints: the page shades it."""


class HasOtherFactors(Protocol):
    """A result that further factors distinguish from others."""

    @property
    def varied(self) -> Mapping[str, Level]:
        """Those factors that take more than one level in the run, by name."""


VariedRow = TypeVar("VariedRow", bound=HasOtherFactors)


def varied_columns(rows: Sequence[VariedRow]) -> list[Column[VariedRow]]:
    """Return a column for each further factor that distinguishes the rows."""
    return [Column(name, partial(_level, name)) for name in (rows[0].varied if rows else ())]


def _level(name: str, row: HasOtherFactors) -> str:
    return str(row.varied[name])


def cell_text(value: object) -> str:
    """Return a value as a cell's text: lists joined by blanks, unknown values empty."""
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def interval_cells(name: str, known: Interval | None, unit: str = "") -> dict[str, float | None]:
    """Return an interval as cells of a row of CSV: `name`, `name_low` and `name_high`, each before `unit`.

    All are None where nothing is known.
    """
    value, low, high = (None, None, None) if known is None else (known.value, known.low, known.high)
    return {f"{name}{unit}": value, f"{name}_low{unit}": low, f"{name}_high{unit}": high}
