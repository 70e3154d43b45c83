"""What hand-overs, bouts and ping-pongs are taken to say: known orders of acquisitions give known fairness."""

from __future__ import annotations

import itertools
from io import StringIO
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.lock import analysis as lock
from intercore.benchmarks.lock.answers import answers, concerns, costs
from intercore.benchmarks.lock.findings import (
    LockBroken,
    LockFailedCheck,
    LockHandOvers,
    LockMutexSlower,
    LockNothingMeasured,
    LockUnfair,
)
from intercore.benchmarks.lock.report import report
from intercore.record.measurement import Measurement, Plan, Run, Series
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Cells
from intercore.view.quantity import Time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level

HZ = 1_000_000_000
CHIP_HZ = 125_000_000
FACTORS: Mapping[str, Level] = {
    "lock": "spinlock",
    "from": 0,
    "to": 1,
    "cores": 2,
    "hold": 10,
    "pause": 10,
    "rounds": 32,
    "batch": 100,
    "samples": 3,
    "seed": 1,
}


def measurement(
    measure: str,
    series: Mapping[str, Sequence[int]],
    *,
    hz: int = HZ,
    checks: Mapping[str, int] | None = None,
    **more: Level,
) -> Measurement:
    values = {"timestamp_overhead.0": [30] * 9, **series}
    return Measurement(
        benchmark="lock",
        factors={**FACTORS, "measure": measure, **{name.rstrip("_"): level for name, level in more.items()}},
        repetition=0,
        series=tuple(Series(name, "common", hz, np.array(ticks, np.int64)) for name, ticks in values.items()),
        conditions={"clock.sys_hz": str(hz)} if hz == CHIP_HZ else {},
        checks=checks or {},
        started="2026-01-01T00:00:00+00:00",
    )


def bout(owners: str, *, gap: int = 10, **more: Level) -> Measurement:
    """One bout in which cores got the lock in this order, each time `gap` ticks after the one before."""
    moments = {core: [gap * (i + 1) for i, owner in enumerate(owners) if owner == core] for core in "01"}
    series = {"bout": [gap * len(owners)], **{f"taken.{core}": ticks for core, ticks in moments.items()}}
    return measurement("contention", series, **more)


def run_of(measurements: Sequence[Measurement], *, simulated: bool = False) -> Run:
    plan = Plan("pico-sim" if simulated else "host", None, "lock", (), simulated=simulated)
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), tuple(measurements))


# Hand-over


def test_both_directions_of_a_hand_over_are_told_apart() -> None:
    found = lock.analyse([measurement("hand-off", {"there": [100, 200, 300], "back": [1000, 1100, 1200]})])
    assert [(one.first, one.second, one.latency_us.median.value) for one in found.hand_off] == [
        (0, 1, 0.2),
        (1, 0, 1.1),
    ]
    assert [one.median_cycles for one in found.hand_off] == [None, None], "the clock does not count cycles"


def test_where_the_clock_counts_cycles_they_are_told() -> None:
    (there, _) = lock.analyse([measurement("hand-off", {"there": [66], "back": [67]}, hz=CHIP_HZ)]).hand_off
    assert there.median_cycles == pytest.approx(66)
    assert there.latency_us.median.value == pytest.approx(66 / 125)


def test_repetitions_and_what_does_not_matter_are_pooled_and_other_factors_kept_apart() -> None:
    samples = {"there": [100], "back": [100]}
    same = [measurement("hand-off", samples, seed=seed, batch=seed, pause=seed) for seed in (1, 2, 3)]
    assert [one.latency_us.n for one in lock.analyse(same).hand_off] == [3, 3]
    apart = lock.analyse([measurement("hand-off", samples, opt=opt) for opt in ("O0", "O2")]).hand_off
    assert [one.varied for one in apart] == [{"opt": "O0"}] * 2 + [{"opt": "O2"}] * 2


