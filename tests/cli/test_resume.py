"""`run --resume` measures what is missing, as planned, and says so if that is no longer comparable."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from intercore.record.findings import ConditionChanged, UnknownIdentity
from intercore.record.measurement import Part, Plan
from intercore.record.plan import Setting, settings
from intercore.record.store import Store
from tests.cli.inspection import contents_of
from tests.cli.tool import how_to_go_on

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Measurement, Run
    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Tool

LEVELS = ("from=0", "to=0", "longest_us=10,20,30,40", "dither_us=5,10", "samples=3", "--opt", "O2,O0")
LEVELS += ("--seed", "77", "--repetitions", "1")
TOTAL = 4 * 2 * 2


def read(path: Path) -> Run:
    with Store(path) as store:
        return store.run()


def settings_of(run: Run) -> list[Setting]:
    """What was measured, in order."""
    return [setting_of(run.plan, measurement) for measurement in run.measurements]


def setting_of(plan: Plan, measurement: Measurement) -> Setting:
    factors = {name: measurement.factors[name] for name in plan.parts[0].levels}
    return Setting(measurement.benchmark, factors, measurement.repetition)


def cut(tool: Tool, kept: int, conditions: Mapping[str, str] | None = None) -> Run:
    """Replace the store by one whose run holds the first few measurements only, with some conditions changed."""
    run = read(tool.store)
    tool.store.unlink()
    with Store(tool.store) as store:
        number = store.create_run(run.plan, run.total)
        for measurement in run.measurements[:kept]:
            changed = {**measurement.conditions, **(conditions or {})}
            store.add(
                number, setting_of(run.plan, measurement), msgspec.structs.replace(measurement, conditions=changed)
            )
        return store.run(number)


@pytest.fixture
def interrupted(tool: Tool) -> Tool:
    """The tool beside a store with a run that was interrupted after five measurements."""
    tool("run", "host", "clock", *LEVELS).succeeded()
    cut(tool, 5)
    return tool


def test_resume_keeps_the_plan_its_order_and_its_builds(interrupted: Tool) -> None:
    before = read(interrupted.store)
    interrupted("run", "--resume").succeeded()
    after = read(interrupted.store)
    assert after.plan == before.plan
    assert (after.id, after.started, after.total) == (before.id, before.started, before.total)
    assert settings_of(after) == settings(before.plan)
    assert {measurement.factors["seed"] for measurement in after.measurements} == {77}
    for measurement in after.measurements:
        assert f"-{measurement.factors['opt']}" in measurement.conditions["compiler.flags"]


def test_resume_measures_only_what_is_missing(interrupted: Tool) -> None:
    kept = contents_of(interrupted.store)
    done = interrupted("run", "--resume", "-v").succeeded()
    now = contents_of(interrupted.store)
    assert len(now) == TOTAL
    assert now.items() >= kept.items()
    counts = [line.split()[0] for line in done.err.splitlines() if line[0].isdigit() and "/" in line.split()[0]]
    assert counts == [f"{number}/{TOTAL}" for number in range(6, TOTAL + 1)]


def test_resume_prints_the_whole_run_in_every_format(interrupted: Tool) -> None:
    shown = interrupted("run", "--resume", "--format", "json").succeeded()
    assert shown.json["complete"] is True
    assert shown.out == interrupted("show", "--format", "json").out


def test_resume_writes_the_page_too(interrupted: Tool) -> None:
    interrupted("run", "--resume", "--report", "page.html").succeeded()
    assert (interrupted.directory / "page.html").exists()


def test_show_of_an_unfinished_run_says_how_to_go_on(interrupted: Tool) -> None:
    shown = interrupted("show").succeeded()
    assert f"5 of {TOTAL} measurements so far; continue with: intercore run --resume" in " ".join(shown.out.split())
    assert interrupted("show", "--format", "json").succeeded().json["complete"] is False
    (row,) = interrupted("runs", "--format", "json").succeeded().json
    assert (row["done"], row["of"]) == (5, TOTAL)


def test_show_of_an_unfinished_run_names_its_store(interrupted: Tool) -> None:
    interrupted.store.rename(interrupted.directory / "my runs.db")
    shown = interrupted("show", "--store", "my runs.db").succeeded().out
    program, *words = shlex.split(shown.partition("continue with: ")[2])
    assert program == "intercore"
    interrupted(*words).succeeded()
    assert len(contents_of(interrupted.directory / "my runs.db")) == TOTAL


def test_the_newest_unfinished_run_is_resumed_first(tool: Tool) -> None:
    def unfinished() -> list[int]:
        with Store(tool.store) as store:
            return [summary.id for summary in store.runs() if not summary.complete]

    with Store(tool.store) as store:
        for size in (10, 20):
            store.create_run(
                Plan("host", None, "clock", (Part("clock", {"longest_us": [size], "samples": [2], "opt": ["O2"]}),)), 1
            )
    tool("run", "host", "clock", "longest_us=30", "samples=2", "from=0", "to=0").succeeded()
    assert unfinished() == [1, 2]
    tool("run", "--resume").succeeded()
    assert unfinished() == [1]
    tool("run", "--resume").succeeded()
    assert unfinished() == []
    assert "nothing to resume" in tool("run", "--resume").failed(2).error


def test_a_resumed_run_equals_one_that_was_never_interrupted(tool: Tool, board: FakeBoard) -> None:
    """The fake board sends the same samples at the same setting."""
    words = ("run", "serial", "example", "--port", board.url, "n=10,20,30", "mode=pool", "--repetitions", "1")
    tool(*words).succeeded()
    board.behave("die", after=1)
    tool(*words).failed(1)
    board.behave()
    tool("run", "--resume").succeeded()
    held = contents_of(tool.store)
    first, second = ({key[1:]: held[key].samples for key in held if key.campaign == run} for run in (1, 2))
    assert first == second


def test_the_command_to_go_on_with_names_the_store(tool: Tool, board: FakeBoard) -> None:
    """It can be copied and pasted."""
    store = tool.directory / "a folder" / "my runs.db"
    store.parent.mkdir()
    board.behave("die", after=1)
    words = (
        "run",
        "serial",
        "example",
        "--port",
        board.url,
        "n=10,20,30",
        "mode=pool",
        "--repetitions",
        "1",
        "--store",
        store,
    )
    result = tool(*words).failed(1)
    board.behave()
    tool(*how_to_go_on(result)).succeeded()
    assert len(contents_of(store)) == 3


# Conditions that have changed


@pytest.mark.parametrize(
    "changed",
    [
        {"cpu.governor": "powersave"},
        {"compiler": "GNU 2.95"},
        {"compiler.flags": "-std=c11 -O2 -fsanitize=address"},
    ],
    ids="".join,
)
def test_resume_under_other_conditions_warns_in_words(tool: Tool, changed: dict[str, str]) -> None:
    tool("run", "host", "clock", "from=0", "to=0", "longest_us=10,20,30,40", "samples=3", "dither_us=10").succeeded()
    cut(tool, 2, changed)
    ((key, value),) = changed.items()
    assert not changes(tool("show", "--format", "json").succeeded().json)
    said = " ".join(tool("run", "--resume").succeeded().out.split())
    document = tool("show", "--format", "json").succeeded().json
    (change,) = changes(document)
    assert (change["values"]["condition"], change["values"]["seen"][0]) == (key, value)
    assert document["conditions"][key] == change["values"]["seen"]
    assert change["text"] in document["warnings"]
    first, _, _ = change["text"].partition(". ")
    assert first in said
    tool("report").succeeded()
    assert first in (tool.directory / "intercore.html").read_text("utf-8")


def changes(document: Any) -> list[Any]:  # noqa: ANN401 - JSON
    return [one for one in document["findings"] if one["code"] == "condition-changed"]


def test_resume_on_another_kernel_is_refused_and_adds_nothing(interrupted: Tool) -> None:
    cut(interrupted, 5, {"os.kernel": "Linux 5.10.0 of another time"})
    kept = contents_of(interrupted.store)
    refused = interrupted("run", "--resume").failed(2)
    assert "run 1 was measured with another kernel (Linux 5.10.0 of another time) than host has now (" in refused.error
    assert "continue with: intercore run --resume" not in refused.error
    assert contents_of(interrupted.store) == kept


def test_resume_with_another_image_says_so_at_once_and_wherever_the_run_is_shown(interrupted: Tool) -> None:
    cut(interrupted, 5, {"image.digest": "0123456789abcdef"})
    resumed = interrupted("run", "--resume").succeeded()
    assert "the image differs from that of run 1" in " ".join(resumed.err.split())
    (found,) = interrupted("show", "--format", "json").succeeded().json["findings"][:1]
    assert (found["code"], found["values"]["images"][0]) == ("several-images", "0123456789abcdef")
    said = f"Warning: {found['text']}"
    assert " ".join(resumed.out.split()).startswith(said)
    assert " ".join(interrupted("show").succeeded().out.split()).startswith(said)


def test_what_a_run_from_before_does_not_say_of_its_image_is_told(interrupted: Tool) -> None:
    """Stores of earlier versions stay readable and can be gone on with."""
    run = cut(interrupted, 5)
    interrupted.store.unlink()
    with Store(interrupted.store) as store:
        number = store.create_run(run.plan, run.total)
        for one in run.measurements:
            known = {key: value for key, value in one.conditions.items() if key != "image.digest"}
            store.add(number, setting_of(run.plan, one), msgspec.structs.replace(one, conditions=known))
    interrupted("run", "--resume").succeeded()
    said = UnknownIdentity(run=1, unknown=("image",)).text
    assert f"Warning: {said}" in " ".join(interrupted("show").succeeded().out.split())
    assert interrupted("show", "--format", "json").succeeded().json["warnings"][0] == said


def test_resume_under_the_same_conditions_does_not_warn(tool: Tool) -> None:
    """Whatever differs each time: the load, the path of the program, what the cycle counter was measured to be."""
    tool("run", "host", "clock", *LEVELS).succeeded()
    moment = {"os.load_at_start": "0.99 0.99 0.99 1/99 1", "host.link": "/elsewhere"}
    moment |= {"cpu.cycle_counter_hz": "1", "cpu.cycle_counter_uncertainty": "1 ppm"}
    cut(tool, 5, moment)
    assert not changes(tool("run", "--resume", "--format", "json").succeeded().json)


def test_resume_on_another_board_warns_in_words(tool: Tool, board: FakeBoard) -> None:
    board.behave("die", after=1)
    tool("run", "serial", "example", "--port", board.url, "n=10,20,30", "mode=pool", "--repetitions", "1").failed(1)
    board.behave(condition="cpu=another fake")
    said = " ".join(tool("run", "--resume").succeeded().out.split())
    assert ConditionChanged(condition="cpu", seen=("a fake", "another fake")).text in said


# What is no run to resume


def test_a_store_without_runs_has_nothing_to_resume_and_says_why_that_may_be(tool: Tool) -> None:
    """As a kill leaves it that comes before the run is stored."""
    Store(tool.store).close()
    error = tool("run", "--resume").failed(2).error
    assert f"nothing to resume: {tool.store}" in error
    assert "To start one: intercore run" in error
    assert "complete" not in error


PLAN = """
[[target]]
name = "serial"
port = "{url}"
max_baud = 115200
[[experiment]]
benchmark = "example"
factors = {{ n = [10, 20, 30] }}
"""


@pytest.fixture
def swept(tool: Tool, board: FakeBoard) -> Tool:
    """The tool beside a store with a run of a plan file, of which one of three measurements is there."""
    (tool.directory / "my plan.toml").write_text(PLAN.format(url=board.url))
    board.behave("refuse", after=1)
    tool("sweep", "my plan.toml", "--no-estimate", "--patience", "0.1")
    board.behave()
    with Store(tool.store) as store:
        assert [(run.done, run.total) for run in store.runs()] == [(1, 3)]
    return tool


def test_a_run_of_a_plan_file_is_not_resumed_without_it(swept: Tool, board: FakeBoard) -> None:
    """Only the file knows the most bits per second, and how to flash its target."""
    opened = board.connections
    error = swept("run", "--resume").failed(2).error
    assert "run 1" in error
    assert "a plan file" in error
    assert board.connections == opened
    program, *words = shlex.split(error.rpartition(": ")[2])
    assert program == "intercore"
    swept(*words, "--no-estimate").succeeded()
    assert "every run in" in swept("run", "--resume").failed(2).error


def test_an_older_run_is_resumed_and_the_newer_one_of_a_plan_file_is_told(swept: Tool) -> None:
    run = read(swept.store)
    swept.store.unlink()
    with Store(swept.store) as store:
        store.create_run(msgspec.structs.replace(run.plan, file=None), run.total)
        store.create_run(run.plan, run.total)
    result = swept("run", "--resume").succeeded()
    assert "run 2 belongs to a plan file. To continue run 2: intercore sweep 'my plan.toml'" in result.err
    with Store(swept.store) as store:
        assert [(one.done, one.total) for one in store.runs()] == [(3, 3), (0, 3)]


# Who is at it already


def test_run_is_locked_until_its_process_is_killed(tool: Tool, board: FakeBoard) -> None:
    board.behave(repetition_time=0.2)
    words = (
        "run",
        "serial",
        "example",
        "--port",
        board.url,
        "n=10,20,30,40,50,60",
        "mode=pool",
        "--repetitions",
        "1",
        "-v",
    )
    with tool.started(*words) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith("1/6 "):
            assert process.poll() is None
        opened = board.connections
        assert "another process is measuring run 1 of" in tool("run", "--resume").failed(1).error
        assert board.connections == opened, "the board that is being measured was disturbed"
        process.kill()
        process.communicate()
    board.behave()
    tool("run", "--resume").succeeded()
    assert len(contents_of(tool.store)) == 6
    assert [entry.name for entry in tool.directory.iterdir()] == [tool.store.name]


def test_a_plan_file_that_another_process_carries_out_is_not_carried_out_as_well(swept: Tool, board: FakeBoard) -> None:
    opened = board.connections
    with Store(swept.store) as store:
        store.lock(1)
        result = swept("sweep", "my plan.toml", "--no-estimate").failed(1)
    said = " ".join(result.err.split())
    assert f"serial at {board.url} is skipped: another process is measuring run 1 of" in said
    assert board.connections == opened
    swept("sweep", "my plan.toml", "--no-estimate").succeeded()
