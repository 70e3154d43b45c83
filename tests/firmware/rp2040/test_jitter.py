"""The benchmark `jitter` on the simulated chip, judged by the simulator that knows when a release was due and came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.jitter.analysis import analyse
from intercore.sim.observation import handler_addresses
from intercore.statistics.histogram import bin_bounds
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, checks_of, measurement, series
from tests.firmware.rp2040.delay import TURN, Delay
from tests.firmware.rp2040.ticking import TICK, Ticking

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Cycles = npt.NDArray[np.int64]

SPREAD = 2
"""Cycles by which measured minus true latencies may vary."""
SPARE_CODE = 0x20041000
"""SRAM5, which belongs to the benchmarks and which jitter does not use."""


class Watched(Ticking):
    """A board on which every release is seen: the first instruction behind the kernel's delay-until."""

    def __init__(self, program: Path) -> None:
        super().__init__(program)
        self.activations = self.chip.watch_execution("jitter_released")
        self.readings = self.chip.watch_execution("port_clock_reads")
        self.handlers = [self.chip.watch_execution(address) for address in handler_addresses(self.chip)]

    def measure(self, words: str) -> list[dict[str, Any]]:
        self.activations.take()
        answer = self.ask(f"run jitter {words}", patience=60)
        assert answer[-1]["status"] == "ok", answer[-1]
        return answer

    def recorded(self, answer: list[dict[str, Any]]) -> tuple[Cycles, Cycles]:
        """When and on which core the recorded activations truly were: all but the first of each stretch."""
        hits = self.activations.hits()
        begins = series(answer, "begins")
        kept = np.delete(hits, [begin + number for number, begin in enumerate(begins)])
        assert len(kept) == len(series(answer, "late"))
        return kept["cycle"].astype(np.int64), kept["core"].astype(np.int64)

    def interrupted(self, cycles: Cycles, cores: Cycles) -> npt.NDArray[np.bool_]:
        """Whether a handler ran on the release's core before its reading of the clock, or on the other at the time."""
        began = np.zeros(len(cycles), np.bool_)
        hits = np.sort(np.concatenate([probe.hits() for probe in self.handlers]), order="cycle")
        for index, (cycle, core) in enumerate(zip(cycles.tolist(), cores.tolist(), strict=True)):
            near = hits[np.searchsorted(hits["cycle"], cycle - 400) : np.searchsorted(hits["cycle"], cycle + 60)]
            began[index] = np.any((near["core"] != core) | (near["cycle"].astype(np.int64) > cycle))
        return began


@pytest.fixture
def watched(o2: Path) -> Watched:
    return Watched(o2 / "intercore-target")


def truth(board: Watched, answer: list[dict[str, Any]]) -> Cycles:
    """By how many cycles each release truly was late, by SysTick's true edges."""
    cycles, _ = board.recorded(answer)
    return (cycles - board.true_edge) % TICK


SETTINGS = (
    "core=0 samples=100",
    "core=1 samples=100",
    "core=any samples=100",
    "core=0 period_us=1000 samples=300 work_us=200",
    "core=0 migrate=affinity samples=100",
    "core=0 migrate=blockers samples=60",
    "core=1 load=both migrate=affinity samples=40 period_us=2000",
    "core=0 load=both load_work=queue samples=40 period_us=2000",
    "core=1 load=both load_work=memory samples=40 period_us=2000",
    "core=0 load=core1 load_work=uart samples=40 period_us=2000",
    "migrate=published samples=40",
    "migrate=published wake=reset samples=40 period_us=3000",
    "migrate=published time=raw-counter samples=40",
)


def test_latencies_differ_from_the_truth_by_one_constant(watched: Watched) -> None:
    differences = []
    for words in SETTINGS:
        answer = watched.measure(words)
        cycles, cores = watched.recorded(answer)
        difference = np.array(series(answer, "late")) - truth(watched, answer)
        disturbed = watched.interrupted(cycles, cores)
        assert disturbed.sum() <= len(cycles) / 10, words
        differences.append(difference[~disturbed])
        if known := series(answer, "core"):
            assert known == cores.tolist(), words
    assert np.ptp(np.concatenate(differences)) <= SPREAD


