"""The benchmark `irq` on the simulated chip: does it measure what it says, judged by the simulator's probes?

What a sample is measured longer than it truly was must be one constant: the part of a reading of the clock that lies
before the moment in which it reads, behind it, or both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from intercore.sim import Reason
from tests.firmware.rp2040.clock_truth import MHZ, TIMER_LOW
from tests.firmware.rp2040.conftest import Board, built_with, series
from tests.firmware.rp2040.pin import GPIO_OUT_XOR

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from intercore.sim import Probe

    Cycles = npt.NDArray[np.int64]

SPREAD = 2
"""Cycles by which measured minus true latencies may vary."""
ENTRY = 18
"""Cycles from a block's interrupt to the first instruction of its handler, without wait states: 3 to the core
(sim/src/rp2040/irq.rs), and 15 there (Cortex-M0+ TRM 3.6.1; sim/src/isa/armv6m/exception.rs)."""
BEFORE_READING = 8
"""Cycles from the first instruction of port_clock() to its moment: 6, and 2 of the APB (rp2040_clock.h)."""
ALARM = 0x40054010
PIN = 3
"""GP3: firmware/board/rp2/cores/rp2_pin.h."""
UNTIL_EDGE = 40
"""Cycles from the reading of the clock before an edge to the store to the pin: the rest of the reading, and 3."""
XIP_FLUSH = 0x1400_0004
MISS = 44
"""Cycles that a line of 8 bytes takes from flash: docs/simulator.md."""
TICK = 400
"""Cycles, at most, by which a tick delays a ring, and from the tick's entry to that ring."""
CONSOLE = "samples=40 dither_us=300"
PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1)]


def measure(board: Board, command: str) -> list[int]:
    """Return the latencies of a run in which nothing went wrong."""
    answer = board.ask(f"run irq {command} {CONSOLE}")
    end = answer[-1]
    assert end["status"] == "ok", end
    checks = end["checks"]
    assert (checks["done"], checks["checked"]) == (40, 41)
    assert [checks[name] for name in ("wrong", "migrated", "preempted", "lost")] == [0, 0, 0, 0]
    found = series(answer, "latency")
    assert len(found) == 40
    return found


class Watch:
    """What the chip does at places of the program."""

    def __init__(self, board: Board) -> None:
        self._chip = board.chip
        self.clock = board.chip.watch_execution("port_clock")
        microsecond = board.chip.peek_register(TIMER_LOW)
        while board.chip.peek_register(TIMER_LOW) == microsecond:
            board.chip.run(1)
        self._zero = board.chip.now - MHZ * (microsecond + 1)
        self.alarms = [board.chip.watch_writes(ALARM + 4 * core, 4) for core in (0, 1)]

    def at(self, name: str) -> Probe:
        return self._chip.watch_execution(name)

    def due(self, core: int) -> Cycles:
        """The cycles in which TIMER reached what its alarms were set to, by the microseconds that are read from it."""
        return np.array(self.alarms[core].hits()["value"].astype(np.int64) * MHZ + self._zero, np.int64)


def cycles(probe: Probe, core: int) -> Cycles:
    """When a core passed a place; all must have been on it."""
    hits = probe.hits()
    assert set(hits["core"].tolist()) == {core}
    return np.array(hits["cycle"], np.int64)


def next_of(probe: Probe, core: int, moments: Cycles) -> Cycles:
    """When a core passed a place for the first time at or after some moments."""
    hits = probe.hits()
    passed = np.array(hits["cycle"][hits["core"] == core], np.int64)
    found: Cycles = passed[np.searchsorted(passed, moments)]
    return found


def differences(measured: list[int], begins: Cycles, ends: Cycles) -> Cycles:
    """Measured minus true latencies, without that of the warm-up."""
    return np.array(measured, np.int64) - (ends - begins)[1:]


