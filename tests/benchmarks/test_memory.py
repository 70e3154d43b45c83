"""What passes over memory are taken to say: known durations give known rates, and slow-downs are those of pairs."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.memory import analysis as memory
from intercore.benchmarks.memory.answers import answers, concerns
from intercore.benchmarks.memory.findings import (
    MemoryContended,
    MemoryFailedCheck,
    MemoryRegionsDiffer,
    MemorySeparateRegionsDoNotHelp,
    MemorySeparateRegionsHelp,
    MemoryUncontended,
    Rate,
    Slowdown,
)
from intercore.benchmarks.memory.report import report
from intercore.record.measurement import Measurement, Plan, Run, Series
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.finding import Finding
    from intercore.record.measurement import Level

CHIP_HZ = 125_000_000
CHIP = {
    "board": "rp2040",
    "clock.sys_hz": str(CHIP_HZ),
    "memory.word_bytes": "4",
    "memory.regions": "sram-striped 8192, sram4 4096, sram5 4096 bytes",
}


def measurement(
    alone: Sequence[int], beside: Sequence[int] = (), *, conditions: dict[str, str] | None = None, **more: Level
) -> Measurement:
    values = {"timestamp_overhead.0": [46] * 9, "alone": alone, "contended": beside}
    factors: dict[str, Level] = {"access": "read", "region": "sram4", "core": 0, "bytes": 1000, "seed": 1}
    factors |= {"other": "write" if beside else "none", "other_region": "sram4"}
    return Measurement(
        benchmark="memory",
        factors=factors | more,
        repetition=0,
        series=tuple(
            Series(name, "common", CHIP_HZ, np.array(ticks, np.int64)) for name, ticks in values.items() if len(ticks)
        ),
        conditions=CHIP if conditions is None else conditions,
        checks={},
        started="2026-01-01T00:00:00+00:00",
    )


def run_of(measurements: Sequence[Measurement], *, simulated: bool = False) -> Run:
    plan = Plan("pico-sim" if simulated else "host", None, "memory", (), simulated=simulated)
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), tuple(measurements))


def test_a_rate_is_bytes_through_the_median_pass() -> None:
    (found,) = memory.analyse([measurement([900, 1000, 5000])]).rates
    assert found.pass_us.value == pytest.approx(8)
    assert found.mb_per_s == pytest.approx(125)
    assert found.word_ns == pytest.approx(32)
    assert found.word_cycles == pytest.approx(4)


@pytest.mark.parametrize("missing", ["memory.word_bytes", "clock.sys_hz"])
def test_what_the_target_does_not_tell_is_not_made_up(missing: str) -> None:
    known = {key: value for key, value in CHIP.items() if key != missing}
    (found,) = memory.analyse([measurement([1000], conditions=known)]).rates
    assert found.word_cycles is None
    assert (found.word_ns is None) == (missing == "memory.word_bytes")


def test_a_slow_down_is_the_ratio_of_the_medians() -> None:
    (found,) = memory.analyse([measurement([1000] * 9, [1500] * 9)]).interference
    assert found.slowdown.value == found.slowdown.low == found.slowdown.high == 1.5
    assert (found.alone_us, found.beside_us) == (8, 12)
    assert found.mb_per_s == pytest.approx(1000 / 12)
    assert found.word_cycles == pytest.approx(6)
    assert (found.other, found.other_region) == ("write", "sram4")


def test_a_drift_that_both_times_follow_is_not_in_the_slow_down() -> None:
    drift = np.linspace(1000, 3000, 40).astype(int)
    (found,) = memory.analyse([measurement(drift.tolist(), (2 * drift).tolist())]).interference
    assert found.slowdown.low is not None
    assert found.slowdown.high is not None
    assert found.slowdown.high - found.slowdown.low < 0.01


def test_times_alone_are_pooled_over_all_that_the_other_core_did() -> None:
    analysis = memory.analyse(
        [
            measurement([1000] * 3),
            measurement([1200] * 5, [1300] * 5),
            measurement([1200] * 5, [1400] * 5, other="copy"),
        ]
    )
    (rate,) = analysis.rates
    assert rate.samples == 13
    assert [one.other for one in analysis.interference] == ["write", "copy"]


def test_rows_stand_in_the_order_of_the_regions_of_the_target() -> None:
    analysis = memory.analyse(
        [
            measurement([10], region=region, access=access)
            for region in ("sram5", "sram-striped")
            for access in ("copy", "read")
        ]
    )
    assert [(one.region, one.access) for one in analysis.rates] == [
        ("sram-striped", "read"),
        ("sram-striped", "copy"),
        ("sram5", "read"),
        ("sram5", "copy"),
    ]


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=30),
    st.lists(st.integers(0, 10**9), min_size=1, max_size=30),
)
def test_any_samples_give_finite_numbers(alone: list[int], beside: list[int]) -> None:
    count = min(len(alone), len(beside))
    analysis = memory.analyse([measurement(alone[:count], beside[:count])])
    msgspec.json.decode(msgspec.json.encode(analysis))
    (found,) = analysis.interference
    assert np.isfinite(found.slowdown.value)
    assert found.slowdown.low is None or found.slowdown.low <= found.slowdown.value


# Sentences


def found_in(*measurements: Measurement) -> list[Finding]:
    return list(memory.results(memory.analyse(measurements)))


def test_the_worst_neighbour_is_named() -> None:
    worst, helps, *_ = found_in(
        measurement([1000] * 9, [1100] * 9, other_region="sram5"),
        measurement([1000] * 9, [1500] * 9, other_region="sram4"),
    )
    same = Slowdown(1.5, 0, "sram4", "read", "write", "sram4")
    assert worst == MemoryContended(worst=same)
    assert helps == MemorySeparateRegionsHelp(apart=Slowdown(1.1, 0, "sram4", "read", "write", "sram5"), same=same)


def test_no_finding_names_a_larger_slowdown_than_the_worst() -> None:
    unsteady = [1100, 1110, 1120, 1150, 1200, 1200, 1200, 1250, 1250]
    worst, *_ = found_in(
        measurement([1000] * 9, unsteady, other_region="sram5"),
        measurement([1000] * 9, [1180] * 9, other_region="sram4"),
    )
    assert isinstance(worst, MemoryContended)
    assert worst.worst.times == pytest.approx(1.2)


def test_cores_that_do_not_slow_each_other_down_are_uncontended() -> None:
    (found,) = found_in(measurement([1000] * 9, [1010] * 9))
    assert isinstance(found, MemoryUncontended)


def test_regions_that_do_not_help_are_not_recommended() -> None:
    _, found, *_ = found_in(
        measurement([1000] * 9, [1500] * 9, other_region="sram5"),
        measurement([1000] * 9, [1500] * 9, other_region="sram4"),
    )
    assert isinstance(found, MemorySeparateRegionsDoNotHelp)


def test_the_fastest_and_the_slowest_region_are_named() -> None:
    (found,) = found_in(measurement([1000]), measurement([4000], region="sram5"))
    assert isinstance(found, MemoryRegionsDiffer)
    assert found.fastest == Rate("sram4", pytest.approx(125), pytest.approx(4))
    assert (found.access, found.slowest.region) == ("read", "sram5")


def test_each_failed_check_is_reported_with_its_region() -> None:
    checks = {"wrong": 1, "migrated": 2, "preempted": 3, "lost": 4}
    spoilt = msgspec.structs.replace(measurement([1]), checks=checks)
    found = [one for one in memory.caveats([spoilt]) if isinstance(one, MemoryFailedCheck)]
    assert {one.check: one.count for one in found} == checks
    assert {one.levels for one in found} == {(str(spoilt.factors["region"]),)}
    assert list(memory.caveats([measurement([1])])) == []


def test_what_spoils_one_region_concerns_no_other() -> None:
    def concerned(slow: str, *spoilt: str) -> bool:
        taken = [measurement([1000] * 9, [2000] * 9, region=slow, other_region=slow)]
        hit = [msgspec.structs.replace(measurement([1], region=one), checks={"preempted": 1}) for one in spoilt]
        (said,) = memory.caveats(hit)
        (told,) = answers(memory.analyse(taken))
        return concerns(said, told)

    assert concerned("ram", "ram")
    assert concerned("ram", "l1", "ram")
    assert not concerned("ram", "l1")
    assert not concerned("sram4", "sram")


# The report


def matrix() -> list[Measurement]:
    regions = ("sram-striped", "sram4", "sram5")
    return [
        measurement([1000] * 5, [1000 + 10 * k] * 5, access=access, region=region, other=other, other_region=where)
        for k, (access, region, other, where) in enumerate(
            (a, r, o, w) for a in memory.ACCESSES for r in regions for o in memory.ACCESSES for w in regions
        )
    ]


@pytest.mark.parametrize("simulated", [False, True])
def test_the_matrix_has_a_cell_for_each_pair(simulated: bool) -> None:
    found = report(run_of(matrix(), simulated=simulated))
    assert set(found.json["memory"]) == {"rates", "interference", "sentences"}  # type: ignore[call-overload]
    assert len(found.rows) == 9 + 81
    (figure,) = found.section.figures
    (panel,) = figure.panels
    (drawn,) = panel.series
    assert isinstance(drawn, Cells)
    cells = np.array(drawn.rows, float)
    assert cells.shape == (9, 9)
    assert cells.min() == 1
    assert cells.max() == pytest.approx(1.8)
    assert figure.name == "memory-interference-core-0"
    for table in found.section.tables:
        assert ("SIMULATED" in table.title) == simulated
        shown = StringIO()
        print_table(table, Console(file=shown, width=100))
        assert max(map(len, shown.getvalue().splitlines())) <= 100


@pytest.mark.parametrize("code", ["sram-striped", "flash"])
def test_where_the_code_of_an_rp2040_is_is_told_as_it_is(code: str) -> None:
    found = report(run_of([measurement([1000], conditions=CHIP | {"memory.code": code})]))
    notes = " ".join(found.section.notes)
    assert ("Code and stacks are in the striped banks" in notes) is (code != "flash")
    assert ("Code in flash and the region flash are read through one cache" in notes) is (code == "flash")


def test_a_report_of_nothing_is_empty() -> None:
    found = report(run_of([]))
    assert found.section.tables == found.section.figures == []
