"""What is longer than the terminal goes to the user's pager; all else, and what goes to a pipe, does not."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from intercore.terminal.findings import PlainRows
from intercore.terminal.formats import show
from intercore.terminal.pager import paging
from intercore.terminal.printable_console import PrintableConsole

if TYPE_CHECKING:
    from pathlib import Path

HEIGHT = 10


@pytest.fixture
def paged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the pager writes what it is given, on a terminal at which a person types."""
    path = tmp_path / "paged"
    monkeypatch.setenv("PAGER", f"tee '{path}'")
    monkeypatch.setattr(sys, "stdin", Typed())
    return path


class Typed(io.StringIO):
    def isatty(self) -> bool:
        return True


def written(lines: int, *, terminal: bool = True) -> str:
    """What is written to the terminal itself of so many lines."""
    out = io.StringIO()
    console = PrintableConsole(file=out, width=40, height=HEIGHT, force_terminal=terminal)
    with paging(console):
        for number in range(lines):
            console.print(f"line {number:39}", soft_wrap=True)
    return out.getvalue()


def test_what_is_longer_than_the_terminal_is_paged(paged: Path) -> None:
    assert written(HEIGHT) == ""
    assert paged.read_text().count("\n") == HEIGHT


def test_what_fits_is_not_paged(paged: Path) -> None:
    assert written(HEIGHT - 1).count("\n") == HEIGHT - 1
    assert not paged.exists()


def test_nothing_is_paged_in_a_pipe(paged: Path) -> None:
    assert written(1000, terminal=False).count("\n") == 1000
    assert not paged.exists()


@pytest.mark.parametrize("pager", ["", "cat", "no-such-pager", "'"])
def test_without_a_pager_everything_is_printed(paged: Path, monkeypatch: pytest.MonkeyPatch, pager: str) -> None:
    monkeypatch.setenv("PAGER", pager)
    assert written(1000).count("\n") == 1000
    assert not paged.exists()


def test_a_pager_that_is_left_at_once_is_no_error(paged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "true")
    assert written(2000) == ""
    assert not paged.exists()


def test_a_document_is_never_paged(paged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show(PlainRows("", [{"n": number} for number in range(1000)]), "json", paged=True)
    assert '"n": 999' in capsys.readouterr().out
    assert not paged.exists()
