"""A bad line to the chip: bits flipped, bytes lost and doubled, both ways.

A target takes all samples of a measurement before it sends them, so what is asked for again is what was there before.
Two things follow, and are tested: what the desk has is what the target's memory has; and that is what the same command
gives over a good line, cycle for cycle, because a measurement begins at a phase that its seed chooses. The exception is
a measurement into which an interrupt falls that comes at another time in another run: the watchdog's beat, every 2 s,
or a byte of a command that the desk repeats. The measurement behind such a one is as any other: it depends neither on
what was before nor on when its command came, be it right before the tick.
"""

from __future__ import annotations

import itertools
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from intercore.link.session import Session
from intercore.target.simulated_chip import SimulatedPico
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

NOISE = [
    ["uart-out:flip=3e-4,lose=3e-4,double=3e-4,seed=8"],
    ["uart-out:flip=1e-4,lose=1e-4,double=1e-4,seed=3", "uart-in:flip=1e-4,seed=4"],
    ["uart-out:flip=3e-4,lose=3e-4,double=3e-4,seed=5", "uart-in:flip=5e-4,lose=5e-4,double=5e-4,seed=6"],
    ["uart-in:flip=2e-3,lose=2e-3,double=2e-3,seed=13"],
]
SETTINGS = [
    {"n": n, "mode": mode, "samples": 20, "dither_us": 100, "seed": seed}
    for seed, (n, mode) in enumerate(itertools.product((100, 300), ("create", "pool", "spin")))
]
TICK = CLK_SYS_HZ // 1000
BEAT, UART = "rp2040_watchdog_beat", "interrupt"
"""Handlers that have nothing to do with what is measured."""
AWAKE = 2000
"""Cycles for which core 0 is awake from ic_measure() on, at most."""
SERIES = struct.Struct("<24s4xIII")
"""struct ic_series of firmware/core/samples.h: name, clock and unit (not read here), address of the samples, how many,
room for how many."""


class Measured(NamedTuple):
    received: dict[str, list[int]]
    in_memory: dict[str, list[int]]
    disturbed: bool
    """An interrupt of those that are watched has come into it."""


class Target:
    """The benchmark program at the far end of a line, and its memory."""

    def __init__(self, program: Path, faults: Sequence[str] = (), interrupts: Sequence[str] = (BEAT, UART)) -> None:
        chip = SimulatedPico(program, 115200, faults)
        self._chip = chip.simulator
        self._begin = self._chip.watch_execution("ic_measure")
        self._end = self._chip.watch_execution("ic_answer_result")
        self._interrupts = [self._chip.watch_execution(name) for name in interrupts]
        self.session = Session(chip.port, repeatable=True)
        self.session.info()

    def measure(self, setting: Mapping[str, int | str], benchmark: str = "speedup") -> Measured:
        answer = self.session.measure(benchmark, setting)
        assert answer.status == "ok"
        begin = self._begin.hits()["cycle"].max()
        end = min(cycle for cycle in self._end.hits()["cycle"] if cycle > begin)
        cycles = np.concatenate([probe.hits()["cycle"] for probe in self._interrupts])
        disturbed = bool(((cycles >= begin) & (cycles <= end)).any())
        return Measured({one.name: one.ticks.tolist() for one in answer.series}, self._memory(), disturbed)

    def _memory(self) -> dict[str, list[int]]:
        found = {}
        for index in range(self._chip.read_word("series_count")):
            head = self._chip.read(self._chip.address("all") + index * SERIES.size, SERIES.size)
            name, ticks, count, _ = SERIES.unpack(head)
            found[name.split(b"\0")[0].decode()] = np.frombuffer(self._chip.read(ticks, 8 * count), "<i8").tolist()
        return found


@pytest.fixture(scope="module")
def clean(o2: Path) -> list[Measured]:
    target = Target(o2 / "intercore-target", [])
    return [target.measure(setting) for setting in SETTINGS]


@pytest.mark.parametrize("faults", NOISE, ids=range(len(NOISE)))
@pytest.mark.measures("speedup")
def test_samples_come_whole_and_are_those_of_a_good_line(o2: Path, clean: list[Measured], faults: list[str]) -> None:
    target = Target(o2 / "intercore-target", faults)
    noisy = [target.measure(setting) for setting in SETTINGS]
    for one in noisy:
        assert one.received == one.in_memory
        assert [len(one.received[name]) for name in ("t1", "tp")] == [20, 20]
    pairs = [(ours, other) for ours, other in zip(clean, noisy, strict=True) if not (ours.disturbed or other.disturbed)]
    assert len(pairs) > len(SETTINGS) / 2
    # One may differ by some cycles: two cores that compute can meet at the banks in another phase.
    assert sum(ours.received != other.received for ours, other in pairs) <= 1


@pytest.mark.measures("clock")
def test_samples_are_the_same_at_every_rate_also_behind_a_report(o2: Path) -> None:
    """A report, one every quarter of a second, takes 25 times as long on the slow line as on the fast one."""
    slow, fast = (Target(o2 / "intercore-target", interrupts=[BEAT]) for _ in range(2))
    fast.session.raise_rate(3_000_000)
    compared = 0
    for seed in range(1, 13):
        setting = {"from": 1, "to": 0, "samples": 400, "seed": seed}
        pair = slow.measure(setting, "clock"), fast.measure(setting, "clock")
        if not any(one.disturbed for one in pair):
            assert pair[0].received == pair[1].received, seed
            compared += 1
        if compared == 2:
            return
    raise AssertionError("core 1's beat fell into each measurement")


@pytest.mark.measures("speedup")
def test_a_command_that_comes_right_before_the_tick_gives_the_same_samples(board: Board) -> None:
    """The tick then finds core 0 on its way to sleep, and its interrupt begins some cycles sooner or later."""
    chip = board.chip
    begins, ticks = chip.watch_execution("ic_measure"), chip.watch_execution("isr_systick")
    start, arrival = chip.snapshot(), chip.now + TICK

    def measure(later: int) -> tuple[int, list[int]]:
        """Let the command arrive so much later; return the cycles from there to the tick, and the samples."""
        chip.restore(start)
        chip.send(b"run speedup n=100 mode=spin samples=3 dither_us=20\n", not_before=arrival + later)
        answer: list[dict[str, Any]] = []
        while not answer or answer[-1]["type"] != "end":
            answer += board.run(0.02)
        begin = int(begins.hits()["cycle"][-1])
        tick = min(cycle for cycle in ticks.hits()["cycle"].tolist() if cycle > begin)
        return tick - begin, series(answer, "t1") + series(answer, "tp")

    usual, samples = measure(0)
    assert AWAKE < usual < TICK - AWAKE, "far from any tick"
    for before in range(500, AWAKE, 150):
        distance, found = measure(usual - before)
        assert distance < 2 * AWAKE
        assert found == samples, before


@pytest.mark.measures("speedup")
def test_the_noise_is_enough_to_be_noticed(o2: Path) -> None:
    target = Target(o2 / "intercore-target", NOISE[2])
    for setting in SETTINGS[:2]:
        target.measure(setting)
    assert target.session.statistics.bad_lines > 10
