"""The benchmark `threadmetric` of the real program: every count in both forms, with its results checked."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.firmware.host.conftest import Terminal, cores, series

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = (
    *("basic", "cooperative", "preemptive", "interrupt"),
    *("interrupt-preemption", "message", "synchronisation", "memory"),
)
FIVE = ("cooperative", "preemptive")


def windows(terminal: Terminal, words: str) -> Iterator[list[dict[str, Any]]]:
    """The answers for windows of 100 ms, and for longer ones: in a short one a busy machine may have no turn for us."""
    for window_ms in (100, 1000, 10000):
        yield terminal.ask(f"run threadmetric {words} window_ms={window_ms}")


@pytest.mark.parametrize("form", ["same", "cross"])
def test_every_count_is_taken_and_right(terminal: Terminal, form: str) -> None:
    info = terminal.ask("info")[0]
    if info["cores"] < 2 and form == "cross":
        pytest.skip("there is no other core")
    for test in TESTS:
        words = f"test={test} form={form} core={info['cores'] - 1} samples=2"
        answer = next((found for found in windows(terminal, words) if all(series(found)["count"])), None)
        assert answer is not None, f"{test} never counts"
        assert answer[-1].get("status") == "ok", (test, answer[-1])
        checks = answer[-1]["checks"]
        assert (checks["done"], checks["checked"], checks["wrong"], checks["migrated"]) == (2, 2, 0, 0)
        taken = series(answer)
        assert all(length >= info["hz"] // 10 for length in taken["window"]), "a window is not shorter than asked"
        assert ("least" in taken) == (test in FIVE)


def test_an_interrupt_that_is_late_when_all_is_over_wakes_no_task_of_the_next_window(
    program: Path, tmp_path: Path
) -> None:
    source, library = Path(__file__).with_name("late_interrupts.c"), tmp_path / "late.so"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source], check=True)
    terminal = Terminal(program, {"LD_PRELOAD": str(library), "ASAN_OPTIONS": "verify_asan_link_order=0"})
    terminal.answer()
    if cores(terminal) < 2:
        pytest.skip("an interrupt on the task's own core is over when the task goes on")
    answer = terminal.ask("run threadmetric test=interrupt form=cross window_ms=1000 samples=2")
    assert terminal.close() == ""
    assert (answer[-1]["checks"]["checked"], answer[-1]["checks"]["wrong"]) == (2, 0)
    assert all(series(answer)["count"]), "they came"


def test_a_longer_window_holds_more(terminal: Terminal) -> None:
    short, long = (
        max(series(terminal.ask(f"run threadmetric test=message window_ms={window} samples=1"))["count"])
        for window in (10, 1500)
    )
    assert long > 2 * short, "a busy machine takes much of the longer one, and not all"


def test_bad_settings_are_refused(terminal: Terminal) -> None:
    assert terminal.ask("run threadmetric test=dhrystone")[-1]["code"] == "bad-value"
    assert terminal.ask("run threadmetric window_ms=4")[-1]["code"] == "out-of-range"
