"""All that can be seen of a simulated chip."""

from __future__ import annotations

from dataclasses import dataclass

from intercore.sim import Simulator, Statistics


@dataclass(frozen=True)
class Outcome:
    """All that can be seen of a chip."""

    now: int
    state_hash: int
    statistics: tuple[Statistics, Statistics]
    uart: bytes
    uart_cycles: bytes


def outcome(simulator: Simulator) -> Outcome:
    sent = simulator.take_uart_timed()
    statistics = (simulator.statistics(0), simulator.statistics(1))
    return Outcome(simulator.now, simulator.state_hash(), statistics, sent.data, sent.cycles.tobytes())
