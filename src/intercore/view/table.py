"""Tables for people (rich, at most 100 columns wide), for programs (JSON) and for spreadsheets (CSV)."""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec
from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import Console

    from intercore.record.measurement import Level

Row = TypeVar("Row")


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table for people."""

    title: str
    text: Callable[[Row], str]
    """The cell of a row."""
    right: bool = False
    """Whether cells are aligned to the right, as numbers are."""


@dataclass(frozen=True)
class Table(Generic[Row]):
    """A table for people: rows of any kind, and the columns that show them."""

    title: str
    rows: Sequence[Row]
    columns: Sequence[Column[Row]]


class Varied(Protocol):
    """What is told apart from others by further factors."""

    @property
    def varied(self) -> Mapping[str, Level]:
        """Those factors that take more than one level in the run, by name."""


VariedRow = TypeVar("VariedRow", bound=Varied)


def varied_columns(rows: Sequence[VariedRow]) -> list[Column[VariedRow]]:
    """Return a column for each further factor that tells the rows apart."""
    return [Column(name, partial(_level, name)) for name in (rows[0].varied if rows else ())]


def _level(name: str, row: Varied) -> str:
    return str(row.varied[name])


def print_table(table: Table[Row], console: Console) -> None:
    """Print for people."""
    view = RichTable(title=escape(table.title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in table.columns:
        view.add_column(column.title, justify="right" if column.right else "left", overflow="fold")
    for row in table.rows:
        view.add_row(*(escape(column.text(row)) for column in table.columns))
    console.print(view)


def print_json(value: object) -> None:
    """Print one indented JSON document."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def print_csv(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows as CSV with a header; lists are joined by blanks, what is not known is empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)


def print_rows(title: str, rows: Sequence[Mapping[str, object]], output: Format, console: Console) -> None:
    """Print rows of the same names in the format asked for; for people, each name heads a column."""
    if output is Format.JSON:
        print_json(rows)
    elif output is Format.CSV:
        print_csv(rows)
    else:
        names = rows[0] if rows else {}
        print_table(Table(title, rows, [Column(name, partial(_cell, name)) for name in names]), console)


def _cell(name: str, row: Mapping[str, object]) -> str:
    return _plain(row[name])


def _plain(value: object) -> str:
    """Return a value as text: lists joined by blanks, what is not known empty."""
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
