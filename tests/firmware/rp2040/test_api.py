"""The benchmark `api` on the simulated chip: does it time the call that it names, all of it, and nothing else?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.firmware.rp2040.conftest import Board, series
from tests.firmware.rp2040.delay import SRAM4, TURN, Delay, calls_of

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

CALLS = (
    *("create", "delete", "give", "take", "lock", "unlock", "send", "receive", "notify", "notify-take", "set", "wait"),
    *("stream-send", "stream-receive", "critical", "allocate", "free", "nothing"),
)
SPREAD = 2
STRIPED = (0x20000000, 0x40000)
BX_LR = b"\x70\x47"


def taken(board: Board, call: str, **factors: Any) -> list[int]:  # noqa: ANN401 - integers and names
    """Return the samples of a call, in cycles, of a run in which nothing was wrong."""
    words = {"call": call, "samples": 5, "core": 1, "dither_us": 100, **factors}
    answer = board.ask("run api " + " ".join(f"{name}={value}" for name, value in words.items()))
    assert answer[-1].get("status") == "ok", (words, answer[-1])
    checks = answer[-1]["checks"]
    assert (checks["wrong"], checks["migrated"], checks["preempted"], checks["lost"]) == (0, 0, 0, 0), words
    assert checks["checked"] == words["samples"] + 1
    return series(answer, "call")


def test_every_call_can_be_measured_on_both_cores_alone_and_hammered(board: Board) -> None:
    for call in CALLS:
        alone = taken(board, call, core=1, other="none")
        hammered = taken(board, call, core=0, other="same")
        if call != "nothing":
            assert min(alone) > 250, f"{call} is no call of the kernel"
            assert np.mean(hammered) > min(alone), call


def test_every_object_can_be_hammered_and_memory_comes_back(board: Board) -> None:
    free = board.chip.address("xFreeBytesRemaining")
    taken(board, "give")  # the heap is made when it is first used
    before = board.chip.read_word(free)
    others = ("spin", "task", "semaphore", "mutex", "queue", "notification", "events", "stream", "critical", "memory")
    for other in others:
        assert min(taken(board, "give", other=other, size=1024)) > 250
    assert board.chip.read_word(free) == before


@pytest.mark.parametrize(
    ("call", "entry"),
    [
        ("give", "port_sem_give"),
        ("lock", "port_mutex_lock"),
        ("send", "port_queue_send"),
        ("allocate", "port_allocate"),
    ],
)
def test_measured_and_true_times_differ_by_one_constant(board: Board, call: str, entry: str) -> None:
    """True is from the call's first instruction to the first one of the reading behind it."""
    calls, clock = board.chip.watch_execution(entry), board.chip.watch_execution("port_clock")

    def differences(**factors: str | int) -> npt.NDArray[np.int64]:
        for probe in (calls, clock):
            probe.take()
        samples = taken(board, call, **factors)
        begins, readings = (
            np.array(probe.hits()["cycle"][probe.hits()["core"] == 1], np.int64) for probe in (calls, clock)
        )
        assert len(begins) == 1 + len(samples), "with the warm-up, and none outside of the windows"
        true = readings[np.searchsorted(readings, begins)] - begins
        found: npt.NDArray[np.int64] = np.array(samples) - true[1:]
        return found

    alone = np.concatenate([differences(size=size, samples=20) for size in (1, 64, 1000)])
    assert np.ptp(alone) <= SPREAD, "the true times are of several lengths, the difference is not"
    hammered = differences(other="same", samples=100)
    assert alone.min() <= hammered.min()
    assert np.ptp(hammered) <= 4 * SPREAD, "the other core takes the bus from the readings, too"


DELAYED = {
    "xQueueSemaphoreTake": {"take": 1, "lock": 1},
    "xQueueGenericSend": {"give": 1, "unlock": 1, "send": 1},
    "pvPortMalloc": {"allocate": 1, "create": 2},
    "vPortFree": {"free": 1, "delete": 2},
    "xTaskGenericNotify": {"notify": 1},
}
"""How often each call passes the function; all other calls never."""


def test_a_delay_in_the_kernel_moves_the_calls_that_pass_it_by_exactly_that(board: Board, o2: Path) -> None:
    def all_calls() -> dict[str, int]:
        # Streams come to lie elsewhere in their ring each time.
        return {call: min(taken(board, call)) for call in CALLS if not call.startswith("stream-")}

    delays = {
        function: Delay(board.chip, o2 / "intercore-target", function, SRAM4 + 64 * number)
        for number, function in enumerate(DELAYED)
    }
    before = all_calls()
    for number, (function, passes) in enumerate(DELAYED.items()):
        turns = 50 + 7 * number
        delays[function].set(1 + turns)
        moved = {call: cycles - before[call] for call, cycles in all_calls().items()}
        assert moved == {call: TURN * turns * passes.get(call, 0) for call in moved}, function
        delays[function].set(1)
    assert all_calls() == before


