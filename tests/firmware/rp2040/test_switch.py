"""The benchmark `switch` on the simulated chip: is what it measures the way from a signal to the task that it wakes?

Judged by the simulator's probes, which see both cores in one count of cycles, and by delays that are put into the way.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks.switch.analysis import analyse, samples_us
from intercore.benchmarks.switch.ground_truth import SwitchProbe
from intercore.sim import CoreState
from intercore.statistics.probability import binomial_quantile
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, measurement, series
from tests.firmware.rp2040.delay import SIO_IRQ_PROC1, TURN, Delay, slow_down_handler

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from intercore.record.measurement import Measurement
    from intercore.sim import Simulator

SPREAD = 2
"""Cycles by which measured minus true times may vary."""
ACROSS = ("binary-semaphore", "counting-semaphore", "mutex", "queue", "notification", "event-group", "stream-buffer")
SIGNALS = {
    "binary-semaphore": "port_sem_give",
    "mutex": "port_mutex_unlock",
    "queue": "port_queue_send",
    "notification": "port_notify",
    "event-group": "port_events_set",
    "stream-buffer": "port_stream_send",
}
"""What is called between the first reading and the woken task."""
PAIRS = tuple(itertools.product((0, 1), (0, 1)))
FEW = "samples=40 dither_us=300"


def measure(board: Board, words: str) -> Measurement:
    """Run the benchmark; all must have gone well."""
    answer = board.ask(f"run switch {words}")
    found = measurement(answer, "switch")
    assert answer[-1]["status"] == "ok", found.checks
    assert [found.checks[name] for name in ("wrong", "migrated", "preempted", "lost")] == [0, 0, 0, 0]
    return found


def differences(witness: SwitchProbe, measured: Measurement) -> tuple[npt.NDArray[np.int64], int]:
    """Measured minus true times, in order of size, without those looked at during an interrupt; how many these were."""
    truth = witness.truth(measured.series, measured.factors)
    off = np.sort(measured.samples("switch").ticks - truth.series[0].ticks)
    interrupted = truth.checks["interrupted"]
    return off[: len(off) - interrupted], interrupted


@pytest.mark.parametrize("primitive", ["notification", "binary-semaphore", "queue", "mutex"])
def test_what_is_measured_differs_from_the_truth_by_a_constant(board: Board, primitive: str) -> None:
    witness = SwitchProbe(board.chip)
    constants = []
    for (first, second), target in itertools.product(PAIRS, ("idle", "busy")):
        witness.forget()
        words = f"primitive={primitive} from={first} to={second} target={target} {FEW}"
        off, interrupted = differences(witness, measure(board, words))
        assert np.ptp(off) <= SPREAD, (first, second, target)
        assert interrupted <= 4
        constants.append(int(np.median(off)))
    assert max(constants) - min(constants) <= SPREAD, "the constant is the clock's, whatever is measured"


def test_a_wake_up_takes_microseconds_on_any_core(board: Board) -> None:
    medians = {}
    for first, second in PAIRS:
        found = measure(board, f"primitive=binary-semaphore from={first} to={second} {FEW}")
        medians[first, second] = float(np.median(found.samples("switch").ns)) / 1e3
    assert all(5 < median < 50 for median in medians.values())
    for across in ((0, 1), (1, 0)):
        for one in ((0, 0), (1, 1)):
            assert 0.5 < medians[across] / medians[one] < 2


@pytest.mark.parametrize("primitive", ACROSS)
def test_every_primitive_arrives_between_all_cores(board: Board, primitive: str) -> None:
    for (first, second), target in itertools.product(PAIRS, ("idle", "busy")):
        words = f"primitive={primitive} from={first} to={second} target={target} samples=10 dither_us=100"
        found = measure(board, words)
        assert found.checks["checked"] == (11 if first != second else 22), "the warm-up and, on one core, each call"


def test_a_yield_stays_on_its_core(board: Board) -> None:
    for core in (0, 1):
        found = measure(board, f"primitive=yield from={core} to={core} {FEW}")
        assert np.median(found.samples("switch").ticks) < np.median(
            measure(board, f"primitive=notification from={core} to={core} {FEW}").samples("switch").ticks
        )
    refused = board.ask("run switch primitive=yield from=0 to=1")[-1]
    assert (refused["code"], "stays on its core" in refused["text"]) == ("unsupported", True)


@pytest.mark.parametrize("phase", range(4))
def test_a_tick_that_has_equals_take_turns_spoils_no_yield(board: Board, phase: int) -> None:
    """Some kernels always have them do so; here it is switched on from outside, at another phase each time."""
    board.chip.write_word("port_freertos_time_slicing", 1)
    witness = SwitchProbe(board.chip)
    repeated_turns, constants = 0, []
    for core in (0, 1):
        witness.forget()
        measured = measure(board, f"primitive=yield from={core} to={core} samples=250 dither_us=1000 seed={phase}")
        truth = witness.truth(measured.series, measured.factors)
        off = measured.samples("switch").ticks - truth.series[0].ticks
        interrupted = truth.checks["interrupted"]  # a tick within a reading may have the other run too early
        off = sorted(off, key=lambda each: abs(each - np.median(off)))[: len(off) - interrupted]
        assert np.ptp(off) <= SPREAD
        within = np.median(measured.samples("switch").ticks) / (CLK_SYS_HZ / 1000)  # of a tick's millisecond
        assert interrupted <= binomial_quantile(1 - 1e-3, 250, within), "more ticks within a reading than by chance"
        assert measured.samples("switch").ticks.min() > 0
        repeated_turns += measured.checks.get("repeated_turns", 0)
        constants.append(int(np.median(off)))
    assert abs(constants[0] - constants[1]) <= SPREAD
    assert 0 < repeated_turns < 25, "a tick falls between a yield and its signal now and then"


# Clocks


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_aligned_counters_agree_with_the_truth_and_with_the_common_clock(board: Board, first: int, second: int) -> None:
    witness = SwitchProbe(board.chip)
    words = f"primitive=notification from={first} to={second} {FEW}"
    common = analyse([measure(board, words)]).wake_ups[0]
    witness.forget()
    measured = measure(board, f"{words} time=aligned")
    (true,) = witness.truth(measured.series, measured.factors).series
    (aligned,) = analyse([measured]).wake_ups
    assert 0 < aligned.within_us < 1
    overhead = aligned.timestamp_overhead_us[str(first)]
    (corrected,) = samples_us([measured]).values()
    assert np.abs(np.median(corrected - true.ns / 1e3) - overhead) <= aligned.within_us
    spread = np.diff(np.percentile(corrected - true.ns / 1e3, (5, 95)))
    assert spread * CLK_SYS_HZ / 1e6 <= SPREAD
    off = aligned.wake_up_us.median.value - common.wake_up_us.median.value
    assert abs(off) <= aligned.within_us
    assert abs(off - (overhead - common.timestamp_overhead_us[str(first)])) <= aligned.within_us
    found = aligned.alignment
    assert found is not None
    assert abs(found.drift_ppm) <= found.drift_within_ppm, "both count one crystal"


def test_raw_counters_give_a_large_constant_time_of_either_sign(board: Board) -> None:
    medians = {}
    for first, second in PAIRS:
        found = measure(board, f"primitive=binary-semaphore from={first} to={second} time=raw-counter {FEW}")
        ticks = found.samples("switch").ticks
        medians[first, second] = np.median(ticks)
        assert np.median(np.abs(ticks - medians[first, second])) <= 4
        assert {one.clock for one in found.series} == {"counter"}
    one_core, forth, back = medians[0, 0], medians[0, 1], medians[1, 0]
    assert 500 < one_core < 5000, "on one core there is one counter, and nothing is false"
    assert forth < -50 * one_core
    assert back > 50 * one_core
    # What is between them is twice the true way, and it is all that is true of them.
    assert 500 < (forth + back) / 2 < 5000
    # And it is what the benchmark clock finds between the two counters.
    answer = board.ask("run clock from=0 to=1 time=counter samples=50 dither_us=300")
    apart = np.median(np.array(series(answer, "counter.1")) - np.array(series(answer, "common.1")))
    apart -= np.median(np.array(series(answer, "counter.0")) - np.array(series(answer, "common.0")))
    assert forth - apart == pytest.approx((forth + back) / 2, abs=100)


def test_exchanges_of_time_stamps_bound_the_true_distance_of_the_counters(board: Board) -> None:
    moments = board.chip.watch_execution("port_cycles_reads")
    answer = board.ask("run switch from=0 to=1 time=aligned samples=5 dither_us=100")
    hits = moments.hits()
    by_core = [np.array(hits["cycle"][hits["core"] == core], np.int64) for core in (0, 1)]
    # The counters' readings are of the overhead, the exchanges, the warm-up and the samples, and exchanges again.
    asks, answers = by_core[0][64 : 64 + 128], by_core[1][64 : 64 + 64]
    there, back = (np.array(series(answer, f"before.{name}"), np.int64) for name in ("there", "back"))
    assert len(there) == len(back) == 64
    ahead = there - (answers - asks[::2])
    assert np.ptp(ahead) == 0, "what was measured is what truly passed, and by how much core 1 is ahead"
    assert np.array_equal(back, asks[1::2] - answers - ahead)
    assert np.all((-back <= ahead) & (ahead <= there))


# What the woken task and its core do before


def _state_at_signal(chip: Simulator, board: Board, words: str, core: int) -> list[tuple[CoreState, str]]:
    """What a core does at each of the first signals after the warm-up."""
    chip.send(f"run switch {words}\n".encode())
    found = []
    for _ in range(6):
        stop = chip.run(CLK_SYS_HZ, address="switch_signal_notification")
        assert stop.pc == chip.address("switch_signal_notification") & ~1
        function = chip.function_at(chip.registers(core).pc)
        found.append((chip.registers(core).state, function[0] if function else ""))
    board.run(1.0)
    return found[1:]


def test_the_other_core_sleeps_until_the_signal(board: Board) -> None:
    words = "primitive=notification from=0 to=1 target=idle samples=10 dither_us=300"
    for state, _ in _state_at_signal(board.chip, board, words, 1):
        assert state is CoreState.ASLEEP
    for state, _ in _state_at_signal(board.chip, board, words.replace("from=0 to=1", "from=1 to=0"), 0):
        assert state is CoreState.ASLEEP


def test_or_is_busy_in_another_task(board: Board) -> None:
    words = "primitive=notification from=0 to=1 target=busy samples=10 dither_us=300"
    for core, pair in ((1, "from=0 to=1"), (0, "from=1 to=0")):
        for state, function in _state_at_signal(board.chip, board, words.replace("from=0 to=1", pair), core):
            assert (state, function) == (CoreState.RUNNING, "run_spinner")


# Delays in the way


@pytest.mark.parametrize("primitive", SIGNALS)
@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (1, 0)])
def test_a_delay_before_the_signal_is_measured_exactly(
    board: Board, o2: Path, primitive: str, first: int, second: int
) -> None:
    delay = Delay(board.chip, o2 / "intercore-target", SIGNALS[primitive])
    words = f"primitive={primitive} from={first} to={second} samples=20 dither_us=0"
    delay.set(1)
    before = measure(board, words)
    delay.set(401)
    after = measure(board, words)
    for name in ("switch", "call"):
        # Turn by turn, and what most of them have: some wait for the bus a cycle more or less.
        longer, turns = np.unique(after.samples(name).ticks - before.samples(name).ticks, return_counts=True)
        assert longer[turns.argmax()] == 400 * TURN, name


def test_a_delay_in_the_wait_that_comes_before_the_signal_is_not_measured(board: Board, o2: Path) -> None:
    delay = Delay(board.chip, o2 / "intercore-target", "port_queue_receive")
    words = "primitive=queue from=0 to=1 samples=20 dither_us=0"
    delay.set(1)
    before = measure(board, words)
    delay.set(1001)
    after = measure(board, words)
    moved = np.median(after.samples("switch").ticks) - np.median(before.samples("switch").ticks)
    assert moved == 0


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_the_woken_task_is_on_the_core_that_is_asked_for(board: Board, first: int, second: int) -> None:
    """Core 1's doorbell gets slower. That shows on the way to core 1 alone: `from` and `to` are not swapped."""
    turns = 200
    words = f"primitive=notification from={first} to={second} samples=20 dither_us=0"
    before = np.median(measure(board, words).samples("switch").ticks)
    slow_down_handler(board.chip, core=1, exception=SIO_IRQ_PROC1, turns=turns)
    moved = np.median(measure(board, words).samples("switch").ticks) - before
    if second == 1:  # some cycles less: meanwhile the signaller has left the kernel's lock
        assert moved == pytest.approx(turns * TURN, abs=60)
    else:
        assert moved == pytest.approx(0, abs=10)
