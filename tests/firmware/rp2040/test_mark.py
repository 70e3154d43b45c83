"""The energy mark on the simulated chip: high exactly while it says, and never set or cleared in a timed interval."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, series
from tests.firmware.rp2040.pin import Pin, Pulse, inside

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from intercore.sim import Probe

    Cycles = npt.NDArray[np.int64]

SPEEDUP = "run speedup n=300 samples=6 dither_us=100"
LONG = "run switch samples=1000"
of_speedups = pytest.mark.measures("speedup")


@pytest.fixture
def pin(board: Board) -> Pin:
    """Made when the target has said hello: so the pin is an output, and low, at the start."""
    return Pin(board.chip)


def ran(board: Board, command: str) -> list[dict[str, Any]]:
    answer = board.ask(command)
    assert (answer[-1]["type"], answer[-1].get("status")) == ("end", "ok"), answer[-1]
    return answer


def readings(board: Board) -> Probe:
    """Watch for the moments at which the common clock is read."""
    return board.chip.watch_execution("port_clock_reads")


def timed(pulse: Pulse, read: Cycles) -> Cycles:
    """Return the readings of the clock within a pulse."""
    return read[(read > pulse.rise) & (read < pulse.fall)]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("speedup n=300", marks=of_speedups),
        "switch",
        "irq",
        "lock",
        "message transport=ring",
        "memory bytes=4096",
    ],
)
def test_it_is_high_from_the_first_repetition_to_behind_the_last(board: Board, pin: Pin, name: str) -> None:
    repetitions = board.chip.watch_execution("ic_run_repeat")
    samples = board.chip.watch_execution("ic_run_sample")
    ran(board, f"run {name} samples=8 dither_us=100")
    (pulse,) = pin.pulses()
    first, *_, last = repetitions.hits()["cycle"].tolist()
    assert first < pulse.rise < first + 1000
    assert last < pulse.fall < last + 1000
    taken = samples.hits()["cycle"]
    assert inside(taken[taken > first], [pulse]).all(), "those before are of the timestamp overhead"


@of_speedups
@pytest.mark.parametrize("mode", ["create", "pool", "spin"])
@pytest.mark.parametrize("kind", ["t1", "tp"])
def test_it_tells_the_windows_of_a_kind_and_is_never_set_within(board: Board, pin: Pin, kind: str, mode: str) -> None:
    read = readings(board)
    answer = ran(board, f"{SPEEDUP} mode={mode} mark={kind}")
    hits = read.hits()
    pulses = pin.pulses()
    samples = series(answer, kind)
    assert len(pulses) == len(samples) == 6
    own = hits["cycle"][hits["core"] == 0].astype(np.int64)
    for pulse, sample in zip(pulses, samples, strict=True):
        within = timed(pulse, own)
        assert within[-1] - within[0] == sample, "the window's begin and end are read inside the pulse"
        assert within[0] - pulse.rise < 60
        assert pulse.fall - within[-1] < 100


@of_speedups
def test_what_is_marked_does_not_change_what_is_measured(board: Board) -> None:
    found = {mark: ran(board, f"run speedup n=100 samples=12 mode=spin mark={mark}") for mark in ("all", "t1", "tp")}
    for kind in ("t1", "tp"):
        whole, *others = (np.array(series(found[mark], kind)) for mark in ("all", "t1", "tp"))
        # Medians, as a tick of the kernel falls into some. Two cores that poll meet on the bus, each time in another
        # way: of these, half lie farther apart than what the mark may do.
        scatter = np.subtract(*np.percentile(whole, [75, 25])) if kind == "tp" else 0
        for other in others:
            assert np.median(other) == pytest.approx(np.median(whole), rel=0.002, abs=scatter), kind


@pytest.mark.parametrize("core", [0, 1])
def test_it_is_set_by_the_core_that_is_timed(board: Board, pin: Pin, core: int) -> None:
    answer = ran(board, f"run memory core={core} other=read bytes=4096 samples=4 mark=contended")
    pulses = pin.pulses()
    assert [pulse.core for pulse in pulses] == [core] * 4
    for pulse, sample in zip(pulses, series(answer, "contended"), strict=True):
        assert sample < pulse.fall - pulse.rise < sample + 160


def test_it_is_high_exactly_for_the_windows_of_contention(board: Board, pin: Pin) -> None:
    window = CLK_SYS_HZ // 50
    done = board.chip.watch_execution("ic_samples_add")
    answer = ran(board, "run contention preset=qiita-table yield=none discs=9 window_ms=20")
    pulses = pin.pulses()
    assert len(pulses) == 7, "one for each row"
    moments = {name: np.array(series(answer, name)) for name in ("task0.0", "task1.1", "main.1")}
    added = np.sort(done.hits()["cycle"].astype(np.int64))
    for row, pulse in enumerate(pulses):
        ends = np.sort(np.concatenate([at[at // window == row] for at in moments.values()])) % window
        true = added[inside(added, [pulse])]
        assert len(true) == len(ends), "what counts was done within the pulse, and all that was done in it counts"
        begin = np.median(true - ends)
        assert 0 < begin - pulse.rise < 30e-6 * CLK_SYS_HZ
        assert 0 < pulse.fall - begin - window + 300 < 20e-6 * CLK_SYS_HZ


def test_each_window_of_contention_is_marked_even_if_a_tower_outlasts_it(board: Board, pin: Pin) -> None:
    ran(board, "run contention task1=off main=off yield=none discs=14 window_ms=30 samples=3 rest_ms=20")
    assert [pulse.fall - pulse.rise for pulse in pin.pulses()] == pytest.approx([0.03 * CLK_SYS_HZ] * 3, abs=5000)


def test_a_rest_is_not_marked(board: Board, pin: Pin) -> None:
    ran(board, "run switch samples=3 rest_ms=30 dither_us=0")
    pulses = pin.pulses()
    assert len(pulses) == 3
    for one, other in itertools.pairwise(pulses):
        assert 0.029 * CLK_SYS_HZ < other.rise - one.fall < 0.033 * CLK_SYS_HZ


@pytest.mark.parametrize(
    "command",
    [
        LONG,
        "run contention window_ms=50 samples=20 discs=12",
        pytest.param(f"{SPEEDUP} mark=tp samples=1000", marks=of_speedups),
    ],
)
def test_it_is_low_after_an_abort(board: Board, pin: Pin, command: str) -> None:
    board.chip.send(command.encode() + b"\n")
    board.run(0.15)
    answer = board.ask("abort")
    assert answer[-1]["status"] == "aborted"
    assert pin.pulses()


@of_speedups
def test_it_is_low_after_an_error_in_a_run(board: Board, pin: Pin) -> None:
    start = board.chip.address("port_task_start") & ~1
    board.chip.send(f"{SPEEDUP} samples=1000 mode=create\n".encode())
    while not pin.level:
        board.run(0.001)
    board.chip.write(start, bytes.fromhex("01207047"))  # MOVS r0, #1; BX lr: no more tasks
    assert board.run(1)[-1]["code"] == "failed"
    assert len(pin.pulses()) == 1


def test_it_is_low_after_a_panic_and_a_restart(board: Board, pin: Pin) -> None:
    board.chip.send(f"{LONG}\n".encode())
    while not pin.level:
        board.run(0.001)
    board.chip.write(board.chip.address("ic_run_sample") & ~1, bytes.fromhex("00de"))  # UDF
    (cause,) = (line for line in board.run(0.1) if line["type"] == "log")
    assert "fault" in cause["text"]
    assert len(pin.pulses()) == 1


def test_a_watchdog_s_restart_finds_it_low(o2: Path) -> None:
    board = Board(o2 / "intercore-target")
    board.chip.set_faults(["reset@9e7"])
    board.run(0.65)
    pin = Pin(board.chip)
    board.chip.send(f"{LONG}\n".encode())
    board.chip.run_to(89_999_999)
    assert pin.level
    board.run(0.65)
    assert not pin.level
