"""What fits on one screen, and what is said of the rest."""

from __future__ import annotations

import math

from intercore.terminal.findings import Sentence
from intercore.terminal.formats.table import height
from intercore.terminal.one_screen import Screenful, Weighed, on_one_screen
from intercore.view.table import Column, Table

LONG = "word " * 160  # ten lines


def table(title: str, rows: int) -> Table[int]:
    return Table(title, range(rows), [Column("number", str)])


def test_what_matters_most_is_shown_in_the_order_in_which_it_was_given() -> None:
    parts = [Weighed(Sentence(f"{weight} {LONG}"), weight) for weight in (1, 5, 2, 4, 3)]
    assert [part.text[0] for part in on_one_screen(parts) if isinstance(part, Sentence)] == ["5", "4", "3"]


def test_what_must_be_shown_is_shown_even_if_it_does_not_fit() -> None:
    parts = [Weighed(Sentence(LONG)) for _ in range(6)]
    assert len(on_one_screen([Weighed(Sentence("short"), 1), *parts])) == len(parts)


def test_what_is_left_out_is_named() -> None:
    tables = [Weighed(table("Functions, in %; 3 more", 5)), Weighed(table("Locks, SIMULATED", 50), -1)]
    parts = [*tables, Weighed(Sentence(LONG * 4), -2)]
    shown = list(Screenful(None, [], parts, "More with --all").text())
    assert shown[:-1] == [tables[0].part]
    assert shown[-1] == Sentence("More with --all: locks and 1 more sentence.")
    assert height(shown, 80) < 40


def test_nothing_is_said_if_nothing_is_left_out() -> None:
    parts = [Weighed(Sentence(LONG), weight) for weight in (math.inf, 1)]
    assert list(Screenful(None, [], parts, "More with --all").text()) == [one.part for one in parts]
