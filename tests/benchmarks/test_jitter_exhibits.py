"""The published tables of periods beside a run: what the run says of each finding follows its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.jitter.analysis import analyse
from intercore.benchmarks.jitter.exhibits import exhibits
from intercore.benchmarks.jitter.publication import JitterPublication
from intercore.benchmarks.published import published
from intercore.record.measurement import Excluded, Measurement, Part, Plan, Run
from tests.benchmarks.jitter_data import HZ, measurement
from tests.fakes import esp32 as fake_esp32

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.view.exhibit import Exhibit

KERNEL = {
    "freertos.version": "V11",
    "cores": "2",
    "clock.counter_bits": "16",
    "tick_hz": "1000",
    "chip": "ESP32",
    "clock.sys_hz": "240000000",
}
PICO = KERNEL | {"chip": "RP2040", "clock.sys_hz": "125000000"}
US = HZ // 1_000_000
PERIOD = 10_000 * US
REST, MOVED = "seed-002-jitter-at-rest", "seed-002-jitter-moved"
STEADY = [1000] * 100


def taken(
    late: Sequence[int],
    *,
    raw: Sequence[int] = (),
    moved: int | None = None,
    conditions: Mapping[str, str] = KERNEL,
    **factors: int | str,
) -> Measurement:
    """Return activations on alternating cores, with as many migrations as requested unless a factor differs."""
    cores = [step % 2 for step in range(len(late))] if factors.get("migrate", "none") != "none" else [0] * len(late)
    asked = len(late) if "migrate" in factors else 0
    found = measurement(
        late,
        core_series=cores,
        more={"raw": raw} if len(raw) else None,
        checks={"migrations_requested": asked, "migrations_done": asked if moved is None else moved},
        **factors,
    )
    series = tuple(msgspec.structs.replace(one, clock="counter") if one.name == "raw" else one for one in found.series)
    return msgspec.structs.replace(found, conditions=dict(conditions), series=series)


def of_counters(apart: int, *, bits: int = 32, period: int = PERIOD) -> Measurement:
    """Return what two counters of so many bits that are so far apart give of a task that is moved."""
    cores = np.arange(101) % 2
    counters = np.arange(101) * period + cores * apart
    raw = np.diff(counters) % 2**bits
    factors = {"migrate": "published", "time": "raw-counter", "counter_bits": str(bits), "period_us": period // US}
    found = taken([1000] * 100, raw=raw.tolist(), **factors)
    series = tuple(
        msgspec.structs.replace(one, ticks=cores[1:].astype(np.int64)) if one.name == "core" else one
        for one in found.series
    )
    return msgspec.structs.replace(found, series=series)


def run(*measurements: Measurement, excluded: tuple[Excluded, ...] = ()) -> Run:
    plan = Plan("pico", None, "jitter", (Part("jitter", {}),), excluded=excluded)
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


def shown(run_: Run) -> dict[str, Exhibit]:
    return {one.id: one for one in exhibits(run_, analyse(run_.measurements))}


def said(claim: str, run_: Run) -> tuple[str, str]:
    """Return what a run says of a finding, and why."""
    (table,) = published(JitterPublication)
    found = next(one for one in table.claims if one.id == claim)
    verdicts = shown(run_)[found.exhibits[0]].verdicts
    return next((one.outcome, one.because) for one in verdicts if one.finding == found.text)


def outcome(claim: str, *measurements: Measurement) -> str:
    return said(claim, run(*measurements))[0]


def published_way(
    late: Sequence[int] = STEADY, *, conditions: Mapping[str, str] = KERNEL, **more: int | str
) -> Measurement:
    return taken(late, migrate="published", conditions=conditions, **more)


def test_every_table_has_the_published_row_and_the_runs_own_in_the_papers_columns() -> None:
    found = shown(run(taken(STEADY), published_way(), of_counters(20 * PERIOD)))
    assert set(found) == {REST, MOVED}
    for one, printed, own in ((found[REST], "9.996", 1), (found[MOVED], "8,957.846", 2)):
        table = one.tables[0]
        cells = [[column.text(row) for column in table.columns] for row in table.rows]
        assert [row[0] for row in cells] == ["published", *["pico", "FALSE: pico"][:own]]
        assert [column.title for column in table.columns][3:7] == ["Average", "“Variance”", "Minimum", "Maximum"]
        assert cells[0][3] == printed
        (figure,) = one.figures
        assert figure.name == one.id


def test_every_finding_of_a_table_has_a_verdict() -> None:
    (table,) = published(JitterPublication)
    for name, one in shown(run(taken(STEADY), published_way())).items():
        assert [verdict.finding for verdict in one.verdicts] == [c.text for c in table.claims if name in c.exhibits]


def test_what_a_run_has_not_measured_has_no_table() -> None:
    assert set(shown(run(taken(STEADY)))) == {REST}
    assert set(shown(run(published_way()))) == {MOVED}
    assert shown(run(taken(STEADY, period_us=1000), taken(STEADY, load="both"))) == {}


@pytest.mark.parametrize(
    ("step", "expected"),
    [(0, "agrees"), (3 * US, "agrees"), (6 * US, "contradicts")],
)
def test_the_average_at_rest(step: int, expected: str) -> None:
    """Each period is longer by so much than was asked for."""
    late = [1000 + at * step for at in range(60)]
    assert outcome("rest-average", taken(late)) == expected
    for conditions in ({}, PICO):
        assert outcome("rest-average", taken(late, conditions=conditions)) == "cannot tell"


def test_an_average_that_is_not_known_well_enough() -> None:
    late = np.cumsum([0, *[300 * US, -290 * US] * 20]).tolist()
    assert outcome("rest-average", taken(late)) == "cannot tell"
    assert outcome("rest-average", taken([1000, 1000])) == "cannot tell", "of one period"


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        (STEADY, "agrees"),
        ([*STEADY, 1000 + 2 * US], "contradicts"),
        ([400 * US, *[0] * 99], "contradicts"),
        ([1000] * 20, "cannot tell"),
    ],
)
def test_the_ends_of_the_periods_at_rest(late: Sequence[int], expected: str) -> None:
    assert outcome("rest-range", taken(late)) == expected
    assert outcome("rest-range", taken(late, conditions=PICO)) == "cannot tell"


@pytest.mark.parametrize(
    ("late", "expected", "elsewhere"),
    [
        (STEADY, "agrees", "agrees"),
        ([*STEADY, 1000 + 999 * US], "agrees", "agrees"),
        ([*STEADY, 1000 + 1000 * US], "contradicts", "cannot tell"),
        ([1000] * 20, "cannot tell", "cannot tell"),
    ],
)
def test_whether_periods_at_rest_are_within_a_tick_of_the_kernel(
    late: Sequence[int], expected: str, elsewhere: str
) -> None:
    assert outcome("rest-expected", taken(late)) == expected
    assert outcome("rest-expected", taken(late, conditions=PICO)) == elsewhere
    assert outcome("rest-expected", taken(late, conditions={})) == "cannot tell"


@pytest.mark.parametrize(
    ("periods", "expected"), [(0, "contradicts"), (5, "cannot tell"), (30, "agrees"), (900, "agrees")]
)
def test_the_average_of_a_task_that_is_moved(periods: int, expected: str) -> None:
    late = [1000 + at * periods * PERIOD for at in range(100)]
    assert outcome("moved-average", published_way(late)) == expected
    for conditions in ({}, PICO):
        assert outcome("moved-average", published_way(late, conditions=conditions)) == "cannot tell"


def test_of_several_settings_the_worst_is_held_against_what_was_published() -> None:
    long = published_way([1000 + at * 900 * PERIOD for at in range(100)], load="both")
    costly = published_way([1000, 1000 + 25_000 * US] * 50, load="both")
    for known in ([published_way(), long], [long, published_way()]):
        assert outcome("moved-average", *known) == "agrees"
    for known in ([published_way(), costly], [costly, taken(STEADY, migrate="affinity")]):
        assert outcome("moved-overhead", *known) == "agrees"


@pytest.mark.parametrize("apart", [PERIOD // 3, -20 * PERIOD, 20 * PERIOD])
def test_how_far_counters_are_apart_is_told_and_is_plain_from_a_third_of_a_period_on(apart: int) -> None:
    (found,) = analyse([of_counters(apart)]).false_periods
    assert found.apart_us == pytest.approx(apart / US)
    assert found.is_plain
    assert not analyse([of_counters(0)]).false_periods[0].is_plain


def test_migrations_that_did_not_happen_tell_nothing_of_it() -> None:
    failed = taken(STEADY, migrate="published", moved=50)
    assert MOVED not in shown(run(failed))
    assert outcome("moved-average", failed, of_counters(20 * PERIOD)) == "cannot tell"


@pytest.mark.parametrize(
    ("apart", "period", "agrees"),
    [
        (20 * PERIOD, PERIOD, True),
        (-20 * PERIOD, PERIOD, True),
        (-2120 * US, 1000 * US, True),
        (-2120 * US, PERIOD, False),
        (0, PERIOD, False),
    ],
)
def test_two_counters_agree_with_it_where_they_are_farther_apart_than_a_period(
    apart: int, period: int, *, agrees: bool
) -> None:
    both = run(published_way(), of_counters(apart, period=period))
    verdict, because = said("moved-average", both)
    assert verdict == "contradicts", "whatever they give is no time"
    assert (f"{2**31 / HZ:.1f} s" in because) == agrees, "half a wrap"
    assert ("not durations" in because) == agrees
    assert agrees or shown(both)[MOVED].untested


def test_counters_as_an_esp32_has_them_give_the_published_average() -> None:
    found = shown(fake_esp32.run())[MOVED]
    cells = [[column.text(row) for column in found.tables[1].columns] for row in found.tables[1].rows]
    printed, own = (dict(zip([column.title for column in found.tables[1].columns], row, strict=True)) for row in cells)
    for title in ("period", "counters", "apart", "wrap", "+ wrap/2", "follows", "average"):
        assert printed[title] == own[title]
    assert "8.96 s" in said("moved-average", fake_esp32.run())[1]


def test_a_counter_that_wraps_within_a_period_is_told_to_be_read_wider() -> None:
    found = shown(run(published_way(), of_counters(20 * PERIOD, bits=16)))[MOVED]
    assert "counter_bits=32" in found.untested
    assert "time=raw-counter" in shown(run(published_way()))[MOVED].untested


@pytest.mark.parametrize(("us", "expected"), [(1, "contradicts"), (1000, "cannot tell"), (25_000, "agrees")])
@pytest.mark.parametrize("migrate", ["published", "affinity", "blockers"])
def test_what_a_migration_costs(us: int, expected: str, migrate: str) -> None:
    late = [1000, 1000 + us * US] * 50
    assert outcome("moved-overhead", taken(late, migrate=migrate)) == expected
    elsewhere = outcome("moved-overhead", taken(late, migrate=migrate, conditions=PICO))
    assert elsewhere == ("agrees" if expected == "agrees" else "cannot tell"), "another chip contradicts no time"
    without = taken(late, migrate=migrate, conditions={})
    assert outcome("moved-overhead", without) == "cannot tell"


@pytest.mark.parametrize(
    ("late", "wake", "expected"),
    [
        ([0, 30_000 * US, 20_001 * US, 10_002 * US, 0], "kept", "cannot tell"),
        ([0, 30_000 * US, 25_000 * US, 20_000 * US, 14_000 * US], "kept", "agrees"),
        ([0, 1000 * US, 0, 1000 * US], "kept", "cannot tell"),
        ([0, 30_000 * US, 20_001 * US, 10_002 * US, 0], "reset", "cannot tell"),
    ],
)
def test_whether_load_can_be_the_reason(late: Sequence[int], wake: str, expected: str) -> None:
    blocked = taken(late, migrate="unsynchronised", wake=wake)
    assert outcome("moved-load", published_way(), blocked) == expected
    assert outcome("moved-load", published_way()) == "cannot tell"
    elsewhere = taken(late, migrate="unsynchronised", wake=wake, conditions=PICO)
    assert outcome("moved-load", published_way(conditions=PICO), elsewhere) == "cannot tell"


def test_migrations_are_as_many_as_the_table_of_periods_has() -> None:
    known = run(published_way(), taken(STEADY, migrate="affinity"))
    migrations = sum(one.migrations for one in analyse(known.measurements).settings)
    assert f"Of {migrations:,} migrations" in said("moved-overhead", known)[1]


def test_whether_the_kernel_can_move_a_task() -> None:
    """The authors write of a kernel that likely was ESP-IDF's, and "not yet": a later one does not contradict them."""
    able = run(taken(STEADY, migrate="affinity"))
    assert said("no-function", able)[0] == "cannot tell"
    assert "vTaskCoreAffinitySet()" in said("no-function", able)[1]
    assert outcome("no-function", published_way()) == "cannot tell"
    excluded = (Excluded("jitter", {"migrate": "affinity"}, "it keeps a task's core"),)
    for version, expected in (("V10.5.1 IDF", "agrees"), ("V11", "cannot tell")):
        refused = run(published_way(conditions=KERNEL | {"freertos.version": version}), excluded=excluded)
        assert said("no-function", refused)[0] == expected
    assert outcome("no-function", taken(STEADY, migrate="affinity", conditions={})) == "cannot tell"


