"""Two counters that are taken for one: the model, what it says of seed 002, and what raw counters are found to give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks import reports
from intercore.benchmarks.jitter.activations import BY_PROCEDURE, pools
from intercore.benchmarks.jitter.analysis import analyse, caveats, results
from intercore.benchmarks.jitter.findings import JitterEarly, JitterFalsePeriods, JitterSynchronisedCounters
from intercore.benchmarks.jitter.literature import counters_of
from intercore.benchmarks.jitter.publication import JitterPublication
from intercore.benchmarks.jitter.report import report
from intercore.benchmarks.jitter.two_counters import TwoCounters, WrappedRow, wrap_us
from intercore.benchmarks.plausibility import impossible, longer_than
from intercore.benchmarks.published import published
from intercore.benchmarks.series import has_median, incomparable
from tests.benchmarks.esp32_report import cells
from tests.benchmarks.jitter_data import HZ, measurement
from tests.fakes import esp32 as fake_esp32

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.measurement import Measurement

ESP32 = {"bits": 32, "hz": 240_000_000}
PICO = {"bits": 16, "hz": 125_000_000}


def raw(
    periods: Sequence[int], *, bits: int, apart: int, cores: Sequence[int], wrong: int = 0, **factors: int | str
) -> Measurement:
    """Return a measurement of activations with these true periods, in counts, on these cores."""
    clock = np.concatenate(([0], np.cumsum(periods)))
    counters = clock + np.array(cores) * apart
    moved = int(np.count_nonzero(np.diff(cores)))
    grid = np.arange(len(cores)) * 1_250_000
    found = measurement(
        (clock - grid + 1000)[1:].tolist(),
        core_series=list(cores[1:]),
        more={"raw": (np.diff(counters) & (2**bits - 1 if bits < 64 else -1)).tolist()},
        checks={"migrations_requested": moved, "migrations_done": moved, "wrong": wrong},
        **{"migrate": "published", "wake": "kept", "time": "raw-counter", **factors},
    )
    series = tuple(msgspec.structs.replace(one, clock="counter") if one.name == "raw" else one for one in found.series)
    return msgspec.structs.replace(found, series=series, conditions={"clock.counter_bits": str(bits), "cores": "2"})


# The model


@given(
    bits=st.sampled_from([16, 24, 32]),
    period=st.integers(1, 10**9),
    apart=st.integers(-(10**9), 10**9),
    each=st.integers(1, 50),
)
def test_the_model_is_what_two_counters_give(bits: int, period: int, apart: int, each: int) -> None:
    cores = np.arange(2 * each + 1) % 2
    counters = np.arange(2 * each + 1) * period + cores * apart
    given_by = np.diff(counters) % 2**bits
    model = TwoCounters(bits, 1_000_000, period, apart, each, each)
    assert (model.least_us, model.largest_us) == (given_by.min(), given_by.max())
    assert model.mean_us == pytest.approx(given_by.mean())
    assert model.standard_error_us == pytest.approx(given_by.std(ddof=1) / np.sqrt(2 * each), abs=1e-6)


@given(apart_ms=st.floats(10.1, 8000))
def test_with_half_of_each_the_mean_is_the_period_and_half_a_wrap(apart_ms: float) -> None:
    for sign in (1, -1):
        model = TwoCounters(32, 240_000_000, 9_997.0, sign * apart_ms * 1e3, 500, 500)
        assert model.mean_us == pytest.approx(9_997.0 + 8_947_848.533, abs=0.01)


# Seed 002


def test_the_table_of_seed_002_is_of_1000_periods_and_no_other_number() -> None:
    (table,) = published(JitterPublication)
    (found,) = counters_of(table)
    assert found.wrapped.wrap == pytest.approx(17_895.697, abs=0.001)
    assert found.wrapped.period == pytest.approx(9.997, abs=0.001)
    assert found.wrapped.ends_together == pytest.approx(17.642, abs=0.001)
    (split,) = found.splits
    assert (split.forth, split.back) == (500, 500)
    assert split.apart_ms == pytest.approx((205.34, 205.37), abs=0.01)


def test_the_model_gives_the_published_average_and_variance_to_the_last_digit() -> None:
    (table,) = published(JitterPublication)
    (found,) = counters_of(table)
    assert found.model is not None
    assert round(found.model.mean_us / 1e3, 3) == found.row.average_ms == 8957.846
    assert found.model.standard_error_us / 1e3 == pytest.approx(276.600, abs=0.0005)
    assert found.model.least_us / 1e3 == pytest.approx(found.row.minimum_ms, abs=2.5), "with one true period of 7.64"
    assert found.model.largest_us / 1e3 == pytest.approx(found.row.maximum_ms, abs=0.02)


def test_its_sentence_has_the_arithmetic_and_says_likely() -> None:
    said = " ".join(report(fake_esp32.run()).section.notes)
    for words in (
        "is likely of two counters that were taken for one",
        "wraps after 17,895.697 ms",
        "8,957.846 − 8,947.849 = 9.997 ms",
        "at rest the same task had 9.996",
        "a wrap and 17.642 ms",
        "only 1,000 periods, 500 one way and 500 the other",
        "between 7.64 and 10.00 ms",
        "Its text prints no code and does not name the counter",
        "on no chip of the paper's",
    ):
        assert words in said, words


def test_another_variance_is_of_other_numbers_or_of_none() -> None:
    """The number is found, not known."""
    (table,) = published(JitterPublication)
    (found,) = counters_of(table)
    halves = TwoCounters(32, 240_000_000, 9_997.4667, 205_360.0, 250, 250)
    error = round(halves.standard_error_us / 1e3, 3)
    fewer = msgspec.structs.replace(found.wrapped, error=error)
    assert [one.periods for one in fewer.splits()] == [500]
    assert msgspec.structs.replace(found.wrapped, error=300.0).splits() == []


@pytest.mark.parametrize("n", [40, 128])
def test_splits_find_the_number_that_a_table_was_made_of(n: int) -> None:
    model = TwoCounters(24, 125_000_000, 10_000.0, 30_000.0, n // 2, n // 2)
    table = WrappedRow(
        mean=round(model.mean_us / 1e3, 3),
        least=round(model.least_us / 1e3, 3),
        largest=round(model.largest_us / 1e3, 3),
        error=round(model.standard_error_us / 1e3, 3),
        rounding=0.001,
        longest=10.0,
        wrap=wrap_us(24, 125_000_000) / 1e3,
    )
    assert n in [one.periods for one in table.splits()]


# Ours


def test_a_fake_esp32_shows_two_clusters_and_the_mean_that_follows() -> None:
    (false,) = analyse(fake_esp32.run().measurements).false_periods
    assert (false.bits, false.hz, false.periods) == (32, 240_000_000, 1000)
    assert [(way.first, way.second, way.periods) for way in false.ways] == [(0, 1, 500), (1, 0, 500)]
    medians = {(way.first, way.second): way.median_us / 1e3 for way in false.ways}
    assert medians == {(0, 1): pytest.approx(215.36, abs=0.01), (1, 0): pytest.approx(17_700.337, abs=0.01)}
    assert false.mean_us / 1e3 == pytest.approx(8_957.849, abs=0.001)
    assert false.implied_us == pytest.approx(false.mean_us, abs=1)
    assert false.apart_us == pytest.approx(205_360, abs=1)
    assert false.true_us == pytest.approx(10_000, abs=1)
    assert false.is_plain


def test_a_counter_of_16_bits_loses_whole_wraps_as_well() -> None:
    """As on an RP2040: 1.78 ms apart, 524 µs a wrap."""
    cores = [0, 1] * 30 + [0]
    one = raw([1_250_000] * 60, bits=16, apart=-222_500, cores=cores)
    (false,) = analyse([one]).false_periods
    assert false.implied_us == pytest.approx(10_000 % 524.288 + 524.288 / 2)
    assert false.mean_us == pytest.approx(false.implied_us)
    (found,) = results(analyse([one]))
    assert isinstance(found, JitterFalsePeriods)
    assert (found.label, found.wraps, found.bits) == (BY_PROCEDURE, "one way", 16)
    assert (found.implied_us, found.wrap_us) == (false.implied_us, pytest.approx(524.288))


def test_where_neither_way_wraps_the_mean_is_what_is_left_of_the_period() -> None:
    one = raw([1_250_000] * 60, bits=16, apart=-4_096, cores=[0, 1] * 30 + [0])
    (false,) = analyse([one]).false_periods
    assert false.implied_us == pytest.approx(10_000 % 524.288)
    assert false.is_plain, "whole wraps are missing"
    (found,) = results(analyse([one]))
    assert isinstance(found, JitterFalsePeriods)
    assert (found.wraps, found.implied_us) == ("neither way", false.implied_us)


def test_a_cluster_on_both_sides_of_a_wrap_has_its_median_there() -> None:
    periods = [1_250_000 + 10 * (-1) ** (step // 2) for step in range(40)]
    one = raw(periods, bits=16, apart=-(1_250_000 % 65_536), cores=[0, 1] * 20 + [0])
    (false,) = analyse([one]).false_periods
    (forth,) = (way for way in false.ways if way.second == 1)
    assert min(forth.median_us, 524.288 - forth.median_us) < 1
    assert forth.largest_us - forth.least_us > 500


def test_counters_that_are_one_give_no_false_periods() -> None:
    one = raw([1_250_000] * 60, bits=64, apart=0, cores=[0, 1] * 30 + [0])
    analysis = analyse([one])
    assert not analysis.false_periods[0].is_plain
    assert list(results(analysis)) == [JitterSynchronisedCounters()]


def test_with_uneven_shares_the_mean_follows_from_them() -> None:
    cores = [0, 1, 0, 1, 1, 1, 0, 0]
    one = raw([1_250_000] * 7, bits=32, apart=5_000_000, cores=cores)
    (false,) = analyse([one]).false_periods
    assert false.implied_us == pytest.approx(false.mean_us)
    assert sum(way.periods for way in false.ways) == 6, "the core before the first is not known where it did not move"


def test_a_target_that_does_not_say_its_bits_has_no_mean_that_follows() -> None:
    one = msgspec.structs.replace(raw([1_250_000] * 4, bits=32, apart=0, cores=[0, 1, 0, 1, 0]), conditions={})
    (false,) = analyse([one]).false_periods
    assert (false.bits, false.implied_us) == (None, None)
    assert msgspec.json.encode(report(fake_esp32.run()).json)


# They stand apart


def test_raw_counters_are_in_no_setting_and_in_no_true_table() -> None:
    true = measurement([1000] * 8, core_series=[0, 1] * 4, migrate="published", time="common", wake="kept")
    false = raw([1_250_000] * 8, bits=16, apart=-222_500, cores=[0, 1] * 4 + [0])
    assert analyse([true, false]).settings == analyse([true]).settings
    assert list(pools([true, false])) == [BY_PROCEDURE]
    assert [one.factors["time"] for one in pools([true, false], raw=True)[BY_PROCEDURE]] == ["raw-counter"]
    assert incomparable(true) == ""
    assert "each core's counter, whose differences" in incomparable(false)
    assert not has_median("jitter", false.samples("raw"))


def test_what_is_wrong_with_them_is_told_all_the_same() -> None:
    false = raw([1_250_000] * 8, bits=16, apart=0, cores=[0, 1] * 4 + [0], wrong=2)
    expected = JitterEarly(label=f"{BY_PROCEDURE}, raw counters", load="none", migrate="published", activations=2)
    assert expected in caveats([false])


def test_a_difference_of_counters_may_be_longer_than_the_measurement_took() -> None:
    false = raw([1_250_000] * 8, bits=32, apart=2**31, cores=[0, 1] * 4 + [0])
    assert false.samples("raw").ticks.max() / HZ > 10
    assert longer_than(false, 0.1) == 0
    assert impossible(false) == ()


def test_the_table_of_false_periods_has_the_mean_that_follows_beside_the_published_one() -> None:
    rows = cells(report(fake_esp32.run()), "FALSE periods, of raw counters")
    assert rows[0] == [BY_PROCEDURE, "32 bits, 240 MHz", "8.96 s", "8.96 s", "215 ms", "17.7 s", "10.0 ms"]
    assert rows[1][0].startswith("published: Arm")
    assert rows[1][-1] == "likely 10.0 ms"


def test_a_run_of_nothing_but_raw_counters_has_a_report() -> None:
    (false,) = (one for one in fake_esp32.jitters() if one.factors.get("time") == "raw-counter")
    whole = msgspec.structs.replace(fake_esp32.run(), measurements=(false,))
    found = report(whole)
    assert found.json["jitter"]["settings"] == ()
    assert [one.name for one in found.section.figures] == ["jitter-periods"]
    assert not any(table.title.startswith("How late") for table in found.section.tables)
    assert reports.reports(whole).reports
