"""The benchmark `api` of the real program: every call is made, its results are right, bad settings are refused."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.firmware.host.conftest import Terminal

CALLS = (
    *("create", "delete", "give", "take", "lock", "unlock", "send", "receive", "notify", "notify-take", "set", "wait"),
    *("stream-send", "stream-receive", "critical", "allocate", "free", "nothing"),
)
OTHERS = ("none", "spin", "same", "task", "semaphore", "mutex", "queue", "notification", "events", "stream", "critical")

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
"""Requests of ptrace(2), from <sys/ptrace.h>."""
WAIT_FOR_THREADS = 0x40000000
"""waitpid(2): __WALL."""


@pytest.mark.parametrize("other", ["none", "spin", "same"])
def test_every_call_is_made_and_right(terminal: Terminal, other: str) -> None:
    cores = terminal.ask("info")[0]["cores"]
    if cores < 2 and other != "none":
        pytest.skip("there is no other core")
    for call in CALLS:
        for batch in (1, 8 if call not in ("stream-send", "stream-receive") else 4):
            answer = terminal.ask(
                f"run api call={call} other={other} batch={batch} size=777 core={cores - 1} samples=10 dither_us=10"
            )
            assert answer[-1].get("status") == "ok", (call, answer[-1])
            checks = answer[-1]["checks"]
            assert (checks["done"], checks["checked"], checks["wrong"], checks["migrated"]) == (10, 11, 0, 0)
            assert len(series(answer)["call"]) == 10
            assert min(series(answer)["call"]) >= 0


def test_who_looks_whether_a_critical_section_excludes_does_not_stop_in_one(terminal: Terminal) -> None:
    """The witness has more priority than the task that enters critical sections on its core: once it stopped that task
    in one, about every 500th time, and then waited for a second for who waited for the section.

    Where other programs want the processors, each wait for who has none of them lasts for a turn of the scheduler: then
    as many samples as there is time for must do.
    """
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("there is no other core")
    long_enough = threading.Timer(30, terminal.type, ["abort\n"])
    long_enough.start()
    answer = terminal.ask("run api call=critical other=same core=1 samples=4000 dither_us=0")
    long_enough.cancel()
    assert answer[-1]["status"] in {"ok", "aborted"}
    assert (answer[-1]["checks"]["done"] > 0, answer[-1]["checks"]["wrong"]) == (True, 0)


def test_a_task_that_gets_no_processor_for_a_while_is_not_a_wrong_one(terminal: Terminal) -> None:
    """Other programs may keep a task from its core for more than a second: then it has broken no rule."""
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("there is no other core")
    terminal.type("run api call=critical other=same core=1 samples=1000000 dither_us=0\n")
    time.sleep(0.1)
    for thread in sorted(int(path.name) for path in Path(f"/proc/{terminal.process.pid}/task").iterdir())[1:]:
        with kept_from_running(thread):
            time.sleep(1.2)
    terminal.type("abort\n")
    answer = terminal.answer()
    assert (answer[-1]["status"], answer[-1]["checks"]["wrong"]) == ("aborted", 0)


@contextlib.contextmanager
def kept_from_running(thread: int) -> Iterator[None]:
    """Stop one thread of a child of this process, as a debugger does."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    ptrace.restype = ctypes.c_long
    for request in (SEIZE, INTERRUPT):
        assert ptrace(request, thread, None, None) == 0, os.strerror(ctypes.get_errno())
    os.waitpid(thread, WAIT_FOR_THREADS)
    yield
    assert ptrace(DETACH, thread, None, None) == 0, os.strerror(ctypes.get_errno())


def test_the_other_core_can_call_anything_meanwhile(terminal: Terminal) -> None:
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("there is no other core")
    for other in (*OTHERS, "memory"):
        answer = terminal.ask(f"run api call=give other={other} samples=5 dither_us=10")
        assert answer[-1]["status"] == "ok", other


def test_sizes_from_one_byte_to_the_largest_arrive_whole(terminal: Terminal) -> None:
    for call in ("send", "receive", "stream-send", "stream-receive", "allocate"):
        for size in (1, 2, 3, 1023, 1024):
            answer = terminal.ask(f"run api call={call} size={size} samples=3 dither_us=0")
            assert answer[-1]["checks"]["wrong"] == 0, (call, size)


def test_bad_settings_are_refused_with_a_reason(terminal: Terminal) -> None:
    for setting, code in {
        "call=jump": "bad-value",
        "size=0": "out-of-range",
        "size=1025": "out-of-range",
        "batch=9": "out-of-range",
        "core=65": "out-of-range",
        "call=stream-send size=1024 batch=5": "out-of-range",
    }.items():
        assert terminal.ask(f"run api {setting}")[-1]["code"] == code, setting
    assert terminal.ask("run api samples=3")[-1]["status"] == "ok"
