"""The stop rule: settings are repeated until their medians are known as asked, whatever interrupts the run."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.campaign import stop_rule
from intercore.campaign.stop_rule import DEFAULT_CAP, Course, is_reached, parse_rule, precisions, worst
from intercore.errors import IntercoreError, UsageError
from intercore.record.measurement import Measurement, Part, Plan, Run, Series, StopRule, Unit
from intercore.record.plan import Setting, canonical, settings
from intercore.record.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

few = hypothesis.settings(max_examples=12)


def series(name: str, values: Sequence[int], unit: Unit = "tick") -> Series:
    return Series(name, "common", 10**9, np.asarray(values, dtype=np.int64), unit)


def measured(setting: Setting, *found: Series) -> Measurement:
    return Measurement(
        setting.benchmark, setting.factors, setting.repetition, found, {}, {}, "2026-01-01T00:00:00+00:00"
    )


def pool(*values: Sequence[int], name: str = "t1", benchmark: str = "speedup") -> list[Measurement]:
    """Repetitions of one setting with these samples."""
    return [measured(Setting(benchmark, {}, i), series(name, each)) for i, each in enumerate(values)]


# What is asked for


@pytest.mark.parametrize(
    ("text", "until"), [("1%", 0.01), ("0.5%", 0.005), ("5 %", 0.05), (" 100% ", 1), (".25%", 0.0025)]
)
def test_a_percentage_is_read(text: str, until: float) -> None:
    assert parse_rule(text, None, 1) == StopRule(until, DEFAULT_CAP)


@pytest.mark.parametrize("text", ["", "%", "1", "0.01", "one%", "-1%", "1,5%", "nan%", "inf%", "1e1%", "1%%", "٣%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="such as 1%"):
        parse_rule(text, None, 1)


@pytest.mark.parametrize("text", ["0%", "0.0%", "100.1%", "999%"])
def test_a_percentage_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="above 0 %, at most 100 %"):
        parse_rule(text, None, 1)


def test_a_cap_goes_with_a_rule_and_is_at_least_the_repetitions() -> None:
    assert parse_rule(None, None, 5) is None
    assert parse_rule("1%", 7, 5) == StopRule(0.01, 7)
    assert parse_rule("1%", None, 50) == StopRule(0.01, 50)
    with pytest.raises(UsageError, match="--until"):
        parse_rule(None, 7, 1)
    with pytest.raises(UsageError, match="at least 5"):
        settings(Plan("host", None, "b", (Part("b", {}),), 5, stop=StopRule(0.01, 4)))


# When it is enough


def test_equal_samples_are_known_as_soon_as_there_are_six() -> None:
    assert not is_reached(StopRule(0.01, 9), pool([7] * 5))
    assert is_reached(StopRule(0.01, 9), pool([7] * 6))
    assert is_reached(StopRule(0.01, 9), pool([7] * 3, [7] * 3))


def test_the_interval_must_lie_within_the_fraction_on_both_sides() -> None:
    # Ranks 8 and 18 of 25: 1000 ± 50.
    values = [1000 + 10 * (i - 12) for i in range(25)]
    (found,) = precisions(pool(values))
    assert (found.series, found.samples, found.distance, found.fraction) == ("t1", 25, 50, 0.05)
    assert is_reached(StopRule(0.05, 9), pool(values))
    assert not is_reached(StopRule(0.049, 9), pool(values))
    assert str(found) == "t1 ±5 %"


def test_a_tick_is_as_close_as_a_clock_can_tell() -> None:
    assert is_reached(StopRule(0.001, 9), pool([5] * 10 + [6] * 10))
    assert not is_reached(StopRule(0.001, 9), pool([5] * 10 + [8] * 10))


def test_a_median_of_zero_has_no_fraction() -> None:
    (found,) = precisions(pool([-40, -20, -10, 0, 10, 20, 40]))
    assert found.fraction is None
    assert not found.within(1)
    assert str(found) == "t1 ±40 ticks"


def test_counts_that_are_results_are_to_be_known_as_well() -> None:
    counted = measured(Setting("threadmetric", {}, 0), series("count", [-40, -20, -10, 0, 10, 20, 40], "count"))
    (found,) = precisions([counted])
    assert str(found) == "count ±40 counts"
    assert is_reached(StopRule(0.01, 9), [measured(Setting("b", {}, 0), series("count", [5] * 10 + [6] * 10, "count"))])


def test_the_worst_series_counts_and_those_beside_the_matter_do_not() -> None:
    wide = list(range(100, 1100, 100))
    both = measured(
        Setting("speedup", {}, 0),
        series("narrow", [100] * 10),
        series("wide", wide),
        *(series(name, [1, 10**6] * 5) for name in ("looking.0", "true", "extremes", "before.there")),
        *(series(name, [1, 10**6] * 5, "count") for name in ("begins", "late.counts")),
        series("where", [0, 1] * 5, "core"),
        series("when", wide, "moment"),
        series("empty", []),
    )
    assert [one.series for one in precisions([both])] == ["narrow", "wide"]
    assert str(worst(precisions([both]))).startswith("wide ±")


@pytest.mark.parametrize("benchmark", ["clock", "contention"])
def test_what_has_no_median_that_means_something_is_not_repeated(benchmark: str) -> None:
    wide = pool(list(range(100, 1100, 100)), benchmark=benchmark)
    assert precisions(wide) == []
    assert is_reached(StopRule(0.01, 2), wide)


def test_too_few_samples_are_worse_than_any_interval() -> None:
    mixed = measured(Setting("b", {}, 0), series("few", [1] * 5), series("wide", [1, 10**6] * 10))
    assert str(worst(precisions([mixed]))) == "few not known from 5 samples"


# How a run goes on


def noise(setting: Setting) -> Measurement:
    """The same for the same setting and repetition; how wide depends on the setting."""
    rng = np.random.default_rng(zlib.crc32(f"{setting.repetition} {canonical(setting.factors)}".encode()))
    spread = int(setting.factors["spread"])
    return measured(setting, series("t1", (10_000 + spread * rng.normal(size=10)).astype(int).tolist()))


SPREADS: list[int | str] = [0, 200, 1000, 100_000]
PLAN = Plan(
    "host",
    None,
    "b",
    (Part("b", {"spread": SPREADS}), Part("c", {"spread": [0, 500]})),
    repetitions=2,
    seed=3,
    stop=StopRule(0.01, 12),
)


def advance(store: Store, run_id: int, most: int | None = None) -> list[tuple[int, int]]:
    """Measure what a run lacks, or that many settings of it; return how many of how many were done after each."""
    run = store.run(run_id)
    course = Course(run)
    if course.total != run.total:
        store.set_total(run_id, course.total)
    done = []
    for setting in _first(course.settings(), most):
        measurement = noise(setting)
        course.add(setting, measurement)
        store.add(run_id, setting, measurement, course.total)
        (summary,) = store.runs()
        done.append((summary.done, summary.total))
    return done


def _first(found: Iterator[Setting], most: int | None) -> Iterator[Setting]:
    for count, setting in enumerate(found):
        if count == most:
            return
        yield setting


def order(run: Run) -> list[tuple[str, str, int]]:
    return [(one.benchmark, canonical(one.factors), one.repetition) for one in run.measurements]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Run:
    with Store(tmp_path_factory.mktemp("stop") / "s.db") as store:
        number = store.create_run(PLAN, len(settings(PLAN)))
        counts = advance(store, number)
        assert [done for done, _ in counts] == list(range(1, len(counts) + 1))
        assert [done >= total for done, total in counts] == [False] * (len(counts) - 1) + [True]
        return store.run(number)


def test_every_setting_is_repeated_until_it_is_known_or_has_the_cap_and_not_more_often(uninterrupted: Run) -> None:
    assert uninterrupted.complete
    assert PLAN.stop is not None
    repetitions = {}
    for (benchmark, factors), found in stop_rule.pooled(uninterrupted).items():
        assert [one.repetition for one in found] == list(range(len(found)))
        assert len(found) >= PLAN.repetitions
        assert is_reached(PLAN.stop, found) or len(found) == PLAN.stop.cap
        assert len(found) == PLAN.repetitions or not is_reached(PLAN.stop, found[:-1])
        repetitions[benchmark, factors] = len(found)
    assert repetitions["b", '{"spread":0}'] == 2
    assert repetitions["b", '{"spread":100000}'] == 12
    assert any(2 < count < 12 for count in repetitions.values())


def test_a_repetition_of_all_comes_before_the_next_of_any(uninterrupted: Run) -> None:
    repetitions = [repetition for _, _, repetition in order(uninterrupted)]
    assert repetitions == sorted(repetitions)


@few
@given(st.lists(st.integers(0, 7), max_size=8))
def test_an_interrupted_run_goes_on_in_the_same_order_and_is_incomplete_until_the_end(
    tmp_path_factory: pytest.TempPathFactory, uninterrupted: Run, pieces: list[int]
) -> None:
    path = tmp_path_factory.mktemp("stop") / "s.db"
    with Store(path) as store:
        number = store.create_run(PLAN, len(settings(PLAN)))
    for piece in pieces:
        with Store(path) as store:
            advance(store, number, piece)
            so_far = store.run(number)
            assert so_far.complete == (len(so_far.measurements) == len(uninterrupted.measurements))
            assert store.runs()[0].complete == so_far.complete
    with Store(path) as store:
        advance(store, number)
        finished = store.run(number)
    assert order(finished) == order(uninterrupted)
    assert finished.total == uninterrupted.total


def test_a_total_that_another_version_left_is_put_right(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        number = store.create_run(PLAN, len(settings(PLAN)))
        advance(store, number)
        store.set_total(number, store.run(number).total + 1)
        assert not store.run(number).complete
        assert advance(store, number) == []
        assert store.run(number).complete
        with pytest.raises(IntercoreError, match="no run 9"):
            store.set_total(9, 1)


def test_without_a_rule_the_repetitions_are_all(tmp_path: Path) -> None:
    plan = Plan("host", None, "b", (Part("b", {"spread": SPREADS}),), repetitions=3)
    with Store(tmp_path / "s.db") as store:
        advance(store, store.create_run(plan, len(settings(plan))))
        run = store.run()
    assert run.complete
    assert len(run.measurements) == 12
    assert stop_rule.warnings(run) == []
    assert stop_rule.to_json(run) is None


def test_a_warning_says_which_settings_did_not_get_there_and_how_far_they_got(uninterrupted: Run) -> None:
    (sentence,) = stop_rule.warnings(uninterrupted)
    assert "known to ±1 %. After 12 repetitions" in sentence
    found = worst(precisions(stop_rule.pooled(uninterrupted)["b", '{"spread":100000}']))
    assert f"b spread=100000 ({found})" in sentence
    assert "spread=0 " not in sentence
    assert "--cap" in sentence


def test_the_document_says_how_far_each_setting_came(uninterrupted: Run) -> None:
    found = stop_rule.to_json(uninterrupted)
    assert found is not None
    assert (found["until"], found["cap"]) == (0.01, 12)
    rows = {(row["benchmark"], row["factors"]["spread"]): row for row in found["settings"]}  # type: ignore[attr-defined]
    assert rows["b", 0] == {
        "benchmark": "b",
        "factors": {"spread": 0},
        "repetitions": 2,
        "reached": True,
        "series": [{"series": "t1", "samples": 20, "half_width": 0}],
    }
    assert not rows["b", 100_000]["reached"]
    assert rows["b", 100_000]["series"][0]["half_width"] > 0.01
