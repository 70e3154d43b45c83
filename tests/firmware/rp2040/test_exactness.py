"""How true the tool's numbers of the simulated Pico are, judged by the simulator's probes, from end to end.

The command runs in this process, so that the chip that it measures can be watched from outside while it does. What it
prints and stores is compared with what was seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.cli.options import DEFAULT_STORE
from intercore.record.store import Store
from intercore.sim import Simulator, Symbol
from intercore.target import simulated_chip
from tests.firmware.rp2040.probes import SPREAD, cycles, returns
from tests.firmware.rp2040.tool_in_process import command

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from intercore.record.measurement import Run

    Cycles = npt.NDArray[np.int64]

pytestmark = pytest.mark.usefixtures("desk")

TOLERANCE = 0.05
"""By which a measured speed-up may differ from the true one."""
INTERVALS = 1000
"""Between each two cores, as `run clock` measures by itself. Of fewer, chance decides how many an interrupt meets: one
in a hundred between core 1 and itself, and the bound is little more."""


class Watched(Simulator):
    """A chip with probes on the readings of the clock and on the first and last instruction of the work."""

    chips: list[Watched]

    def __init__(self, image: Path) -> None:
        super().__init__(image)
        clock, work = self.symbols["port_clock"], self._work()
        self.calls = self.watch_execution(clock.address)
        self.call_ends = [self.watch_execution(address) for address in returns(image, clock)]
        self.work = self.watch_execution(work.address)
        self.work_ends = [self.watch_execution(address) for address in returns(image, work)]
        self.chips.append(self)

    def _work(self) -> Symbol:
        """The function of workload=fp: the second member of its struct ic_workload."""
        address = self.read_word(self.address("ic_workload_fp") + 4) & ~1
        size = next(size for _, at, size, _ in self._machine.symbols() if at & ~1 == address and size)
        return Symbol(address, size, is_function=True)


def stored() -> Run:
    with Store(DEFAULT_STORE) as store:
        return store.run()


# Speed-up


def true_durations(chip: Watched) -> tuple[list[int], list[int]]:
    """T1 and TP of every repetition of all measurements, in cycles, warm-ups included.

    T1 is from the first instruction of the whole work to its last. TP is from the first instruction behind the reading
    of the clock that precedes the fork to the last one before the reading that follows the join; it holds the last
    instruction of the last part, on whichever core. Which is which shows in how often the work is done between the two
    readings: once, on core 0, or once on each core.
    """
    calls = cycles([chip.calls], 0)
    call_ends = cycles(chip.call_ends, 0)
    begins = [cycles([chip.work], core) for core in (0, 1)]
    ends = [cycles(chip.work_ends, core) for core in (0, 1)]
    t1, tp = [], []
    for begin, end in zip(call_ends[:-1], calls[1:], strict=True):
        parts = [slice(*np.searchsorted(of_core, (begin, end))) for of_core in begins]
        done = [of_core[part] for of_core, part in zip(ends, parts, strict=True)]
        if [len(of_core) for of_core in done] == [1, 0]:
            t1.append(int(done[0][0] - begins[0][parts[0]][0]))
        elif [len(of_core) for of_core in done] == [1, 1]:
            assert max(done[0][0], done[1][0]) < end, "a part ends after the join"
            tp.append(int(end - begin))
        else:
            assert [len(of_core) for of_core in done] == [0, 0]
    return t1, tp


@pytest.mark.measures("speedup")
@pytest.mark.parametrize("mode", ["create", "pool", "spin"])
@pytest.mark.parametrize("n", [100, 1000, 10000])
def test_every_measured_speed_up_is_the_true_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], n: int, mode: str
) -> None:
    Watched.chips = []
    monkeypatch.setattr(simulated_chip, "Simulator", Watched)
    words = (f"n={n}", f"mode={mode}", "samples=3", "dither_us=300")
    shown = command(monkeypatch, capsys, "run", "pico-sim", "speedup", *words)
    (point,) = shown["analysis"]["speedup"]
    t1, tp = true_durations(Watched.chips[-1])
    (measurement,) = stored().measurements
    assert len(t1) == len(tp) == 1 + int(measurement.factors["samples"])
    its = slice(1, None)  # behind the warm-up
    assert point["speedup"] == pytest.approx(np.median(t1[its]) / np.median(tp[its]), abs=TOLERANCE)
    # What is measured is what truly passed, and the timestamp overhead; now and then an interrupt falls between.
    for name, seen in (("t1", t1[its]), ("tp", tp[its])):
        more = measurement.samples(name).ticks - np.array(seen)
        assert np.median(more) == pytest.approx(np.median(measurement.samples("timestamp_overhead.0").ticks), abs=30), (
            name
        )
        assert np.all(more >= 0)


# The clock


# Not itself: without it the code lies otherwise in the banks, and a bound that is as narrow as can be is another.
@pytest.mark.measures("speedup")
def test_the_clock_differs_from_the_truth_by_the_constant_that_calibration_finds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = command(monkeypatch, capsys, "run", "pico-sim", "clock", f"samples={INTERVALS}")
    rows = shown["analysis"]["clock"]["intervals"]
    assert [(row["from"], row["to"]) for row in rows] == [(0, 0), (1, 1), (0, 1), (1, 0)]
    for row in rows:
        assert row["intervals"] == INTERVALS
        assert row["interrupted"] <= 0.012 * INTERVALS, "an interrupt on either core around one of two readings is rare"
        assert row["difference_high"] - row["difference_low"] <= SPREAD, row
        assert row["difference"] == pytest.approx(row["timestamp_overhead_from"], abs=SPREAD)
        assert row["difference"] == pytest.approx(row["timestamp_overhead_to"], abs=SPREAD)
        assert row["shortest"] < row["median"] < row["longest"]
    (sentence,) = [said for said in shown["analysis"]["clock"]["sentences"] if "Checked against the simulator" in said]
    assert "a constant" in sentence


def test_the_truth_is_stored_beside_each_sample(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(monkeypatch, capsys, "run", "pico-sim", "clock", "from=0", "to=1", "samples=20", "dither_us=100")
    (measurement,) = stored().measurements
    true, measured = measurement.samples("true"), measurement.samples("interval")
    assert (true.clock, true.hz, len(true.ticks)) == ("simulator", measured.hz, 20)
    assert len(set(true.ticks.tolist())) > 15, "the intervals are of many lengths"


def test_a_clock_that_is_wrong_is_found_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """An image whose clock runs 124 ticks a microsecond, and so is off by ever more."""
    image = board_image(PICO, {}, lambda _: None).elf.read_bytes()
    right, wrong = bytes.fromhex("7d20"), bytes.fromhex("7c20")  # MOVS r0, #125 and #124
    code = Simulator(image)
    start = code.address("port_clock") & ~1
    source = code.read(start, code.symbols["port_clock"].size)
    assert source.count(right) == 1
    assert image.count(source) == 1
    broken = tmp_path / "broken"
    broken.write_bytes(image.replace(source, source.replace(right, wrong)))

    class Broken(Simulator):
        def __init__(self, _image: Path) -> None:
            super().__init__(broken)

    monkeypatch.setattr(simulated_chip, "Simulator", Broken)
    # It jumps by 65,536 ticks after each 65,536 microseconds, since its lower bits are those of the counter.
    settings = ("from=0", "to=0", "longest_us=100000", "samples=30", "dither_us=100")
    shown = command(monkeypatch, capsys, "run", "pico-sim", "clock", *settings)
    (row,) = shown["analysis"]["clock"]["intervals"]
    assert row["difference_high"] - row["difference_low"] > SPREAD
