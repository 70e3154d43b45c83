"""The benchmark `irq` of the real program: every path is taken, and what is lost or doubled is counted."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from intercore.board.build import SANITIZE_VARIABLE
from tests.firmware.host.conftest import PATIENCE, series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

PATHS = ("timer-handler", "handler-task", "timer-task", "doorbell", "doorbell-round-trip")


def run(terminal: Terminal, path: str, first: int, second: int, interrupted: str) -> list[dict[str, Any]]:
    return terminal.ask(
        f"run irq path={path} from={first} to={second} interrupted={interrupted} samples=5 dither_us=100"
    )


@pytest.mark.parametrize("path", PATHS)
def test_every_path_is_taken_between_all_cores_whatever_they_do(terminal: Terminal, path: str) -> None:
    cores = range(min(terminal.ask("info")[0]["cores"], 2))
    for interrupted in ("idle", "busy", "kernel"):
        for first in cores:
            for second in cores:
                answer = run(terminal, path, first, second, interrupted)
                checks = answer[-1]["checks"]
                assert answer[-1]["status"] == "ok", checks
                assert [checks[name] for name in ("done", "checked", "wrong", "migrated", "lost")] == [5, 6, 0, 0, 0]
                taken = series(answer)["latency"]
                assert len(taken) == 5
                assert all(0 < ticks < 1_000_000_000 for ticks in taken)


def test_what_stands_for_interrupts_is_named(terminal: Terminal) -> None:
    conditions = terminal.conditions()
    assert "timer_create" in conditions["interrupt.timer"]
    assert "pthread_kill" in conditions["interrupt.doorbell"]


@pytest.mark.parametrize(
    ("parameter", "code"),
    [
        ("path=door", "bad-value"),
        ("path=gpio-handler", "bad-value"),
        ("cache=cold", "bad-value"),
        ("interrupted=asleep", "bad-value"),
        ("to=65", "out-of-range"),
    ],
)
def test_what_it_does_not_have_is_refused(terminal: Terminal, parameter: str, code: str) -> None:
    assert terminal.ask(f"run irq {parameter}")[-1]["code"] == code


def blocked(task: Path) -> int:
    """The signals that a thread blocks, as a mask; none if it has just ended."""
    try:
        lines = (task / "status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1], 16) for line in lines if line.startswith("SigBlk"))


def listener(pid: int, number: signal.Signals) -> int:
    """The thread of a process that takes a signal and blocks others, as an interrupt's does while it waits for it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for task in Path(f"/proc/{pid}/task").iterdir():
            mask = blocked(task)
            if mask >> (signal.SIGTERM - 1) & 1 and not mask >> (number - 1) & 1:
                return int(task.name)
    raise AssertionError("no thread waits for the signal")


@pytest.mark.skipif(
    os.environ.get(SANITIZE_VARIABLE) == "thread",
    reason="what nobody in the program has sent is ordered with nothing in it, which is what the sanitizer looks for",
)
@pytest.mark.parametrize(
    ("path", "number"),
    [("timer-handler", signal.SIGALRM), ("timer-task", signal.SIGALRM), ("doorbell", signal.SIGUSR1)],
)
def test_an_interrupt_without_a_cause_fails_the_run(terminal: Terminal, path: str, number: signal.Signals) -> None:
    terminal.type(f"run irq path={path} from=0 to=0 samples=2 rest_ms=1000\n")
    pid = terminal.process.pid
    thread = listener(pid, number)
    time.sleep(0.1)  # in a rest
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.tgkill(pid, thread, int(number)) == 0, ctypes.get_errno()
    end = terminal.answer()[-1]
    assert end["status"] == "failed"
    assert end["checks"]["wrong"] >= 1
    assert end["checks"]["lost"] == 0


def test_a_signal_to_the_process_does_no_harm(terminal: Terminal) -> None:
    assert run(terminal, "doorbell", 0, 0, "idle")[-1]["status"] == "ok"
    terminal.process.send_signal(signal.SIGUSR1)
    assert run(terminal, "doorbell", 0, 0, "idle")[-1]["status"] == "ok"
