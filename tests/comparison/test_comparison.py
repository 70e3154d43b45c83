"""Two targets side by side: what is matched, what a ratio is and how well it is known, and what else differs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import msgspec
import numpy as np
import pytest

from intercore.comparison.analysis import compare, compare_sides
from intercore.comparison.largest import quantity_name
from intercore.comparison.report import comparison_section, times
from intercore.document.schema import schema
from intercore.errors import UsageError
from intercore.record.findings import KernelsOfOne, OtherKernel
from intercore.record.identity import kernel_name
from intercore.record.measurement import Measurement, Series
from intercore.statistics.intervals import Interval
from tests.comparison.compared_runs import in_runs, measured, run

if TYPE_CHECKING:
    from intercore.record.measurement import Run


def test_same_setting_on_two_targets_has_the_ratio_second_over_first() -> None:
    smp, amp = (measured([ticks] * 8, from_=0, to=1) for ticks in (10, 13))
    found = compare([run("pico-sim", smp), run("pico-amp-sim", amp)])
    (pair,) = found.pairs
    assert (pair.benchmark, pair.series, pair.unit) == ("switch", "switch", "us")
    assert (pair.first.value, pair.second.value) == (10, 13)
    assert pair.ratio == Interval(1.3, 1.3, 1.3)
    assert pair.exact
    assert found.answer == ("pico-amp-sim against pico-sim, of one quantity: 1 slower.",)
    assert found.sentences[0] == "switch, wake-up latency: pico-amp-sim takes 1.30 times as long as pico-sim."
    assert any("Both are SIMULATED" in sentence for sentence in found.sentences)
    assert found.warnings == ()


def test_differences_of_counters_are_not_compared() -> None:
    """They are no times before they are aligned, and a ratio of them would say nothing."""
    of_both = [
        run(target, measured([ticks] * 8, time="common"), *(measured([-ticks] * 8, time=time) for time in counters))
        for target, ticks in (("pico-sim", 10), ("pico-amp-sim", 13))
        for counters in [("aligned", "raw-counter")]
    ]
    found = compare(of_both)
    assert [pair.ratio for pair in found.pairs] == [Interval(1.3, 1.3, 1.3)]
    assert any("4 measurements of switch by each core's counter" in said for said in found.sentences)
    assert found.unpaired == ()


def test_a_stream_of_messages_is_compared_by_bytes_per_second() -> None:
    def stream(window: int, messages: int) -> Measurement:
        return measured([window] * 6, "message", "window", size=100, messages=messages, measure="throughput")

    found = compare([run("pico-sim", stream(1000, 10)), run("pico-amp-sim", stream(1000, 20))])
    (pair,) = found.pairs
    assert (pair.series, pair.unit) == ("throughput", "bytes_per_s")
    assert pair.first.value == pytest.approx(1e6)
    assert pair.ratio is not None
    assert pair.ratio.value == pytest.approx(2)


def test_the_median_of_a_rate_is_that_of_the_times_it_is_made_of() -> None:
    """As what `message` answers is: of an even number of streams the median of the rates is another one."""
    windows = [10, 10, 20, 20]
    stream = measured(windows, "message", "window", size=100, messages=10, measure="throughput")
    (pair,) = compare([run("a", stream), run("b", stream)]).pairs
    assert pair.first.value == pytest.approx(100 * 10 * 1e6 / 15)
    assert pair.first.low is None or pair.first.low <= pair.first.value


@pytest.mark.parametrize(
    ("count", "written"),
    [
        (7, "7.00"),
        (363_000, "363,000"),
        (999_999, "1.00 million"),
        (1_234_567, "1.23 million"),
        (10**10, "10.0 billion"),
    ],
)
def test_a_count_is_written_so_that_one_can_read_it(count: int, written: str) -> None:
    counted = [
        msgspec.structs.replace(one, series=(Series("n", "common", 1, np.array([count] * 6), "count"),))
        for one in [measured([1])]
    ]
    text = [
        [column.text(row) for column in table.columns]
        for table in comparison_section(compare([run("a", *counted), run("b", *counted)])).tables
        for row in table.rows
    ]
    assert written in text[0]


def test_a_ratio_has_the_digits_that_tell_a_change() -> None:
    assert [times(ratio) for ratio in (0.00186, 0.5, 1.0046, 99.5, 1871.99)] == [
        *("0.0019", "0.500", "1.005", "99.500", "1,872"),
    ]


def test_what_a_benchmark_calls_its_series_is_said_in_place_of_their_names() -> None:
    """Calls are compared with the timestamp overhead, which the analysis takes off: both say so."""
    calls = measured([5] * 6, "api", "call")
    found = compare([run("a", calls), run("b", calls)])
    assert quantity_name(found.pairs[0]) == "api: call and timestamp overhead"
    assert any(said.startswith("api, call and timestamp overhead: b takes 1.00 times") for said in found.sentences)


def test_settings_are_matched_by_what_varies_and_not_by_how_it_was_measured() -> None:
    first = run("a", *(measured([size] * 6, size=size, seed=1, samples=6, dither_us=5) for size in (10, 20, 30)))
    second = run("b", *(measured([2 * size] * 6, size=size, seed=9, samples=6, dither_us=0) for size in (30, 20, 40)))
    found = compare([first, second])
    assert [pair.setting for pair in found.pairs] == [{"size": 20}, {"size": 30}]
    assert [(one.target, one.benchmark, one.settings) for one in found.unpaired] == [
        ("a", "switch", 1),
        ("b", "switch", 1),
    ]
    assert found.sentences[-2:] == (
        "Measured on a only, and so not compared: 1 of switch.",
        "Measured on b only, and so not compared: 1 of switch.",
    )


def test_a_factor_that_one_target_alone_has_does_not_stand_between_them() -> None:
    found = compare([run("a", measured([1] * 6, size=1, region="x")), run("b", measured([2] * 6, size=1))])
    assert len(found.pairs) == 1


def test_but_its_levels_are_not_thrown_together() -> None:
    both = run("a", measured([1] * 6, size=1, region="x"), measured([9] * 6, size=1, region="y"))
    with pytest.raises(UsageError, match="no setting was measured on both a and b"):
        compare([both, run("b", measured([2] * 6, size=1))])


def test_a_factor_of_the_target_at_its_default_is_as_good_as_none() -> None:
    clocks = run("pico", *(measured([10_000 // mhz] * 6, clock_mhz=mhz) for mhz in (48, 125)))
    (pair,) = compare([clocks, run("b", measured([80] * 6))], {"pico": {"clock_mhz": 125}}).pairs
    assert pair.first.value == 80


def test_repetitions_and_runs_of_a_target_are_pooled() -> None:
    found = compare([run("a", measured([1] * 6)), run("a", measured([3] * 6)), run("b", measured([2] * 6))])
    (pair,) = found.pairs
    assert (pair.first_samples, pair.second_samples, pair.first.value) == (12, 6, 2)
    assert not pair.exact
    assert len(found.first.runs) == 2


@pytest.mark.parametrize("targets", [["a"], ["a", "b", "c"]])
def test_two_targets_are_compared(targets: list[str]) -> None:
    with pytest.raises(UsageError, match="only two targets can be compared"):
        compare([run(target, measured([1])) for target in targets])


def test_what_the_targets_differ_in_is_told_and_what_spoils_a_ratio_warned_of() -> None:
    first = {"freertos.cores": "2", "compiler.flags": "-O2", "same": "x", "host.link": "here", "target": "a"}
    second = {"freertos.cores": "1", "compiler.flags": "-O0", "same": "x", "host.link": "there", "amp.protocol": "1"}
    found = compare(
        [
            run("a", measured([1] * 6, region="sram", conditions=first)),
            run("b", measured([1] * 6, region="axi", conditions=second)),
        ]
    )
    assert {one.key: (one.first, one.second) for one in found.differences} == {
        "region of switch": (("sram",), ("axi",)),
        "freertos.cores": (("2",), ("1",)),
        "compiler.flags": (("-O2",), ("-O0",)),
        "amp.protocol": ((), ("1",)),
    }
    (warning,) = found.deciding
    assert "region of switch: sram and axi; compiler.flags: -O2 and -O0" in warning
    assert "freertos.cores" not in warning


def test_a_long_condition_is_cut_at_the_end_of_a_word() -> None:
    told = {"words": "alarms of the timer " * 9, "digits": "1234567890" * 9, "short": "x y"}
    found = compare([run("a", measured([1] * 6, conditions=told)), run("b", measured([1] * 6))])
    table = next(one for one in comparison_section(found).tables if one.title == "Conditions that differ")
    shown = {row.key: table.columns[1].text(row) for row in table.rows}
    assert shown["short"] == "x y"
    assert shown["words"].removesuffix("…").split()[-1] in ("alarms", "of", "the", "timer")
    assert shown["digits"] == told["digits"][:59] + "…"
    assert max(map(len, shown.values())) <= 60


def test_a_simulated_target_beside_a_measured_one_is_warned_of() -> None:
    found = compare([run("a", measured([1] * 6)), run("b", measured([2] * 6), simulated=False)])
    assert found.warnings == ("a is SIMULATED and b is measured: a ratio includes the simulator's error.",)
    assert not any("Both are SIMULATED" in sentence for sentence in found.sentences)
    titles = [table.title for table in comparison_section(found).tables]
    assert titles[:2] == ["Largest differences: a (SIMULATED) and b", "switch, wake-up latency: a (SIMULATED) and b"]


def test_no_ratio_is_given_with_results_that_were_wrong() -> None:
    sound = measured([1] * 6)
    wrong = Measurement("switch", sound.factors, 1, measured([9] * 6).series, {}, {"wrong": 2}, sound.started)
    found = compare([run("a", sound), run("b", sound, wrong)])
    assert [pair.second_samples for pair in found.pairs] == [6]
    assert "1 measurement on b failed" in found.warnings[0]
    with pytest.raises(UsageError, match="no setting was measured on both"):
        compare([run("a", sound), run("b", msgspec.structs.replace(wrong, repetition=0))])


# Before and after: what is the faster one


def repeated(medians: list[float], seed: int = 1, **factors: int) -> list[Measurement]:
    """Repetitions of one setting, each with samples around its median, µs."""
    rng = np.random.default_rng(seed)
    return [measured(rng.normal(1000 * median, 20, 100).astype(int).tolist(), **factors) for median in medians]


def before_and_after(*settings: tuple[list[float], list[float]]) -> tuple[Run, Run]:
    """Two times several runs of one board, with the median of each setting in each run."""
    sides = (
        [one for at, setting in enumerate(settings) for one in repeated(setting[side], 10 * at + side, size=at)]
        for side in (0, 1)
    )
    first, second = (in_runs(run("pico", *side, simulated=False)) for side in sides)
    return first, second


STEADY = [10.0, 10.01, 9.99, 10.02, 9.98]


def test_two_runs_of_one_target_are_before_and_after() -> None:
    before, after = before_and_after((STEADY, [median * 1.2 for median in STEADY]), (STEADY, STEADY))
    found = compare_sides([before], [after])
    assert [found.first.name, found.second.name] == [f"run {one.id} of pico" for one in (before, after)]
    assert [pair.verdict for pair in found.pairs] == ["slower", "same"]
    assert found.pairs[1].within is not None
    assert 0 < found.pairs[1].within < 0.05
    (said,) = found.answer
    names = f"run {after.id} of pico against run {before.id} of pico"
    assert said == f"{names}, of 2 quantities: 1 slower and 1 the same within 5 %."
    back = compare_sides([after], [before])
    assert [pair.verdict for pair in back.pairs] == ["faster", "same"]


def test_more_bytes_per_second_are_faster() -> None:
    def stream(window: int) -> Run:
        ours = [
            measured([window] * 6, "message", "window", size=100, messages=10, measure="throughput") for _ in range(3)
        ]
        return in_runs(run("pico", *ours, simulated=False))

    (pair,) = compare_sides([stream(1000)], [stream(500)]).pairs
    assert pair.verdict == "faster"


def test_what_cannot_be_told_says_how_many_runs_would() -> None:
    scattered = [8.0, 12.0, 9.0, 11.0, 10.0]
    (pair,) = compare_sides(*([one] for one in before_and_after((scattered, scattered[::-1])))).pairs
    assert pair.verdict == "cannot tell"
    assert pair.more_repetitions is None
    assert pair.more_runs is not None
    assert pair.more_runs > 20
    more = [value for value in scattered for _ in range((5 + pair.more_runs) // 5 + 1)]
    (now,) = compare_sides(*([one] for one in before_and_after((more, more)))).pairs
    assert now.verdict == "same"
    (single,) = compare_sides(*([one] for one in before_and_after(([10.0], [20.0])))).pairs
    assert (single.verdict, single.more_runs) == ("cannot tell", 4), "one run knows nothing of the next"


def test_a_simulated_chip_that_is_measured_once_is_known_and_a_board_is_not() -> None:
    simulated = run("pico-sim", measured([10_000] * 6))
    board, once = (run("pico", *repeated(medians), simulated=False) for medians in ([20.0, 20.1, 19.9], [20.0]))
    for sides, verdict in (((simulated, board), "slower"), ((board, simulated), "faster")):
        (pair,) = compare_sides(*([one] for one in sides)).pairs
        assert pair.verdict == verdict
    (pair,) = compare_sides([simulated], [once]).pairs
    assert (pair.verdict, pair.more_repetitions) == ("cannot tell", 4)


def test_how_much_was_done_is_always_told() -> None:
    before, after = (run("pico-sim", measured([ticks] * 5, "speedup", "t1", n=100, mode=1)) for ticks in (10, 11))
    (pair,) = compare_sides([before], [after]).pairs
    assert pair.setting == {"n": 100}


@pytest.mark.measures("speedup")
def test_the_speed_up_is_compared_as_well() -> None:
    def speedup(target: str, t1: int, tp: int) -> Run:
        both = [
            msgspec.structs.replace(
                measured([t1] * 4, "speedup", "t1", n=9),
                series=(measured([t1] * 4, "speedup", "t1").series[0], measured([tp] * 4, "speedup", "tp").series[0]),
            )
        ]
        return run(target, *both)

    found = compare([speedup("a", 200, 100), speedup("b", 200, 125)])
    (pair,) = [pair for pair in found.pairs if pair.series == "S"]
    assert (pair.first.value, pair.second.value, pair.unit, pair.verdict) == (2.0, 1.6, "factor", "slower")
    assert pair.cycles is None
    assert any(" reaches 0.80 times that of " in sentence for sentence in found.sentences)


def test_a_difference_that_matters_less_than_asked_is_told_all_the_same_if_it_is_sure() -> None:
    before, after = before_and_after((STEADY, [median * 1.02 for median in STEADY]))
    (pair,) = compare_sides([before], [after], within=0.5).pairs
    assert pair.verdict == "slower"


def test_among_many_settings_that_are_the_same_few_are_said_to_differ() -> None:
    rng = np.random.default_rng(5)
    alarms = 0
    for _ in range(20):
        settings = [
            ([float(m) for m in rng.normal(10, 0.1, 5)], [float(m) for m in rng.normal(10, 0.1, 5)]) for _ in range(60)
        ]
        found = compare_sides(*([one] for one in before_and_after(*settings)))
        alarms += any(pair.verdict in ("faster", "slower") for pair in found.pairs)
    assert alarms <= 4, "at a level of 5 % each, all 20 would have had some"


def test_two_simulated_targets_differ_by_what_their_medians_do_which_is_told_in_cycles() -> None:
    at_125_mhz = {"clock.sys_hz": "125000000"}
    first, second = (
        run(name, *(measured([ticks] * 5, conditions=at_125_mhz, size=size) for size, ticks in enumerate(side)))
        for name, side in (("a", (1000, 1000)), ("b", (1000, 1001)))
    )
    found = compare([first, second])
    assert [(pair.verdict, pair.cycles) for pair in found.pairs] == [("same", 0), ("slower", 125)]
    shown = comparison_section(found, in_full=False).tables[0]
    assert [column.title for column in shown.columns][-2:] == ["cycles", "verdict"]
    assert [[column.text(row) for column in shown.columns][-2:] for row in shown.rows] == [["+125", "slower"]]


def test_the_factor_that_was_changed_is_a_difference_and_no_setting() -> None:
    before, after = (
        run("pico-sim", *(measured([ticks] * 5, size=size, opt=opt) for size in (1, 2)))
        for opt, ticks in ((2, 10), (3, 9))
    )
    found = compare_sides([before], [after])
    assert [pair.setting for pair in found.pairs] == [{"size": 1}, {"size": 2}]
    assert [one.key for one in found.differences] == ["opt of switch"]
    (warning,) = found.deciding
    assert warning.endswith("differ in conditions that may affect a ratio (opt of switch: 2 and 3).")
    assert [column.title for column in comparison_section(found).tables[0].columns][2:4] == [
        f"run {before.id}",
        f"run {after.id}",
    ]


def test_a_run_is_not_compared_with_itself() -> None:
    one = run("pico", measured([10] * 6), simulated=False)
    with pytest.raises(UsageError, match=r"both sides are run .* of pico: name another run"):
        compare_sides([one], [one])


def test_what_differs_most_comes_first_and_the_rest_on_request() -> None:
    factors = [1 + at / 10 for at in range(12)]
    before, after = before_and_after(*((STEADY, [median * factor for median in STEADY]) for factor in factors))
    found = compare_sides([before], [after])
    (short,) = comparison_section(found, in_full=False).tables
    ratios = [float(short.columns[4].text(row)) for row in short.rows]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[0] == pytest.approx(2.1, rel=0.01)
    assert comparison_section(found, in_full=False).sentences[-1] == "4 more quantities: add --all."
    assert len(comparison_section(found).tables[1].rows) == 12


# The interval of a ratio


def test_few_samples_give_a_ratio_without_an_interval() -> None:
    (pair,) = compare([run("a", measured([10, 11])), run("b", measured([20, 21]))]).pairs
    assert pair.ratio is not None
    assert (pair.ratio.low, pair.ratio.high) == (None, None)


def test_the_interval_covers_the_true_ratio_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        sides = [
            run(name, measured(rng.gamma(4, scale, 25).astype(int).tolist()))
            for name, scale in (("a", 1000), ("b", 2000))
        ]
        (pair,) = compare(sides).pairs
        assert pair.ratio is not None
        covered += bool(pair.ratio.low < 2 < pair.ratio.high)  # type: ignore[operator]
    assert covered >= 0.93 * 400


def test_a_comparison_is_as_its_schema_says() -> None:
    runs = [run("a", measured([1, 2] * 9, from_=0)), run("b", measured([1] * 2, from_=0), measured([0], from_=1))]
    jsonschema.Draft202012Validator(schema("comparison")).validate(json.loads(msgspec.json.encode(compare(runs))))


RELEASED = {"freertos.version": "V11.2.0 SMP", "freertos.sources": "ff265a60962f88d4, unmodified"}
PATCHED = {"freertos.version": "V11.2.0 SMP", "freertos.sources": "0123456789abcdef, modified"}


def test_targets_of_two_kernels_are_compared_and_that_is_said_first() -> None:
    first, second = (measured([10] * 8, conditions=kernel) for kernel in (RELEASED, PATCHED))
    (said,) = compare([run("pico-sim", first), run("pico", second, simulated=False)]).identities
    names = ("FreeRTOS V11.2.0 SMP, sources ff265a60962f88d4, unmodified", kernel_name(PATCHED))
    sides = (KernelsOfOne("pico-sim", names[:1]), KernelsOfOne("pico", names[1:]))
    assert said == OtherKernel(sides=sides).text
    same = compare([run("pico-sim", first), run("pico-amp-sim", measured([10] * 8, conditions=RELEASED))])
    assert same.identities == ()


def test_runs_of_two_kernels_are_not_put_together_on_one_side() -> None:
    first, second = (measured([10] * 8, conditions=kernel) for kernel in (RELEASED, PATCHED))
    one, other = run("pico-sim", first), run("pico-sim", second)
    with pytest.raises(UsageError, match=f"runs {one.id}, {other.id} of pico-sim: measured with several kernels"):
        compare([one, other, run("pico-amp-sim", first)])


def test_a_kernel_that_nobody_knows_is_said_to_be_unknown() -> None:
    first = measured([10] * 8, conditions={"freertos.version": "V11.2.0 SMP"})
    (said,) = compare([run("pico-sim", first), run("pico", measured([10] * 8, conditions=RELEASED))]).identities
    assert "pico-sim: FreeRTOS V11.2.0 SMP, sources unknown; pico: " in said


@pytest.mark.parametrize(
    ("target", "images", "says"),
    [
        ("host", ("a1", "a1"), ["the same program", "by turns"]),
        ("esp32", ("a1", "a1"), ["the same program", "--runs 5"]),
        ("host", ("a1", "b2"), ["intercore compare --alternate host"]),
        ("host", ("a1", None), ["intercore compare --alternate host"]),
        ("esp32", ("a1", "b2"), ["intercore run esp32 … --runs 5"]),
        ("pico-sim", ("a1", "a1"), []),
    ],
)
def test_what_else_than_the_program_may_differ_between_two_runs_is_said(
    target: str, images: tuple[str | None, str | None], says: list[str]
) -> None:
    linux = {"os.kernel": "Linux 6.1"} if target == "host" else {}
    before, after = (
        run(
            target,
            measured([ticks] * 8, conditions=linux | ({} if image is None else {"image.digest": image})),
            simulated=target == "pico-sim",
        )
        for ticks, image in zip((10, 13), images, strict=True)
    )
    found = compare_sides([before], [after])
    assert len(found.warnings) == len(says)
    assert all(one in said for one, said in zip(says, found.warnings, strict=True))
    assert found.pairs[0].verdict == ("phase" if target == "pico-sim" else "cannot tell")