def test_a_mutex_that_is_dearer_than_a_spinlock_is_told_with_its_factor() -> None:
    analysis = lock.analyse(
        [
            measurement("hand-off", {"there": [2000] * 9, "back": [1900] * 9}, lock="mutex"),
            measurement("hand-off", {"there": [200] * 9, "back": [200] * 9}),
        ]
    )
    mutex, spinlock = Time(2.0, None), Time(0.2, None)
    assert list(lock.results(analysis)) == [
        LockHandOvers(medians={"mutex": mutex, "spinlock": spinlock}),
        LockMutexSlower(times=10.0, mutex=mutex),
    ]


@given(*[st.integers(1, 10**6)] * 4)
def test_the_answer_and_the_picture_take_the_slower_direction(there: int, back: int, far: int, near: int) -> None:
    analysis = lock.analyse(
        [
            measurement("hand-off", {"there": [there] * 9, "back": [back] * 9}),
            measurement("hand-off", {"there": [far] * 9, "back": [near] * 9}, lock="mutex"),
        ]
    )
    slower = {"spinlock": max(there, back) / 1e3, "mutex": max(far, near) / 1e3}
    best = next(one for one in answers(analysis) if one.question == "lock hand-off")
    assert best.value is not None
    assert best.value.value == pytest.approx(min(slower.values()))
    assert [one.across_us for one in costs(analysis)] == pytest.approx([slower["mutex"], slower["spinlock"]])


def test_directions_that_differ_are_both_named_in_the_answer() -> None:
    def told_of(back: int) -> str:
        one = measurement("hand-off", {"there": [1000] * 9, "back": [back] * 9})
        return next(answers(lock.analyse([one]))).text

    assert told_of(1100) == "1.10 µs, spinlock"
    assert told_of(4000) == "4.00 µs, spinlock 1 → 0; 0 → 1: 1.00 µs"


def test_disturbed_hand_offs_do_not_concern_contended_locks() -> None:
    drifting = [*range(100, 200), *range(300, 400)]
    series = {name: {"there": [(1 + (name == "mutex")) * each for each in drifting]} for name in lock.LOCKS}
    handed = [measurement("hand-off", {**known, "back": [100] * 200}, lock=name) for name, known in series.items()]
    fought = [bout("0010", lock=name) for name in lock.LOCKS]
    *first, rest = lock.caveats([*handed, *fought])
    disturbed = [one.levels["lock"] for found in (*first, rest) for one in disturbed_samples(found)]
    assert disturbed == list(lock.LOCKS)
    assert [one.levels["lock"] for one in disturbed_samples(rest)] == ["atomic-add", "atomic-swap"]
    told = {one.question: one for one in answers(lock.analyse([*handed, *fought]))}
    assert {question for question, one in told.items() if concerns(rest, one)} == {
        *("lock hand-off", "mutex hand-off"),
    }
    assert concerns(LockBroken(lock="mutex"), told["contended mutex"])


# Contention


def test_a_mutex_fought_over_is_told_first_and_then_what_is_quicker() -> None:
    def told(*names: str) -> list[tuple[str, str, bool]]:
        gaps = {"mutex": 20, "spinlock": 10, "atomic-add": 5}
        found = answers(lock.analyse([bout("01" * 16, gap=gaps[name], lock=name) for name in names]))
        return [(one.question, one.about.partition(";")[0], one.brief) for one in found]

    (unfair,) = answers(lock.analyse([bout("0010", lock="mutex")]))
    assert unfair.about.startswith("mutex per acquire/release; unfair: 75 % by core 0, 25 % by core 1, longest wait ")
    (fair,) = answers(lock.analyse([bout("01" * 16, lock="mutex")]))
    assert fair.about.startswith("mutex per acquire/release; 50 % by core 0, 50 % by core 1, longest wait ")
    assert told("mutex") == [("contended mutex", "mutex per acquire/release", True)]
    assert told("spinlock") == [("fastest contended lock", "spinlock per acquire/release", True)]
    assert told("spinlock", "mutex") == [
        ("contended mutex", "mutex per acquire/release", True),
        ("fastest contended lock", "spinlock per acquire/release", False),
    ]
    assert told("atomic-add", "spinlock")[0][1] == "spinlock per acquire/release", "what one operation does is no lock"
    assert told("atomic-add")[0][1] == "atomic-add per acquire/release", "where nothing else was measured"


