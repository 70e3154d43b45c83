"""`intercore sweep`: a plan file, carried out, interrupted, continued, on several targets, of which some go away."""

from __future__ import annotations

import os
import random
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.record.plan import canonical, settings
from intercore.record.store import Store
from tests.cli.inspection import contents_of
from tests.cli.tool import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Result, Tool

PLANS = Path(__file__).parents[2] / "plans"
HEAD = "repetitions = 2\n"
HOST = '[[target]]\nname = "host"\n'
EXPERIMENT = """
[[experiment]]
benchmark = "clock"
[experiment.factors]
longest_us = [10, 100, 1000]
time = ["common"]
samples = 3
dither_us = [5, 10]
from = 0
to = 0
"""
USUAL = {
    "shared": 'shared = ["d3", "d1", "d2"]',
    "m7_mhz": "m7_mhz = 60",
    "m4_mhz": "m4_mhz = 60",
    "opt": 'opt = "O2"',
}
"""Lines of a plan for the STM32H745, whose first setting then has the build that other tests have."""
ON_BOARDS = """
[[experiment]]
benchmark = "example"
factors = { n = { from = 1, to = 6, step = 1 } }
"""


def written(tool: Tool, text: str) -> str:
    (tool.directory / "plan.toml").write_text(text)
    return "plan.toml"


def board_target(board: FakeBoard) -> str:
    return f'[[target]]\nname = "serial"\nport = "{board.url}"\n'


def sweep(tool: Tool, *words: str) -> Result:
    return tool("sweep", "plan.toml", "--patience", "0.4", "--no-estimate", *words)


@pytest.fixture
def boards(board: FakeBoard) -> Iterator[tuple[FakeBoard, FakeBoard]]:
    other = type(board)()
    yield board, other
    other.close()


def test_a_plan_is_measured_whole_and_printed(tool: Tool) -> None:
    written(tool, HEAD + HOST + EXPERIMENT)
    result = tool("sweep", "plan.toml", "--report", "page.html", "--format", "json").succeeded()
    (document,) = result.json
    assert document["complete"]
    assert "clock" in document["analysis"]
    assert re.search(r"12 measurements, about \d+ s \(from host: \d trials\)", result.err), "however slow the machine"
    assert (tool.directory / "page.html").stat().st_size > 10_000
    with Store(tool.store) as store:
        run = store.run()
    assert (run.plan.name, run.plan.file, run.total) == ("plan", "plan.toml", 12)
    measured = [(canonical(one.factors), one.repetition) for one in settings(run.plan)]
    assert [(key.setting, key.repetition) for key in contents_of(tool.store)] == measured, "in the order of the plan"


def test_a_dry_run_stores_nothing(tool: Tool) -> None:
    written(tool, HEAD + HOST + EXPERIMENT)
    (row,) = tool("sweep", "plan.toml", "--dry-run", "--format", "json").succeeded().json
    assert (row["settings"], row["measurements"], row["openings"]) == ("6 clock", 12, 1)
    assert row["about"]
    assert not tool.store.exists()


def test_what_is_complete_is_not_measured_again_unless_asked_for(tool: Tool) -> None:
    written(tool, HEAD + HOST + EXPERIMENT)
    sweep(tool).succeeded()
    kept = contents_of(tool.store)
    written(tool, "# a comment is no change\n" + HEAD + 'budget = "1 h"\n' + HOST + EXPERIMENT)
    sweep(tool).succeeded()
    assert contents_of(tool.store) == kept
    sweep(tool, "--again").succeeded()
    assert len(contents_of(tool.store)) == 2 * len(kept)


def test_a_run_of_another_kernel_is_not_gone_on_with_and_its_target_is_set_aside(tool: Tool) -> None:
    written(tool, HEAD + HOST + EXPERIMENT)
    sweep(tool).succeeded()
    with Store(tool.store) as store:
        run = store.run()
    tool.store.unlink()
    with Store(tool.store) as store:
        number = store.create_run(run.plan, run.total)
        for setting, one in list(zip(settings(run.plan), run.measurements, strict=True))[:5]:
            conditions = {**one.conditions, "os.kernel": "Linux 5.10.0 of another time"}
            store.add(number, setting, msgspec.structs.replace(one, conditions=conditions))
    kept = contents_of(tool.store)
    result = sweep(tool)
    assert result.status == 1
    said = " ".join(result.err.split())
    assert "is skipped: run 1 was measured with another kernel (Linux 5.10.0 of another time) than" in said
    assert contents_of(tool.store) == kept


