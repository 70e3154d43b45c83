"""For people: tables, at most 100 columns wide, and sentences."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TypeVar

from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

from intercore.terminal.console import results
from intercore.terminal.findings import Caution, Sentence
from intercore.terminal.formats import Format
from intercore.terminal.printable_console import PrintableConsole
from intercore.text import printable
from intercore.view.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from intercore.terminal.findings import Findings, Part

Row = TypeVar("Row")


class Text(Format):
    """Tables and sentences for people."""

    rank = 0
    has_sentences = True

    def print(self, found: Findings) -> None:
        """Print each part as it comes."""
        print_parts(found.text(), results())


def print_parts(parts: Iterable[Part], console: Console) -> None:
    """Print tables, sentences and warnings, each as it comes."""
    for part in parts:
        if isinstance(part, Table):
            print_table(part, console)
        elif isinstance(part, Sentence):
            console.print(escape(part.text), highlight=False)
        elif isinstance(part, Caution):
            console.print(f"[yellow]Warning:[/] {escape(part.text)}")
        else:
            console.print(part.text, markup=False, highlight=False, soft_wrap=True)


def height(parts: Iterable[Part], columns: int) -> int:
    """Return how many lines parts take on a terminal of so many columns; one that is never wrapped counts as one."""
    printed = io.StringIO()
    print_parts(parts, PrintableConsole(width=columns, file=printed))
    return printed.getvalue().count("\n")


def print_table(table: Table[Row], console: Console) -> None:
    """Print one table."""
    view = RichTable(title=_cell(table.title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in table.columns:
        view.add_column(_cell(column.title), justify="right" if column.right else "left", overflow="fold")
    for row in table.rows:
        view.add_row(*(_cell(column.text(row)) for column in table.columns))
    console.print(view)


def _cell(text: str) -> str:
    return escape(printable(text))


FORMAT = Text()
