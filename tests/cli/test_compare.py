"""`intercore compare`, and what pages of two targets have of it."""

from __future__ import annotations

import re
import shutil
import uuid
from typing import TYPE_CHECKING

import jsonschema
import pytest

from intercore.document.schema import schema
from intercore.record.store import Store
from tests.cli.conftest import FakeBoard
from tests.cli.tool import Tool

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.measures("speedup")
SETTING = ("speedup", "workload=fp", "n=10,100", "mode=create")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of this machine, and one of a board (read it only; `both` has a copy)."""
    tool, board = Tool(tmp_path_factory.mktemp("both"), uuid.uuid4().hex), FakeBoard()
    tool("run", "host", *SETTING, "samples=5", "dither_us=10").succeeded()
    board.behave(benchmark="speedup")
    tool("run", "serial", "--port", board.url, *SETTING).succeeded()
    board.close()
    return tool.store


@pytest.fixture
def both(tool: Tool, stored: Path) -> Tool:
    """The tool beside a store with both runs."""
    shutil.copyfile(stored, tool.store)
    return tool


def test_two_targets_stand_side_by_side_in_each_format(both: Tool) -> None:
    short = both("compare", "host", "serial").succeeded().out
    assert "serial against host, of 6 quantities: " in short.split("Largest differences")[0]
    assert "speedup, time on one core (T1): host and serial" not in short
    shown = both("compare", "host", "serial", "--all").succeeded().out
    assert "speedup, time on one core (T1): host and serial" in shown
    assert "Conditions that differ" in shown
    assert "Warning: host and serial also differ in conditions that may affect a ratio" in " ".join(shown.split())
    found = both("compare", "host", "serial", "--format", "json").succeeded().json
    jsonschema.Draft202012Validator(schema("comparison")).validate(found)
    assert [pair["setting"] for pair in found["pairs"] if pair["series"] == "tp"] == [{"n": 10}, {"n": 100}]
    header, *rows = both("compare", "1", "2", "--format", "csv").succeeded().out.splitlines()
    assert header.split(",")[:5] == ["benchmark", "series", "n", "unit", "host"]
    assert len(rows) == len(found["pairs"]) == 6


def test_two_runs_of_one_target_are_before_and_after(both: Tool) -> None:
    both("run", "host", *SETTING, "samples=5", "dither_us=10").succeeded()
    shown = both("compare", "1", "3").succeeded().out
    assert "run 3 of host against run 1 of host, of 6 quantities: " in shown
    found = both("compare", "1", "3", "--format", "json", "--within", "50 %").succeeded().json
    assert found == both("compare", "1", "3", "--format", "json", "--within", "0.5").succeeded().json
    assert [found["first"]["name"], found["second"]["name"]] == ["run 1 of host", "run 3 of host"]
    assert {pair["verdict"] for pair in found["pairs"]} <= {"faster", "slower", "same", "cannot tell"}


def test_a_run_is_compared_with_the_baseline_that_was_saved_of_another(both: Tool) -> None:
    said = both("baseline", "save", "before.txt", "1").succeeded()
    assert re.search(r"wrote /.*/before\.txt: 2 settings of run 1 on host", said.err)
    text = (both.directory / "before.txt").read_text()
    both("baseline", "save", "before.txt", "1").succeeded()
    assert (both.directory / "before.txt").read_text() == text
    both("run", "host", *SETTING, "samples=5", "dither_us=10").succeeded()
    shown = both("compare", "before.txt", "3").succeeded().out
    assert "run 3 of host against before.txt, of 6 quantities: " in shown
    with_run, found = (both("compare", name, "3", "--format", "json").succeeded().json for name in ("1", "before.txt"))
    assert found["pairs"] == with_run["pairs"]
    assert (found["first"]["baseline"], found["second"]["baseline"]) == ("before.txt", None)
    jsonschema.Draft202012Validator(schema("comparison")).validate(found)
    alone = both("compare", "before.txt", "before.txt", "--store", "nowhere.db").succeeded().out
    assert "before.txt against before.txt" in alone, "two files need no store"


def test_a_page_of_two_targets_has_them_side_by_side(both: Tool) -> None:
    both("report", "host", "serial", "-o", "both.html").succeeded()
    assert ">Differences: serial and host</a></h2>" in (both.directory / "both.html").read_text()
    both("report", "host", "-o", "one.html").succeeded()
    assert ">Differences: " not in (both.directory / "one.html").read_text()


def test_a_comparison_is_written_to_a_page_where_one_is_asked_for(both: Tool) -> None:
    done = both("compare", "host", "serial", "-o", "ratios.html").succeeded()
    path = both.directory / "ratios.html"
    assert f"wrote {path}" in done.err
    assert path.read_text("utf-8").count('<svg x="') == 6  # a mark for each row
    refused = both("compare", "host", "serial", "-o", "nowhere/ratios.html").failed(1)
    assert "nowhere" in refused.error


def test_a_newer_run_without_a_measurement_is_left_out_of_pages_and_comparisons(both: Tool) -> None:
    with Store(both.store) as store:
        store.create_run(store.run(1).plan, 1)
    shown = both("compare", "host", "serial").succeeded()
    assert "Largest differences: host and serial" in shown.out
    assert re.search(r"run 3 of host is newer than run 1 .*unfinished \(0 of 1\b", shown.err)
    both("report", "host", "serial", "-o", "both.html").succeeded()
    assert ">Differences: serial and host</a></h2>" in (both.directory / "both.html").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("host",), "there is nothing to compare host with: name two runs"),
        (("1", "1", "1"), "these are runs of 1: host"),
        (("host", "hosd"), "there is no target 'hosd'; did you mean 'host'?"),
        (("1", "1"), "both sides are run 1 of host"),
        (("host", "1"), "both sides are run 1 of host"),
        (("host", "serial", "--within", "5"), "write 5% or 0.05"),
        (("host", "serial", "--within", "0%"), "--within=0% is out of range"),
        (("host", "serial", "--within", "0.0"), "--within=0.0 is out of range"),
        (("host", "pico-sim"), "no run of the target pico-sim"),
        (("nowhere.txt", "1"), "cannot read nowhere.txt: No such file or directory"),
        (("1", "2", "x.txt"), "x.txt is a baseline"),
    ],
)
def test_what_cannot_be_compared_is_refused(both: Tool, words: tuple[str, ...], says: str) -> None:
    assert says in both.here("compare", *words).failed(2).error
