"""For people: tables, as wide as the terminal at most, and sentences."""

from __future__ import annotations

import io
import itertools
from typing import TYPE_CHECKING, TypeVar

from rich.cells import cell_len
from rich.markup import escape
from rich.text import Text as Drawn

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
    """Print one table without cutting numbers. A table that is still too wide is printed row by row."""
    if not table.columns:
        console.print()
        return
    heads = [printable(column.title) for column in table.columns]
    rows = [[printable(column.text(row)) for column in table.columns] for row in table.rows]
    right = [column.right for column in table.columns]
    fitted = layout([heads, *rows], right, console.width)
    if fitted is None:
        _print_row_by_row(table.title, heads, rows, console)
        return
    widths, tight = fitted
    before = " " if tight else "  "
    columns = list(zip(widths, right, strict=True))
    across = sum(len(before) + width + 1 for width in widths) + 1
    head = _drawn(heads, columns, before, console, at_bottom=True)
    body = itertools.chain.from_iterable(_drawn(row, columns, before, console) for row in rows)
    title = [_padded(line, across) for line in _wrapped(printable(table.title), across, console) if table.title]
    rule = "-" if console.options.ascii_only else "─"
    console.print(Drawn("\n".join([*title, " " * across, *head]), "bold"), soft_wrap=True)
    console.print(Drawn("\n".join([f" {rule * (across - 2)} ", *body, " " * across])), soft_wrap=True)


def _drawn(
    row: Sequence[str],
    columns: Sequence[tuple[int, bool]],
    before: str,
    console: Console,
    *,
    at_bottom: bool = False,
) -> list[str]:
    """Return the lines of a row, of columns that are so wide and are, or are not, aligned to the right."""
    cells = [
        [_padded(line, width, right=right) for line in _wrapped(folded(text, width), width, console)]
        for text, (width, right) in zip(row, columns, strict=True)
    ]
    height = max(map(len, cells))
    for lines, (width, _) in zip(cells, columns, strict=True):
        end = 0 if at_bottom else len(lines)
        lines[end:end] = [" " * width] * (height - len(lines))
    return ["".join(f"{before}{cell} " for cell in line) + " " for line in zip(*cells, strict=True)]


def _wrapped(text: str, width: int, console: Console) -> list[str]:
    """Return the lines of a text that may be so wide. To wrap what fits would take half of a table's time."""
    if not width:
        return [""]  # of a column with nothing but ends of lines
    if cell_len(text) <= width and "\n" not in text:
        return [text]
    return [line.plain for line in Drawn(text).wrap(console, width, overflow="fold")]


def _padded(line: str, width: int, *, right: bool = False) -> str:
    line = line.rstrip()
    room = " " * (width - cell_len(line))
    return room + line if right else line + room


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
