"""The benchmark `message` on the simulated chip: is what it measures the way of a message from one core to the other?

Judged by the simulator's probes, which see both cores in one count of cycles; by delays that are put into the way; and
by messages that are damaged and lost on it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from intercore.benchmarks.message.ground_truth import MessageProbe
from intercore.sim import CoreState
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, measurement, series
from tests.firmware.rp2040.delay import SIO_IRQ_PROC1, TURN, Delay, slow_down_handler

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from intercore.record.measurement import Measurement

OFFSET = 40
"""Measured minus true times, in cycles, as calibration finds it: what an empty pair of time stamps measures, less the
way from the one reading to the other."""
SPREAD = 2
"""Cycles that they may be off that, as a reading waits for the bus now and then."""
SENDS = {"queue": "xQueueGenericSend", "stream-buffer": "xStreamBufferSend", "notification": "xTaskGenericNotify"}
"""What is called between the first reading and the end of a send."""
ACROSS = ((0, 1), (1, 0))
PAIRS = tuple(itertools.product((0, 1), (0, 1)))
FEW = "samples=10 dither_us=300"
RETURN_TRUE = bytes.fromhex("01207047")
"""movs r0, #1; bx lr"""


def transports(board: Board) -> list[str]:
    found = next(
        line["choices"] for line in board.ask("list")
        if line["type"] == "parameter" and (line["benchmark"], line["name"]) == ("message", "transport")
    )  # fmt: skip
    return list(found)


def possible(board: Board, settings: list[str]) -> list[str]:
    """Leave out those that are impossible: larger than a transport takes, or between cores that it does not lead to."""
    return [words for words in settings if board.ask(f"check message {words}", step=0.01)[0]["type"] != "impossible"]


def measure(board: Board, words: str) -> Measurement:
    """Run the benchmark; all must have gone well."""
    answer = board.ask(f"run message {words}")
    found = measurement(answer, "message")
    assert answer[-1]["status"] == "ok", found.checks
    assert [found.checks[name] for name in ("wrong", "migrated", "preempted", "lost")] == [0, 0, 0, 0]
    return found


def differences(witness: MessageProbe, measured: Measurement) -> tuple[npt.NDArray[np.int64], int]:
    """Measured minus true times, in order of size, without those looked at during an interrupt; how many these were."""
    truth = witness.truth(measured.series, measured.factors)
    name = "latency" if measured.factors["measure"] == "latency" else "window"
    off = np.sort(measured.samples(name).ticks - truth.series[0].ticks)
    interrupted = truth.checks["interrupted"]
    return off[: len(off) - interrupted], interrupted


BLOCKED = ("from=0 to=1 size=1", "from=1 to=0 size=4000", "from=0 to=0 size=100", "from=1 to=1 size=6")
POLLING = ("from=0 to=1 size=64", "from=1 to=0 size=1000")


def test_what_is_measured_differs_from_the_truth_by_a_constant(board: Board) -> None:
    """Whatever the transport, the direction and the size, whether ends block or poll."""
    witness = MessageProbe(board.chip)
    settings = [
        f"transport={transport} {words}"
        for transport in transports(board)
        for words in (*BLOCKED, *(f"{words} receiver=polling" for words in POLLING))
    ]
    off = {}
    for words in possible(board, settings):
        witness.forget()
        off[words], interrupted = differences(witness, measure(board, f"{words} {FEW}"))
        assert interrupted <= 4, words
    assert len(off) >= 4 * 6
    blocked, polling = (
        np.concatenate([found for words, found in off.items() if ("polling" in words) == polls])
        for polls in (False, True)
    )
    assert np.ptp(blocked) <= SPREAD, "one constant, the clock's, for all transports, directions and sizes"
    # Beside a core that polls each of the two readings waits for the bus now and then.
    assert np.all(np.abs(polling - OFFSET) <= SPREAD)
    assert np.all(np.abs(blocked - OFFSET) <= SPREAD)


@pytest.mark.parametrize(("first", "second"), ACROSS)
def test_so_do_windows_of_streams_and_long_messages_under_load(board: Board, first: int, second: int) -> None:
    witness = MessageProbe(board.chip)
    for transport, words in itertools.product(
        ("queue", "message-buffer", "notification"),
        ("measure=throughput messages=20 size=64 samples=4", "size=4000 load=both samples=10 dither_us=300"),
    ):
        witness.forget()
        found = measure(board, f"transport={transport} from={first} to={second} {words}")
        off, interrupted = differences(witness, found)
        assert np.all(np.abs(off - OFFSET) <= SPREAD)
        assert "load" in words or np.ptp(off) <= SPREAD, "beside no load there is one constant for all messages"
        assert interrupted <= 3


def test_every_region_carries_the_largest_message_that_fits(board: Board) -> None:
    settings = [
        f"transport={transport} region={region} size={size} from=1 to=0"
        for transport, (region, size) in itertools.product(
            transports(board), (("sram-striped", 4096), ("sram4", 3400), ("sram5", 7))
        )
    ]
    for words in possible(board, settings):
        assert measure(board, f"{words} samples=1 dither_us=0").checks["checked"] == 3


# What is measured


