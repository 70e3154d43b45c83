"""Where interleavings of the cores can matter: accesses to what both use, to peripherals, and SEV, WFE and WFI."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.sim import Simulator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from intercore.sim import Probe

SRAM, SRAM_BYTES = 0x2000_0000, 0x4_2000
FIFOS, SPINLOCKS = (0xD000_0050, 0x10), (0xD000_0100, 0x80)
"""The parts of SIO that both cores share (RP2040 datasheet 2.3.1); also first address and bytes of peripherals."""
PERIPHERALS = (0x4000_0000, 0x2000_0000)
EVENT = 1
"""What SEV, WFE and WFI are accesses to: the event register of both cores."""
_SEV, _WFE, _WFI = 0xBF40, 0xBF20, 0xBF30
_SLICE = 200_000
"""Cycles between two looks at the hits of probes, of which a few per cycle are kept."""
_MOST_CYCLES = 250_000_000
"""The run is recorded up to here: two seconds at 125 MHz."""
_MOST_OF_A_PLACE = 4096
"""Executions of an instruction that are kept, the first ones."""

ACCESS = np.dtype([("cycle", "<i8"), ("pc", "<u4"), ("word", "<u4"), ("core", "u1"), ("writes", "?")])
"""An access of an instruction to a word, or to EVENT."""


def recorded(image: Path, began: int, end: int, progress: Callable[[str], None]) -> npt.NDArray[np.void]:
    """Return accesses at which the order of the cores may matter, of the undisturbed run, by time: an array of ACCESS.

    A word of SRAM is shared if both cores access it, and one writes it, after cycle `began`, when core 1 was started.
    """
    end = min(end, began + _MOST_CYCLES)
    progress("which words both cores use")
    words = _shared_words(image, began, end)
    progress("where they are used")
    simulator = Simulator(image)
    ranges = [*_ranges(words), FIFOS, SPINLOCKS, PERIPHERALS]
    simulator.run_to(began)
    reads = [simulator.watch_reads(first, size) for first, size in ranges]
    writes = [simulator.watch_writes(first, size) for first, size in ranges]
    events = [(simulator.watch_execution(at), writes_event) for at, writes_event in event_instructions(simulator)]
    found: list[npt.NDArray[np.void]] = []
    kept: dict[tuple[int, int], int] = {}
    while simulator.now < end and _goes_on(simulator, end):
        slices = [accesses_of(probe, writes=False) for probe in reads]
        slices += [accesses_of(probe, writes=True) for probe in writes]
        slices += [accesses_of(probe, writes=writes_event, word=EVENT) for probe, writes_event in events]
        accesses = np.concatenate(slices)
        found.append(_first_ones(accesses[np.lexsort((accesses["core"], accesses["cycle"]))], kept))
    if not found:
        return np.zeros(0, ACCESS)
    return np.concatenate(found)


def event_instructions(simulator: Simulator) -> Iterable[tuple[int, bool]]:
    """Yield the addresses of SEV, WFE and WFI in functions, and whether it is SEV.

    Data between functions that looks like one does no harm: it is not executed.
    """
    for symbol in {symbol for _, symbol in simulator.all_symbols() if symbol.is_function and symbol.size}:
        try:
            code = np.frombuffer(simulator.read(symbol.address & ~1, symbol.size & ~1), "<u2")
        except ValueError:
            continue
        for at in np.flatnonzero(np.isin(code, (_SEV, _WFE, _WFI))):
            yield (symbol.address & ~1) + 2 * int(at), bool(code[at] == _SEV)


def _goes_on(simulator: Simulator, end: int) -> bool:
    """Run a little; return whether there was anything."""
    before = simulator.now
    simulator.run(min(_SLICE, end - before))
    simulator.take_uart()
    simulator.take_usb()
    return simulator.now > before


def _shared_words(image: Path, began: int, end: int) -> npt.NDArray[np.int64]:
    simulator = Simulator(image)
    simulator.run_to(began)
    probes = simulator.watch_reads(SRAM, SRAM_BYTES), simulator.watch_writes(SRAM, SRAM_BYTES)
    used = np.zeros((2, 2, SRAM_BYTES // 4), bool)  # by kind of access, core, word
    while simulator.now < end and _goes_on(simulator, end):
        for kind, probe in enumerate(probes):
            hits = probe.take()
            used[kind, hits["core"], (hits["address"] - SRAM) // 4] = True
    both = (used[0] | used[1]).all(axis=0) & used[1].any(axis=0)
    return SRAM + 4 * np.flatnonzero(both)


def _ranges(words: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return first address and bytes of runs of words."""
    if not words.size:
        return []
    runs = np.split(words, np.flatnonzero(np.diff(words) != 4) + 1)
    return [(int(run[0]), int(run[-1] - run[0]) + 4) for run in runs]


def accesses_of(probe: Probe, *, writes: bool, word: int | None = None) -> npt.NDArray[np.void]:
    """Take the hits of a probe as an array of ACCESS."""
    hits = probe.take()
    accesses = np.zeros(hits.size, ACCESS)
    for name in ("cycle", "pc", "core"):
        accesses[name] = hits[name]
    accesses["word"] = hits["address"] & ~np.uint32(3) if word is None else word
    # What one core writes to a register of a FIFO, the other one sees in others.
    accesses["word"][(accesses["word"] >= FIFOS[0]) & (accesses["word"] < FIFOS[0] + FIFOS[1])] = FIFOS[0]
    accesses["writes"] = writes
    return accesses


def _first_ones(accesses: npt.NDArray[np.void], kept: dict[tuple[int, int], int]) -> npt.NDArray[np.void]:
    """Return accesses without those of instructions of which enough are kept."""
    keep = np.ones(accesses.size, bool)
    places, where = np.unique(accesses[["core", "pc"]], return_inverse=True)
    for number, place in enumerate(places):
        key = int(place["core"]), int(place["pc"])
        of_place = np.flatnonzero(where == number)
        room = max(0, _MOST_OF_A_PLACE - kept.get(key, 0))
        keep[of_place[room:]] = False
        kept[key] = kept.get(key, 0) + of_place.size
    return accesses[keep]


def instructions_of(accesses: npt.NDArray[np.void]) -> Sequence[tuple[int, int]]:
    """Return core and address of each instruction that has an access."""
    return sorted({(int(one["core"]), int(one["pc"])) for one in np.unique(accesses[["core", "pc"]])})
