"""What calls of the kernel are taken to cost: known costs, factors and lines are found again."""

from __future__ import annotations

import io
import json
import re

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.api import analysis as api
from intercore.benchmarks.api.answers import answers, concerns
from intercore.benchmarks.api.findings import ApiContended, ApiCosts, ApiFailedCheck, ApiUncontended
from intercore.benchmarks.api.report import report
from intercore.benchmarks.caveats import disturbed_samples
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.terminal.formats.table import print_table
from intercore.view.quantity import duration

HZ = 125_000_000
OVERHEAD = 46


def measurement(
    call: str,
    cycles: int | list[int],
    *,
    other: str = "none",
    size: int = 64,
    core: int = 0,
    batch: int = 1,
    overhead: int | None = OVERHEAD,
    opt: str = "O2",
    wrong: int = 0,
    hz: int = HZ,
) -> Measurement:
    """Return samples whose calls took so many cycles, the overhead not counted."""
    ticks = np.asarray(cycles if isinstance(cycles, list) else [cycles] * 20, np.int64) + (overhead or 0)
    values = {f"timestamp_overhead.{core}": [overhead] * 9, "call": ticks} if overhead is not None else {"call": ticks}
    factors = {"call": call, "size": size, "core": core, "other": other, "batch": batch, "opt": opt, "seed": 1}
    return Measurement(
        benchmark="api",
        factors=factors,
        repetition=0,
        series=tuple(Series(name, "common", hz, np.array(of, np.int64)) for name, of in values.items()),
        conditions={"clock.sys_hz": str(hz)} if hz == HZ else {},
        checks={"wrong": wrong},
        started="",
    )


def run_of(measurements: list[Measurement], *, simulated: bool = False) -> Run:
    plan = Plan("pico-sim" if simulated else "host", None, "api", (Part("api", {}),), simulated=simulated)
    return Run(1, plan, "", "0", len(measurements), tuple(measurements))


def test_a_cost_is_the_median_less_the_overhead() -> None:
    (found,) = api.analyse([measurement("give", [300, 354, 900])]).calls
    assert found.cost_cycles == pytest.approx(354)
    assert found.cost_us.value == pytest.approx(354 / 125)
    assert found.samples_us.max == pytest.approx((900 + OVERHEAD) / 125), "raw samples stay as they are"
    assert (found.size, found.factor, found.more_us) == (None, None, None)


def test_a_cost_below_the_clock_is_no_cost_of_nothing() -> None:
    measured = [
        measurement("lock", 0, hz=10**9),
        measurement("give", -3, hz=10**9),
        measurement("create", 10_000, hz=10**9),
    ]
    found = report(run_of(measured))
    (table, *_) = found.section.tables
    shown = {column.title: column for column in table.columns}
    costs = {shown["call, bytes"].text(row): shown["alone"].text(row) for row in table.rows}
    assert costs == {"lock": "< 1 ns", "give": "< 1 ns", "create": "10.0 µs"}
    (costs_of,) = (one for one in found.findings if isinstance(one, ApiCosts))
    assert costs_of.dearest is not None
    assert (costs_of.cheapest.call.name, costs_of.dearest.call.name) == ("give", "create")
    assert costs_of.cheapest.cost_us < costs_of.cheapest.resolution_us == pytest.approx(1e-3)
    assert costs_of.dearest.cost_us == pytest.approx(10)


def test_a_batch_tells_a_cost_below_a_tick() -> None:
    found = report(run_of([measurement("lock", 4, batch=8), measurement("give", 0, batch=8)]))
    (table, *_) = found.section.tables
    assert [column.text(row) for row in table.rows for column in table.columns if column.title == "alone"] == [
        "< 1 ns",
        "4.00 ns",
    ]


def test_a_batch_is_divided() -> None:
    (found,) = api.analyse([measurement("give", 8 * 350, batch=8)]).calls
    assert found.cost_cycles == pytest.approx(350)


def test_what_the_other_core_adds_is_told_from_the_same_call_alone() -> None:
    analysis = api.analyse(
        [
            measurement("give", 350),
            measurement("give", 525, other="same"),
            measurement("give", 700, core=1),
            measurement("give", 771, core=1, other="queue"),
            measurement("take", 9, other="same"),
        ]
    )
    found = {(one.call, one.core, one.other): one for one in analysis.calls}
    same = found["give", 0, "same"]
    assert same.factor == pytest.approx(1.5)
    assert same.more_cycles == pytest.approx(175)
    assert found["give", 1, "queue"].factor == pytest.approx(771 / 700)
    assert found["take", 0, "same"].factor is None, "it was not measured alone"
    (contended,) = (one for one in api.results(analysis) if isinstance(one, ApiContended))
    assert contended.times == pytest.approx(1.5)