@pytest.mark.parametrize("function", ["port_task_suspend", "port_task_resume"])
@pytest.mark.parametrize("share", [0.9, 1.05, 2.0])
def test_movers_that_take_longer_than_a_period_do_not_keep_the_task_from_running(
    o2: Path, function: str, share: float
) -> None:
    """Both cores' would move it at a time, and both blockers be resumed."""
    board = Watched(o2 / "intercore-target")
    Delay(board.chip, o2 / "intercore-target", function).set(round(share * TICK / TURN))
    checks = checks_of(board.measure("migrate=blockers period_us=1000 samples=100"))
    assert (checks["done"], checks["wrong"]) == (100, 0)
    assert checks.get("migrations_done") == checks.get("migrations_requested")


# Would it notice?


def test_a_delay_before_the_reading_is_seen_to_the_cycle(watched: Watched) -> None:
    before = np.array(series(watched.measure("samples=50"), "late"))
    turns = 100
    added = delay_reading(watched, turns)
    after = np.array(series(watched.measure("samples=50"), "late"))
    assert set((after - before).tolist()) == {added}


def delay_reading(board: Watched, turns: int) -> int:
    """Let jitter_released() wait in a loop before it reads the clock; return how many cycles that takes."""
    chip = board.chip
    loop = (0x2000 | turns, 0x3801, 0xD1FD, 0x4800, 0x4700)  # MOVS, SUBS, BNE, LDR r0 from the word behind, BX r0
    assert SPARE_CODE % 4 == 0
    code = b"".join(word.to_bytes(2, "little") for word in (0xBF00, *loop))  # a NOP, so that the word is aligned
    chip.write(SPARE_CODE, code + (chip.address("port_clock") | 1).to_bytes(4, "little"))
    start = chip.address("jitter_released") & ~1
    source = chip.read(start, chip.symbols["jitter_released"].size)
    (at,) = [
        start + i
        for i in range(0, len(source), 2)
        if branch(start + i, chip.address("port_clock")) == source[i : i + 4]
    ]
    chip.write(at, branch(at, SPARE_CODE))
    # NOP and MOVS take 1 cycle, a turn 3 and the last 2, LDR and BX 2 each (Cortex-M0+ TRM 3.3).
    return 1 + 1 + (3 * turns - 1) + 2 + 2


def branch(at: int, to: int) -> bytes:
    """The instruction BL to an address (ARMv6-M ARM A6.7.13)."""
    offset = ((to & ~1) - (at + 4)) & 0x1FFFFFF
    s, i1, i2 = offset >> 24, offset >> 23 & 1, offset >> 22 & 1
    high = 0xF000 | s << 10 | (offset >> 12 & 0x3FF)
    low = 0xD000 | (~(i1 ^ s) & 1) << 13 | (~(i2 ^ s) & 1) << 11 | (offset >> 1 & 0x7FF)
    return high.to_bytes(2, "little") + low.to_bytes(2, "little")


def test_a_tick_that_is_a_cycle_too_long_is_seen_in_every_period(o2: Path) -> None:
    """SysTick is set by a clock that seems faster by one cycle per tick: a period of ten ticks is ten cycles longer."""

    class Slow(Board):
        def __init__(self, program: Path) -> None:
            super().__init__(program)
            start, size = self.chip.address("clock_get_hz") & ~1, self.chip.symbols["clock_get_hz"].size
            right, wrong = (hz.to_bytes(4, "little") for hz in (CLK_SYS_HZ, CLK_SYS_HZ + 1000))
            code = self.chip.read(start, size)
            assert code.count(right) == 1
            self.chip.write(start, code.replace(right, wrong))
            self.run(0.65)

    late = np.array(series(Slow(o2 / "intercore-target").ask("run jitter samples=40"), "late"))
    assert set(np.diff(late).tolist()) == {10}