def test_the_published_row_has_what_is_printed_alone_and_a_false_one_says_so_first() -> None:
    found = shown(run(published_way(), of_counters(20 * PERIOD)))[MOVED]
    cells = [[column.text(row) for column in found.tables[0].columns] for row in found.tables[0].rows]
    assert [row[0] for row in cells] == ["published", "pico", "FALSE: pico"]
    assert cells[0][-1] == "as printed"
    names = [tick.label for figure in found.figures for panel in figure.panels for tick in panel.y.ticks()]
    assert [name.partition(":")[0] for name in names] == ["published, moved", "by the paper's procedure", "FALSE"]
    assert "likely" not in " ".join([*names, *(figure.caption for figure in found.figures)])
    assert "docs/benchmarks/jitter.md" in found.note


def test_the_width_that_is_read_matters_to_raw_counters_alone() -> None:
    """By the common clock, measurements at two widths are of one setting."""
    widths = [published_way(counter_bits=bits, time="common") for bits in ("own", "32")]
    (setting,) = analyse(widths).settings
    assert setting.lateness_us.n == 200
    found = analyse([of_counters(20 * PERIOD), of_counters(20 * PERIOD, bits=16)]).false_periods
    assert {one.bits for one in found} == {16, 32}
    own = of_counters(20 * PERIOD, bits=16)
    told = msgspec.structs.replace(own, factors={**own.factors, "counter_bits": "own"})
    assert analyse([told]).false_periods[0].bits == int(KERNEL["clock.counter_bits"])
