"""Tables are laid out here, for half of their time: they look as rich would print them."""

from __future__ import annotations

import io
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from intercore.terminal.columns import folded, layout
from intercore.terminal.formats.table import print_table
from intercore.text import printable
from intercore.view.table import Column, Table

texts = st.text(st.sampled_from("ab µé漢→ 0123456789,.–\n[]"), max_size=24)
tables = st.integers(1, 5).flatmap(
    lambda columns: st.tuples(
        st.lists(st.tuples(texts, st.booleans()), min_size=columns, max_size=columns),
        st.lists(st.lists(texts, min_size=columns, max_size=columns), max_size=5),
    )
)


def by_rich(title: str, heads: list[str], rows: list[list[str]], right: list[bool], console: Console) -> bool:
    """Print the same by rich's own table; return whether all of it fits."""
    fitted = layout([heads, *rows], right, console.width)
    if fitted is None:
        return False
    widths, tight = fitted
    view = RichTable(
        title=escape(printable(title)),
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
    return True


def console(width: int) -> Console:
    return Console(file=io.StringIO(), width=width, highlight=False, emoji=False, color_system=None)


def printed(one: Console) -> str:
    assert isinstance(one.file, io.StringIO)
    return one.file.getvalue()


@given(title=texts, table=tables, width=st.integers(20, 100))
def test_a_table_looks_as_rich_would_print_it(
    title: str, table: tuple[list[tuple[str, bool]], list[list[str]]], width: int
) -> None:
    heads, right = [printable(head) for head, _ in table[0]], [to_the_right for _, to_the_right in table[0]]
    rows = [[printable(text) for text in row] for row in table[1]]
    theirs, ours = console(width), console(width)
    if by_rich(title, heads, rows, right, theirs):
        columns = [
            Column[list[str]](head, lambda row, place=place: row[place], right=right[place])  # type: ignore[misc]
            for place, head in enumerate(heads)
        ]
        print_table(Table(title, rows, columns), ours)
        assert printed(ours) == printed(theirs)
