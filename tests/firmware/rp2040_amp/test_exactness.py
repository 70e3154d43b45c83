"""One kernel on each core: do the benchmarks measure the truth? As tests/firmware/rp2040 asks of one kernel on both."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from intercore.benchmarks.clock.ground_truth import ClockProbe
from intercore.benchmarks.irq import PATHS
from intercore.benchmarks.message.ground_truth import MessageProbe
from intercore.benchmarks.message.overhead import taken_us
from intercore.benchmarks.switch.ground_truth import SwitchProbe
from intercore.sim.observation import Passages
from tests.firmware.rp2040.conftest import Board, measurement, series
from tests.firmware.rp2040.pin import GPIO_OUT_XOR

if TYPE_CHECKING:
    import numpy.typing as npt

    from intercore.sim.observation import Witness

OFFSETS = {"clock": 46, "switch": 40, "message": 40, "edge": 40}
"""Measured minus true times, in cycles, as calibration finds them; docs/pico.md."""
SPREAD = 2
TURNS_APART = 4 * 440 / 64
"""Cycles per message: an iteration of a load, 440 at most, at each end of two windows of 64 messages."""
PAIRS = tuple(itertools.product((0, 1), (0, 1)))
NAMES = {"clock": "interval", "switch": "switch", "message": "latency"}


def run(board: Board, command: str) -> list[dict[str, Any]]:
    """Run a benchmark; all must have gone well."""
    answer = board.ask(f"run {command}")
    assert answer[-1]["type"] == "end", answer[-1]
    checks = answer[-1]["checks"]
    assert answer[-1]["status"] == "ok", checks
    assert [checks.get(name, 0) for name in ("wrong", "migrated", "preempted", "lost", "recovered_doorbells")] == [
        0
    ] * 5
    return answer


def off(board: Board, witness: Witness, command: str) -> npt.NDArray[np.int64]:
    """Measured minus true times of those samples that no interrupt came into."""
    benchmark = command.split(maxsplit=1)[0]
    witness.forget()
    measured = measurement(run(board, command), benchmark)
    truth = witness.truth(measured.series, measured.factors)
    name = "window" if measured.factors.get("measure") == "throughput" else NAMES[benchmark]
    found = np.sort(measured.samples(name).ticks - truth.series[0].ticks)
    assert truth.checks["interrupted"] <= len(found) // 4
    return found[: len(found) - truth.checks["interrupted"]]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_intervals_between_the_cores_are_exact(board: Board, first: int, second: int) -> None:
    found = off(board, ClockProbe(board.chip), f"clock from={first} to={second} samples=60 dither_us=300")
    assert np.ptp(found) <= SPREAD
    assert np.all(np.abs(found - OFFSETS["clock"]) <= SPREAD)


def test_wake_ups_across_the_kernels_are_exact(board: Board) -> None:
    witness = SwitchProbe(board.chip)
    for (first, second), primitive, target in itertools.product(
        PAIRS, ("notification", "counting-semaphore"), ("idle", "busy")
    ):
        words = f"switch from={first} to={second} primitive={primitive} target={target} samples=12 dither_us=300"
        found = off(board, witness, words)
        assert np.ptp(found) <= SPREAD, words
        assert np.all(np.abs(found - OFFSETS["switch"]) <= SPREAD), words


def test_a_task_for_the_other_kernel_is_exact_and_its_core_is_not_launched_again(board: Board) -> None:
    reads, begins = Passages(board.chip, "port_clock_reads"), Passages(board.chip, "launch_task")
    answer = board.ask("run launch samples=5 dither_us=300")
    here, there = reads.cycles(0), reads.cycles(1)
    for begun, launch in zip(begins.cycles(1)[1:], series(answer, "launch"), strict=True):
        assert np.abs(here - (there[there > begun][0] - launch)).min() <= SPREAD
    assert board.ask("run launch what=core")[-1]["code"] == "unsupported"


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_messages_across_the_kernels_are_exact(board: Board, first: int, second: int) -> None:
    """Whatever the transport and the size, one by one and in streams."""
    witness = MessageProbe(board.chip)
    transports = next(
        line["choices"] for line in board.ask("list")
        if line["type"] == "parameter" and (line["benchmark"], line["name"]) == ("message", "transport")
    )  # fmt: skip
    assert {"message-buffer", "ring", "ring-zero-copy"} <= set(transports)
    measured = 0
    for transport, words in itertools.product(
        transports, ("size=1", "size=64", "size=4000", "measure=throughput size=100 messages=30")
    ):
        setting = f"message transport={transport} from={first} to={second} {words}"
        if board.ask(f"check {setting}", step=0.01)[0]["type"] == "impossible":
            continue
        found = off(board, witness, f"{setting} samples=8 dither_us=300")
        assert np.ptp(found) <= SPREAD, setting
        assert np.all(np.abs(found - OFFSETS["message"]) <= SPREAD), setting
        measured += 1
    assert measured >= 8


def test_what_messages_take_from_either_core_is_what_the_simulator_sees(board: Board) -> None:
    witness = MessageProbe(board.chip)
    for transport, (first, second) in itertools.product(("message-buffer", "ring"), ((0, 1), (1, 0))):
        witness.forget()
        words = f"message measure=overhead transport={transport} from={first} to={second} size=64 samples=1"
        if board.ask(f"check {words}", step=0.01)[0]["type"] == "impossible":
            continue
        found = measurement(run(board, words), "message")
        for one in witness.truth(found.series, found.factors).series:
            measured = taken_us(found, "from" if one.name.endswith("from") else "to") * one.hz / 1e6
            assert measured == pytest.approx(one.ticks / 64, abs=TURNS_APART), words


def test_every_path_of_an_interrupt_reaches_every_core(board: Board) -> None:
    for path, (first, second), state in itertools.product(PATHS, PAIRS, ("idle", "busy", "kernel")):
        answer = run(board, f"irq path={path} from={first} to={second} interrupted={state} samples=3 dither_us=100")
        assert answer[-1]["checks"]["checked"] == 4


def test_the_edge_of_a_pin_is_exact_on_either_core(board: Board) -> None:
    reads, edges = Passages(board.chip, "port_clock_reads"), board.chip.watch_writes(GPIO_OUT_XOR)
    for path, (first, second) in itertools.product(("gpio-handler", "gpio-task"), PAIRS):
        before = len(edges.hits())
        measured = series(run(board, f"irq path={path} from={first} to={second} samples=12 dither_us=300"), "latency")
        stores = edges.hits()["cycle"][before + 1 :].astype(np.int64)
        assert len(stores) == len(measured)
        ends = stores - OFFSETS["edge"] + np.array(measured)
        assert all(np.abs(reads.cycles(second) - end).min() <= SPREAD for end in ends), (path, first, second)


@pytest.mark.measures("speedup")
def test_work_is_split_between_the_kernels(board: Board) -> None:
    sizes = {"fp": 1000, "integer": 40000, "hanoi": 2000, "memory": 6000, "double": 300, "dense": 2000, "aes": 400}
    sizes["records"] = 2000
    for mode, (workload, n) in itertools.product(("create", "pool", "spin"), sizes.items()):
        answer = run(board, f"speedup mode={mode} workload={workload} n={n} samples=3 dither_us=100")
        t1, tp = (
            np.median([value for line in answer if line["type"] == "samples" and line["series"] == name
                       for value in line["values"]])
            for name in ("t1", "tp")
        )  # fmt: skip
        assert 1.5 < t1 / tp <= 2.0, (mode, workload)


def test_memory_is_read_and_written_by_either_core_beside_the_other(board: Board) -> None:
    for core, access, other in itertools.product((0, 1), ("read", "write", "copy"), ("none", "read", "copy")):
        run(board, f"memory core={core} access={access} other={other} bytes=4096 samples=3 dither_us=100")


def test_counters_of_both_cores_are_aligned(board: Board) -> None:
    run(board, "switch from=0 to=1 time=aligned samples=5 dither_us=100")
    run(board, "clock time=counter samples=5 dither_us=100")
