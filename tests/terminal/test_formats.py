"""Formats of the output: each is a file in their folder, and nothing else names it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from intercore.terminal.console import messages, say, say_error
from intercore.terminal.findings import OfSection, PlainRows
from intercore.terminal.formats import DEFAULT, formats, show
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ROWS = PlainRows("Two of them", [{"name": "a", "levels": [1, 2]}, {"name": None, "levels": []}], closing="and no more")

SHOUT = """
from intercore.terminal.formats import Format


class Shout(Format):
    def print(self, found):
        print(*(f"{value}!" for row in found.rows() for value in row.values()), sep="\\n")


FORMAT = Shout()
"""
WITH_SHOUT = """
import sys
import intercore.terminal.formats as formats
formats.__path__.append(sys.argv[1])
from intercore.cli.main import main
sys.argv = ["intercore", *sys.argv[2:]]
main()
"""


def with_shout(folder: Path, *words: str, **environment: str) -> str:
    """What the tool prints when one more file lies beside its formats."""
    (folder / "shout.py").write_text(SHOUT)
    done = subprocess.run(
        [sys.executable, "-c", WITH_SHOUT, folder, *words],
        env={**os.environ, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    return done.stdout


def test_a_format_is_a_file_that_each_command_its_help_and_its_completion_find(tmp_path: Path) -> None:
    assert "host!\n" in with_shout(tmp_path, "list", "--format", "shout")
    for command in ("build", "compare", "info", "list", "predict", "run", "runs", "show", "sweep"):
        assert "<table|json|csv|shout>" in with_shout(tmp_path, command, "--help"), command
    asked = {"COMP_WORDS": "intercore list --format s", "COMP_CWORD": "3", "_INTERCORE_COMPLETE": "complete_bash"}
    assert with_shout(tmp_path, **asked).split() == ["shout"]


def test_the_formats_are_listed_with_the_default_first() -> None:
    assert list(formats()) == ["table", "json", "csv"]
    assert next(iter(formats())) == DEFAULT


def test_rows_are_a_table_with_a_closing_line_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    show(ROWS, "table")
    title, blank, heads, rule, first, second, end, closing = capsys.readouterr().out.splitlines()
    assert title.strip() == "Two of them"
    assert heads.split() == ["name", "levels"]
    assert first.split() == ["a", "1", "2"]
    assert closing == "and no more"
    assert [line.strip(" ─") for line in (blank, rule, second, end)] == ["", "", "", ""]


def test_rows_are_a_list_in_json_and_lines_with_a_header_in_csv(capsys: pytest.CaptureFixture[str]) -> None:
    show(ROWS, "json")
    assert json.loads(capsys.readouterr().out) == ROWS.plain
    show(ROWS, "csv")
    assert capsys.readouterr().out == "name,levels\na,1 2\n,\n"


def test_no_rows_are_an_empty_list_an_empty_header_and_a_blank_line(capsys: pytest.CaptureFixture[str]) -> None:
    for name, shown in (("json", "[]\n"), ("csv", "\n"), ("table", "\n")):
        show(PlainRows("None", []), name)
        assert capsys.readouterr().out == shown


def test_rows_that_lack_a_column_are_empty_there_in_csv(capsys: pytest.CaptureFixture[str]) -> None:
    show(OfSection(None, [{"a": 1}, {"b": 2}], Section("", (), ())), "csv")
    assert capsys.readouterr().out == "a,b\n1,\n,2\n"


def test_a_section_is_its_tables_then_its_sentences_then_the_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("[bold]as it is", [1.5], [Column[float]("value", str, right=True)])
    section = Section("not shown", ["What was found [1]."], [table])
    show(OfSection({"value": 1.5}, [{"value": 1.5}], section, ["Too few samples."]), "table")
    shown = capsys.readouterr().out.split()
    assert shown[:3] == ["[bold]as", "it", "is"]
    assert "1.5" in shown
    assert " ".join(shown[-8:]) == "What was found [1]. Warning: Too few samples."
    show(OfSection({"value": 1.5}, [{"value": 1.5}], section, ["Too few samples."]), "json")
    assert json.loads(capsys.readouterr().out) == {"value": 1.5}


def test_only_the_format_for_people_has_the_sentences() -> None:
    assert [name for name, one in formats().items() if one.has_sentences] == ["table"]


def test_no_format_prints_what_takes_over_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """As a store from elsewhere, or a target, may have it in the name of a condition and in its value."""
    deceptive = "\u202etxt.exe\x1b[2J\x9b2J\u200b\u2028\x7f"
    rows = PlainRows(deceptive, [{"name": deceptive, deceptive: 1}], closing=deceptive)
    for name in formats():
        show(rows, name)
        printed = capsys.readouterr().out
        assert "txt.exe" in printed
        assert "".join(printed.split("\n")).isprintable(), name


def test_json_has_the_text_as_it_is_behind_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    deceptive = "\u202etxt.exe\x9b2J\U000e0041"
    show(PlainRows("", [{"name": deceptive}]), "json")
    assert json.loads(capsys.readouterr().out) == [{"name": deceptive}]


def test_messages_cannot_take_over_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for tell in (say, say_error, messages().print):
        tell("\u202etxt.exe\x1b[2J\u200b")
        printed = capsys.readouterr().err
        assert "txt.exe" in printed
        assert printed.rstrip("\n").isprintable()


def test_the_sentence_that_ends_a_command_is_no_longer_than_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(f"there is no target '{'x' * 100_000}'; did you mean 'host'?")
    printed = capsys.readouterr().err
    assert len(printed) < 24 * 80
    assert printed.endswith("did you mean 'host'?\n")