def test_a_grid_that_is_off_is_seen_to_the_cycle(watched: Watched) -> None:
    before = np.array(series(watched.measure("samples=50"), "late"))
    edge = int.from_bytes(watched.chip.read("known_edge", 8), "little")
    watched.chip.write("known_edge", (edge - 500).to_bytes(8, "little"))
    after = np.array(series(watched.measure("samples=50"), "late"))
    assert set((after - before).tolist()) == {500}


# What it shows


@pytest.mark.parametrize("how", ["affinity", "blockers", "published", "published wake=reset"])
@pytest.mark.parametrize("load", ["none", "both"])
def test_every_migration_asked_for_happens_and_the_period_stays_bounded(watched: Watched, how: str, load: str) -> None:
    answer = watched.measure(f"migrate={how} load={load} samples=60 period_us=2000")
    checks = answer[-1]["checks"]
    assert (checks["migrations_requested"], checks["migrations_done"], checks["migrated"], checks["wrong"]) == (
        60,
        60,
        0,
        0,
    )
    _, cores = watched.recorded(answer)
    assert np.all(np.diff(cores) != 0), "the chip itself was on the other core each time"
    deviation = np.diff(series(answer, "late"))
    assert np.abs(deviation).max() < 500, "4 µs"


def test_migrations_that_do_not_happen_are_not_counted_as_such(watched: Watched) -> None:
    """An image whose kernel ignores affinities: its function returns at once."""
    watched.chip.write(watched.chip.address("port_task_pin") & ~1, (0x2000).to_bytes(2, "little") + b"\x70\x47")
    answer = watched.ask("run jitter migrate=affinity samples=20")
    assert answer[-1]["status"] == "failed"
    assert (answer[-1]["checks"]["migrations_requested"], answer[-1]["checks"]["migrations_done"]) == (20, 0)
    assert set(series(answer, "core")) == {0}


def test_without_synchronisation_periods_deviate_by_whole_periods(watched: Watched) -> None:
    answer = watched.measure("migrate=unsynchronised samples=40 period_us=2000")
    late = np.array(series(answer, "late"))
    assert late.max() > 2 * 2 * TICK
    assert "migrations_requested" not in answer[-1]["checks"]


