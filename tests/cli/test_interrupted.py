"""A run that ends early, by Ctrl-C, a signal or a full disk, keeps what is complete and says how to go on."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.cli.inspection import contents_of
from tests.cli.interruption import has_runs, press_ctrl_c, wait_until
from tests.cli.tool import PATIENCE, QUICK, Result, Tool, how_to_go_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.conftest import FakeBoard

LEVELS = ("from=0", "to=0", "longest_us=5000", "samples=100", "dither_us=10")
LONG = ("run", "host", "clock", *LEVELS, "-v", "--repetitions")
"""So many measurements of a quarter of a second each."""
TOTALS = (5, 20, 80)
"""How many measurements a run has, at first and where those were over before it could be interrupted."""


def interrupted(tool: Tool, interrupt: Callable[[subprocess.Popen[str]], object]) -> tuple[Result, int]:
    """Interrupt a run once its first measurement is complete; return how it ended, and how many it was to have.

    On a busy machine the run may be over before this process hears of its beginning: then a longer one is begun.
    """
    for total in TOTALS:
        with tool.started(*LONG, str(total), "--format", "json") as process:
            assert process.stderr is not None
            said = ""
            while f"1/{total} " not in said:
                line = process.stderr.readline()
                assert line, said
                said += line
            interrupt(process)
            out, err = process.communicate(timeout=PATIENCE)
        if len(contents_of(tool.store)) < total:
            return Result(process.returncode, out, said + err), total
        tool.store.unlink()
    raise AssertionError("nothing interrupts a run")


def test_ctrl_c_ends_a_run_in_good_order(tool: Tool) -> None:
    result, total = interrupted(tool, lambda process: os.killpg(process.pid, signal.SIGINT))
    assert result.status == 130
    assert result.out == ""
    assert "Traceback" not in result.err
    tool.wait_for_no_target()
    kept = contents_of(tool.store)
    assert len(kept) >= 1
    assert f"run 1 was interrupted: {len(kept)} of {total} measurements are in" in " ".join(result.err.split())
    numbers = set(re.findall(rf"^(\d+)/{total} ", result.err, re.MULTILINE))
    assert len(numbers) in {len(kept), len(kept) - 1}  # the signal may come between storing and saying so

    assert tool(*how_to_go_on(result)).succeeded()
    now = contents_of(tool.store)
    assert len(now) == total
    assert now.items() >= kept.items()


# With `create` one core stays free while T1 is taken: at a real-time priority, `spin` would starve the machine.
ENDLESS = ("run", "host", "speedup", "n=300000000", "samples=200", "mode=create", "--repetitions", "1")
"""One measurement of half an hour, of repetitions that take several seconds."""


@pytest.mark.measures("speedup")
def test_ctrl_c_does_not_wait_for_a_long_repetition(tool: Tool) -> None:
    with tool.started(*ENDLESS) as process:
        wait_until(lambda: has_runs(tool.store), process)
        time.sleep(0.5)  # so that it is in the repetition
        result = press_ctrl_c(process)
    assert result.status == 130
    assert "Traceback" not in result.err
    tool.wait_for_no_target()
    assert "0 of 1 measurements" in " ".join(result.err.split())


@pytest.mark.parametrize("words", [("info",), ("list",), ("run",)], ids=" ".join)
def test_ctrl_c_while_a_target_is_waited_for_is_no_traceback(
    tool: Tool, board: FakeBoard, words: tuple[str, ...]
) -> None:
    board.behave("mute")
    benchmark = ("example",) if words == ("run",) else ()
    with tool.started(*words, "serial", *benchmark, "--port", board.url) as process:
        wait_until(lambda: board.connections, process)
        result = press_ctrl_c(process)
    assert result.status == 130
    assert result.out == ""
    assert "Traceback" not in result.err


def test_ctrl_c_leaves_the_shell_though_the_terminal_stays(tool: Tool) -> None:
    with tool.started("shell", "host") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert '"hello"' in process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 130  # its standard input is still open
        assert process.stderr.read() == ""
    tool.wait_for_no_target()


def test_a_target_that_goes_away_ends_the_shell_though_the_terminal_stays(tool: Tool, board: FakeBoard) -> None:
    with tool.started("shell", "serial", "--port", board.url) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert '"hello"' in process.stdout.readline()
        board.close()
        assert process.wait(timeout=PATIENCE) == 1
        assert "Fatal" not in process.stderr.read()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_signal_that_ends_the_tool_ends_the_target_too(tool: Tool, name: str) -> None:
    result, total = interrupted(tool, lambda process: process.send_signal(signal.Signals[name]))
    assert result.status != 0
    tool.wait_for_no_target()
    kept = contents_of(tool.store)
    assert kept
    tool("run", "--resume").succeeded()
    now = contents_of(tool.store)
    assert len(now) == total
    assert now.items() >= kept.items()


def test_a_target_that_is_killed_is_an_error_and_the_run_can_go_on(tool: Tool) -> None:
    def kill_target(process: subprocess.Popen[str]) -> None:
        while process.poll() is None:  # each measurement starts another one: the one that is found may be over already
            for target in tool.targets():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(target, signal.SIGKILL)
            time.sleep(0.1)

    result, total = interrupted(tool, kill_target)
    assert "was killed by signal 9" in result.failed(1).error
    kept = contents_of(tool.store)
    tool(*how_to_go_on(result)).succeeded()
    assert contents_of(tool.store).items() >= kept.items()
    assert len(contents_of(tool.store)) == total


# Disk full

# A measurement takes some 30 kB of the write-ahead log, however few samples it has.
BIG = ("run", "host", *QUICK, "-v", "--repetitions", "10")
BIG_TOTAL = 60


def check_that_a_full_disk_costs_nothing_complete(tool: Tool, result: Result, mend: Callable[[], None]) -> None:
    assert "disk" in result.failed(1).error
    mend()
    kept = contents_of(tool.store)
    assert 0 < len(kept) < BIG_TOTAL
    said = " ".join(result.err.split())
    assert f"{len(kept)}/{BIG_TOTAL} " in said
    assert "continue with" in said
    tool("run", "--resume").succeeded()
    now = contents_of(tool.store)
    assert len(now) == BIG_TOTAL
    assert now.items() >= kept.items()


def test_a_store_that_may_not_grow_costs_nothing_complete(tool: Tool) -> None:
    result = tool(*BIG, file_limit=250_000)
    check_that_a_full_disk_costs_nothing_complete(tool, result, lambda: None)


@contextlib.contextmanager
def small_disk(path: Path, size: str) -> Iterator[None]:
    path.mkdir(exist_ok=True)
    options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(["mount", *options], check=False, capture_output=True).returncode != 0:
        pytest.skip("needs to be root and to be allowed to mount")
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


def test_a_full_disk_costs_nothing_complete(tool: Tool) -> None:
    with small_disk(tool.directory, "400k"):
        result = tool(*BIG)
        check_that_a_full_disk_costs_nothing_complete(tool, result, lambda: make_room(tool.directory))


def make_room(path: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=20m", str(path)], check=True)


def test_a_disk_that_is_full_from_the_start_is_an_error(tool: Tool) -> None:
    with small_disk(tool.directory, "8k"):
        (tool.directory / "filler").write_bytes(bytes(4096))
        result = tool(*BIG)
        assert "disk" in result.failed(1).error
        assert str(tool.store) in result.error


# Several at once


def at_once(*commands: Callable[[], Result]) -> list[Result]:
    results: list[Result] = []
    threads = [threading.Thread(target=lambda it=command: results.append(it())) for command in commands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_two_runs_into_one_store_at_once_both_succeed(tool: Tool) -> None:
    words = ("run", "host", *QUICK, "--repetitions", "3")
    for result in at_once(lambda: tool(*words), lambda: tool(*words)):
        result.succeeded()
    assert [key.campaign for key in sorted(contents_of(tool.store))] == [1] * 18 + [2] * 18


def test_two_resumes_of_one_run_at_once_measure_nothing_twice(tool: Tool) -> None:
    _, total = interrupted(tool, lambda process: process.kill())
    results = at_once(lambda: tool("run", "--resume"), lambda: tool("run", "--resume"))
    first, second = sorted(results, key=lambda result: result.status)
    first.succeeded()
    if second.status:  # or it came when the other had ended
        assert re.search("another process is measuring run 1 of|nothing to resume", second.failed(second.status).error)
    assert len(contents_of(tool.store)) == total
