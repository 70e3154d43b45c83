"""Budgets held against runs: kept, broken, cannot tell and how many more repetitions would, not measured."""

from __future__ import annotations

import re

import jsonschema
import msgspec
import numpy as np
import pytest

from intercore.budgets import report
from intercore.budgets.check import check, unmeasured
from intercore.comparison.baseline import of_runs
from intercore.comparison.baseline_file import parse, text_of
from intercore.document.schema import schema
from intercore.errors import UsageError
from intercore.record.findings import KernelsDiffer, KernelsOfOne
from intercore.record.identity import kernel_name
from intercore.record.measurement import Measurement, Run
from intercore.terminal.console import results
from intercore.terminal.formats.table import print_table
from tests.budgets.budget_files import budgets
from tests.comparison.compared_runs import in_runs, measured, run

pytestmark = pytest.mark.measures("switch", "speedup", "irq")
STEADY = [100.0, 101.0, 100.0, 99.0, 100.0]
WIDE = [80.0, 120.0, 90.0, 110.0, 100.0]


def of(medians: list[float], samples: int = 200, seed: int = 1, **factors: int) -> list[Measurement]:
    rng = np.random.default_rng(seed)
    return [measured([round(one) for one in rng.normal(median, 3, samples)], **factors) for median in medians]


def host(*measurements: Measurement) -> Run:
    return run("host", *measurements, simulated=False)


def outcomes(text: str, of_run_: Run, before: Run | None = None) -> list[str]:
    baseline = None if before is None else parse(text_of(of_runs([before])), "b.txt")
    found = check(budgets(text, baseline=baseline), of_run_, {})
    return [report.outcome(one) for one in found.budgets]


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [("median <= 110 us", "kept"), ("median <= 0.09 ms", "broken"), ("median >= 90 us", "kept"),
     ("median >= 110 us", "broken"), ("p90 <= 110 us", "kept"), ("p90 <= 90 us", "broken"),
     ("max <= 200 us", "kept"), ("max <= 100 us", "broken"), ("min >= 50 us", "kept"), ("min >= 100 us", "broken")],
)  # fmt: skip
def test_a_limit_is_kept_or_broken_by_the_whole_interval(limit: str, outcome: str) -> None:
    assert outcomes(f"switch: {limit}", host(*of(STEADY))) == [outcome]


def test_a_limit_within_the_interval_takes_more_repetitions_fewer_the_farther_it_is_off() -> None:
    near, far = (outcomes(f"switch: median <= {limit} us", host(*of(WIDE)))[0] for limit in (104, 112))
    for outcome in (near, far):
        assert re.fullmatch(r"cannot tell: \d+ more", outcome)
    more = [int(outcome.split()[2]) for outcome in (near, far)]
    assert more[0] > more[1]
    assert outcomes("switch: median <= 200 us", host(*of(WIDE))) == ["kept"]


def test_so_many_more_repetitions_do_tell() -> None:
    rng = np.random.default_rng(7)
    (outcome,) = outcomes("switch: median <= 106 us", host(*of(WIDE)))
    more = int(outcome.split()[2])
    told = 0
    for seed in range(20):
        medians = [100 + 15.8 * float(one) for one in rng.standard_normal(5 + more)]
        medians = [one - float(np.mean(medians)) + 100 for one in medians]
        told += outcomes("switch: median <= 106 us", host(*of(medians, 40, seed))) == ["kept"]
    assert told >= 15


def test_one_repetition_decides_only_on_a_simulated_chip() -> None:
    once = of([100.0])
    assert outcomes("switch: median <= 200 us", host(*once)) == ["cannot tell: 4 more"]
    assert outcomes("switch: max <= 200 us", host(*once)) == ["kept"], "it was seen"
    assert outcomes("switch: median <= 200 us", run("pico-sim", *once)) == ["kept"]
    assert outcomes("switch: median <= 1 us", run("pico-sim", *once)) == ["broken"]


def test_a_percentile_says_how_many_samples_it_takes() -> None:
    found = check(budgets("switch: p99 <= 200 us"), host(*of(STEADY, 40)), {})
    (one,) = found.budgets
    assert (one.outcome, one.more_repetitions) == ("cannot tell", 20)
    assert one.why == "p99 needs 1,000 samples, and there are 200"