def test_a_wake_time_set_anew_makes_the_period_longer_by_what_passes_before_the_sleep(watched: Watched) -> None:
    """Work of half a tick more than two ticks leaves the next release to be counted from the second tick on."""
    answer = watched.measure("wake=reset samples=20 work_us=2500")
    cycles, _ = watched.recorded(answer)
    assert np.array_equal(series(answer, "period")[1:], np.diff(cycles)), "each is what truly passed"
    assert set((np.array(series(answer, "period")) // TICK).tolist()) == {12}
    assert max(series(answer, "late")) < TICK, "against when each was due"
    kept = watched.measure("wake=kept samples=20 work_us=2500")
    assert "period" not in {line["name"] for line in kept if line["type"] == "series"}
    assert np.abs(np.diff(series(kept, "late"))).max() < 500


@pytest.mark.parametrize(("read", "bits"), [("own", 16), ("24", 24), ("32", 32)])
def test_raw_counters_make_two_clusters_of_a_moved_tasks_periods(watched: Watched, read: str, bits: int) -> None:
    """Each is what truly passed and how far the counters are apart, forth or back, on the circle of so many bits.

    The chip's own counter wraps 19 times in a period, and 160 million cycles of 24 bits some ten times in the test.
    """
    moments = watched.chip.watch_execution("port_cycles_reads")
    answer = watched.measure(f"migrate=published time=raw-counter counter_bits={read} samples=60")
    hits = moments.hits()
    begins = series(answer, "begins")
    firsts = [begin + number for number, begin in enumerate(begins)]
    cycles, cores = hits["cycle"].astype(np.int64), hits["core"].astype(np.int64)
    (clocks,) = {line["clock"] for line in answer if line["type"] == "series" and line["name"] == "raw"}
    assert clocks == "counter"
    raw = np.array(series(answer, "raw"))
    assert 0 <= raw.min() <= raw.max() < 2**bits
    passed = np.delete(np.diff(cycles, prepend=cycles[0]), firsts)
    forth = np.delete(np.diff(cores, prepend=cores[0]), firsts)
    assert set(forth.tolist()) == {-1, 1}, "it was on the other core each time"
    apart = [way * (raw - passed)[forth == way] % 2**bits for way in (1, -1)]
    assert np.ptp(np.concatenate(apart)) <= SPREAD, "by as much one way as back the other"


def test_32_bit_period_shorter_than_the_offset_averages_half_a_wrap(watched: Watched) -> None:
    """As the published periods likely are, which are of counters that are farther apart than 10 ms."""
    words = "migrate=published time=raw-counter counter_bits=32 samples=60"
    half_us = 2**31 / CLK_SYS_HZ * 1e6
    for period_us, wraps in ((1000, 1), (10000, 0)):
        one = measurement(watched.measure(f"{words} period_us={period_us}"), "jitter")
        (false,) = analyse(
            [msgspec.structs.replace(one, conditions={"cores": "2", "clock.counter_bits": "16"})]
        ).false_periods
        assert false.bits == 32
        assert false.apart_us is not None
        assert 1000 < -false.apart_us < 10_000, "core 1 begins later, by less than the longer period"
        assert false.mean_us == pytest.approx(period_us + wraps * half_us, abs=1)


def test_their_mean_follows_from_width_rate_and_period(watched: Watched) -> None:
    # How far the counters are apart when the image starts decides whether a way wraps in all periods or in none.
    # With some other values of period_us, one period of a way does otherwise than the rest.
    period_us = 7_000
    answer = watched.measure(f"migrate=published time=raw-counter samples=60 period_us={period_us}")
    one = measurement(answer, "jitter")
    told = {line["key"]: line["value"] for line in watched.ask("info") if line["type"] == "condition"}
    (false,) = analyse([msgspec.structs.replace(one, conditions=told | {"cores": "2"})]).false_periods
    assert (false.bits, false.hz, false.periods) == (16, CLK_SYS_HZ, 60)
    assert [way.periods for way in false.ways] == [30, 30]
    assert max(way.largest_us - way.least_us for way in false.ways) < 4
    assert false.implied_us == pytest.approx(false.mean_us, abs=0.1)
    half = 2**16 / CLK_SYS_HZ * 1e6 / 2
    halves = (false.mean_us - period_us % (2 * half)) / half
    assert halves == pytest.approx(round(halves), abs=0.01), "a wrap of one way, of none or of both"
    assert round(halves) in (-1, 0, 1), "by how far the counters are apart, which the image's start decides"
    assert false.true_us == pytest.approx(period_us, abs=0.1)
    assert false.is_plain


def test_load_of_lower_priority_costs_little_and_equals_more(watched: Watched) -> None:
    rest, loaded, equal = (
        np.median(series(watched.measure(f"load={load} samples=30 period_us=2000"), "late"))
        for load in ("none", "both", "same-priority")
    )
    assert rest < loaded < rest + 500
    assert equal > loaded + 300


def test_load_that_calls_the_kernel_delays_most_by_its_critical_sections(watched: Watched) -> None:
    loop, memory, queue = (
        max(series(watched.measure(f"load=both load_work={work} samples=60 period_us=2000"), "late"))
        for work in ("loop", "memory", "queue")
    )
    assert loop - 100 < memory < loop + 500
    assert queue > loop + 500


class Listening(Watched):
    """A board whose line is listened to."""

    def take(self) -> bytes:
        heard = self.chip.take_uart_timed()
        self.heard += heard.data
        self.ended = np.append(self.ended, heard.cycles)
        return heard.data

    def measure(self, words: str) -> list[dict[str, Any]]:
        self.heard, self.ended = b"", np.zeros(0, np.int64)
        return super().measure(words)

    heard = b""
    ended: Cycles = np.zeros(0, np.int64)
    """The cycle in which each byte ended."""


PRINTED = b"\r" * 63


@pytest.mark.parametrize("load", ["core0", "core1", "both", "same-priority"])
def test_load_that_prints_keeps_the_line_busy_and_leaves_it_to_the_answer(o2: Path, load: str) -> None:
    board = Listening(o2 / "intercore-target")
    answer = board.measure(f"load={load} load_work=uart samples=20 period_us=2000")
    assert len(series(answer, "late")) == 20
    *lines, rest = board.heard.split(b"\n")
    assert rest == b""
    assert {line for line in lines if line.count(b"\r") != 1} == {PRINTED}, "whole lines"
    first = board.heard.index(PRINTED)
    last = board.heard.rindex(PRINTED) + len(PRINTED)
    assert board.heard[first : last + 1] == (PRINTED + b"\n") * lines.count(PRINTED), "and nothing between them"
    character = 10 * CLK_SYS_HZ / 115_200
    assert np.ptp(board.ended[[first, last]]) <= 1.01 * character * (last - first), "one after another"
    assert np.ptp(board.ended[[first, last]]) >= 20 * 2 * TICK, "all the time"


def test_line_that_leaves_slowly_does_not_run_into_the_targets_own(o2: Path) -> None:
    """A line of 160 ms lasts until the rest behind a stretch of 500 ms is over, as where the host takes its time."""
    board = Listening(o2 / "intercore-target")
    board.chip.write_word(board.chip.address("rates") + 4, 4000)  # in place of the second
    assert board.ask("rate 4000")[-1]["rate"] == 4000
    answer = board.measure("load=core1 load_work=uart samples=60")
    assert [line["done"] for line in answer if line["type"] == "progress"] == [50]
    assert {line for line in board.heard.split(b"\n") if line.count(b"\r") > 1} == {PRINTED}


def test_load_that_prints_delays_seldom_but_long(watched: Watched) -> None:
    """Its tasks sleep, so they cost nothing but where an activation meets an interrupt or a lock of theirs."""
    watched.ask("rate 3000000")
    rest, printing = (
        np.array(series(watched.measure(f"load={load} samples=60"), "late")) for load in ("none", "both load_work=uart")
    )
    assert abs(np.median(printing) - np.median(rest)) < 100
    assert printing.max() > rest.max() + 500


def test_work_of_the_task_does_not_move_its_releases(watched: Watched) -> None:
    idle = series(watched.measure("samples=30"), "late")
    assert series(watched.measure("samples=30 work_us=3000"), "late") == idle


def test_long_runs_are_counted_in_histograms(watched: Watched) -> None:
    answer = watched.measure("samples=20 counted=2000 period_us=1000")
    late = series(answer, "late")
    counts = series(answer, "late.counts")
    assert sum(counts) == 2000
    assert sum(series(answer, "longer.counts")) + sum(series(answer, "shorter.counts")) == 2000
    lowest, highest, shorter, longer = series(answer, "extremes")
    assert lowest <= min(late) <= max(late) <= highest <= lowest + 10, "at rest all are alike"
    assert lowest - highest <= shorter <= 0 <= longer <= highest - lowest
    bins = zip(*bin_bounds(len(counts)), counts, strict=True)
    assert sum(count for low, high, count in bins if low <= highest and lowest <= high) == 2000


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("period_us=1500", "bad-value"),
        ("period_us=1000 work_us=1000", "bad-value"),
        ("load=same-priority migrate=affinity", "bad-value"),
        ("load_work=queue", "bad-value"),
        ("load_work=uart", "bad-value"),
        ("priority=2", "out-of-range"),
        ("priority=8", "out-of-range"),
        ("migrate=affinity samples=2700 counted=1", "out-of-range"),
        ("migrate=published wake=reset time=raw-counter samples=2700", "out-of-range"),
        ("load=same-priority migrate=published", "bad-value"),
    ],
)
def test_what_cannot_be_is_refused(board: Board, words: str, code: str) -> None:
    (*_, error) = board.ask(f"run jitter {words}")
    assert error["code"] == code
    assert board.ask("run jitter samples=1")[-1]["status"] == "ok", "and leaves nothing behind"