@pytest.mark.parametrize("transport", SENDS)
@pytest.mark.parametrize(("first", "second"), [(0, 0), *ACROSS])
def test_a_delay_in_the_send_is_measured_exactly(
    board: Board, o2: Path, transport: str, first: int, second: int
) -> None:
    delay = Delay(board.chip, o2 / "intercore-target", SENDS[transport])
    words = f"transport={transport} from={first} to={second} size=16 samples=10 dither_us=0"
    delay.set(1)
    before = measure(board, words)
    delay.set(401)
    after = measure(board, words)
    # On one core the sender is inside the call until the receiver waits again, which sends to the console task as well.
    for name in ("latency", "send") if first != second else ("latency",):
        moved = np.median(after.samples(name).ticks) - np.median(before.samples(name).ticks)
        assert moved == pytest.approx(400 * TURN, abs=4), name


@pytest.mark.parametrize("function", ["port_task_waits", "port_sem_give"])
def test_a_delay_before_the_send_or_behind_the_receive_is_not_measured(board: Board, o2: Path, function: str) -> None:
    delay = Delay(board.chip, o2 / "intercore-target", function)
    words = "transport=message-buffer from=0 to=1 size=16 samples=10 dither_us=0"
    delay.set(1)
    before = measure(board, words)
    delay.set(1001)
    after = measure(board, words)
    # Turn by turn, as where the message lies in the buffer makes a difference; a tick falls into few of them.
    assert np.median(after.samples("latency").ticks - before.samples("latency").ticks) == 0


@pytest.mark.parametrize(("first", "second"), ACROSS)
def test_the_receiver_is_on_the_core_that_is_asked_for(board: Board, first: int, second: int) -> None:
    """Core 1's doorbell gets slower. That shows on the way to core 1 alone: `from` and `to` are not swapped."""
    words = f"transport=queue from={first} to={second} size=16 samples=10 dither_us=0"
    before = np.median(measure(board, words).samples("latency").ticks)
    slow_down_handler(board.chip, core=1, exception=SIO_IRQ_PROC1, turns=200)
    moved = np.median(measure(board, words).samples("latency").ticks) - before
    assert moved == pytest.approx(200 * TURN if second == 1 else 0, abs=60)


@pytest.mark.parametrize(("first", "second"), ACROSS)
def test_what_the_receiver_and_its_core_do_before_the_send(board: Board, first: int, second: int) -> None:
    for words, states in (
        ("", {CoreState.ASLEEP}),
        ("receiver=polling", {CoreState.RUNNING}),
        ("load=to", {CoreState.RUNNING}),
    ):
        setting = f"transport=queue from={first} to={second} {words} samples=5 dither_us=300"
        board.chip.send(f"run message {setting}\n".encode())
        for _ in range(4):
            board.chip.run(CLK_SYS_HZ, address="message_send_copied")
            assert board.chip.registers(first).pc == board.chip.address("message_send_copied") & ~1
            assert board.chip.registers(second).state in states
            function = board.chip.function_at(board.chip.registers(second).pc)
            assert words.find("load") < 0 or (function is not None and function[0].startswith(("await", "run_load")))
        board.run(1.0)


def test_a_longer_message_takes_longer_only_if_it_is_copied(board: Board) -> None:
    def latency(transport: str, size: int) -> float:
        words = f"transport={transport} from=0 to=1 size={size} samples=10 dither_us=100"
        return float(np.median(measure(board, words).samples("latency").ticks))

    assert abs(latency("notification", 4096) - latency("notification", 4)) <= SPREAD
    for transport in ("queue", "stream-buffer", "message-buffer"):
        # Copied in and out: the C library's memcpy() takes at least a cycle and a half per byte for both.
        assert latency(transport, 4000) - latency(transport, 400) > 1.5 * 3600


# Faults


def test_a_bit_that_changes_on_the_way_is_found(board: Board) -> None:
    board.chip.send(b"run message transport=notification from=0 to=1 size=100 samples=5 dither_us=0\n")
    for _ in range(3):
        board.chip.run(CLK_SYS_HZ, address="message_send_loaned")
    at = board.chip.address("striped") + 50
    board.chip.write(at, bytes([board.chip.read(at, 1)[0] ^ 4]))
    answer = finish(board)
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 1
    assert series(answer, "corrupted") == [1]


def test_a_message_of_a_stream_that_is_not_sent_is_missed(board: Board) -> None:
    board.chip.send(b"run message transport=queue measure=throughput from=1 to=0 size=100 messages=10 samples=2\n")
    for _ in range(15):  # ten of the stream before, and five
        board.chip.run(CLK_SYS_HZ, address="queue_send")
        board.chip.run(20)
    at = board.chip.address("queue_send") & ~1
    whole = board.chip.read(at, 4)
    board.chip.write(at, RETURN_TRUE)
    board.chip.run(CLK_SYS_HZ, address="queue_send")
    board.chip.run(8)
    board.chip.write(at, whole)
    answer = finish(board)
    assert answer[-1]["status"] == "failed"
    assert answer[-1]["checks"]["wrong"] == 1
    assert series(answer, "missing") == [1]


def finish(board: Board) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = []
    while not said or said[-1]["type"] != "end":
        said += board.run(0.1)
    return said


# Memory


def test_samples_fill_the_memory_that_there_is(board: Board) -> None:
    found = {
        line["name"]: line for line in board.ask("list")
        if line["type"] == "parameter" and line["benchmark"] == "message"
    }  # fmt: skip
    assert found["samples"]["default"] == 1024
    assert found["size"]["max"] == 4096
    most = found["samples"]["max"]
    assert most == (8192 - 64) // 2
    assert board.ask(f"run message samples={most + 1}")[-1]["code"] == "out-of-range"
