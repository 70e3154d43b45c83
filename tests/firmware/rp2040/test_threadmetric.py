"""The benchmark `threadmetric` on the simulated chip: are the counts those of what truly happened, and where it did?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from tests.firmware.rp2040.conftest import Board, series
from tests.firmware.rp2040.delay import TURN, Delay

if TYPE_CHECKING:
    from pathlib import Path

TESTS = (
    *("basic", "cooperative", "preemptive", "interrupt"),
    *("interrupt-preemption", "message", "synchronisation", "memory"),
)


class Count(NamedTuple):
    """Of one window."""

    count: int
    window: int
    least: int | None
    most: int | None


def counted(board: Board, test: str, form: str, core: int = 0, window_ms: int = 10) -> Count:
    answer = board.ask(f"run threadmetric test={test} form={form} core={core} window_ms={window_ms} samples=1")
    assert answer[-1].get("status") == "ok", answer[-1]
    checks = answer[-1]["checks"]
    assert (checks["checked"], checks["wrong"], checks["migrated"]) == (1, 0, 0)
    found = {name: (series(answer, name) or [None])[0] for name in ("count", "window", "least", "most")}
    return Count(**found)  # type: ignore[arg-type]


@pytest.mark.parametrize("test", TESTS)
def test_every_count_is_taken_in_both_forms_from_either_core(board: Board, test: str) -> None:
    free = board.chip.address("xFreeBytesRemaining")
    counted(board, test, "same")
    before = board.chip.read_word(free)
    each = {
        (form, core): found.window / found.count
        for form in ("same", "cross")
        for core in (0, 1)
        if (found := counted(board, test, form, core))
    }
    assert each["same", 0] == pytest.approx(each["same", 1], rel=0.03), "the cores are alike, and core 0 has the tick"
    assert each["cross", 0] == pytest.approx(each["cross", 1], rel=0.2)
    assert board.chip.read_word(free) == before


def test_tasks_on_one_core_take_turns(board: Board) -> None:
    for test in ("cooperative", "preemptive"):
        found = counted(board, test, "same", window_ms=20)
        assert found.least is not None
        assert found.most is not None
        assert found.most - found.least <= 2
        assert found.count == pytest.approx(5 * found.least, abs=10)


@pytest.mark.parametrize(
    ("test", "function", "per_count", "form", "of_core"),
    [
        ("message", "port_queue_receive", 1, "same", 0),
        ("message", "port_queue_receive", 1, "cross", 1),
        ("message", "port_queue_send", 1, "cross", 0),
        ("synchronisation", "port_sem_take", 1, "same", 0),
        ("memory", "port_allocate", 1, "same", 0),
        ("interrupt", "handle_and_notify", 1, "same", 0),
        ("interrupt", "handle_and_notify", 1, "cross", 1),
        ("interrupt-preemption", "handle_and_notify", 1, "cross", 1),
        ("preemptive", "port_task_resume", 4 / 5, "same", 0),
    ],
)
def test_as_much_is_counted_as_is_done_and_on_the_core_named(
    board: Board, test: str, function: str, per_count: float, form: str, of_core: int
) -> None:
    """All that is done is seen: in the window and in some ticks before it, so rates are compared."""
    probe = board.chip.watch_execution(function)
    found = counted(board, test, form, window_ms=30)
    hits = probe.hits()
    cycles = np.sort(hits["cycle"][hits["core"] == of_core].astype(np.int64))
    assert len(cycles) > 0.9 * len(hits)
    middle = cycles[len(cycles) // 4 : -len(cycles) // 4]
    true = (middle[-1] - middle[0]) / (len(middle) - 1) * per_count
    assert found.window / found.count == pytest.approx(true, rel=0.02)


def test_a_delay_in_the_kernel_makes_each_message_take_so_much_longer(board: Board, o2: Path) -> None:
    delay = Delay(board.chip, o2 / "intercore-target", "xQueueReceive")

    def each(test: str) -> float:
        found = counted(board, test, "same", core=1, window_ms=30)
        return found.window / found.count

    before = {test: each(test) for test in ("message", "synchronisation", "memory")}
    delay.set(1 + 100)
    assert each("message") - before["message"] == pytest.approx(TURN * 100, abs=3)
    assert each("synchronisation") == pytest.approx(before["synchronisation"], abs=1)
    assert each("memory") == pytest.approx(before["memory"], abs=1)
