"""`intercore.open`: stored runs as data frames of either library, with the values that the store has."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

import intercore
from intercore.errors import IntercoreError, UsageError
from intercore.record.measurement import Measurement, Part, Plan, Series
from intercore.record.plan import settings
from intercore.record.store import Store
from intercore.results import Results
from intercore.statistics.distribution import distribution

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LIBRARIES = pytest.mark.parametrize("library", ["polars", "pandas"])
PLAN = Plan("host", None, "speedup", (Part("speedup", {"n": [10, 20]}), Part("lock", {"kind": ["mutex"]})), 3)
EMULATED = Plan("esp32-qemu", None, "speedup", (Part("speedup", {"n": [10]}),), 1, emulated=True)


def of_speedup(n: int, repetition: int, **checks: int) -> Measurement:
    ticks = np.random.default_rng(n + repetition).integers(n, 10 * n, 20)
    series = (
        Series("t1", "common", 10**8, ticks),
        Series("done", "common", 10**8, np.full(20, 7), "count"),
        Series("moment", "common", 10**8, np.arange(20), "moment"),
        Series("timestamp_overhead.0", "common", 10**8, np.full(5, 1)),
    )
    return Measurement("speedup", {"n": n, "seed": repetition}, repetition, series, {"cpu": "A53"}, checks, "")


def of_lock(repetition: int) -> Measurement:
    series = Series("held", "common", 10**9, np.arange(1, 31))
    return Measurement("lock", {"kind": "mutex", "target": "idle"}, repetition, (series,), {"cpu": "M7"}, {}, "")


def stored(path: Path, plan: Plan, measured: Callable[[str, dict[str, Any], int], Measurement]) -> None:
    with Store(path) as store:
        run = store.create_run(plan, sum(1 for _ in settings(plan)))
        for setting in settings(plan):
            found = measured(setting.benchmark, dict(setting.factors), setting.repetition)
            factors = {**found.factors, **setting.factors}
            store.add(run, setting, msgspec.structs.replace(found, factors=factors))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of two runs, the second one of an emulated target; the first has a measurement that failed."""
    path = tmp_path / "intercore.db"

    def measured(benchmark: str, factors: dict[str, Any], repetition: int) -> Measurement:
        failed = factors.get("n") == 20 and repetition == 2
        return of_lock(repetition) if benchmark == "lock" else of_speedup(factors["n"], repetition, lost=int(failed))

    stored(path, PLAN, measured)
    stored(path, EMULATED, measured)
    return path


def rows(frame: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - of either library
    """The rows of a frame, with None where a value is missing."""
    if hasattr(frame, "to_dicts"):
        found: list[dict[str, Any]] = frame.to_dicts()
        return found
    return [
        {name: None if value is None or value != value else value for name, value in row.items()}  # noqa: PLR0124 - NaN
        for row in frame.astype(object).where(frame.notna(), None).to_dict("records")
    ]


@LIBRARIES
def test_runs_tell_what_was_measured_where(path: Path, library: Any) -> None:  # noqa: ANN401
    first, second = rows(intercore.open(path, frames=library).runs)
    assert (first["run"], first["target"], first["benchmarks"]) == (1, "host", "speedup lock")
    assert (first["measurements"], first["planned"], first["emulated"]) == (9, 9, False)
    assert (second["run"], second["target"], second["emulated"]) == (2, "esp32-qemu", True)


@LIBRARIES
def test_conditions_count_the_measurements_that_they_are_true_of(path: Path, library: Any) -> None:  # noqa: ANN401
    found = rows(intercore.open(path, 1, frames=library).conditions)
    assert [(row["key"], row["value"], row["measurements"]) for row in found] == [("cpu", "A53", 6), ("cpu", "M7", 3)]


@LIBRARIES
def test_there_is_a_row_for_each_sample_of_each_run(path: Path, library: Any) -> None:  # noqa: ANN401
    results = intercore.open(path, frames=library)
    everything = rows(results.samples())
    assert len(everything) == 7 * 65 + 3 * 30
    of_locks = rows(results.samples("lock"))
    assert [row["ns"] for row in of_locks] == 3 * [float(tick) for tick in range(1, 31)]
    assert {row["kind"] for row in of_locks} == {"mutex"}
    assert {row["factor.target"] for row in of_locks} == {"idle"}, "a column of its own beside the run's target"
    assert "n" not in of_locks[0]
    counts = [row for row in everything if row["series"] == "done"]
    assert {row["ticks"] for row in counts} == {7}
    assert {row["ns"] for row in counts} == {None}
    assert sum(row["failed"] for row in everything) == 65


@LIBRARIES
def test_a_summary_is_the_distribution_of_the_sound_repetitions(path: Path, library: Any) -> None:  # noqa: ANN401
    found = {(row["n"], row["series"]): row for row in rows(intercore.open(path, 1, frames=library).summary("speedup"))}
    assert set(found) == {(10, "t1"), (10, "done"), (20, "t1"), (20, "done")}
    for n, repetitions in ((10, 3), (20, 2)):
        known = distribution([of_speedup(n, each).series[0].ns for each in range(repetitions)], tick=10.0)
        row = found[n, "t1"]
        assert (row["unit"], row["count"], row["repetitions"]) == ("ns", 20 * repetitions, repetitions)
        assert (row["median"], row["median_low"], row["median_high"]) == (
            known.median.value,
            known.median.low,
            known.median.high,
        )
        assert (row["min"], row["max"], row["mean"], row["stdev"]) == (known.min, known.max, known.mean, known.stdev)
        assert row["p99"] is None, "too few samples"
    assert (found[10, "done"]["unit"], found[10, "done"]["median"]) == ("count", 7)


def test_times_of_an_emulated_target_have_no_summary(path: Path) -> None:
    found = rows(intercore.open(path, 2, frames="polars").summary())
    assert [(row["series"], row["median"]) for row in found] == [("done", 7)]


def test_both_libraries_have_the_same_values(path: Path) -> None:
    polars, pandas = (Results(path, frames=library) for library in ("polars", "pandas"))  # type: ignore[arg-type]
    for of in (Results.samples, Results.summary):
        assert rows(of(polars)) == rows(of(pandas))
        assert list(of(polars).columns) == list(of(pandas).columns)


def test_polars_is_taken_if_it_is_there_and_pandas_otherwise(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(intercore.open(path).runs).__module__.startswith("polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    assert type(intercore.open(path).runs).__module__.startswith("pandas")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(IntercoreError, match="pip install polars"):
        _ = intercore.open(path).runs


def test_what_is_not_there_is_refused_by_name(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no store .*other\.db"):
        intercore.open(tmp_path / "other.db")
    with pytest.raises(UsageError, match=r"no run 7 in .*1, 2"):
        intercore.open(path, 7)
    for method in (Results.samples, Results.summary):
        with pytest.raises(UsageError, match=r"no benchmark .*'lok'; did you mean 'lock'"):
            method(intercore.open(path), "lok")
    (tmp_path / "damaged.db").write_bytes(b"not a store, but long enough to have a header of some kind" * 10)
    with pytest.raises(IntercoreError, match="not an Intercore store"):
        intercore.open(tmp_path / "damaged.db")