def test_a_sweep_killed_at_random_moments_loses_and_doubles_nothing(tool: Tool) -> None:
    chance = random.Random(6)  # noqa: S311 - repeatable
    written(tool, "repetitions = 10\n" + HOST + EXPERIMENT)
    held: dict[object, object] = {}
    for _ in range(8):
        tool("sweep", "plan.toml", "--no-estimate", kill_after=chance.uniform(0.2, 1.2))
        now = contents_of(tool.store) if tool.store.exists() else {}
        assert now.items() >= held.items()
        held = dict(now)
    sweep(tool).succeeded()
    with Store(tool.store) as store:
        (summary,) = store.runs()
    assert (summary.done, summary.total) == (60, 60)
    assert contents_of(tool.store).items() >= held.items()
    tool.wait_for_no_target()


def test_ctrl_c_ends_a_sweep_in_order_and_says_how_to_go_on(tool: Tool) -> None:
    written(tool, "repetitions = 300\n" + HOST + EXPERIMENT)
    with tool.started("sweep", "plan.toml", "--no-estimate") as process:
        assert process.stderr is not None
        while "host 5/1800" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "continue with: intercore sweep plan.toml" in " ".join(err.split())
    tool.wait_for_no_target()
    with Store(tool.store) as store:
        (summary,) = store.runs()
    assert 5 <= summary.done < summary.total


@pytest.mark.parametrize("name", ["seed-001-esp32.toml", "seed-003.toml"])
def test_a_dry_run_fails_where_no_target_can_be_measured(tool: Tool, name: str) -> None:
    """Without its board or, where it would be flashed, without a program that flashes it.

    What can be measured is told by a build for the board: here it is one that other tests have.
    """
    text = re.sub(r'port = "[^"]*"', 'port = "/dev/no-such-port"', (PLANS / name).read_text())
    text = re.sub(r"^(\w+) = .*", lambda line: USUAL.get(line[1], line[0]), text, flags=re.MULTILINE)
    (tool.directory / "plan.toml").write_text(text)
    result = tool("sweep", "plan.toml", "--dry-run", "--no-estimate").failed(1)
    assert "no target of plan.toml can be measured" in result.error
    assert "at /dev/no-such-port is skipped: " in " ".join(result.err.split())


def test_a_dry_run_shows_the_targets_that_are_there_and_fails_for_those_that_are_not(tool: Tool) -> None:
    gone = '[[target]]\nname = "serial"\nport = "/dev/no-such-port"\n'
    written(tool, HOST + gone + EXPERIMENT)
    result = tool("sweep", "plan.toml", "--dry-run", "--no-estimate", "--format", "json")
    assert result.status == 1
    assert [row.get("measurements") for row in result.json] == [6, None]
    assert "serial at /dev/no-such-port is skipped: " in " ".join(result.err.split())


def test_a_plan_that_has_changed_is_told_and_begins_anew(tool: Tool) -> None:
    written(tool, HEAD + 'budget = "0.001 s"\n' + HOST + EXPERIMENT)
    result = sweep(tool).succeeded()
    assert "the time budget is used up; continue with: intercore sweep plan.toml" in " ".join(result.err.split())
    written(tool, HEAD + HOST + EXPERIMENT.replace("1000", "2000"))
    result = sweep(tool).succeeded()
    assert "plan.toml has changed since run 1" in result.err
    with Store(tool.store) as store:
        first, second = store.runs()
    assert not first.complete
    assert second.complete


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"clock"', '"clokc"', r"plan.toml:6: there is no benchmark 'clokc'; did you mean 'clock'"),
        (
            "samples = 3",
            "sampels = 3",
            r"plan.toml:10: clock has no factor 'sampels'; did you mean 'samples'",
        ),
        ("[10, 100, 1000]", "[10, 2000000000]", r"plan.toml:8: longest_us=2000000000 is out of range"),
        ('["common"]', '["common", "solar"]', r"plan.toml:9: the factor time has no level 'solar'"),
        ("samples = 3", "clock_mhz = 48", r"plan.toml:10: host has no build factor 'clock_mhz'"),
        ("samples = 3", 'opt = "O7"', r"plan.toml:10: the factor opt has no level 'O7'"),
        (
            EXPERIMENT,
            '\n[[experiment]]\nbenchmark = "lock"\nfactors = { lock = ["mutex"], from = [0, 1], to = 1 }\n',
            r"plan.toml:6: lock cannot be measured with these levels: from and to must be different cores.* \(from=1\)",
        ),
        (
            EXPERIMENT,
            EXPERIMENT + EXPERIMENT.replace("[10, 100, 1000]", "[7, 100]"),
            r"plan.toml:15: the plan has clock with .*2 times",
        ),
    ],
)
def test_what_a_target_cannot_do_is_refused_with_the_line_and_nothing_is_stored(
    tool: Tool, old: str, new: str, message: str
) -> None:
    text = HEAD + HOST + EXPERIMENT
    assert old in text
    written(tool, text.replace(old, new))
    result = sweep(tool).failed(2)
    assert re.search(message, result.error), result.error
    with Store(tool.store) as store:
        assert store.runs() == []


