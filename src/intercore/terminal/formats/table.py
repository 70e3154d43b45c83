"""For people: tables, as wide as the terminal at most, and sentences."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Literal, TypeVar

from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

from intercore.terminal.columns import folded, layout
from intercore.terminal.console import results
from intercore.terminal.findings import Caution, Failure, Sentence
from intercore.terminal.formats import Format
from intercore.terminal.printable_console import PrintableConsole
from intercore.text import printable
from intercore.view.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
        elif isinstance(part, Failure):
            console.print(f"[bold red]{escape(part.text)}[/]", highlight=False)
        else:
            console.print(part.text, markup=False, highlight=False, soft_wrap=True)


def height(parts: Iterable[Part], columns: int) -> int:
    """Return how many lines parts take on a terminal of so many columns; one that is never wrapped counts as one."""
    printed = io.StringIO()
    print_parts(parts, PrintableConsole(width=columns, file=printed))
    return printed.getvalue().count("\n")


def print_table(table: Table[Row], console: Console) -> None:
    """Print one table; where it is narrow, no number is cut in two. What is too wide even so is told row by row."""
    heads = [printable(column.title) for column in table.columns]
    rows = [[printable(column.text(row)) for column in table.columns] for row in table.rows]
    right = [column.right for column in table.columns]
    fitted = layout([heads, *rows], right, console.width)
    if fitted is None:
        _print_row_by_row(table.title, heads, rows, console)
        return
    widths, tight = fitted
    view = RichTable(
        title=_cell(table.title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0 if tight else 1),
    )
    for head, width, to_the_right in zip(heads, widths, right, strict=True):
        justify: Literal["left", "right"] = "right" if to_the_right else "left"
        view.add_column(escape(folded(head, width)), justify=justify, width=width, overflow="fold")
    for row in rows:
        view.add_row(*(escape(folded(text, width)) for text, width in zip(row, widths, strict=True)))
    console.print(view)


def _print_row_by_row(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], console: Console) -> None:
    console.print(f"[bold]{_cell(title)}[/]", highlight=False)
    for row in rows:
        for head, text in zip(heads, row, strict=True):
            if text:
                console.print(escape(f"  {head}: {text}" if head else f"  {text}"), highlight=False)
        console.print()


def _cell(text: str) -> str:
    return escape(printable(text))


FORMAT = Text()
