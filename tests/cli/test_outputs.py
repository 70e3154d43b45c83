"""What a command writes for its user replaces an older output of its kind, and no other file."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.tool import Tool

BUDGETS = 'budgets = ["switch from=0 to=0: switch median <= 1 s"]\n'
PLAN = """
name = "p"
[[targets]]
name = "host"
[[experiments]]
benchmark = "clock"
[experiments.factors]
from = 0
to = 0
longest_us = 1
samples = 2
"""
STORE = "intercore.db"
REFUSED = (
    ("run", "host", "clock", "--report", STORE),
    ("report", "-o", STORE),
    ("compare", "1", "1", "-o", STORE),
    ("check", "b.toml", "--junit", STORE),
    ("check", "b.toml", "--markdown", "b.toml"),
    ("check", "b.toml", "host", "--junit", "b.toml"),
    ("hunt", "app.elf", "--junit", STORE),
    ("trace", "pico-sim", "switch", "--perfetto", STORE),
    ("trace", "pico-sim", "switch", "--page", STORE),
    ("sweep", "p.toml", "--report", "p.toml"),
    ("sweep", "p.toml", "--report", STORE),
    ("library", "arduino", "--output", "thesis.zip"),
    ("export", "1", "--to", "thesis.csv"),
    ("export", "1", "--to", "thesis.parquet"),
)


@pytest.fixture
def desk(measured: Tool) -> Tool:
    """A store, a plan, budgets, and what a person keeps beside them."""
    files = {"b.toml": BUDGETS, "p.toml": PLAN, "thesis.zip": "PK", "thesis.csv": "run,text", "thesis.parquet": "PAR1"}
    for name, text in files.items():
        (measured.directory / name).write_text(text)
    return measured


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_an_output_replaces_no_store_no_input_and_no_work_of_a_person(desk: Tool, words: tuple[str, ...]) -> None:
    before = {path.name: path.read_bytes() for path in desk.directory.iterdir()}
    error = desk.here(*words).failed(2).error
    assert words[-1] in error
    assert "--force" in error
    assert {path.name: path.read_bytes() for path in desk.directory.iterdir()} == before, "nothing was measured, either"


OUTPUTS = (
    (("report", "-o"), "x.html"),
    (("check", "b.toml", "--junit"), "x.xml"),
    (("check", "b.toml", "--markdown"), "x.md"),
    (("export", "1", "--to"), "x.csv"),
    (("export", "1", "--to"), "x.parquet"),
    (("library", "arduino", "--output"), "x.zip"),
)


@pytest.mark.parametrize(("words", "name"), OUTPUTS, ids=lambda value: value if isinstance(value, str) else value[0])
def test_an_output_replaces_its_predecessor_and_keeps_its_mode(desk: Tool, words: tuple[str, ...], name: str) -> None:
    path = desk.directory / name
    act = desk.here
    act(*words, name)
    path.chmod(0o600)
    first = path.stat().st_ino
    act(*words, name)
    assert path.stat().st_ino != first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("a person's")
    act(*words, name)
    assert path.read_text() == "a person's"
    act(*words, name, "--force")
    assert path.read_text("utf-8", "replace") != "a person's"
