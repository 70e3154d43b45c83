"""The benchmark `lock` on the simulated chip: it measures what the simulator sees, and finds out what is no lock."""

from __future__ import annotations

import itertools
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.sim import Reason
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, checks_of, series
from tests.firmware.rp2040.probes import SPREAD, cycles, returns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from intercore.sim import Simulator

    Cycles = npt.NDArray[np.int64]

FUNCTIONS = {
    "mutex": ("port_mutex_lock", "port_mutex_unlock"),
    "spinlock": ("port_spinlock_lock", "port_spinlock_unlock"),
    "critical-section": ("port_critical_enter", "port_critical_exit"),
    "atomic-add": ("port_atomic_add", "port_atomic_add"),
    "atomic-swap": ("port_atomic_swap", "port_atomic_swap"),
}
"""What acquires and what releases."""
POLLING_SPREAD = 10
"""Cycles by which overhead at the clock may vary while the other core polls."""
AT_ONCE = 60
"""Cycles from the moment of a reading of the clock within which what is done next begins, if no tick comes between."""
TICKED = 300
"""Cycles that the kernel's tick takes core 0, at most."""
NOP, BX_LR = 0x46C0, 0x4770
"""Instructions."""
SRAM5 = 0x20041000
SPINLOCKS = 0xD0000100


class Watched:
    """A chip with probes on the clock, on the functions of a lock and on the kernel's tick."""

    def __init__(self, elf: Path, lock: str) -> None:
        self.board = Board(elf)
        self.board.run(0.65)
        chip = self.board.chip
        acquire, release = FUNCTIONS[lock]
        self._readings = chip.watch_execution("port_clock")
        self._moments = chip.watch_execution("port_clock_reads")
        self._acquired = [chip.watch_execution(at) for at in returns(elf, chip.symbols[acquire])]
        self._releases = chip.watch_execution(release)
        self._ticks = chip.watch_execution("isr_systick")

    def hand_overs(self, giver: int, getter: int) -> npt.NDArray[np.int64]:
        """What happened at each hand-over, in cycles, one line each.

        The moment of the giver's reading, the begin of the release, the end of the acquisition, the begin of the
        getter's reading, and its moment. A hand-over is a release right behind a reading, and the last one before the
        other core acquires, which then reads the clock.
        """
        releases, moments = cycles([self._releases], giver), cycles([self._moments], giver)
        before = moments[np.searchsorted(moments, releases) - 1]
        ticks = cycles([self._ticks], 0)
        is_ticked = (giver == 0) & (np.searchsorted(ticks, releases) > np.searchsorted(ticks, before))
        is_timed = releases - before < AT_ONCE + TICKED * is_ticked
        readings, theirs = cycles([self._readings], getter), cycles([self._moments], getter)
        acquired = cycles(self._acquired, getter)
        found = {}
        for release, moment in zip(releases[is_timed].tolist(), before[is_timed].tolist(), strict=True):
            reading, end = (int(of[of > release][0]) if of[-1] > release else 0 for of in (readings, theirs))
            had = acquired[(acquired > release) & (acquired < reading)]
            if len(had):
                found[int(had[-1])] = (moment, release, int(had[-1]), reading, end)
        return np.array(list(found.values()), np.int64)

    def is_ticked(self, found: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Tell in which hand-overs the kernel's tick came."""
        ticks = cycles([self._ticks], 0)
        return np.searchsorted(ticks, found[:, -1]) > np.searchsorted(ticks, found[:, 0] - 400)


@pytest.mark.parametrize("lock", FUNCTIONS)
def test_a_measured_hand_over_is_the_true_one_and_a_constant(o2: Path, lock: str) -> None:
    watched = Watched(o2 / "intercore-target", lock)
    words = "from=0 to=1 samples=60 hold=50 dither_us=300 seed=2"
    answer = watched.board.ask(f"run lock measure=hand-off lock={lock} {words}")
    checks_of(answer)
    for name, giver, getter in (("there", 0, 1), ("back", 1, 0)):
        measured = np.array(series(answer, name))
        found = watched.hand_overs(giver, getter)
        assert len(found) == len(measured) + 1, "one for each sample, and the warm-up"
        undisturbed = ~watched.is_ticked(found)[1:]
        assert undisturbed.sum() >= 0.7 * len(measured)
        moment, release, acquired, reading, end = found[1:][undisturbed].T
        measured = measured[undisturbed]
        assert np.ptp(measured - (end - moment)) <= SPREAD, "between the moments of the two readings"
        # From the release itself to the begin of the reading after the acquisition: what is measured more is overhead.
        # Who waits by overhead again and again takes the bus from the other core's reading now and then.
        assert np.ptp(measured - (reading - release)) <= (SPREAD if lock == "mutex" else POLLING_SPREAD)
        overhead = np.median(series(answer, f"timestamp_overhead.{getter}"))
        assert np.median(measured - (reading - release)) == pytest.approx(overhead, abs=6)
        assert np.all(acquired < reading)


@pytest.mark.parametrize("giver", [0, 1])
def test_from_and_to_are_the_cores_that_release_and_acquire(o2: Path, giver: int) -> None:
    watched = Watched(o2 / "intercore-target", "mutex")
    answer = watched.board.ask(f"run lock lock=mutex from={giver} to={1 - giver} samples=20 dither_us=300")
    checks_of(answer)
    there, back = watched.hand_overs(giver, 1 - giver), watched.hand_overs(1 - giver, giver)
    assert len(there) == len(back) == 21
    assert np.all(there[:, 0] < back[:, 0]), "from releases first"
    assert np.all(back[:-1, 0] < there[1:, 0])


def delay_release(chip: Simulator, nops: int) -> int:
    """Let the release of a spinlock take longer before all else; return by how many cycles.

    The function moves to bank 5 of SRAM, behind some NOPs: there, what the other core does on the bus costs nothing.
    Its first 8 bytes make room for a jump.
    """
    symbol = chip.symbols["port_spinlock_unlock"]
    start = symbol.address & ~1
    assert start % 4 == 0
    assert symbol.size >= 8
    chip.write(SRAM5, struct.pack("<H", NOP) * nops + chip.read(start, symbol.size))
    chip.write(start, struct.pack("<HHI", 0x4B00, 0x4718, SRAM5 | 1))  # LDR r3, [pc, #0]; BX r3
    return nops + 2 + 2  # LDR, BX


def test_a_delay_in_the_release_is_measured_to_the_cycle(o2: Path) -> None:
    medians = []
    delay = 0
    for nops in (0, 396):
        board = Board(o2 / "intercore-target")
        board.run(0.65)
        delay = delay_release(board.chip, nops) if nops else 0
        answer = board.ask("run lock lock=spinlock from=0 to=1 samples=30 dither_us=300")
        checks_of(answer)
        medians.append([np.median(series(answer, name)) for name in ("there", "back")])
    # The loop of who waits takes 4 cycles: it may look at another moment of it.
    assert np.subtract(medians[1], medians[0]) == pytest.approx(delay, abs=4)


@pytest.mark.parametrize("lock", ["spinlock", "critical-section", "mutex"])
def test_a_lock_that_is_none_is_found_out(o2: Path, lock: str) -> None:
    board = Board(o2 / "intercore-target")
    board.run(0.65)
    for function in FUNCTIONS[lock]:
        board.chip.write(board.chip.address(function) & ~1, struct.pack("<H", BX_LR))
    end = board.ask(f"run lock measure=contention lock={lock} samples=5 rounds=100 dither_us=100")[-1]
    assert end["status"] == "failed"
    assert end["checks"]["wrong"] > 0


def test_contention_is_seen_as_it_was(o2: Path) -> None:
    """The acquisitions of each core, by the successful readings of the hardware's lock."""
    board = Board(o2 / "intercore-target")
    board.run(0.65)
    taken = board.chip.watch_reads(SPINLOCKS + 4 * 24, 4)
    answer = board.ask("run lock measure=contention lock=spinlock samples=4 rounds=50 dither_us=100")
    checks_of(answer)
    hits = taken.hits()
    hits = hits[hits["value"] != 0]
    bouts = np.cumsum([0, *series(answer, "bout")])
    moments = {core: np.array(series(answer, f"taken.{core}")) for core in (0, 1)}
    for begin, end in itertools.pairwise(bouts.tolist()):
        of_bout = [((begin < ticks) & (ticks <= end)).sum() for ticks in moments.values()]
        assert max(of_bout) == 50, "a bout ends when one core has had it that often"
    measured = sum(len(ticks) for ticks in moments.values())
    # Besides: the warm-up, and the acquisitions by which cores find that a bout is over.
    assert measured < len(hits) <= measured + 100 + 2 * 5
    order = np.argsort(np.concatenate(list(moments.values())), kind="stable")
    owners = np.repeat([0, 1], [len(ticks) for ticks in moments.values()])[order]
    seen = hits["core"][-(len(owners) + 10) :]
    assert contains(seen.tolist(), owners[-40:].tolist()), "in the order in which the hardware gave it"


def contains(long: Sequence[int], short: Sequence[int]) -> bool:
    return any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1))


