"""The benchmark `outage` on the simulated chip: is a standstill the flash's busy time and parts that have a name?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks.outage import PARTS
from intercore.benchmarks.outage.analysis import analyse
from intercore.sim import Reason, Simulator
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, built_with, checks_of, measurement, series

if TYPE_CHECKING:
    from typing import Any

    import numpy.typing as npt

    from intercore.sim import Probe

SPREAD = 2
"""Cycles by which measured and true times may differ."""
MS = CLK_SYS_HZ // 1000
ERASE = 45 * MS
"""Data sheet of the W25Q16JV, 9.6, typical."""
PROGRAM = MS * 4 // 10
POLL = 600
"""Cycles of a command that reads the status register, and of the loop around it, at most."""
QSPI_SS_CTRL = 0x4001_800C
DESELECTED = 3 << 8
SSI_DR0 = 0x1800_0060
SECTOR_ERASE = 0x20


def at(probe: Probe, core: int, value: int | None = None) -> npt.NDArray[np.int64]:
    hits = probe.hits()
    chosen = (hits["core"] == core) & ((hits["value"] == value) if value is not None else True)
    return np.asarray(hits[chosen]["cycle"].astype(np.int64))


@pytest.mark.parametrize("first", [0, 1])
def test_the_standstill_of_a_parked_core_is_the_flashs_time_and_parts_with_names(board: Board, first: int) -> None:
    reads = board.chip.watch_execution("port_clock_reads")
    parked = board.chip.watch_execution("outage_park")
    selects, frames = board.chip.watch_writes(QSPI_SS_CTRL), board.chip.watch_writes(SSI_DR0)
    answer = board.ask(f"run outage op=erase from={first} samples=2")
    assert checks_of(answer)["done"] == 2
    parts = {name: series(answer, name) for name in PARTS}
    longest = series(answer, "longest")
    assert longest == [sum(sample) for sample in zip(*parts.values(), strict=True)]
    deselected = at(selects, first, DESELECTED)
    here, there = at(reads, first), at(reads, 1 - first)
    for sample, park in enumerate(at(parked, 1 - first)):
        begin = there[there < park][-1]
        assert np.abs(there - (begin + longest[sample])).min() <= SPREAD, "it ends with a reading of that core"
        command = next(cycle for cycle in at(frames, first, SECTOR_ERASE) if cycle > park)
        busy = next(cycle for cycle in deselected if cycle > command)
        prepared, written = here[here < busy][-1], here[here > busy][0]
        poll = written - (busy + ERASE)
        assert 0 <= poll < POLL
        named = sum(parts[name][sample] for name in PARTS if name != "write")
        assert abs(named + (busy - prepared) + ERASE + poll - longest[sample]) <= SPREAD


def test_nobody_stands_still_while_all_code_is_in_ram(board: Board) -> None:
    for other in ("ram", "interrupt", "task"):
        answer = board.ask(f"run outage safe=ram other={other} samples=1")
        assert checks_of(answer)["checked"] == 1
        assert max(series(answer, "longest") + series(answer, "own")) < MS // 10
        assert min(series(answer, "write")) > ERASE + PROGRAM


@pytest.mark.parametrize("pages", [1, 16])
def test_each_page_adds_its_time(board: Board, pages: int) -> None:
    answer = board.ask(f"run outage op=both pages={pages} samples=1")
    extra = np.array(series(answer, "write")) - ERASE - pages * PROGRAM
    assert np.all((extra > 0) & (extra < pages * MS // 5)), "commands and 256 bytes on the wire"


def test_an_interrupt_each_100_us_is_late_by_the_standstill_and_450_of_them_do_not_come(board: Board) -> None:
    answer = board.ask("run outage op=erase other=interrupt samples=2")
    assert all(ERASE < late < ERASE + MS for late in series(answer, "longest"))
    assert all(450 <= missed < 460 for missed in series(answer, "missed"))


def stuck(board: Board, request: str) -> list[dict[str, Any]]:
    """The other core masks its interrupts for longer than the writing core waits."""
    return board.ask(f"run outage other=lock hold_us=700 patience_us=100 from=1 samples=2 seed=2 request={request}")


def test_a_request_that_is_left_parks_the_other_core_for_ever_and_is_told(board: Board) -> None:
    (found,) = analyse([measurement(stuck(board, "left"), "outage")]).outages
    assert found.gave_up == found.stuck > 0
    assert found.longest_us.max > 1e6


def test_one_that_is_withdrawn_does_not(board: Board) -> None:
    found = analyse([measurement(stuck(board, "withdrawn"), "outage")]).outages[0]
    assert found.gave_up > found.stuck == 0
    assert found.longest_us.max < 50e3


def test_what_was_not_stopped_executes_ones_from_a_busy_flash() -> None:
    """An image for flash on which the other core is parked, and then not."""
    board = Board(built_with(code="flash"))
    board.run(0.65)
    answer = board.ask("run outage other=flash samples=1")
    assert checks_of(answer)["checked"] == 2
    assert all(ERASE < longest < ERASE + 2 * MS for longest in series(answer, "longest"))
    chip: Simulator = board.chip
    assert chip.take_diagnostics() == []
    chip.send(b"run outage safe=unsafe op=program samples=1\n")
    stop = chip.run(CLK_SYS_HZ)
    assert stop.reason is Reason.LOCKUP
    assert "(flash-busy)" in "".join(chip.take_diagnostics())


def test_where_an_image_has_no_room_for_it_that_is_said() -> None:
    board = Board(built_with(opt="O0"))
    board.hear()
    answer = board.ask("run outage")
    (error,) = (line for line in answer if line["type"] == "error")
    assert "there is no room for it" in error["text"]
    assert not any(line["type"] == "samples" for line in answer)