def test_turns_are_fair_and_never_repeated() -> None:
    (found,) = lock.analyse([bout("01" * 16)]).contention
    assert found.acquisitions == (16, 16)
    assert (found.jain, found.longest_streak, found.repeated) == (1, 1, 0)
    assert found.per_second == pytest.approx(HZ / 10)
    assert found.each_us == pytest.approx(0.01)
    assert found.longest_wait_us == pytest.approx(0.02)


def test_one_core_that_has_all_is_as_unfair_as_can_be() -> None:
    analysis = lock.analyse([bout("1" * 32)])
    (found,) = analysis.contention
    assert found.acquisitions == (0, 32)
    assert (found.jain, found.longest_streak, found.repeated) == (0.5, 32, 31 / 32)
    assert found.longest_wait_us == pytest.approx(0.32), "core 0 waited for all of the bout"
    (unfair,) = lock.results(analysis)
    assert isinstance(unfair, LockUnfair)
    assert (unfair.shares_percent, unfair.jain, unfair.longest_streak) == ((0, 100), 0.5, 32)


def test_streaks_do_not_go_beyond_a_bout() -> None:
    one = measurement("contention", {"bout": [30, 30], "taken.0": [30, 40, 60], "taken.1": [10, 20, 50]})
    (found,) = lock.analyse([one]).contention
    # 1 1 0 | 0 1 0
    assert (found.bouts, found.longest_streak, found.acquisitions) == (2, 2, (3, 3))
    assert found.repeated == pytest.approx(1 / 6)


def test_a_core_without_a_series_of_its_own_has_nothing() -> None:
    one = measurement("contention", {"bout": [30], "taken.0": [10, 20, 30]})
    (found,) = lock.analyse([one]).contention
    assert found.acquisitions == (3, 0)


@given(st.lists(st.text("01", min_size=1, max_size=40), min_size=1, max_size=4))
def test_any_order_of_acquisitions_is_counted_as_it_was(bouts: list[str]) -> None:
    (found,) = lock.analyse([bout(owners) for owners in bouts]).contention
    every = "".join(bouts)
    assert found.acquisitions == (every.count("0"), every.count("1"))
    streaks = [len(list(run)) for owners in bouts for _, run in itertools.groupby(owners)]
    assert found.longest_streak == max(streaks)
    assert found.repeated == pytest.approx(1 - len(streaks) / len(every))
    assert 0.5 <= found.jain <= 1
    msgspec.json.encode(found)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=64))
def test_jains_index_lies_between_one_in_n_and_one(shares: list[int]) -> None:
    found = lock.jain(shares)
    assert 1 / len(shares) - 1e-9 <= found <= 1 + 1e-9
    assert lock.jain([3 * share for share in shares]) == pytest.approx(found), "it does not depend on the unit"


def test_jains_index_of_k_equal_shares_among_n_is_k_in_n() -> None:
    assert lock.jain([7, 7, 7, 0, 0, 0, 0, 0]) == pytest.approx(3 / 8)


# Ping-pong


def test_one_way_is_half_of_a_round_trip() -> None:
    (found,) = lock.analyse([measurement("ping-pong", {"round_trips": [10_000, 12_000, 11_000]}, batch=50)]).ping_pong
    assert found.one_way_us.median.value == pytest.approx(0.11)
    assert (found.first, found.second, found.batch) == (0, 1, 50)


# All


def test_nothing_to_measure_is_no_result_and_is_told_if_there_is_nothing_else() -> None:
    nothing = measurement("ping-pong", {}, lock="mutex")
    something = measurement("ping-pong", {"round_trips": [10_000]}, lock="atomic-add")
    assert lock.analyse([nothing]) == lock.LockAnalysis((), (), ())
    assert list(lock.caveats([nothing])) == [LockNothingMeasured()]
    assert list(lock.caveats([nothing, something])) == []


