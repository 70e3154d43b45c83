"""A recorded measurement on the simulated chip, and what the chip's probes saw of it meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.board.build import board_image
from intercore.record.trace_recording import Kind
from intercore.sim.observation import OTHER_IMAGE
from intercore.target.connection import Connection
from intercore.target.simulated_chip import SimulatedPico
from intercore.trace.history import History
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from intercore.board.boards import Board
    from intercore.link.session import Answer, Session
    from intercore.record.measurement import Level
    from intercore.record.trace_recording import Recording
    from intercore.sim import Probe, Simulator

    Cycles = npt.NDArray[np.int64]

FIFO_WRITE = 0xD0000054
"""SIO's FIFO_WR (RP2040 datasheet 2.3.1.7), by which one core interrupts the other."""


def with_recorder(board: Board, events: int) -> Path:
    """Return the program of a board that keeps so many events of each core, built once for all tests."""
    need_tools()
    return board_image(board, {"trace": events}, lambda _: None).elf


class Target:
    """The program on a simulated chip, and the conversation with it."""

    def __init__(self, program: Path, faults: Sequence[str] = ()) -> None:
        self.chip = SimulatedPico(program, 115200, faults)
        self.simulator: Simulator = self.chip.simulator
        self.connection = Connection(self.chip.port, self.chip)

    def session(self) -> Session:
        return self.connection.session()


class Recorded(NamedTuple):
    plain: Answer
    """With the recorder off."""
    answer: Answer
    recording: Recording
    history: History


def measured(session: Session, benchmark: str, factors: Mapping[str, Level]) -> Recorded:
    """Measure without the recorder and with it."""
    plain = session.measure(benchmark, factors)
    answer, recording = session.record(benchmark, factors)
    return Recorded(plain, answer, recording, History(recording))


class Watch:
    """Probes that are placed when a measurement begins: at functions, by name, in each core's image."""

    def __init__(self, simulator: Simulator, *functions: str) -> None:
        names = (name for place in functions for name in (place, f"{OTHER_IMAGE}{place}"))
        self._probes = [simulator.watch_execution(name) for name in names if name in simulator.symbols]

    def on(self, core: int) -> Cycles:
        """When a core passed, in order."""
        return cycles(self._probes, core)


def cycles(probes: Sequence[Probe], core: int) -> Cycles:
    """When a core passed any of some probes, in order."""
    if not probes:
        return np.array([], np.int64)
    hits = np.concatenate([probe.hits() for probe in probes])
    return np.sort(hits["cycle"][hits["core"] == core].astype(np.int64))


def times(recording: Recording, core: int, kind: Kind) -> Cycles:
    """When the events of a kind happened on a core, by the recorder."""
    return np.array([event.time for event in recording.rings[core].events if event.kind is kind], np.int64)


def lag(event_cycles: Cycles, true_cycles: Cycles) -> Cycles:
    """Return by how many cycles each event is behind the last true moment that is not after it."""
    found = np.searchsorted(true_cycles, event_cycles, side="right") - 1
    assert (found >= 0).all(), "an event before the first of all true ones"
    behind: Cycles = event_cycles - true_cycles[found]
    return behind