def test_impossible_settings_are_left_out_where_the_plan_says_so(tool: Tool) -> None:
    written(
        tool,
        HOST + '[[experiment]]\nbenchmark = "lock"\nskip_impossible = true\n[experiment.factors]\nfrom = [0, 1]\n'
        'lock = ["mutex", "atomic-add"]\nmeasure = ["hand-off", "ping-pong"]\nto = [0, 1]\nsamples = 2\n',
    )
    sweep(tool).succeeded()
    measured = [key.factors for key in contents_of(tool.store)]
    assert len(measured) == 6
    assert all(one["from"] != one["to"] for one in measured)
    assert not any(one["lock"] == "mutex" and one["measure"] == "ping-pong" for one in measured)


def test_several_boards_are_measured_at_the_same_time(
    tool: Tool, boards: tuple[FakeBoard, FakeBoard], tmp_path: Path
) -> None:
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    for one in boards:
        one.behave(meet=meeting)  # the first run of each ends when that of the other has begun
    written(tool, "".join(map(board_target, boards)) + ON_BOARDS)
    result = sweep(tool, "--timeout", "120", "--format", "json").succeeded()
    assert [document["complete"] for document in result.json] == [True, True]
    assert len(contents_of(tool.store)) == 12
    assert [one.connections for one in boards] == [1, 1], "to ask it and to measure"
    with Store(tool.store) as store:
        moments = [[one.started for one in store.run(number).measurements] for number in (1, 2)]
    assert max(moments[0][0], moments[1][0]) < min(moments[0][-1], moments[1][-1])


def test_a_board_that_goes_away_now_and_then_is_opened_again(tool: Tool, board: FakeBoard) -> None:
    board.behave("die", after=2)  # each time
    written(tool, board_target(board) + ON_BOARDS)
    result = sweep(tool).succeeded()
    assert board.connections >= 3
    assert len(contents_of(tool.store)) == 6
    assert "is skipped" not in result.err


@pytest.mark.measures("speedup")
def test_a_board_that_stays_away_is_set_aside_and_the_rest_completes(
    tool: Tool, boards: tuple[FakeBoard, FakeBoard]
) -> None:
    _, bad = boards
    boards[0].behave(benchmark="speedup")
    bad.behave("die", after=2, benchmark="speedup")
    bad.last_connection = 1
    written(tool, "".join(map(board_target, boards)) + HOST + ON_BOARDS.replace("example", "speedup"))
    result = sweep(tool)
    assert result.status == 1
    assert "Traceback" not in result.err
    words = " ".join(result.err.split())
    assert f"serial at {bad.url} is skipped from now on:" in words
    assert "4 of 6 measurements are missing; continue with: intercore sweep plan.toml" in words
    with Store(tool.store) as store:
        assert [summary.done for summary in store.runs()] == [6, 2, 6]

    bad.close()
    bad.reopen()
    bad.behave(benchmark="speedup")
    sweep(tool).succeeded()
    with Store(tool.store) as store:
        assert [summary.done for summary in store.runs()] == [6, 6, 6], "the later sweep measures what is missing only"


