"""The energy mark where each core has a program of its own: one pin, which both drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.rp2040.conftest import series
from tests.firmware.rp2040.pin import Pin

if TYPE_CHECKING:
    from tests.firmware.rp2040.conftest import Board


@pytest.mark.parametrize("core", [0, 1])
def test_either_core_s_program_sets_it_around_what_it_times(board: Board, core: int) -> None:
    pin = Pin(board.chip)
    answer = board.ask(f"run memory core={core} other=write bytes=4096 samples=4 mark=alone")
    pulses = pin.pulses()
    assert [pulse.core for pulse in pulses] == [core] * 4
    for pulse, sample in zip(pulses, series(answer, "alone"), strict=True):
        assert sample < pulse.fall - pulse.rise < sample + 160


def test_it_is_high_from_the_first_repetition_to_behind_the_last(board: Board) -> None:
    pin = Pin(board.chip)
    repetitions = board.chip.watch_execution("ic_run_repeat")
    assert board.ask("run switch from=1 to=0 samples=8 dither_us=100")[-1]["status"] == "ok"
    (pulse,) = pin.pulses()
    first, *_, last = repetitions.hits()["cycle"].tolist()
    assert first < pulse.rise < first + 1000
    assert last < pulse.fall < last + 1000


@pytest.mark.measures("speedup")
def test_it_is_low_after_an_abort(board: Board) -> None:
    pin = Pin(board.chip)
    board.chip.send(b"run speedup n=300 samples=1000 mark=tp\n")
    board.run(0.15)
    assert board.ask("abort")[-1]["status"] == "aborted"
    assert pin.pulses()


@pytest.mark.measures("speedup")
def test_it_is_low_after_core_1_s_panic(board: Board) -> None:
    pin = Pin(board.chip)
    board.chip.send(b"run speedup n=300 samples=1000\n")
    while not pin.level:
        board.run(0.001)
    board.chip.write(board.chip.address("core_1.do_part") & ~1, bytes.fromhex("00de"))  # UDF
    said = board.run(0.7)
    assert [line["core"] for line in said if line["type"] == "log"] == [1]
    assert len(pin.pulses()) == 1