def test_the_other_core_sleeps_in_every_window_of_other_none_and_works_in_those_of_same(board: Board) -> None:
    accesses = [board.chip.watch_reads(*STRIPED), board.chip.watch_writes(*STRIPED)]
    calls, clock = board.chip.watch_execution("port_sem_give"), board.chip.watch_execution("port_clock")

    def accesses_in_windows(other: str) -> int:
        for probe in (*accesses, calls, clock):
            probe.take()
        taken(board, "give", core=0, other=other)
        begins, readings = (probe.hits()["cycle"][probe.hits()["core"] == 0] for probe in (calls, clock))
        ends = readings[np.searchsorted(readings, begins)]
        of_other = np.sort(np.concatenate([probe.hits()["cycle"][probe.hits()["core"] == 1] for probe in accesses]))
        return int((np.searchsorted(of_other, ends) - np.searchsorted(of_other, begins)).sum())

    assert accesses_in_windows("none") == 0
    assert accesses_in_windows("spin") > 6 * 10
    assert accesses_in_windows("same") > 6 * 10


def test_a_batch_is_so_many_calls_in_one_window(board: Board) -> None:
    for call in ("give", "lock", "send", "set", "allocate", "notify"):
        one, eight = min(taken(board, call)), min(taken(board, call, batch=8))
        assert 7 * (one - 46) < eight < 9 * one, call


def test_larger_items_take_longer_by_the_time_their_bytes_take(board: Board) -> None:
    sizes = np.array([16, 256, 512, 1024])
    costs = np.array([min(taken(board, "send", size=size)) for size in sizes])
    slope, fixed = np.polyfit(sizes, costs, 1)
    assert 0.5 < slope < 4, "cycles per byte of a copy"
    assert np.abs(costs - fixed - slope * sizes).max() < 10


def test_a_call_that_does_nothing_is_found_out(board: Board) -> None:
    board.chip.write(board.chip.address("port_sem_give") & ~1, BX_LR)
    answer = board.ask("run api call=give samples=5 core=1")
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 1, "a run does not go on with broken objects"


UNDONE = {
    "lock": "port_mutex_lock",
    "unlock": "port_mutex_unlock",
    "notify": "port_notify",
    "notify-take": "port_notify_take",
    "set": "port_events_set",
    "wait": "port_events_wait",
    "take": "port_sem_take",
}
NOP = b"\xc0\x46"


@pytest.mark.parametrize(("call", "function"), UNDONE.items())
def test_a_timed_call_that_is_left_out_is_found_out(board: Board, o2: Path, call: str, function: str) -> None:
    """Only the one in the window is; what prepares and checks makes its calls of the same function."""
    begin = board.chip.watch_execution("port_clock")
    target = board.chip.address(function) & ~1
    sites = {at: board.chip.watch_execution(at) for at in calls_of(o2 / "intercore-target", target)}
    for probe in (begin, *sites.values()):
        probe.take()
    taken(board, call)
    hits = begin.hits()
    readings = hits["cycle"][hits["core"] == 1][-2:]  # around the last window
    (timed,) = (
        at
        for at, probe in sites.items()
        if any(readings[0] < cycle < readings[1] for cycle in probe.hits()["cycle"][probe.hits()["core"] == 1])
    )
    board.chip.write(timed, 2 * NOP)
    answer = board.ask(f"run api call={call} samples=5 core=1")
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 1
    assert taken(board, "nothing"), "nobody waits for what was left out"


def test_a_preparation_that_does_nothing_leaves_no_sample(board: Board) -> None:
    board.chip.write(board.chip.address("port_events_set") & ~1, BX_LR)
    answer = board.ask("run api call=wait samples=5 core=1")
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 1
    assert series(answer, "call") == []


@pytest.mark.parametrize("other", ["none", "same"])
def test_a_critical_section_that_keeps_nobody_out_is_found_out(board: Board, other: str) -> None:
    for function in ("port_critical_enter", "port_critical_exit"):
        board.chip.write(board.chip.address(function) & ~1, BX_LR)
    answer = board.ask(f"run api call=critical samples=5 core=1 other={other}")
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 1


def test_too_large_a_setting_is_refused_with_a_reason(board: Board) -> None:
    assert "4096" in board.ask("run api call=stream-send size=1024 batch=8")[-1]["text"]
    assert taken(board, "give")


@pytest.mark.parametrize("call", ["create", "delete"])
def test_out_of_memory_ends_the_run_and_leaves_nothing_behind(board: Board, call: str) -> None:
    free = board.chip.address("xFreeBytesRemaining")
    taken(board, call)
    before = board.chip.read_word(free)
    answer = board.ask(f"run api call={call} batch=8 other=task samples=5")
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 1
    assert board.chip.read_word(free) == before
    assert taken(board, call)
