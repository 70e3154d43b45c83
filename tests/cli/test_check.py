"""`intercore check`, as a build calls it: five exit statuses, what is printed, and what is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import pytest

from intercore.document.schema import schema
from tests.built_once import ROOT

if TYPE_CHECKING:
    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Result, Tool

pytestmark = pytest.mark.measures("speedup")
SETTING = "speedup workload=fp mode=create n=10"
KEPT = f"{SETTING}: t1 median <= 1 s"
BROKEN = f"{SETTING}: t1 median <= 0.001 ns"
UNCERTAIN = f"{SETTING}: t1 p99.9 <= 1 s"


def validate_junit(text: str) -> None:
    """Hold a report against the schema of JUnit's reports."""
    import xmlschema  # noqa: PLC0415 - takes a third of a second, of each test process

    xmlschema.XMLSchema(ROOT / "tests/document/junit.xsd").validate(text)


def budgets(tool: Tool, *texts: str, **keys: object) -> None:
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    (tool.directory / "b.toml").write_text("\n".join([*lines, f"budgets = {json.dumps(texts)}"]))


def checked(result: Result, status: int) -> str:
    """What was printed by a command that ended with this status, and with no error."""
    assert result.status == status, result
    assert "error: " not in result.err
    assert "Traceback" not in result.err
    return result.out


def test_what_the_budgets_need_is_measured_and_held_against_them(tool: Tool) -> None:
    budgets(tool, f"{SETTING} samples=5: t1 median <= 1 s", f"{SETTING} samples=5: S median >= 0.000001", repetitions=5)
    shown = checked(tool("check", "b.toml", "host", "--junit", "b.xml", "--markdown", "b.md"), 0)
    assert "2 numbers with a budget: 2 kept." in shown
    assert max(map(len, shown.splitlines())) <= 100
    assert tool("runs", "--format", "json").succeeded().json[0]["of"] == 5, "one setting, of five repetitions"
    validate_junit((tool.directory / "b.xml").read_text())
    assert (tool.directory / "b.md").read_text().startswith("### All budgets are kept: Budgets of b.toml on host")
    assert "All budgets are kept" not in shown


def test_the_exit_status_says_what_a_stored_run_comes_to(speedups: Tool) -> None:
    setting = "speedup mode=create n=1000: t1"
    for texts, status, says in (
        ([f"{setting} max <= 1 s"], 0, "1 number with a budget: 1 kept"),
        ([f"{setting} max <= 0.001 ns", f"{setting} median <= 1 s"], 1, "1 broken and 1 undecided"),
        ([f"{setting} median <= 1 s"], 3, "one repetition does not show"),
        (["speedup mode=create n=77: t1 median <= 1 s"], 4, "run 1 did not measure n=77, only "),
    ):
        budgets(speedups, *texts)
        shown = checked(speedups("check", "b.toml"), status)
        assert says in " ".join(shown.split())
        found = json.loads(checked(speedups("check", "b.toml", "1", "--format", "json"), status))
        jsonschema.Draft202012Validator(schema("check")).validate(found)
        assert (found["exit_status"], found["run"]) == (status, 1)
    rows = checked(speedups("check", "b.toml", "--format", "csv"), 4).splitlines()
    assert rows[0].startswith("budget,line,benchmark,setting,unit,limit,found,low,high,baseline,outcome")


def test_a_run_is_held_against_a_baseline(speedups: Tool) -> None:
    speedups("baseline", "save", "kept.txt").succeeded()
    budgets(speedups, "speedup mode=create: t1 max / baseline <= 1", baseline="kept.txt")
    assert "4 numbers with a budget: 4 kept." in checked(speedups("check", "b.toml"), 0)
    text = (speedups.directory / "kept.txt").read_text().replace('"version":2', '"version":9')
    (speedups.directory / "kept.txt").write_text(text)
    assert "kept.txt:1: this baseline has format version 9" in speedups("check", "b.toml").failed(2).error


def test_a_board_that_is_not_there_is_no_broken_budget(tool: Tool, board: FakeBoard) -> None:
    board.close()
    budgets(tool, KEPT, UNCERTAIN)
    shown = checked(tool("check", "b.toml", "serial", "--port", board.url, "--junit", "b.xml"), 4)
    assert "2 numbers with a budget: 2 not measured." in shown
    text = (tool.directory / "b.xml").read_text()
    validate_junit(text)
    assert 'failures="0" errors="2"' in text
    assert not tool.store.exists()


def test_a_measurement_that_breaks_off_is_none_either(tool: Tool, board: FakeBoard) -> None:
    board.behave("aborted", benchmark="speedup")
    budgets(tool, KEPT)
    shown = checked(tool("check", "b.toml", "serial", "--port", board.url), 4)
    assert "the measurement was interrupted: the target itself aborted a measurement" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        (KEPT.replace("<=", "<"), ("host",), "b.toml:1: a budget cannot have '<': use <= or >="),
        (KEPT.replace("mode", "mod"), ("host",), "b.toml:1: speedup has no factor 'mod'; did you mean 'mode'?"),
        (
            KEPT.replace("create", "creat"),
            ("host",),
            "b.toml:1: the factor mode has no level 'creat'; did you mean 'create'?",
        ),
        (KEPT.replace("n=10", "n=0"), ("host",), "b.toml:1: n=0 is out of range:"),
        (
            KEPT.replace("speedup ", "spedup "),
            ("host",),
            "b.toml:1: there is no benchmark 'spedup'; did you mean 'spee",
        ),
        (KEPT, ("hots",), "there is no target 'hots'; did you mean 'host'?"),
        (
            KEPT,
            ("esp32-qemu",),
            "its times mean nothing",
        ),
        (KEPT, ("serial",), "a port is needed, e.g. --port /dev/ttyACM0"),
        (KEPT, ("1",), "there is no store intercore.db"),
        (
            KEPT,
            ("1", "--repetitions", "3"),
            "--repetitions applies only when",
        ),
    ],
)
def test_a_wrong_file_or_command_is_refused_with_status_2(
    tool: Tool, text: str, words: tuple[str, ...], says: str
) -> None:
    budgets(tool, text)
    assert says in tool("check", "b.toml", *words).failed(2).error


@pytest.mark.parametrize(
    "text", [f"{SETTING}: tt1 median <= 1 s", f"{SETTING}: median <= 1 s", f"{SETTING}: t1 median <= 1 MB/s",
             f"{SETTING}: S median >= 1 us"]
)  # fmt: skip
def test_a_series_or_unit_that_is_wrong_is_found_before_the_target_is_asked(
    tool: Tool, board: FakeBoard, text: str
) -> None:
    board.close()
    budgets(tool, KEPT, text)
    assert tool.here("check", "b.toml", "serial", "--port", board.url).failed(2).error.startswith("error: b.toml:1: ")


def test_what_the_target_does_not_have_is_found_before_anything_is_measured(tool: Tool) -> None:
    budgets(tool, KEPT, f"{SETTING} samples=5: t1 p99 <= 1 s")
    assert "b.toml:1: p99 needs 1,000 samples" in tool("check", "b.toml", "host").failed(2).error
    assert not tool.store.exists()


def test_a_file_that_is_not_there_is_refused(tool: Tool) -> None:
    assert "cannot read b.toml: No such file or directory" in tool("check", "b.toml", "host").failed(2).error