@pytest.mark.parametrize("interrupted", ["idle", "busy", "kernel"])
@pytest.mark.parametrize("core", [0, 1])
def test_a_timer_is_measured_from_its_due_moment_to_the_reading_in_its_handler(
    board: Board, core: int, interrupted: str
) -> None:
    watch = Watch(board)
    fires, handler = watch.at("alarm_fires"), watch.at("read_clock")
    # `to` has no meaning here.
    measured = measure(board, f"path=timer-handler from={core} to={1 - core} interrupted={interrupted}")
    due = watch.due(core)
    off = differences(measured, due, next_of(watch.clock, core, cycles(handler, core)))
    assert off.min() == BEFORE_READING
    assert np.ptp(off) <= SPREAD
    entry = cycles(fires, core) - due
    if interrupted == "idle":
        assert set(entry.tolist()) == {ENTRY}
    elif interrupted == "busy":
        assert entry.min() == ENTRY
        assert np.median(entry) <= ENTRY + 2
    else:
        assert entry.max() > 10 * ENTRY, "the kernel's masked interrupts show"


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_wake_up_is_measured_from_the_handler_to_the_task(board: Board, first: int, second: int) -> None:
    watch = Watch(board)
    wake_ups, handler = watch.at("port_notify_from_handler"), watch.at("read_clock_and_wake")
    measured = measure(board, f"path=handler-task from={first} to={second}")
    begins = cycles(wake_ups, first)
    assert len(cycles(handler, first)) == len(begins)
    off = differences(measured, begins, next_of(watch.clock, second, begins))
    assert np.ptp(off) <= SPREAD


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_whole_way_is_measured_from_the_due_moment_to_the_task(board: Board, first: int, second: int) -> None:
    watch = Watch(board)
    wake_ups = watch.at("port_notify_from_handler")
    measured = measure(board, f"path=timer-task from={first} to={second}")
    off = differences(measured, watch.due(first), next_of(watch.clock, second, cycles(wake_ups, first)))
    assert off.min() == BEFORE_READING
    assert np.ptp(off) <= SPREAD


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_ring_is_measured_from_one_core_to_the_handler_of_the_other(board: Board, first: int, second: int) -> None:
    watch = Watch(board)
    rings, handler = watch.at("port_doorbell_ring"), watch.at("read_clock")
    measured = measure(board, f"path=doorbell from={first} to={second}")
    off = differences(measured, cycles(rings, first), next_of(watch.clock, second, cycles(handler, second)))
    assert np.ptp(off) <= SPREAD


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_round_trip_is_measured_on_the_core_that_rings_first(board: Board, first: int, second: int) -> None:
    watch = Watch(board)
    rings, answers, handler = watch.at("port_doorbell_ring"), watch.at("ring_back"), watch.at("read_clock")
    ticks = watch.at("isr_systick")
    measured = measure(board, f"path=doorbell-round-trip from={first} to={second}")
    if first != second:
        assert len(cycles(answers, second)) == len(cycles(handler, first)) == 41
    begins = rings.hits()["cycle"][::2].astype(np.int64)  # every second one is the answer
    off = differences(measured, begins, next_of(watch.clock, first, begins))
    # A tick between the first reading and the ring is measured, and the ring comes after it.
    ticked = ticks.hits()["cycle"][ticks.hits()["core"] == first].astype(np.int64)
    free = np.searchsorted(ticked, begins) == np.searchsorted(ticked, begins - TICK)
    assert np.sum(~free) <= 2, "more than by chance"
    delayed, off = off[~free[1:]], off[free[1:]]
    assert np.ptp(off) <= SPREAD
    assert all(off.max() < each < off.max() + TICK for each in delayed)


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize(("path", "seen"), [("gpio-handler", "read_clock"), ("gpio-task", "port_notify_from_handler")])
def test_an_edge_is_measured_from_the_pin_to_the_handler_and_the_task(
    board: Board, path: str, seen: str, first: int, second: int
) -> None:
    edges = Edges(board)
    handler = board.chip.watch_execution(seen)
    measured = measure(board, f"path={path} from={first} to={second}")
    off = edges.differences(measured, handler, first, second)
    assert np.ptp(off) <= SPREAD
    assert np.all(np.abs(off - UNTIL_EDGE) <= SPREAD)


class Edges:
    """What the chip does from now on at the pin, and when its cores read the clock."""

    def __init__(self, board: Board) -> None:
        self._stores = board.chip.watch_writes(GPIO_OUT_XOR)
        self._moments = board.chip.watch_execution("port_clock_reads")

    def differences(self, measured: list[int], handler: Probe, first: int, second: int) -> Cycles:
        """Measured minus true latencies: from the store to the pin to the first reading after the handler."""
        assert set(self._stores.hits()["value"].tolist()) == {1 << PIN}
        begins = cycles(self._stores, first)
        ends = next_of(self._moments, second, cycles(handler, second))
        assert np.all(cycles(handler, second) > begins)
        return differences(measured, begins, ends)


def test_from_flash_an_empty_cache_delays_the_handler_of_an_edge_and_not_the_edge() -> None:
    board = Board(built_with(code="flash"))
    board.run(0.65)
    flushes = board.chip.watch_writes(XIP_FLUSH)
    medians = {}
    for cache in ("warm", "cold"):
        edges, handler = Edges(board), board.chip.watch_execution("read_clock")
        before = len(flushes.hits())
        measured = measure(board, f"path=gpio-handler from=0 to=1 cache={cache}")
        off = edges.differences(measured, handler, 0, 1)
        assert np.all(np.abs(off - UNTIL_EDGE) <= SPREAD)
        assert (len(flushes.hits()) > before + 40) is (cache == "cold")
        medians[cache] = np.median(measured)
    # The vector, the port's handler, and the benchmark's are in lines of their own.
    assert medians["cold"] > medians["warm"] + 3 * MISS


def test_where_code_is_in_ram_there_is_no_cache_to_empty(board: Board) -> None:
    assert board.ask("run irq cache=cold")[-1]["code"] == "bad-value"