def test_a_budget_is_for_each_setting_that_has_its_levels() -> None:
    run_ = host(*of(STEADY, to=0), *of([200.0] * 5, to=1), *of(STEADY, to=2))
    assert outcomes("switch: median <= 110 us", run_) == ["kept", "broken", "kept"]
    assert outcomes("switch to=0,2: median <= 110 us", run_) == ["kept", "kept"]
    found = check(budgets("switch: median <= 110 us"), run_, {})
    assert [one.setting for one in found.budgets] == [{"to": 0}, {"to": 1}, {"to": 2}]
    assert report.ranked(found)[0].setting == {"to": 1}


@pytest.mark.parametrize(
    ("after", "limit", "outcome"),
    [([110.0] * 5, "<= 1.05", "broken"), ([110.0] * 5, "<= 1.2", "kept"), ([110.0] * 5, ">= 1.05", "kept"),
     (WIDE, "<= 1.05", "cannot tell: 28 more"), ([110.0], "<= 1.05", "broken"), ([100.0], "<= 1.05", "kept")],
)  # fmt: skip
def test_a_ratio_to_the_baseline_has_an_interval_of_its_own(after: list[float], limit: str, outcome: str) -> None:
    ours, before = in_runs(host(*of(after, to=0))), in_runs(host(*of(STEADY, seed=2, to=0)))
    found = outcomes(f"switch: median / baseline {limit}", ours, before)
    assert found == [outcome] or (outcome.startswith("cannot tell: 28") and found[0].startswith("cannot tell: "))


@pytest.mark.parametrize("statistic", ["median", "p90"])
def test_a_ratio_of_one_run_to_one_run_is_not_decided_and_a_limit_is(statistic: str) -> None:
    """The machine may have changed between the two by more than their repetitions differ."""
    ours, before = host(*of([150.0] * 5, to=0)), host(*of(STEADY, seed=2, to=0))
    assert outcomes(f"switch: {statistic} / baseline <= 1.05", ours, before) == ["cannot tell"]
    assert outcomes(f"switch: {statistic} <= 110 us", ours, before) == ["broken"]


def test_a_percentile_of_one_run_is_not_held_against_those_of_several() -> None:
    ours, before = host(*of([150.0] * 5, to=0)), in_runs(host(*of([100.0] * 5, seed=2, to=0)))
    assert outcomes("switch: p90 / baseline <= 1.05", ours, before) == ["cannot tell"]
    assert outcomes("switch: median / baseline <= 1.05", ours, before) == ["broken"]
    assert outcomes("switch: p90 / baseline <= 1.05", in_runs(ours), before) == ["broken"]


def test_ratios_of_simulated_chips_are_exact_and_of_any_statistic() -> None:
    before, after = (run("pico-sim", measured(ticks)) for ticks in ([100] * 9 + [200], [100] * 9 + [211]))
    assert outcomes("switch: median / baseline <= 1", after, before) == ["kept"]
    assert outcomes("switch: max / baseline <= 1.05", after, before) == ["broken"]
    found = check(
        budgets("switch: max / baseline <= 1.05", baseline=parse(text_of(of_runs([before])), "b.txt")), after, {}
    )
    assert (found.budgets[0].found.value, found.budgets[0].baseline) == (1.055, 200)  # type: ignore[union-attr]


def test_the_kernel_and_compiler_that_the_baseline_had_are_told_first() -> None:
    before, after = (
        run("pico-sim", measured([100] * 9, conditions={"compiler": compiler, "freertos.sources": sources}))
        for compiler, sources in (("GNU 12", "a1, unmodified"), ("GNU 13", "b2, modified"))
    )
    baseline = parse(text_of(of_runs([before])), "b.txt")
    found = check(budgets("switch: median / baseline <= 1.05", baseline=baseline), after, {})
    of_each = zip(("b.txt", after.title), (before, after), strict=True)
    kernels = (KernelsOfOne(name, (kernel_name(one.measurements[0].conditions),)) for name, one in of_each)
    assert found.first[0] == KernelsDiffer(target="pico-sim", runs=tuple(kernels)).text
    assert "(compiler: GNU 12 and GNU 13)" in found.first[1]