def test_what_spoils_the_numbers_is_told_with_its_cause() -> None:
    wrong = measurement(
        "contention", {"bout": [1]}, checks={"wrong": 1, "migrated": 2, "lost": 4, "preempted": 3}, lock="mutex"
    )
    broken, *failed = lock.caveats([wrong])
    assert broken == LockBroken(lock="mutex"), "what is wrong is reported once"
    assert [(one.check, one.count, one.levels) for one in failed if isinstance(one, LockFailedCheck)] == [
        ("migrated", 2, ("mutex",)),
        ("lost", 4, ("mutex",)),
        ("preempted", 3, ("mutex",)),
    ]


def test_other_benchmarks_are_left_alone() -> None:
    other = msgspec.structs.replace(measurement("hand-off", {"there": [1], "back": [1]}), benchmark="clock")
    assert lock.analyse([other]) == lock.LockAnalysis((), (), ())
    assert list(lock.caveats([other])) == []


# The report


def everything(*, hz: int = HZ) -> list[Measurement]:
    return [
        *(
            measurement("hand-off", {"there": [2000 + k for k in range(9)], "back": [900] * 9}, lock=name, hz=hz)
            for name in lock.LOCKS
        ),
        bout("0101101", hz=hz),
        bout("1111111", hz=hz, lock="mutex"),
        measurement("ping-pong", {"round_trips": [10_000, 10_100]}, lock="atomic-swap", hz=hz),
    ]


@pytest.mark.parametrize("simulated", [False, True])
def test_the_report_tells_the_same_to_people_and_programs(simulated: bool) -> None:
    found = report(run_of(everything(hz=CHIP_HZ if simulated else HZ), simulated=simulated))
    assert found.benchmark == "lock"
    analysis = found.json["lock"]
    assert isinstance(analysis, dict)
    assert set(analysis) == {"hand_off", "contention", "ping_pong", "sentences"}
    assert {"from", "to"} <= set(analysis["hand_off"][0])
    assert len(found.rows) == 10 + 2 + 1
    titles = [table.title for table in found.section.tables]
    assert len(titles) == 3
    assert all(("SIMULATED" in title) == simulated for title in titles)
    assert [figure.name.startswith("lock-") for figure in found.section.figures] == [True, True]


def test_tables_fit_a_hundred_columns() -> None:
    for table in report(run_of(everything(hz=CHIP_HZ), simulated=True)).section.tables:
        shown = StringIO()
        print_table(table, Console(file=shown, width=100))
        lines = shown.getvalue().splitlines()
        assert max(map(len, lines)) <= 100
        assert any("critical-section" in line for line in lines) or "one way" not in table.title


def test_the_heat_map_has_both_orders_of_a_pair() -> None:
    ways = [
        measurement("ping-pong", {"round_trips": [ticks]}, lock="atomic-swap", to=to)
        for to, ticks in ((1, 10_000), (2, 30_000))
    ]
    (figure,) = report(run_of(ways)).section.figures
    (panel,) = figure.panels
    (cells,) = panel.series
    assert isinstance(cells, Cells)
    assert [name for _, name in panel.x.names] == ["core 0", "core 1", "core 2"]
    assert cells.rows == [[None, 0.05, 0.15], [0.05, None, None], [0.15, None, None]]


def test_a_report_of_nothing_is_empty_and_says_why() -> None:
    found = report(run_of([measurement("ping-pong", {}, lock="mutex")]))
    assert found.section.tables == found.section.figures == []
    assert found.rows == []
    assert found.findings == [LockNothingMeasured()]


def test_published_figures_stand_in_the_notes() -> None:
    notes = " ".join(report(run_of(everything())).section.notes)
    assert "Cascade Lake), 2019: 48 ns" in notes
    assert "Nicolas Viennot" in notes
