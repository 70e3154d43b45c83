"""A target that misbehaves: a clear error, what is complete is kept, and `run --resume` finishes with a sound one."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest

from intercore.record.store import Store
from tests.cli.inspection import contents_of
from tests.cli.tool import how_to_go_on

if TYPE_CHECKING:
    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Result, Tool

LEVELS = ("n=10,100,1000", "mode=pool", "--repetitions", "1")
TOTAL = 3
DONE = 1
"""Measurements before the fault."""

MOST_WORDS = 20_000
"""Characters on standard error, however much the target has to say."""

WAIT_S = "3"
"""As --timeout has it, where a target is silent until that is over."""

PATIENCE = "60"
"""The same where a target is found out by what it says or does, be the machine as busy as it may."""

SILENT = ("hang", "babble")
"""Faults in a run that are told by nothing but silence."""

MID_RUN = {
    # fault: words of the sentence that says what happened
    "die": "socket disconnected",
    "hang": f"hangs: silent for {WAIT_S} s during a run",
    "restart": "restarted during `run`",
    "silent-restart": "restarted during `run`",
    "flood-valid": "floods the link",
    "flood-progress": "floods the link",
    "flood-garbage": "floods the link with data that is not the Intercore protocol",
    "flood-endless": "floods the link with data that is not the Intercore protocol",
    "lie-count": "samples",
    "lie-factor": " was requested, but the target ran with n=",
    "not-json": "violates the Intercore protocol",
    # The codes of errors that the target answers with:
    "refuse": "this target measures nothing",
    "fail": "no memory for a second task",
    "aborted": "abort",
    "babble": "no line of its answer",
}

FROM_THE_START = {
    # fault: words of the sentence; such a target is found out before a run is made
    "mute": f"has sent nothing for {WAIT_S} s: check the target's power supply",
    "dead-end": f"hangs: no answer to `list` for {WAIT_S} s",
    "version-1": "speaks version 1 of the Intercore protocol, but this tool speaks version 2: build its firmware again "
    "with this tool, and flash it",
    "version-3": "speaks version 3 of the Intercore protocol, but this tool speaks version 2: update this tool",
}

HARMLESS = ("noise", "wrong-crc", "lose-begin", "lose-tail")
"""Faults of the link, which is asked again."""


def run(tool: Tool, board: FakeBoard, timeout: str = PATIENCE) -> Result:
    return tool("run", "serial", "example", *LEVELS, "--port", board.url, "--timeout", timeout, "--format", "json")


@pytest.mark.parametrize("fault", MID_RUN)
def test_a_fault_in_a_run_is_named_and_costs_only_the_measurement_at_hand(
    tool: Tool, board: FakeBoard, fault: str
) -> None:
    board.behave(fault, after=DONE)
    result = run(tool, board, WAIT_S if fault in SILENT else PATIENCE)
    assert result.status in {1, 2}, result
    result.failed(result.status)
    assert MID_RUN[fault] in result.error
    assert f"run 1 was interrupted: {DONE} of {TOTAL} measurements are in" in " ".join(result.err.split())
    kept = contents_of(tool.store)
    assert len(kept) == DONE
    assert len(result.err) < MOST_WORDS

    board.behave()
    words = how_to_go_on(result)
    assert words == ["run", "--resume"]
    finished = tool(*words, "--port", board.url, "--format", "json").succeeded()
    assert finished.json["complete"] is True
    now = contents_of(tool.store)
    assert len(now) == TOTAL
    assert now.items() >= kept.items()


IMPOSSIBLE = {
    # fault: words of the warning
    "negative": "t1 has 100 of 100 samples below 0 (at worst -9,223,372,036,854,775,808 ticks)",
    "all-zero": "t1 has 100 of 100 samples that are 0: the clock stands still",
    "overlong": "longer than the measurement",
}


@pytest.mark.measures("speedup")
@pytest.mark.parametrize("fault", IMPOSSIBLE)
def test_times_that_cannot_be_are_a_failed_setting_and_no_result(tool: Tool, board: FakeBoard, fault: str) -> None:
    """The first run is sound: what is made of it is all that there is to read."""
    board.behave(fault, after=DONE, benchmark="speedup")
    words = ("run", "serial", "speedup", *LEVELS, "--port", board.url, "--timeout", PATIENCE)
    result = tool(*words, "-v", "--report", "page.html")
    assert (result.status, result.error) == (
        1,
        f"error: some of the {TOTAL} measurements failed: {TOTAL - DONE} because of impossible samples. "
        "See the warnings above",
    )
    shown = " ".join(result.out.split())
    page = (tool.directory / "page.html").read_text()
    document = tool("show", "--format", "json").succeeded().json
    failed = {row["factors"]["n"] for row in document["measurements"] if row["failed"]}
    assert len(failed) == TOTAL - DONE
    assert {row["n"] for row in document["analysis"]["speedup"]} == {10, 100, 1000} - failed
    found = [one for one in document["findings"] if one["code"] == "impossible-samples"]
    settings = [{"workload": "fp", "n": n, "mode": "pool", "join": "notify"} for n in sorted(failed)]
    assert sorted((one["setting"] for one in found), key=lambda levels: levels["n"]) == settings
    for one in found:
        assert (one["values"]["benchmark"], one["severity"]) == ("speedup", "error")
        assert one["text"] in shown
        assert one["text"] in document["warnings"]
        assert one["text"].partition(". ")[0] in page
    assert IMPOSSIBLE[fault] in shown
    assert all(row["summary"] is None for row in document["measurements"] if row["failed"])
    assert not re.search(r" 0 ns|e\+\d|11 days|-9\.22", shown)
    tool("export", "1", "--to", "a.csv").succeeded()
    (header, *rows) = csv.reader((tool.directory / "a.csv").read_text().splitlines())
    marked = {row[header.index("n")] for row in rows if row[header.index("failed")] == "true"}
    assert marked == {str(n) for n in failed}


@pytest.mark.parametrize("fault", FROM_THE_START)
def test_a_target_that_cannot_be_talked_to_is_named_and_nothing_is_stored(
    tool: Tool, board: FakeBoard, fault: str
) -> None:
    board.behave(fault)
    assert FROM_THE_START[fault] in run(tool, board, WAIT_S).failed(1).error
    for command in ("list", "info"):
        words = (command, "serial", "--port", board.url, "--timeout", WAIT_S)
        if (command, fault) != ("info", "dead-end"):
            assert FROM_THE_START[fault] in tool(*words).failed(1).error
    assert not tool.store.exists() or tool("runs", "--format", "json").succeeded().json == []


def test_a_bad_link_is_no_error_and_changes_no_sample(tool: Tool, board: FakeBoard) -> None:
    """The fake board sends the same samples at the same setting."""
    for fault in ("none", *HARMLESS):
        board.behave(fault)
        assert run(tool, board).succeeded().json["complete"] is True
    by_run: dict[int, dict[tuple[str, int], str]] = {}
    for key, content in contents_of(tool.store).items():
        by_run.setdefault(key.campaign, {})[key.setting, key.repetition] = content.samples
    clean, *others = by_run.values()
    assert len(others) == len(HARMLESS)
    assert all(other == clean for other in others)


@pytest.mark.parametrize("fault", ["version-1", "mute"])
def test_a_resume_that_fails_again_loses_nothing_and_can_be_resumed_again(
    tool: Tool, board: FakeBoard, fault: str
) -> None:
    board.behave("die", after=DONE)
    run(tool, board).failed(1)
    kept = contents_of(tool.store)
    board.behave(fault)
    tool("run", "--resume", "--timeout", WAIT_S).failed(1)
    assert contents_of(tool.store) == kept
    board.behave()
    tool("run", "--resume").succeeded()
    assert len(contents_of(tool.store)) == TOTAL


def test_a_board_that_has_moved_to_another_port_is_found_with_port(tool: Tool, board: FakeBoard) -> None:
    board.behave("die", after=DONE)
    result = tool("run", "serial", "example", *LEVELS, "--port", board.url).failed(1)
    with Store(tool.store) as store:
        assert store.run().plan.url == board.url
    other = type(board)()
    board.close()
    try:
        assert "Connection refused" in tool(*how_to_go_on(result)).failed(1).error
        tool(*how_to_go_on(result), "--port", other.url).succeeded()
        assert other.connections == 1
    finally:
        other.close()
    assert len(contents_of(tool.store)) == TOTAL


def test_a_target_that_is_something_else_entirely_is_named(tool: Tool, board: FakeBoard) -> None:
    board.program = ["yes", "login:"]
    words = ("info", "serial", "--port", board.url, "--timeout", PATIENCE)
    error = tool(*words).failed(1).error
    assert "the Intercore protocol" in error
    assert re.search(r"[Cc]heck the port", error)


def test_what_a_target_says_cannot_take_over_the_terminal(tool: Tool, board: FakeBoard) -> None:
    board.behave("control", after=DONE)
    result = run(tool, board)
    assert "\x1b" not in result.out + result.err
    assert result.status in {0, 1}


@pytest.mark.measures("speedup")
def test_a_board_with_fewer_parameters_is_measured_at_what_it_has(tool: Tool, board: FakeBoard) -> None:
    """The levels that this tool adds by itself are no demand: only what the user names must exist."""
    board.behave(parameters="few", benchmark="speedup")
    tool("run", "serial", "speedup", "--port", board.url, "n=10,100", "--repetitions", "1").succeeded()
    assert len(contents_of(tool.store)) == 2
    assert "did you mean" in tool("run", "serial", "speedup", "--port", board.url, "workloat=fp").failed(2).error


@pytest.mark.measures("speedup")
def test_a_board_with_a_smaller_range_is_measured_within_it(tool: Tool, board: FakeBoard) -> None:
    """As above: its n ends at 1,000,000, where the default sizes of this tool do not."""
    board.behave(benchmark="speedup")
    tool("run", "serial", "speedup", "--port", board.url, "mode=pool").succeeded()
    sizes = {key.factors["n"] for key in contents_of(tool.store)}
    assert sizes == {1000, 10_000, 100_000, 1_000_000}