def test_what_was_not_measured_is_no_broken_budget() -> None:
    run_ = host(*of(STEADY, to=0))
    assert outcomes("switch to=1: median <= 110 us", run_) == ["not measured"]
    assert outcomes("irq: median <= 110 us", run_) == ["not measured"]
    assert outcomes("switch to=1: median / baseline <= 2", run_, host(*of(STEADY, to=1))) == ["not measured"]
    failed = [msgspec.structs.replace(one, checks={"wrong": 1}) for one in run_.measurements]
    found = check(budgets("switch: median <= 110 us"), host(*failed), {})
    assert found.budgets[0].why == "the measurement failed (wrong: 5)"


@pytest.mark.parametrize(
    ("texts", "outcome", "status"),
    [
        (["median <= 110 us"], "kept", 0),
        (["median <= 90 us", "p99 <= 200 us", "median <= 110 us"], "broken", 1),
        (["p99 <= 200 us", "median <= 110 us"], "cannot tell", 3),
    ],
)
def test_the_exit_status_is_that_of_the_worst(texts: list[str], outcome: str, status: int) -> None:
    found = check(budgets(*(f"switch: {text}" for text in texts)), host(*of(STEADY, 100)), {})
    assert (found.outcome, found.exit_status) == (outcome, status)
    both = check(budgets("irq: median <= 1 us", f"switch: {texts[0]}"), host(*of(STEADY, 100)), {})
    assert both.exit_status == (1 if outcome == "broken" else 4)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("swich: median <= 1 us", "b.toml:2: there is no benchmark 'swich'; did you mean 'switch'?"),
        ("switch form=0: median <= 1 us", "b.toml:2: switch has no factor 'form'; did you mean 'from'?"),
        ("switch: swich median <= 1 us", "b.toml:2: switch has no series 'swich'; did you mean 'switch'?"),
        (
            "switch: median <= 1 MB/s",
            "b.toml:2: the series switch of switch is a time: give its limit in ns, us, ms, s or cycles,",
        ),
        (
            "switch: median <= 1",
            "b.toml:2: the series switch of switch is a time: give its limit in ns, us, ms, s or cycles, no",
        ),
        ("switch: median <= 10 cycles", "b.toml:2: the target does not report its cycles per second"),
        (
            "speedup: median <= 1 us",
            "b.toml:2: speedup has several series (t1, tp, S): name the series to limit, e.g. 't1 median",
        ),
        (
            "speedup: S median >= 1 us",
            "b.toml:2: the series S of speedup is a factor: give its limit without a unit, not in us",
        ),
    ],
)
def test_what_a_benchmark_does_not_have_and_units_that_do_not_fit_are_one_sentence(text: str, says: str) -> None:
    fork = measured([10] * 6, "speedup", "t1", n=10)
    join = measured([5] * 6, "speedup", "tp", n=10)
    both = msgspec.structs.replace(fork, series=(fork.series[0], join.series[0]))
    with pytest.raises(UsageError, match=re.escape(says)):
        check(budgets(text), run("pico-sim", measured([10] * 6, from_=0), both), {})


def test_a_ratio_of_what_the_baseline_does_not_have_is_refused() -> None:
    before = parse(text_of(of_runs([host(*of(STEADY, to=1))])), "b.txt")
    with pytest.raises(UsageError, match=r"b\.toml:2: the baseline b\.txt does not have the setting of this budget"):
        check(budgets("switch to=0: median / baseline <= 1", baseline=before), host(*of(STEADY, to=0)), {})


def test_cycles_are_those_of_the_targets_clock() -> None:
    at_125_mhz = run("pico-sim", measured([8] * 6, conditions={"clock.sys_hz": "125000000"}))
    assert outcomes("switch: median <= 1000 cycles", at_125_mhz) == ["kept"]
    assert outcomes("switch: median <= 999 cycles", at_125_mhz) == ["broken"]


@pytest.mark.measures("message")
def test_a_budget_is_for_the_settings_that_have_its_series() -> None:
    sent = measured([10] * 6, "message", "latency", measure="latency", size=64)
    streamed = measured([10] * 6, "message", "window", measure="throughput", size=64, messages=10)
    run_ = run("pico-sim", sent, streamed)
    assert outcomes("message size=64: latency median <= 1 ms", run_) == ["kept"]
    assert outcomes("message: throughput median >= 1 kB/s", run_) == ["kept"]
    failed = msgspec.structs.replace(sent, checks={"wrong": 1}, series=())
    assert outcomes("message: latency median <= 1 ms", run("pico-sim", failed, streamed)) == ["not measured"]


