"""Tables in little room: every number stays whole, and what a terminal is too narrow for is told row by row."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.terminal import console
from intercore.terminal.columns import folded
from intercore.terminal.formats.table import print_table
from intercore.terminal.printable_console import PrintableConsole
from intercore.view.table import Column, Table

CELLS = [
    ("create-and-join of both", "1,000,000", "12.8 µs (11.9 – 13.4)", "0,1,2,3,4,5,6,7,8,9,10"),
    ("pool", "100", "-1.01154e+06 cycles", "rpmsg-zero-copy|queue|spsc"),
    ("", "2,208,030,378", "221 MB/s (219 – 222)", "/a/path/that/is/longer/than/any/column"),
]
COLUMNS = [
    Column[tuple[str, ...]]("mode", lambda row: row[0]),
    Column[tuple[str, ...]]("n", lambda row: row[1], right=True),
    Column[tuple[str, ...]]("median (95 %)", lambda row: row[2], right=True),
    Column[tuple[str, ...]]("values", lambda row: row[3]),
]


def printed(rows: list[tuple[str, ...]], width: int) -> list[str]:
    out = io.StringIO()
    print_table(Table("A table", rows, COLUMNS), PrintableConsole(width=width, file=out))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", range(20, 121, 4))
def test_no_number_is_cut_however_narrow_the_terminal_is(width: int) -> None:
    lines = printed(CELLS, width)
    assert max(map(len, lines)) <= width
    whole = " ".join(lines).split()
    for row in CELLS:
        for word in " ".join(row[1:3]).split():
            assert word in whole, (word, lines)
    values = [number for word in whole if word.startswith("0,") or word[0].isdigit() for number in word.split(",")]
    assert "10" in values


@given(st.lists(st.integers(-(10**14), 10**14), min_size=1, max_size=4), st.integers(30, 120))
def test_any_number_stays_whole(numbers: list[int], width: int) -> None:
    rows = [("mode", f"{number:,}", f"{number:,} µs", "0") for number in numbers]
    whole = " ".join(printed(rows, width)).split()
    assert all(whole.count(f"{number:,}") >= 2 for number in numbers)


def test_a_number_keeps_its_unit_beside_it_as_long_as_there_is_room() -> None:
    rows = [("a mode of many words that give way", "100", "12.8 µs", "10 to 20")]
    assert any("12.8 µs" in line for line in printed(rows, 50))


def test_a_table_in_a_wide_terminal_is_as_wide_as_its_cells() -> None:
    assert max(map(len, printed([("pool", "100", "12.8 µs", "0,1")], 300))) < 50


def test_lists_are_parted_at_their_commas() -> None:
    assert folded("100,200,300", 8) == "100,200,\n300"
    assert folded("1,000 words", 8) == "1,000 words"
    assert folded("", 8) == ""
    assert folded("a_word_without_an_end_to_part_at", 8) == "a_word_without_an_end_to_part_at"


@pytest.mark.parametrize(
    ("given_columns", "width"), [("60", 60), ("1", 20), ("100000", 100000), ("0", 100), ("", 100), ("ten", 100)]
)
def test_the_variable_columns_says_how_wide_a_pipe_is(
    monkeypatch: pytest.MonkeyPatch, given_columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", given_columns)
    console.results.cache_clear()
    try:
        assert console.results().width == width
    finally:
        console.results.cache_clear()