def delay(board: Board, function: str, turns: int) -> None:
    """Let a function that is called by its address begin with a loop of so many turns of 3 cycles, and up to 9 more.

    The loop stands in SRAM5, which this benchmark does not use, and who has the function's address gets the loop's.
    """
    chip, loop = board.chip, 0x20041000
    address = chip.address(function) | 1
    code = [
        0x2300 | turns,
        0x3B01,
        0xD1FD,
        0x4B01,
        0x4718,
        0,
    ]  # movs r3, #turns; subs r3, #1; bne; ldr r3, [pc, #4]; bx r3
    chip.write(loop, b"".join(half.to_bytes(2, "little") for half in code) + address.to_bytes(4, "little"))
    start, end = (chip.address(name) for name in ("board_entry", "board_constructors"))
    text = chip.read(start & ~3, end - (start & ~3))
    places = [at for at in range(0, len(text) - 3, 4) if text[at : at + 4] == address.to_bytes(4, "little")]
    assert places, f"nobody has the address of {function}"
    for at in places:
        chip.write_word((start & ~3) + at, loop | 1)


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("timer-handler", "alarm_fires"),
        ("timer-task", "wake"),
        ("doorbell", "read_clock"),
        ("doorbell-round-trip", "ring_back"),
    ],
)
def test_a_delay_in_the_way_is_measured_to_the_cycle(o2: Path, path: str, function: str) -> None:
    medians = []
    for turns in (0, 10, 110):
        board = Board(o2 / "intercore-target")
        board.run(0.65)
        if turns:
            delay(board, function, turns)
        watch = Watch(board)
        rings, handler = watch.at("port_doorbell_ring"), watch.at("read_clock")
        measured = np.median(measure(board, f"path={path} from=0 to=1"))
        if path == "doorbell-round-trip":
            # The waiting core is awake: the answer interrupts it at the end of one instruction or another.
            answers = rings.hits()["cycle"][1::2].astype(np.int64)
            measured -= np.median(next_of(handler, 0, answers) - answers)
        medians.append(measured)
    # A ring begins with a reading of the clock, whose moment is known to SPREAD; a timer's begin is exact.
    jitter = SPREAD if path.startswith("doorbell") else 0
    assert medians[2] - medians[1] == pytest.approx(300, abs=jitter)
    assert 30 - jitter <= medians[1] - medians[0] <= 40 + jitter


def test_a_delay_that_is_not_in_the_way_is_not_measured(o2: Path) -> None:
    medians = []
    for turns in (0, 100):
        board = Board(o2 / "intercore-target")
        board.run(0.65)
        if turns:
            delay(board, "alarm_fires", turns)
        medians.append(np.median(measure(board, "path=handler-task from=0 to=1")))
    assert medians[0] == medians[1]


def reach(board: Board, function: str, rung: int, *, is_set: bool) -> None:
    """Let the chip run until core 1 is about to execute a function while the flag at `rung` is as given."""
    for _ in range(100):
        stop = board.chip.run(100_000_000, address=function, core=1)
        assert stop.reason is Reason.ADDRESS, f"core 1 does not come to {function}: {stop}"
        if bool(board.chip.read(rung, 1)[0]) is is_set:
            return
    raise AssertionError("the flag never changes")


def flag(board: Board) -> int:
    """The address of the flag that says that core 1 was rung: the last word of the doorbells."""
    doorbells = board.chip.symbols["doorbells"]
    return doorbells.address + doorbells.size - 4


def test_a_ring_that_is_lost_is_counted(board: Board) -> None:
    """The flag vanishes once, just before the interrupt would look at it."""
    board.chip.send(b"run irq path=doorbell from=0 to=1 samples=10 dither_us=100\n")
    for _ in range(5):
        reach(board, "fifo_has_words", flag(board), is_set=True)
    board.chip.write_word(flag(board), 0)
    end = answer_end(board)
    assert end["status"] == "failed"
    assert (end["checks"]["lost"], end["checks"]["wrong"], end["checks"]["done"]) == (1, 0, 10)


def test_an_interrupt_without_a_cause_is_counted(board: Board) -> None:
    """Core 1 finds the flag set once more than it was rung, in an interrupt that only makes it yield."""
    board.chip.send(b"run irq path=doorbell from=0 to=1 interrupted=kernel samples=10 dither_us=100\n")
    reach(board, "read_clock", flag(board), is_set=False)
    reach(board, "fifo_has_words", flag(board), is_set=False)
    board.chip.write_word(flag(board), 1)
    end = answer_end(board)
    assert end["status"] == "failed"
    assert (end["checks"]["lost"], end["checks"]["wrong"]) == (0, 1)


def answer_end(board: Board) -> dict[str, Any]:
    """Let the run go on to its end."""
    for _ in range(100):
        said = board.run(0.1)
        if said and said[-1]["type"] == "end":
            return said[-1]
    raise AssertionError("the run does not end")
