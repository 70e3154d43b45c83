"""The published tables of task switches beside a run: what the run says of each finding follows its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.benchmarks.published import published
from intercore.benchmarks.switch.analysis import analyse
from intercore.benchmarks.switch.exhibits import exhibits
from intercore.benchmarks.switch.publication import SwitchPublication
from tests.benchmarks.switch_data import US, measurement, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Measurement, Run
    from intercore.view.exhibit import Exhibit, Verdict

ESP32 = {"chip": "ESP32 revision 3.1", "clock.sys_hz": "240000000", "freertos.version": "V10.5"}
PICO = {"chip": "RP2040", "clock.sys_hz": "125000000", "freertos.version": "V11"}
LINUX = {"chip": "a processor"}
MS = 1000 * US
SAME, ACROSS = "seed-002-switch-same-core", "seed-002-switch-across"


def times(us: float, spread: int = 3, count: int = 120) -> list[int]:
    """Return wake-ups in ticks, from `us` on, that differ by less than `spread` ticks."""
    return [round(us * US) + step % spread for step in range(count)]


def taken(
    ticks: Sequence[int], first: int, second: int, conditions: Mapping[str, str] = ESP32, *, call_us: float = 4.5,
    time: str = "common",
) -> Measurement:  # fmt: skip
    factors = {"from_": first, "to": second, "time": time, "primitive": "binary-semaphore"}
    return measurement(ticks, times(call_us), conditions=conditions, **factors)


def shown(run_: Run) -> dict[str, Exhibit]:
    return {one.id: one for one in exhibits(run_, analyse(run_.measurements))}


def verdict(claim: str, *measurements: Measurement, on: str = ACROSS) -> Verdict:
    """Return what measurements say of a finding."""
    (table,) = published(SwitchPublication)
    text = next(one.text for one in table.claims if one.id == claim)
    return next(one for one in shown(run(*measurements))[on].verdicts if one.finding == text)


def outcome(claim: str, *measurements: Measurement, on: str = ACROSS) -> str:
    return verdict(claim, *measurements, on=on).outcome


def because(claim: str, *measurements: Measurement, on: str = ACROSS) -> str:
    return verdict(claim, *measurements, on=on).because


def test_every_table_has_the_published_row_and_the_runs_own_in_the_papers_columns() -> None:
    found = shown(run(taken(times(12), 0, 0), taken(times(14), 0, 1)))
    assert set(found) == {SAME, ACROSS}
    for one, printed in ((found[SAME], "0.012"), (found[ACROSS], "190.334")):
        (table,) = one.tables
        cells = [[column.text(row) for column in table.columns] for row in table.rows]
        assert [row[0] for row in cells] == ["published", "pico"]
        titles = [column.title for column in table.columns]
        assert titles[2:6] == ["Average", "“Variance”", "Minimum", "Maximum"]
        assert cells[0][2] == printed
        (figure,) = one.figures
        assert figure.name == one.id


def test_every_finding_of_a_table_has_a_verdict() -> None:
    (table,) = published(SwitchPublication)
    found = shown(run(taken(times(12), 0, 0), taken(times(14), 0, 1)))
    for name, one in found.items():
        assert [verdict.finding for verdict in one.verdicts] == [c.text for c in table.claims if name in c.exhibits]


def test_what_a_run_has_not_measured_has_no_table() -> None:
    assert set(shown(run(taken(times(12), 0, 0)))) == {SAME}
    assert shown(run(measurement(times(12), primitive="mutex"))) == {}


@pytest.mark.parametrize(
    ("us", "conditions", "expected"),
    [
        (12, ESP32, "agrees"),
        (30, ESP32, "contradicts"),
        (12, PICO, "cannot tell"),
        (12, ESP32 | {"chip": "ESP32-S3"}, "cannot tell"),
        (12, ESP32 | {"clock.sys_hz": "160000000"}, "cannot tell"),
    ],
)
def test_a_time_on_one_core_is_held_against_the_printed_one_on_its_chip_alone(
    us: float, conditions: Mapping[str, str], expected: str
) -> None:
    assert outcome("same-core-time", taken(times(us), 0, 0, conditions), on=SAME) == expected


@pytest.mark.parametrize(("us", "conditions", "expected"), [
    (190_400, ESP32, "agrees"), (14, ESP32, "contradicts"), (14, PICO, "cannot tell"), (190_400, PICO, "cannot tell"),
])  # fmt: skip
def test_so_is_one_between_cores(us: float, conditions: Mapping[str, str], expected: str) -> None:
    assert outcome("across-time", taken(times(us), 0, 1, conditions)) == expected


@pytest.mark.parametrize(("ticks", "expected"), [(0, "contradicts"), (500 * US, "cannot tell")])
def test_so_is_how_well_the_clocks_of_two_cores_are_aligned(ticks: int, expected: str) -> None:
    known = taken(times(190_900), 0, 1, ESP32 | {"clock.uncertainty": f"{ticks} ticks"})
    assert outcome("across-time", known) == expected
    assert ("500 µs either way" in because("across-time", known)) == (expected == "cannot tell")


def test_two_counters_are_never_a_time_between_cores() -> None:
    raw = taken(times(190_400), 1, 0, time="raw-counter")
    assert outcome("across-time", raw) == "cannot tell"
    both = [raw, taken(times(14), 1, 0)]
    assert outcome("across-time", *both) == "contradicts"
    verdicts = shown(run(*both))[ACROSS].verdicts
    assert any("190 ms" in one.because for one in verdicts)


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [
        (times(12), "agrees"),
        ([*times(12), 18 * US], "cannot tell"),
        ([*times(12), round(13.1 * US)], "cannot tell"),
        ([*times(12, count=108), *times(15, count=12)], "cannot tell"),
        (times(12, count=20), "cannot tell"),
        ([*times(12, count=60), *times(15, count=60)], "contradicts"),
        ([*times(12, count=20), 18 * US], "cannot tell"),
    ],
)
def test_whether_times_on_one_core_vary_as_little_as_the_printed_ones(ticks: Sequence[int], expected: str) -> None:
    assert outcome("same-core-steady", taken(ticks, 0, 0), on=SAME) == expected
    elsewhere = outcome("same-core-steady", taken(ticks, 0, 0, PICO), on=SAME)
    assert elsewhere == ("agrees" if expected == "agrees" else "cannot tell"), "another chip contradicts no time"
    assert outcome("same-core-steady", taken(ticks, 0, 0, LINUX), on=SAME) == "cannot tell"


@pytest.mark.parametrize(("claim", "to", "on"), [("same-core-steady", 0, SAME), ("across-steady", 1, ACROSS)])
def test_an_outlier_is_told_with_how_far_it_is_above_the_least(claim: str, to: int, on: str) -> None:
    found = because(claim, taken([*times(12), 18 * US], 0, to), on=on)
    assert "outliers" in found
    assert "12.0 µs to 18.0 µs, 50 % above the least" in found


@pytest.mark.parametrize(
    ("call_us", "conditions", "expected"),
    [(4.5, ESP32, "agrees"), (6, ESP32, "contradicts"), (4.5, PICO, "cannot tell")],
)
def test_the_time_of_the_function(call_us: float, conditions: Mapping[str, str], expected: str) -> None:
    assert outcome("function-time", taken(times(12), 0, 0, conditions, call_us=call_us), on=SAME) == expected


def test_of_several_cores_the_slowest_is_held_against_a_printed_time() -> None:
    slow = [taken(times(12), 0, 0), taken(times(30), 1, 1, call_us=6)]
    for known in (slow, slow[::-1]):
        assert outcome("same-core-time", *known, on=SAME) == "contradicts"
        assert outcome("function-time", *known, on=SAME) == "contradicts"
    ways = [taken(times(12), 0, 0), taken(times(12), 1, 1), taken(times(14), 0, 1), taken(times(190_334), 1, 0)]
    assert outcome("across-slower", *ways) == "agrees"


def test_an_interval_that_holds_a_bound_cannot_tell() -> None:
    """Medians of one and the other kind: half of the times are within what was printed, and half are not."""
    whole = [*times(12, count=60), *times(13, count=60)]
    assert outcome("same-core-time", taken(whole, 0, 0), on=SAME) == "cannot tell"


EITHER = "improvements-or-monitoring"


@pytest.mark.parametrize(
    ("across_us", "conditions", "slower", "either"),
    [
        (14, ESP32, "contradicts", "cannot tell"),
        (100, ESP32, "contradicts", "cannot tell"),
        (130, ESP32, "cannot tell", "agrees"),
        (1_200, ESP32, "cannot tell", "agrees"),
        (36_000, ESP32, "agrees", "agrees"),
        (190_334, ESP32, "agrees", "agrees"),
        (14, PICO, "cannot tell", "cannot tell"),
        (190_334, PICO, "agrees", "cannot tell"),
    ],
)
def test_how_many_times_as_long_it_takes_across(
    across_us: float, conditions: Mapping[str, str], slower: str, either: str
) -> None:
    known = [taken(times(12), 0, 0, conditions), taken(times(across_us), 0, 1, conditions)]
    assert outcome("across-slower", *known) == slower
    assert outcome(EITHER, *known) == either


def test_what_is_not_seen_is_told_with_the_quotient_that_is_ours() -> None:
    known = run(taken(times(12), 0, 0, PICO), taken(times(12), 0, 1, PICO))
    (said,) = [one.because for one in shown(known)[ACROSS].verdicts if "unexpectedly long" in one.finding]
    assert "Not seen here: by one clock" in said
    assert "more than 15,226 times" in said


@pytest.mark.parametrize("claim", ["across-slower", EITHER])
def test_without_a_pair_an_interval_or_the_kernel_that_is_not_told(claim: str) -> None:
    assert outcome(claim, taken(times(14), 0, 1)) == "cannot tell"
    few = [taken(times(12, count=3), 0, 0), taken(times(14, count=3), 0, 1)]
    assert outcome(claim, *few) == "cannot tell"
    assert outcome(claim, taken(times(12), 0, 0, LINUX), taken(times(14), 0, 1, LINUX)) == "cannot tell"


def test_ratios_on_either_side_of_a_bound_tell_nothing() -> None:
    """About ten times as long: the interval has both sides of it."""
    across = [taken([round(us * US) for us in range(60, 181)], 0, 1)]
    assert outcome(EITHER, taken(times(12), 0, 0), *across) == "cannot tell"


@pytest.mark.parametrize("conditions", [ESP32, PICO, LINUX])
def test_of_tasks_that_are_not_pinned_a_run_with_pinned_ones_tells_nothing(conditions: Mapping[str, str]) -> None:
    known = [taken(times(12), 0, 0, conditions), taken(times(190_334), 0, 1, conditions)]
    assert outcome("unpinned", *known) == "cannot tell"


@pytest.mark.parametrize(
    ("ticks", "conditions", "expected"),
    [
        (times(12), PICO, "agrees"),
        ([*times(12), *times(22)], PICO, "cannot tell"),
        ([*times(12), *times(40)], ESP32, "contradicts"),
        ([*times(12), *times(40)], PICO, "cannot tell"),
        ([*times(12), 18 * US], ESP32, "cannot tell"),
        ([*times(12), 14 * US], ESP32, "cannot tell"),
        (times(12, count=20), ESP32, "cannot tell"),
        (times(12), LINUX, "cannot tell"),
        (times(12, count=1), PICO, "cannot tell"),
    ],
)
def test_whether_times_between_cores_vary_as_little_as_the_printed_ones(
    ticks: Sequence[int], conditions: Mapping[str, str], expected: str
) -> None:
    assert outcome("across-steady", taken(ticks, 0, 1, conditions)) == expected


@pytest.mark.parametrize("conditions", [ESP32, PICO, LINUX])
def test_why_times_between_cores_vary_so_little_is_never_told(conditions: Mapping[str, str]) -> None:
    known = [
        taken(times(12), 1, 0, conditions),
        taken(times(190_334), 1, 0, conditions, time="raw-counter"),
    ]
    for measurements in (known, known[:1], known[1:]):
        assert outcome("across-steady-cause", *measurements) == "cannot tell"
    assert "a wake-up from an offset" in because("across-steady-cause", *known)
    assert "offset" not in because("across-steady-cause", known[0])


def test_what_is_computed_of_the_printed_times_is_told_as_such() -> None:
    (table,) = published(SwitchPublication)
    row = table.figures.row(crosses=True)
    (text,) = [one.text for one in table.claims if one.id == "across-steady"]
    _, computed = text.split("(Computed from the printed times: ")
    assert f"{1e3 * (row.average_ms - row.minimum_ms):.0f} µs" in computed
    assert f"{1e3 * (row.maximum_ms - row.minimum_ms):.0f} µs" in computed


@pytest.mark.parametrize(
    ("true_us", "raw_us", "conditions", "expected"),
    [
        (14, 190_400, ESP32, "agrees"),
        (190_399, 190_400, ESP32, "agrees"),
        (14, 14.1, ESP32, "cannot tell"),
        (14, 190_400, PICO, "cannot tell"),
    ],
)
def test_improvements_or_another_measurement(
    true_us: float, raw_us: float, conditions: Mapping[str, str], expected: str
) -> None:
    known = [taken(times(true_us), 1, 0, conditions), taken(times(raw_us), 1, 0, conditions, time="raw-counter")]
    assert outcome(EITHER, *known, taken(times(12), 1, 1, conditions)) == expected
    for one in known:
        assert outcome(EITHER, one) == "cannot tell"


def test_the_published_row_has_what_is_printed_alone_and_a_false_one_says_so_first() -> None:
    known = run(taken(times(14), 1, 0), taken(times(190_400), 1, 0, time="raw-counter"))
    found = shown(known)[ACROSS]
    (table,) = found.tables
    cells = [[column.text(row) for column in table.columns] for row in table.rows]
    assert [row[0] for row in cells] == ["published", "pico", "FALSE: pico"]
    assert cells[0][-1] == "as printed"
    assert "likely" not in " ".join(figure.caption + str(figure.panels) for figure in found.figures)
    assert "docs/benchmarks/switch.md" in found.note


def test_a_row_below_0_says_that_its_sign_is_not_drawn() -> None:
    found = shown(run(taken(times(14), 1, 0), taken(times(-2108), 1, 0, time="raw-counter")))[ACROSS]
    names = [tick.label for figure in found.figures for panel in figure.panels for tick in panel.y.ticks()]
    assert [name.endswith(", |-2.11\N{NO-BREAK SPACE}ms|") for name in names] == [False, False, True]


def test_an_emulated_chip_tells_nothing() -> None:
    known = [taken(times(12), 0, 0), taken(times(14), 0, 1), taken(times(190_400), 1, 0, time="raw-counter")]
    whole = run(*known)
    emulated = msgspec.structs.replace(whole, plan=msgspec.structs.replace(whole.plan, emulated=True))
    assert {verdict.outcome for one in shown(emulated).values() for verdict in one.verdicts} == {"cannot tell"}


def test_what_a_run_lacks_is_told() -> None:
    common, raw = taken(times(14), 0, 1), taken(times(14), 0, 1, time="raw-counter")
    assert "time=raw-counter" in shown(run(common))[ACROSS].untested
    assert "time=common" in shown(run(raw))[ACROSS].untested
    assert "RP2040" in shown(run(taken(times(14), 0, 1, PICO)))[ACROSS].untested
