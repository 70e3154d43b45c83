"""What latencies of interrupts are taken to say: known answers, properties, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.caveats import Disturbed, disturbed_samples
from intercore.benchmarks.irq import DOING, PATHS
from intercore.benchmarks.irq import analysis as irq
from intercore.benchmarks.irq import report as view
from intercore.benchmarks.irq.answers import answers, concerns, costs
from intercore.benchmarks.irq.findings import (
    IrqDoorbell,
    IrqFailedCheck,
    IrqPin,
    IrqSlowToWake,
    IrqTimer,
    IrqTimerToTask,
    IrqWakeUp,
    WakeUp,
)
from intercore.benchmarks.uncertainty import CrossCoreUncertainty
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.view.figure import Cells
from intercore.view.quantity import Time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.finding import Finding

HZ = 125_000_000


def measurement(
    path: str,
    ticks: Sequence[int],
    first: int = 0,
    second: int = 0,
    interrupted: str = "idle",
    *,
    checks: dict[str, int] | None = None,
    sys_hz: int | None = HZ,
    **factors: int | str,
) -> Measurement:
    values = {"timestamp_overhead.0": [46] * 9, "timestamp_overhead.1": [54] * 9, "latency": ticks}
    return Measurement(
        benchmark="irq",
        factors={"path": path, "from": first, "to": second, "interrupted": interrupted, "seed": 1, **factors},
        repetition=0,
        series=tuple(Series(name, "common", HZ, np.array(some, np.int64)) for name, some in values.items()),
        conditions={} if sys_hz is None else {"clock.sys_hz": str(sys_hz)},
        checks=checks or {},
        started="",
    )


def results(*measurements: Measurement) -> list[Finding]:
    return list(irq.results(irq.analyse(measurements)))


def run(*measurements: Measurement, simulated: bool = True) -> Run:
    plan = Plan("pico-sim" if simulated else "host", None, "irq", (Part("irq", {}),), simulated=simulated)
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


WHOLE = (
    measurement("timer-handler", [50] * 20),
    measurement("timer-handler", [500] * 20, interrupted="kernel"),
    measurement("handler-task", [1000] * 20),
    measurement("handler-task", [1500] * 20, 0, 1),
    measurement("timer-task", [1250] * 20, 0, 1),
    measurement("timer-task", [3000] * 20, 0, 1, interrupted="kernel"),
    measurement("doorbell", [100] * 20, 1, 1),
    measurement("doorbell", [150] * 20, 0, 1),
    measurement("doorbell-round-trip", [300] * 20, 0, 1),
)


def test_a_factor_that_varies_has_a_column_in_each_table() -> None:
    found = view.report(run(*(measurement("doorbell", [100] * 20, opt=opt) for opt in ("O2", "O3"))))
    assert all(table.columns[0].title == "opt" for table in found.section.tables)


def test_latencies_are_in_microseconds_and_in_cycles() -> None:
    (found,) = irq.analyse([measurement("doorbell", [125, 250, 500], 0, 1)]).latencies
    assert (found.latency_us.min, found.latency_us.median.value, found.latency_us.max) == (1.0, 2.0, 4.0)
    assert found.cycles == irq.Cycles(125, 250.0, 500)
    assert found.timestamp_overhead_us == pytest.approx(54 / 125), "of the core that reads last"


@pytest.mark.parametrize("sys_hz", [None, HZ // 2])
def test_there_are_no_cycles_where_the_clock_counts_something_else(sys_hz: int | None) -> None:
    (found,) = irq.analyse([measurement("doorbell", [125], sys_hz=sys_hz)]).latencies
    assert found.cycles is None


@pytest.mark.parametrize(
    ("path", "overhead"), [("doorbell", 54), ("handler-task", 54), ("doorbell-round-trip", 46), ("timer-handler", 46)]
)
def test_the_overhead_is_that_of_the_core_that_reads_last(path: str, overhead: int) -> None:
    (found,) = irq.analyse([measurement(path, [125], 0, 1)]).latencies
    assert found.timestamp_overhead_us == pytest.approx(overhead / 125)


def test_a_timer_has_no_second_core_and_its_repetitions_are_pooled() -> None:
    there = [measurement("timer-handler", [100], 0, second) for second in (0, 1)]
    (found,) = irq.analyse(there).latencies
    assert (found.second, found.is_across, found.latency_us.n, found.cores) == (None, False, 2, "0")


def test_other_factors_keep_settings_apart() -> None:
    found = irq.analyse([measurement("doorbell", [100], opt=opt) for opt in ("O0", "O2")])
    assert [one.varied for one in found.latencies] == [{"opt": "O0"}, {"opt": "O2"}]
    assert list(irq.results(found)) == []
    two = irq.analyse([measurement("timer-handler", [100], opt=opt) for opt in ("O0", "O2")])
    assert [one.setting for one in irq.results(two)] == [{"opt": "O0"}, {"opt": "O2"}]


def test_each_direction_is_compared_with_the_core_where_it_begins() -> None:
    comparisons = {one.path: one for one in irq.analyse(WHOLE).comparisons}
    assert set(comparisons) == {"handler-task"}, "no ring of core 0 to itself was measured"
    assert comparisons["handler-task"].ratio == irq.Interval(1.5, 1.5, 1.5)
    more = [measurement("doorbell", [125] * 20, 0, 0), measurement("doorbell", [600] * 20, 1, 0)]
    found = {(one.first, one.second): one for one in irq.analyse([*WHOLE, *more]).comparisons if one.path == "doorbell"}
    assert (found[0, 1].same_core_us.value, found[0, 1].cross_core_us.value) == (1.0, 1.2)
    assert (found[1, 0].same_core_us.value, found[1, 0].cross_core_us.value) == (0.8, 4.8)
    assert [one.ratio.value for one in found.values()] == pytest.approx([1.2, 6.0])


ways = st.integers(1, 10**6)


@given(ways, ways, ways, ways)
def test_two_directions_never_become_one_figure(to_1: int, to_0: int, on_0: int, on_1: int) -> None:
    given_ticks = {(0, 1): to_1, (1, 0): to_0, (0, 0): on_0, (1, 1): on_1}
    known = [measurement("doorbell", [ticks] * 9, *way) for way, ticks in given_ticks.items()]
    analysis = irq.analyse(known)
    there, back = analysis.comparisons
    assert there.ratio.value == pytest.approx(to_1 / on_0)
    assert back.ratio.value == pytest.approx(to_0 / on_1)
    usual = {one.across: one.typical_us for one in analysis.budgets}
    assert usual == {True: max(to_1, to_0) / 125, False: max(on_0, on_1) / 125}
    (cost,) = costs(analysis)
    assert cost.across_us == usual[True]
    assert cost.same_us in {same / 125 for same, ticks in ((on_0, to_1), (on_1, to_0)) if ticks == max(to_1, to_0)}


def test_findings_name_both_directions_or_the_slower_one() -> None:
    medians = {("handler-task", 0, 0): 1000, ("handler-task", 1, 1): 1250, ("handler-task", 0, 1): 1500,
               ("handler-task", 1, 0): 5000, ("doorbell", 0, 1): 150, ("doorbell", 1, 0): 500,
               ("timer-handler", 0, 0): 50, ("timer-handler", 1, 0): 100}  # fmt: skip
    timer, task, ring = results(*(measurement(path, [t] * 9, a, b) for (path, a, b), t in medians.items()))
    assert isinstance(timer, IrqTimer)
    assert (timer.usual, timer.cores) == (Time(0.8, 100), 2)
    assert task == IrqWakeUp(directions=2, wake_ups=(WakeUp(0, 1, 8.0, 12.0, 1.5), WakeUp(1, 0, 10.0, 40.0, 4.0)))
    assert isinstance(ring, IrqDoorbell)
    assert (ring.there, ring.directions) == (Time(4.0, 500), 2)
    assert ring.wake_up_times == pytest.approx(10), "in that direction"


def test_of_many_directions_the_ends_are_told() -> None:
    pairs = [(a, b) for a in range(3) for b in range(3)]
    known = [measurement("handler-task", [1000 + 125 * a + 1250 * b] * 9, a, b) for a, b in pairs]
    (found,) = results(*known)
    assert isinstance(found, IrqWakeUp)
    assert found.directions == 6
    assert [(one.first, one.second) for one in found.wake_ups] == [(1, 0), (1, 2)]
    assert (found.wake_ups[1].same_us, found.wake_ups[1].cross_us) == pytest.approx((19, 29))


def test_swapped_cores_are_another_result() -> None:
    (there,) = irq.analyse([measurement("doorbell", [150], 0, 1)]).latencies
    (back,) = irq.analyse([measurement("doorbell", [150], 1, 0)]).latencies
    assert (there.cores, back.cores) == ("0 → 1", "1 → 0")


def test_the_budget_is_the_largest_whatever_the_cores_did() -> None:
    budgets = {(one.path, one.across): one for one in irq.analyse(WHOLE).budgets}
    found = budgets["timer-handler", False]
    assert (found.typical_us, found.largest_us, found.largest_while, found.samples) == (0.4, 4.0, "kernel", 40)
    assert found.tail is None


def test_many_samples_have_a_tail() -> None:
    values = np.random.default_rng(1).exponential(1000, 5000).astype(int) + 100
    (budget,) = irq.analyse([measurement("doorbell", values.tolist(), 0, 1)]).budgets
    assert budget.tail
    assert budget.tail.exceeded[0].value.value > budget.largest_us * 0.8


def test_findings_say_what_to_design_for() -> None:
    timer, task, ring, whole = results(*WHOLE)
    assert timer == IrqTimer(usual=Time(0.4, 50), cores=1, largest=Time(4.0, 500), largest_while="kernel")
    assert task == IrqWakeUp(directions=1, wake_ups=(WakeUp(0, 1, 8.0, 12.0, 1.5),))
    assert isinstance(ring, IrqDoorbell)
    assert (ring.there, ring.round_trip) == (Time(1.2, 150), Time(2.4, 300))
    assert ring.wake_up_times == pytest.approx(10)
    assert isinstance(whole, IrqTimerToTask)
    assert (whole.largest_us, whole.typical_us) == (24.0, 10.0)


def test_the_edge_of_a_pin_is_told_with_its_slowest_way_and_a_cold_cache_apart() -> None:
    to_handler = [(0, 0, 100), (0, 1, 125), (1, 0, 250)]
    known = [measurement("gpio-handler", [ticks] * 9, a, b, cache="warm") for a, b, ticks in to_handler]
    known += [measurement("gpio-handler", [375] * 9, 0, 0, "kernel", cache="warm")]
    known += [measurement("gpio-task", [1250] * 9, 0, 1, cache="warm")]
    known += [measurement("gpio-handler", [1000] * 9, cache="cold")]
    cold, warm = results(*known)
    assert warm == IrqPin(setting={"cache": "warm"}, usual=Time(2.0, 250), largest_us=3.0, to_task_us=10.0)
    assert cold == IrqPin(setting={"cache": "cold"}, usual=Time(8.0, 1000), largest_us=8.0, to_task_us=None)
    said = {one.question: (one.value.value, one.worst) for one in answers(irq.analyse(known))}
    assert said == {"pin to handler, worst": (8.0, True), "pin to task, worst": (10.0, True)}
    told = [(one.label, one.across_us) for one in costs(irq.analyse(known))]
    assert told == [
        ("pin to its handler cache=cold", 8.0),
        ("pin to its handler cache=warm", 2.0),
        ("pin to a task cache=warm", 10.0),
    ]


def test_a_core_that_is_slow_to_wake_is_named() -> None:
    asleep, awake = measurement("doorbell", [2000], 0, 1), measurement("doorbell", [1000], 0, 1, "busy")
    slow = IrqSlowToWake(path="doorbell", cores="0 → 1", asleep_us=16.0, awake_us=8.0)
    assert results(asleep, awake)[-1] == slow
    quick = measurement("doorbell", [1000], 0, 1)
    assert not any(isinstance(one, IrqSlowToWake) for one in results(quick, awake))
    back = measurement("doorbell", [500], 1, 0), measurement("doorbell", [900], 1, 0, "busy")
    assert results(asleep, awake, *back)[-1] == slow


def test_failed_checks_are_reported_with_their_counts() -> None:
    bad = measurement("doorbell", [100], checks={"lost": 2, "wrong": 1, "migrated": 0, "preempted": 3})
    found = [one for one in irq.caveats([bad]) if isinstance(one, IrqFailedCheck)]
    assert {one.check: one.count for one in found} == {"lost": 2, "wrong": 1, "preempted": 3}
    assert list(irq.caveats([measurement("doorbell", [100])])) == []


def test_a_disturbed_path_is_named_but_not_one_that_is_disturbed_on_purpose() -> None:
    drifting = [*range(100, 200), *range(300, 400)]
    (found,) = irq.caveats([measurement("doorbell", drifting, 0, 1)])
    assert isinstance(found, Disturbed)
    assert found.samples.levels == {"path": "doorbell"}
    assert list(irq.caveats([measurement("doorbell", drifting, 0, 1, "kernel")])) == []


def test_disturbed_paths_are_all_named_and_concern_the_answers_of_their_own() -> None:
    drifting = [*range(100, 200), *range(300, 400)]
    taken = [measurement(path, drifting) for path in PATHS]
    found = [one for one in irq.caveats(taken) if disturbed_samples(one)]
    named = [[one.levels["path"] for one in disturbed_samples(each)] for each in found]
    assert [path for each in named for path in each] == list(PATHS)
    told = {one.question: one for one in answers(irq.analyse(taken))}
    for one, paths in zip(found, named, strict=True):
        assert concerns(one, told["timer to handler, worst"]) == ("timer-handler" in paths)
        assert concerns(one, told["timer to task, worst"]) == ("timer-task" in paths)
    lost = IrqFailedCheck(benchmark="irq", check="lost", count=2, factor="path", levels=("timer-task",))
    assert [question for question, one in told.items() if concerns(lost, one)] == ["timer to task, worst"]


@pytest.mark.parametrize("ticks", [[], [0], [0, 0], [-5, 3], [7]], ids=str)
def test_degenerate_samples_give_finite_numbers(ticks: list[int]) -> None:
    ours = [measurement(path, ticks, 0, second) for path in PATHS for second in (0, 1)]
    encoded = msgspec.json.encode(irq.analyse(ours))
    assert b"NaN" not in encoded
    view.report(run(*ours))


def test_what_a_newer_target_knows_is_left_out() -> None:
    assert (
        irq.analyse([measurement("teleport", [1]), measurement("doorbell", [1], interrupted="asleep")]).latencies == ()
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(PATHS)),
            st.integers(0, 1),
            st.integers(0, 1),
            st.sampled_from(list(DOING)),
            st.lists(st.integers(0, 10**9), min_size=1, max_size=30),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_no_sample_is_lost_and_budgets_hold(settings: list[tuple[str, int, int, str, list[int]]]) -> None:
    ours = [measurement(path, ticks, first, second, doing) for path, first, second, doing, ticks in settings]
    found = irq.analyse(ours)
    count = sum(len(ticks) for *_, ticks in settings)
    assert sum(one.latency_us.n for one in found.latencies) == count
    assert sum(one.samples for one in found.budgets) == count
    for budget in found.budgets:
        of_it = [one for one in found.latencies if (one.path, one.is_across) == (budget.path, budget.across)]
        assert budget.largest_us == max(one.latency_us.max for one in of_it)


# The report


def test_every_table_says_that_the_numbers_are_simulated() -> None:
    report = view.report(run(*WHOLE))
    assert all("SIMULATED" in table.title for table in report.section.tables)
    own = view.report(run(*WHOLE, simulated=False))
    assert not any("SIMULATED" in table.title for table in own.section.tables)


def test_tables_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console  # noqa: PLC0415

    from intercore.terminal.formats.table import print_table  # noqa: PLC0415

    console = Console(width=200)
    for table in view.report(run(*WHOLE)).section.tables:
        print_table(table, console)
    assert max(len(line.rstrip()) for line in capsys.readouterr().out.splitlines()) <= 100


def test_the_matrix_shows_from_down_and_to_across() -> None:
    (matrix,) = [one for one in view.report(run(*WHOLE)).section.figures if one.name.startswith("irq-matrix")]
    (doorbell,) = next(panel.series for panel in matrix.panels if panel.title == "doorbell")
    assert isinstance(doorbell, Cells)
    assert doorbell.rows == [[None, 1.2], [None, 0.8]]
    assert doorbell.words[0][1] == "1.20 µs"


def test_one_core_has_no_matrix() -> None:
    figures = view.report(run(measurement("doorbell", [1, 2]))).section.figures
    assert [figure.name for figure in figures] == ["irq-doorbell"]


def test_rows_are_flat_and_json_is_of_the_declared_type() -> None:
    report = view.report(run(*WHOLE))
    assert msgspec.convert(report.json["irq"], irq.IrqAnalysis) == irq.analyse(WHOLE)
    assert {type(value) for row in report.rows for value in row.values()} <= {int, float, str, type(None)}


def test_a_run_without_samples_is_reported() -> None:
    report = view.report(run())
    assert (list(report.section.tables), list(report.section.sentences)) == ([], [])


def test_paths_from_core_to_core_carry_the_uncertainty_of_a_clock_of_two_counters() -> None:
    paths = [
        ("timer-handler", 0),
        ("handler-task", 0),
        ("handler-task", 1),
        ("doorbell", 1),
        ("doorbell-round-trip", 1),
    ]
    known = [
        msgspec.structs.replace(one, conditions={**one.conditions, "clock.uncertainty": "25 ticks"})
        for one in (measurement(path, [1000] * 20, 0, second) for path, second in paths)
    ]
    found = {(one.path, one.second): one.within_us for one in irq.analyse(known).latencies}
    assert found == {
        ("timer-handler", None): 0,
        ("handler-task", 0): 0,
        ("handler-task", 1): pytest.approx(0.2),
        ("doorbell", 1): pytest.approx(0.2),
        ("doorbell-round-trip", 1): 0,  # it begins and ends on one core
    }
    assert CrossCoreUncertainty(times_of="latency", within_us=pytest.approx(0.2)) in results(*known)
    tables = {table.title.split(":")[0]: table for table in view.report(run(*known)).section.tables}
    assert "±" in [column.title for column in tables["doorbell"].columns]
    assert "±" not in [column.title for column in tables["timer-handler"].columns]
    assert not any(isinstance(one, CrossCoreUncertainty) for one in results(*WHOLE))