def test_the_interval_of_the_difference_holds_both_worst_cases() -> None:
    alone, hammered = list(range(100, 140)), list(range(200, 280, 2))
    found = api.analyse([measurement("give", alone), measurement("give", hammered, other="same")]).calls[1]
    assert found.more_us
    assert found.more_us.low is not None
    assert found.more_us.high is not None
    assert found.more_us.low < found.more_us.value < found.more_us.high


def test_calls_without_a_size_are_pooled_over_sizes_and_others_are_not() -> None:
    calls = api.analyse(
        [measurement("give", 350, size=4), measurement("give", 350, size=64)]
        + [measurement("send", 400 + size, size=size) for size in (4, 64)]
    ).calls
    assert [(one.call, one.size, one.samples_us.n) for one in calls] == [
        ("give", None, 40),
        ("send", 4, 20),
        ("send", 64, 20),
    ]


def test_other_factors_that_vary_stay_apart() -> None:
    calls = api.analyse([measurement("give", 350, opt="O2"), measurement("give", 700, opt="O0")]).calls
    assert [one.varied for one in calls] == [{"opt": "O0"}, {"opt": "O2"}]


@given(fixed=st.integers(50, 10_000), per_byte=st.integers(1, 20), sizes=st.sets(st.integers(1, 1024), min_size=2))
def test_a_line_is_found_again(fixed: int, per_byte: int, sizes: set[int]) -> None:
    measured = [measurement("send", fixed + per_byte * size, size=size) for size in sizes]
    (line,) = api.analyse(measured).by_size
    assert line.sizes == tuple(sorted(sizes))
    assert line.fixed_us * 125 == pytest.approx(fixed, abs=0.01)
    assert line.per_byte_us * 125 == pytest.approx(per_byte, abs=1e-4)
    assert line.even_bytes == pytest.approx(fixed / per_byte, rel=1e-3)
    assert line.residual_us == pytest.approx(0, abs=1e-6)


def test_a_size_that_adds_nothing_has_no_break_even() -> None:
    costs = {16: 682, 256: 679, 1024: 683}
    (line,) = api.analyse([measurement("allocate", cycles, size=size) for size, cycles in costs.items()]).by_size
    assert line.even_bytes is None


@given(
    calls=st.lists(
        st.tuples(
            st.sampled_from(["give", "send", "nothing", "unheard-of"]),
            st.lists(st.integers(0, 2**40), min_size=1, max_size=30),
            st.sampled_from(["none", "spin", "same", "queue"]),
            st.sampled_from([1, 64, 1024]),
        ),
        max_size=8,
    )
)
def test_any_samples_give_a_report_that_is_json_and_fits_the_terminal(
    calls: list[tuple[str, list[int], str, int]],
) -> None:
    run = run_of([measurement(call, cycles, other=other, size=size) for call, cycles, other, size in calls])
    found = report(run)
    json.dumps(found.json, allow_nan=False)
    for table in found.section.tables:
        assert len(list(table.rows)) <= len(calls)
        console = Console(file=io.StringIO(), width=100)
        print_table(table, console)


def test_no_measurements_and_no_overhead_are_no_error() -> None:
    assert report(run_of([])).findings == []
    (found,) = api.analyse([measurement("give", 350, overhead=None)]).calls
    assert found.timestamp_overhead_us == 0


def test_without_a_clock_of_cycles_there_are_none() -> None:
    (found,) = api.analyse([measurement("give", 350, hz=10**9)]).calls
    assert found.cost_cycles is None
    assert found.cost_us.value == pytest.approx(0.35)


def test_wrong_results_are_warned_of() -> None:
    (found,) = api.caveats([measurement("give", 350, wrong=1)])
    assert found == ApiFailedCheck(benchmark="api", check="wrong", count=1, factor="call", levels=("give",))
    assert found.severity == "error"
    assert list(api.caveats([measurement("give", 350)])) == []