@pytest.mark.parametrize("lock", ["atomic-add", "atomic-swap"])
def test_a_ping_pong_is_as_many_round_trips_as_asked(o2: Path, lock: str) -> None:
    board = Board(o2 / "intercore-target")
    board.run(0.65)
    changes = board.chip.watch_writes(address_of_word(o2 / "intercore-target", lock), 4)
    answer = board.ask(f"run lock measure=ping-pong lock={lock} samples=10 batch=20 dither_us=100")
    checks_of(answer)
    hits = changes.hits()
    written = hits["value"].astype(np.int64)
    changed = hits[(np.diff(written, prepend=0) != 0) & (written != 0)]
    assert len(changed) == 11 * 41, "there and back, the last one home, and the warm-up"
    assert changed["core"].tolist() == 11 * ([0, 1] * 20 + [0]), "in turn"
    ways = changed["cycle"].astype(np.int64).reshape(11, 41)
    measured = np.array(series(answer, "round_trips"))
    # Behind the first change and before the last: reading the clock, and a call or two.
    more = measured - np.ptp(ways, axis=1)[1:]
    assert np.all((more >= 0) & (more < 250))


def address_of_word(elf: Path, lock: str) -> int:
    """Where the benchmark's counter lies: the first argument of the operation."""
    board = Board(elf)
    board.run(0.65)
    board.chip.send(f"run lock measure=ping-pong lock={lock} samples=1 batch=10 dither_us=0\n".encode())
    function = FUNCTIONS[lock][0]
    stops = [board.chip.run(CLK_SYS_HZ, address=function, core=1) for _ in range(3)]  # the first may be to meet
    assert {stop.reason for stop in stops} == {Reason.ADDRESS}
    return board.chip.registers(1).r[0]


def test_what_cannot_be_measured_is_refused(board: Board) -> None:
    for words in ("measure=ping-pong lock=mutex", "from=1 to=1", "measure=contention cores=1"):
        assert [line["type"] for line in board.ask(f"check lock {words}")] == ["impossible", "end"]
        assert board.ask(f"run lock {words} samples=3")[-1]["type"] == "error"