def test_a_board_that_is_not_there_at_first_is_set_aside_as_well(
    tool: Tool, boards: tuple[FakeBoard, FakeBoard]
) -> None:
    _, bad = boards
    bad.close()
    written(tool, "".join(map(board_target, boards)) + ON_BOARDS)
    result = sweep(tool)
    assert (result.status, len(contents_of(tool.store))) == (1, 6)
    assert f"serial at {bad.url} is skipped: cannot open" in " ".join(result.err.split())
    written(tool, board_target(bad) + ON_BOARDS)
    assert "no target of plan.toml can be measured" in " ".join(sweep(tool).failed(1).error.split())


def test_a_setting_that_a_board_refuses_is_set_aside_alone(tool: Tool, board: FakeBoard) -> None:
    board.behave("refuse", after=3)
    written(tool, board_target(board) + ON_BOARDS)
    result = sweep(tool)
    assert result.status == 1
    assert len(contents_of(tool.store)) == 3
    assert result.err.count("is skipped: ") == 3
    assert "this target measures nothing" in result.err


ALONE = {"seed-003-figure-4", "seed-003-figure-5"}
"""Plans whose first build, at -O3, no other test has."""
slow = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds a program: set INTERCORE_SLOW=1")


def measuring(plan: Path) -> ParameterSet:
    """A plan as a test's parameter, with what it measures."""
    named = re.findall(r'^benchmark = "(\w+)"', plan.read_text(), re.MULTILINE)
    marks = [pytest.mark.measures(*named), *([slow] if plan.stem in ALONE else [])]
    return pytest.param(plan, marks=marks, id=plan.stem)


HERE = sorted(path for path in PLANS.glob("*.toml") if "\nport = " not in path.read_text())
ESP32 = [PLANS / f"seed-00{number}-esp32.toml" for number in range(3)]


@pytest.mark.parametrize("plan", [*map(measuring, HERE)])
def test_the_plans_of_the_papers_can_be_carried_out(tool: Tool, plan: Path) -> None:
    rows = tool("sweep", plan, "--dry-run", "--no-estimate", "--format", "json").succeeded().json
    named = re.findall(r'^name = "([\w-]+)"', plan.read_text(), re.MULTILINE)
    assert {row["target"] for row in rows} == {f"{name} (SIMULATED)" if "sim" in name else name for name in named}
    assert all(row["measurements"] >= 2 for row in rows)


@pytest.mark.parametrize("plan", [*map(measuring, ESP32)])
def test_the_plans_for_the_esp32_ask_for_what_the_benchmarks_have(tool: Tool, plan: Path) -> None:
    """Their settings are checked by a program of the same benchmarks, that of this machine."""
    text, replaced = re.subn(r'name = "esp32"\nport = .*', 'name = "host"', plan.read_text())
    assert replaced == 1
    (tool.directory / plan.name).write_text(text)
    (row,) = tool("sweep", plan.name, "--dry-run", "--no-estimate", "--format", "json").succeeded().json
    assert row["measurements"] >= 12


@pytest.mark.measures("speedup")
def test_without_its_board_a_plan_for_the_esp32_says_which_port_it_misses(tool: Tool) -> None:
    text = re.sub(r'port = "[^"]*"', 'port = "/dev/no-such-port"', ESP32[0].read_text())
    (tool.directory / "plan.toml").write_text(text)
    result = tool("sweep", "plan.toml", "--no-estimate", "--patience", "0.1")
    assert result.status == 1
    assert "esp32 at /dev/no-such-port" in " ".join(result.err.split())
    assert "Traceback" not in result.err


def test_there_is_a_plan_for_each_paper() -> None:
    assert {path.stem[:8] for path in PLANS.glob("*.toml")} == {f"seed-00{number}" for number in range(4)}
    for path in PLANS.glob("*.toml"):
        assert re.match(f"# Seed {path.stem[5:8]}[:,] ", path.read_text()), "what it corresponds to"


@pytest.mark.parametrize("words", [(), ("--no-estimate",)])
def test_a_board_is_opened_once_to_be_asked_tried_and_measured(
    tool: Tool, board: FakeBoard, words: tuple[str, ...]
) -> None:
    written(tool, board_target(board) + ON_BOARDS)
    tool("sweep", "plan.toml", *words).succeeded()
    assert len(contents_of(tool.store)) == 6
    assert board.connections == 1
