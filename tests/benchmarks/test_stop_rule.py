"""How far a stop rule has come: which medians it asks for, how well they are known, and what is said of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.findings import ImpreciseSetting, PrecisionNotReached
from intercore.benchmarks.stop_rule import caveats, is_reached, precisions, to_json
from intercore.record.measurement import Measurement, Part, Plan, Run, Series, StopRule, Unit
from intercore.record.plan import Setting, repetitions_by_setting
from intercore.statistics.precision import worst

if TYPE_CHECKING:
    from collections.abc import Sequence


def series(name: str, values: Sequence[int], unit: Unit = "tick") -> Series:
    return Series(name, "common", 10**9, np.asarray(values, dtype=np.int64), unit)


def measured(setting: Setting, *found: Series) -> Measurement:
    return Measurement(
        setting.benchmark, setting.factors, setting.repetition, found, {}, {}, "2026-01-01T00:00:00+00:00"
    )


def pool(*values: Sequence[int], name: str = "t1", benchmark: str = "speedup") -> list[Measurement]:
    """Repetitions of one setting with these samples."""
    return [measured(Setting(benchmark, {}, i), series(name, each)) for i, each in enumerate(values)]


# When it is enough


def test_equal_samples_are_known_as_soon_as_there_are_six() -> None:
    assert not is_reached(StopRule(0.01, 9), pool([7] * 5))
    assert is_reached(StopRule(0.01, 9), pool([7] * 6))
    assert is_reached(StopRule(0.01, 9), pool([7] * 3, [7] * 3))


def test_the_interval_must_lie_within_the_fraction_on_both_sides() -> None:
    # Student's t of 4 degrees of freedom is 2.776; the standard error of these medians is 20 / sqrt(2).
    repetitions = pool(*([centre - 1, centre, centre + 1] for centre in (960, 980, 1000, 1020, 1040)))
    (found,) = precisions(repetitions)
    assert (found.series, found.samples, found.repetitions) == ("t1", 15, 5)
    assert found.distance == pytest.approx(39.26, abs=0.01)
    assert is_reached(StopRule(0.04, 9), repetitions)
    assert not is_reached(StopRule(0.039, 9), repetitions)
    assert str(found) == "t1 ±3.9 %"


def test_fewer_than_five_repetitions_are_believed_only_if_they_agree() -> None:
    close = [[1000, 1001, 1002]] * 4 + [[1001, 1002, 1003]]
    assert not is_reached(StopRule(0.5, 9), pool(*close[1:]))
    assert is_reached(StopRule(0.5, 9), pool(*close))
    assert is_reached(StopRule(0.5, 9), pool(*close[:4]))
    assert not is_reached(StopRule(0.5, 9), pool(list(range(900, 1100))))


def test_a_tick_is_as_close_as_a_clock_can_tell() -> None:
    assert is_reached(StopRule(0.001, 9), pool(*[[5] * 9, [6] * 9] * 3))
    assert not is_reached(StopRule(0.001, 9), pool(*[[5] * 9, [8] * 9] * 3))


def test_a_median_of_zero_has_no_fraction() -> None:
    apart = Series("switch", "counter", 10**9, np.array([-40, -20, -10, 0, 10, 20, 40]))
    (found,) = precisions([measured(Setting("switch", {}, 0), apart)])
    assert found.fraction is None
    assert not found.within(1)
    assert str(found) == "switch ±40 ticks"


def test_counts_that_are_results_are_to_be_known_as_well() -> None:
    counted = measured(Setting("threadmetric", {}, 0), series("count", [0, 0, 0, 0, 10, 20, 40], "count"))
    (found,) = precisions([counted])
    assert str(found) == "count ±40 counts"
    repetitions = [measured(Setting("b", {}, at), series("count", [5 + at % 2] * 10, "count")) for at in range(6)]
    assert is_reached(StopRule(0.01, 9), repetitions)


def test_the_worst_series_counts_and_those_beside_the_matter_do_not() -> None:
    wide = list(range(100, 1100, 100))
    both = measured(
        Setting("speedup", {}, 0),
        series("narrow", [100] * 10),
        series("wide", wide),
        *(series(name, [1, 10**6] * 5) for name in ("timestamp_overhead.0", "true")),
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
    assert str(worst(precisions([mixed]))) == "few unknown from 5 samples"


# How it is told


def noise(spread: int, repetition: int) -> Measurement:
    values = 1_000_000 + spread * np.random.default_rng(repetition).normal(size=10)
    return measured(Setting("b", {"spread": spread}, repetition), series("t1", values.astype(int).tolist()))


PLAN = Plan("host", None, "b", (Part("b", {"spread": [0, 100_000]}),), repetitions=2, stop=StopRule(0.01, 12))
FINISHED = (*(noise(0, i) for i in range(2)), *(noise(100_000, i) for i in range(12)))
RUN = Run(1, PLAN, "2026-01-01T00:00:00+00:00", "0", len(FINISHED), FINISHED)


def test_without_a_rule_there_is_nothing_to_say() -> None:
    run = msgspec.structs.replace(RUN, plan=msgspec.structs.replace(RUN.plan, stop=None))
    assert list(caveats(run)) == []
    assert to_json(run) is None


def test_a_warning_says_which_settings_did_not_get_there_and_how_far_they_got() -> None:
    known = worst(precisions(repetitions_by_setting(RUN)["b", '{"spread":100000}']))
    assert known is not None
    short = (ImpreciseSetting("b", {"spread": 100_000}, known),)
    assert list(caveats(RUN)) == [PrecisionNotReached(until=0.01, cap=12, settings=short)]


def test_the_document_says_how_far_each_setting_came() -> None:
    found = to_json(RUN)
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
