"""`message measure=overhead` and `idle` on the simulated chip: is what a load loses what a message takes from its core?

Judged by the turns that the simulator's probes see, and by delays of known length that are put into the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks.message import TRUE
from intercore.benchmarks.message.ground_truth import MessageProbe
from intercore.benchmarks.message.overhead import taken_us
from intercore.sim import CoreState
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, measurement, series
from tests.firmware.rp2040.delay import TURN, Delay

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.benchmarks.message.overhead import End
    from intercore.record.measurement import Measurement

ACROSS = ((0, 1), (1, 0))
TURN_OF_A_LOAD = 440
"""Cycles, at most at -O2: what is counted is whole turns, in each of two windows."""
DELAY = 400
"""Turns of a delay that a message gets."""


def measure(board: Board, words: str) -> Measurement:
    """Run the benchmark; all must have gone well."""
    answer = board.ask(f"run message measure=overhead {words} dither_us=300")
    found = measurement(answer, "message")
    assert answer[-1]["status"] == "ok", found.checks
    assert [found.checks[name] for name in ("wrong", "migrated", "preempted", "lost")] == [0, 0, 0, 0]
    return found


def cycles(found: Measurement, end: End) -> float:
    return float(np.median(taken_us(found, end))) * CLK_SYS_HZ / 1e6


@pytest.mark.parametrize("transport", ["queue", "rpmsg-zero-copy", "dma"])
def test_what_a_load_loses_is_what_the_simulator_sees_it_lose(board: Board, transport: str) -> None:
    witness = MessageProbe(board.chip)
    ways = ((0, 1), (1, 0), (0, 0)) if transport == "queue" else ACROSS[:1]
    for first, second in ways:
        witness.forget()
        found = measure(board, f"transport={transport} from={first} to={second} size=64 samples=1")
        true = {one.name: one for one in witness.truth(found.series, found.factors).series}
        ends: tuple[End, ...] = ("from",) if first == second else ("from", "to")
        assert set(true) == {f"{TRUE}{end}" for end in ends}
        for end in ends:
            measured = taken_us(found, end) * CLK_SYS_HZ / 1e6
            assert measured == pytest.approx(true[f"{TRUE}{end}"].ticks / 64, abs=3 * TURN_OF_A_LOAD / 64), (
                first,
                second,
                end,
            )
            assert measured.min() > 300, "a call, a switch or an interrupt at least"


@pytest.mark.parametrize(
    ("first", "second", "function", "slower"),
    [
        (0, 1, "xStreamBufferSend", "from"),
        (1, 0, "xStreamBufferReceive", "to"),
        (0, 0, "xStreamBufferReceive", "from"),
    ],
)
def test_a_delay_at_one_end_is_taken_from_that_core_alone(
    board: Board, o2: Path, first: int, second: int, function: str, slower: End
) -> None:
    """To what a turn is on one core; between two, the delay changes how often their loops meet on the bus as well."""
    delay = Delay(board.chip, o2 / "intercore-target", function)
    words = f"transport=stream-buffer from={first} to={second} size=16 samples=1 messages=100"
    delay.set(1)
    before = measure(board, words)
    delay.set(1 + DELAY)
    after = measure(board, words)
    ends: tuple[End, ...] = ("from",) if first == second else ("from", "to")
    for end in ends:
        moved = cycles(after, end) - cycles(before, end)
        added = DELAY * TURN if end == slower or first == second else 0
        exact = 4 * TURN_OF_A_LOAD / 100  # a turn at the end of each of four windows
        assert moved == pytest.approx(added, abs=exact if first == second else 0.05 * DELAY * TURN)


def test_what_a_message_takes_grows_with_its_size_only_if_it_is_copied(board: Board) -> None:
    def both(transport: str, size: int) -> tuple[float, float]:
        found = measure(board, f"transport={transport} from=0 to=1 size={size} samples=1 messages=32")
        return cycles(found, "from"), cycles(found, "to")

    few, many = both("queue", 16), both("queue", 1040)
    assert all(1024 / 2 < more - less < 1024 * 4 for less, more in zip(few, many, strict=True)), (few, many)
    # A turn more or less at the end of each of four windows: two beside an end's messages, for two sizes.
    assert both("notification", 1040) == pytest.approx(both("notification", 16), abs=4 * TURN_OF_A_LOAD / 32)


def test_with_the_receivers_core_asleep_or_awake(board: Board) -> None:
    """A core that sleeps takes its time to wake; the same message to one that spins goes by the same way."""
    for idle, state in (("sleep", CoreState.ASLEEP), ("spin", CoreState.RUNNING)):
        for first, second in ACROSS:
            board.chip.send(f"run message idle={idle} from={first} to={second} samples=3 dither_us=300\n".encode())
            for _ in range(3):
                board.chip.run(CLK_SYS_HZ, address="message_send_copied")
                assert board.chip.registers(second).state is state, (idle, second)
            answer = board.run(1.0)
            assert answer[-1]["status"] == "ok"
            assert len(series(answer, "latency")) == 3


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ("measure=overhead receiver=polling", "receiver=blocked"),
        ("measure=overhead load=to", "load=none idle=sleep"),
        ("measure=overhead idle=spin", "load=none idle=sleep"),
        ("idle=spin receiver=polling", "idle=sleep"),
        ("idle=spin load=both", "idle=sleep"),
        ("idle=spin from=0 to=0", "or for another core"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_to_ask_for(board: Board, words: str, instead: str) -> None:
    for command in ("run", "check"):
        said = board.ask(f"{command} message {words}", step=0.01)
        refused = next(line for line in said if line["type"] in ("error", "impossible"))
        assert (refused["code"], instead in refused["text"]) == ("unsupported", True), refused