def test_a_ratio_is_for_the_settings_of_the_baseline_measured_as_these_were() -> None:
    before = run("pico-sim", measured([100] * 10, to=1, samples=10))
    again = measured([100] * 10, to=1, samples=10)
    longer = measured([100] * 400 + [300] * 600, to=1, samples=1000)
    other = measured([500] * 10, to=0, samples=10)
    run_ = run("pico-sim", again, longer, other)
    assert outcomes("switch: median / baseline <= 1", run_, before) == ["kept"]
    assert outcomes("switch to=1: p99 <= 299 us", run_, before) == ["broken"]
    assert outcomes("switch to=1 samples=10: max <= 100 us", run_, before) == ["kept"]
    gone = run("pico-sim", other)
    assert outcomes("switch: median / baseline <= 1", gone, before) == ["not measured"]


def test_a_ratio_of_the_usual_build_stays_beside_another_build() -> None:
    before = parse(text_of(of_runs([run("pico-sim", measured([100] * 9, to=1, opt="O2"))])), "b.txt")
    builds = [measured([ticks] * 9, to=1, opt="O2", clock_mhz=mhz) for ticks, mhz in ((100, 125), (300, 48))]
    usual = {"pico-sim": {"opt": "O2", "clock_mhz": 125}}
    found = check(budgets("switch: median / baseline <= 1", baseline=before), run("pico-sim", *builds), usual)
    assert [one.outcome for one in found.budgets] == ["kept"]


def test_it_is_told_which_levels_of_all_factors_a_budget_covers() -> None:
    settings = [measured([100] * 6, to=to, from_=0, load="none", samples=6, seed=to + 1) for to in (0, 1)]
    found = check(budgets("switch from=0: median <= 1 ms", "switch to=1: max <= 1 ms", "irq: max <= 1 ms"),
                  run("pico-sim", *settings), {})  # fmt: skip
    assert [(one.setting, one.others) for one in found.budgets] == [
        ({"from": 0, "to": 0}, {"load": "none"}),
        ({"from": 0, "to": 1}, {"load": "none"}),
        ({"to": 1}, {"from": 0, "load": "none"}),
        ({}, {}),
    ]
    assert [(one.lines, one.settings, one.levels) for one in report.coverage(found)] == [
        ((2,), 2, {"from": [0], "to": [0, 1], "load": ["none"]}),
        ((3,), 1, {"to": [1], "from": [0], "load": ["none"]}),
    ]
    assert [row["others"] for row in report.rows(found)] == ["load=none", "load=none", "from=0 load=none", ""]


def test_the_document_is_as_its_schema_says() -> None:
    before = parse(text_of(of_runs([host(*of(STEADY, to=0))])), "b.txt")
    file = budgets("switch: median / baseline <= 1.05", "irq: p99 <= 1 us", "switch: p99 <= 1 ms", baseline=before)
    for found in (check(file, host(*of(STEADY, to=0)), {}), unmeasured(file, "pico", "no such port", simulated=False)):
        jsonschema.Draft202012Validator(schema("check")).validate(msgspec.json.decode(msgspec.json.encode(found)))
        assert len(report.rows(found)) == len(found.budgets) == 3


def test_the_table_has_80_columns_whatever_stands_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    names = {"a_factor_with_a_long_name": 100000, "another_factor_with_a_longer_name": 2**32}
    run_ = host(*of(WIDE, 40, **names), *of([1e6] * 5, 40, **{**names, "third": 1}))
    file = budgets("switch: p99.9 <= 123.456789 us", "switch: median <= 101 us", "switch: median <= 12345678.9 us")
    found = report.section(check(file, run_, {}))
    results.cache_clear()
    print_table(found.tables[0], results())
    print_table(found.tables[1], results())
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert max(map(len, lines)) <= 80
    assert {word for word in ("kept", "broken", "cannot") if word in " ".join(lines)} == {"kept", "broken", "cannot"}
    assert found.sentences[0].startswith("6 numbers with a budget: ")