def test_the_table_shows_alone_and_hammered_in_one_row_of_at_most_100_columns() -> None:
    calls = [
        measurement(call, 350 if other == "none" else 700, other=other)
        for call in ("stream-receive", "give")
        for other in ("none", "spin", "same")
    ]
    found = report(run_of(calls, simulated=True))
    table = found.section.tables[0]
    console = Console(file=io.StringIO(), width=100)
    print_table(table, console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert "SIMULATED" in lines[0]
    assert any(line.split()[:2] == ["give", "2.80"] and "2.00" in line and "+350" in line for line in lines), lines
    assert len([line for line in lines if line.strip()]) == 5, "no cell is folded"
    assert [figure.name for figure in found.section.figures] == ["api-costs"]


def test_api_answers_include_the_overhead_and_state_the_net_time() -> None:
    taken = [measurement("lock", 2000), measurement("create", 3000)]
    lock, dearest = answers(api.analyse(taken))
    for answer, call in ((lock, taken[0]), (dearest, taken[1])):
        assert answer.value is not None
        assert answer.value.value == pytest.approx(float(np.median(call.samples("call").ns)) / 1e3)
    (cost,) = (one.cost_us.value for one in api.analyse(taken).calls if one.call == "lock")
    assert lock.value is not None
    assert lock.value.value > cost
    assert duration(cost) in lock.about


def test_the_json_is_the_analysis() -> None:
    run = run_of([measurement("give", 350)])
    analysis = api.analyse(run.measurements)
    assert report(run).json == {
        "api": {**msgspec.to_builtins(analysis), "sentences": [one.text for one in api.results(analysis)]}
    }


def test_what_cannot_be_told_from_noise_is_not_said_to_cost() -> None:
    noisy = [measurement("give", [350, 1, 700] * 9), measurement("give", [351, 2, 701] * 9, other="same")]
    assert ApiUncontended(calls=1) in api.results(api.analyse(noisy))
    clear = [measurement("give", 350), measurement("give", 360, other="same")]
    (found,) = (one for one in api.results(api.analyse(clear)) if isinstance(one, ApiContended))
    assert (found.longer, found.calls) == (1, 1)


def test_what_spoils_samples_is_told_with_the_calls_that_it_happened_to() -> None:
    some = [
        msgspec.structs.replace(measurement(call, 350), checks={"wrong": 1, "lost": 2})
        for call in ("give", "take", "send", "receive", "lock")
    ]

    def failed(*measurements: Measurement) -> list[tuple[str, int, tuple[str, ...]]]:
        found = api.caveats(measurements)
        return [(one.check, one.count, one.levels) for one in found if isinstance(one, ApiFailedCheck)]

    assert failed(some[0]) == [("wrong", 1, ("give",)), ("lost", 2, ("give",))]
    assert failed(*some)[1] == ("lost", 10, ("give", "take", "send", "receive", "lock"))


def test_tasks_that_were_forced_off_their_core_are_told() -> None:
    one = msgspec.structs.replace(measurement("give", 350), checks={"wrong": 0, "preempted": 3})
    (found,) = api.caveats([one])
    assert found == ApiFailedCheck(benchmark="api", check="preempted", count=3, factor="call", levels=("give",))


def test_calls_that_were_disturbed_on_both_cores_are_named_once() -> None:
    drifting = [*range(100, 200), *range(300, 400)]
    *_, others = api.caveats(
        [measurement(call, drifting, core=core) for call in ("lock", "give", "take") for core in (0, 1)]
    )
    named = [(one.name, one.levels["core"]) for one in disturbed_samples(others)]
    assert named == [("give", 1), ("take", 0), ("take", 1)]
    assert re.findall("give|take", others.sentence) == ["give", "take"]


def test_what_disturbed_calls_names_all_of_them_and_concerns_no_other() -> None:
    drifting = [*range(1000, 1100), *range(1300, 1400)]
    quiet = [measurement("unlock", 2000), measurement("create", 3000)]

    def concerned(*disturbed: str) -> list[str]:
        taken = [*quiet, *(measurement(call, drifting) for call in disturbed)]
        *_, last = api.caveats(taken)
        return [one.question for one in answers(api.analyse(taken)) if concerns(last, one)]

    assert concerned("lock") == ["lock a free mutex"]
    assert concerned("send") == []
    assert concerned("give", "take", "send", "lock", "notify") == ["lock a free mutex"]
    lost = ApiFailedCheck(benchmark="api", check="lost", count=2, factor="call", levels=("unlock", "create"))
    assert [one.question for one in answers(api.analyse(quiet)) if concerns(lost, one)] == [
        *("unlock a free mutex", "longest kernel call"),
    ]
