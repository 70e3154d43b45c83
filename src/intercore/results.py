"""Stored runs as data frames, for notebooks and scripts: `intercore.open("intercore.db")`. docs/export.md shows how."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intercore.benchmarks.failed import analysable, failed_by
from intercore.benchmarks.grouping import by_run
from intercore.errors import UsageError, unknown
from intercore.record.export import columns, frames
from intercore.record.store import StoreReader
from intercore.statistics.distribution import Distribution, distribution

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.record.export.columns import Kind, SeriesPart
    from intercore.record.export.frames import DataFrame, Library
    from intercore.record.measurement import Measurement, Run, RunInParts, Series
    from intercore.record.store import RunSummary

_RUNS: Mapping[str, Kind] = {
    "run": "Int64",
    "target": "String",
    "benchmarks": "String",
    "started": "String",
    "tool": "String",
    "measurements": "Int64",
    "planned": "Int64",
    "simulated": "Boolean",
    "emulated": "Boolean",
}
_CONDITIONS: Mapping[str, Kind] = {"run": "Int64", "key": "String", "value": "String", "measurements": "Int64"}
_SETTING: Mapping[str, Kind] = {"run": "Int64", "target": "String", "benchmark": "String"}
_STATISTICS: Mapping[str, Kind] = {
    "series": "String",
    "unit": "String",
    "count": "Int64",
    "repetitions": "Int64",
    **dict.fromkeys(("min", "median", "median_low", "median_high", "p90", "p99", "p99_9", "max"), "Float64"),
    **dict.fromkeys(("mean", "stdev"), "Float64"),
}
_OF_REPETITION = ("seed",)
"""Factors that may differ between the repetitions of a setting."""


class Results:
    """Runs of a store, as data frames.

    Frames are Polars', or pandas' if only that is installed. Every method raises IntercoreError if the file cannot be
    read, and its subclass UsageError for a run or benchmark that does not exist.
    """

    def __init__(self, path: str | os.PathLike[str], *runs: int, frames: Library | None = None) -> None:
        """Open the runs with these numbers of the store at `path`, all of them if none is given.

        `frames` selects the library; None selects the installed one, Polars if both are.
        """
        self.path = Path(path)
        if not self.path.exists():
            raise UsageError(f"there is no store {self.path}: measure something first, e.g. intercore run host speedup")
        self._library = frames
        with StoreReader(self.path) as store:
            stored = {summary.id: summary for summary in store.runs()}
        for number in runs:
            if number not in stored:
                raise UsageError(
                    f"there is no run {number} in {self.path}. The file has the runs {', '.join(map(str, stored))}"
                )
        self._runs: list[RunSummary] = [stored[number] for number in (runs or stored)]

    @property
    def runs(self) -> DataFrame:
        """A row for each run: target, benchmarks, UTC time of its start, number of measurements done and planned."""
        rows = [
            {
                "run": run.id,
                "target": run.plan.target,
                "benchmarks": " ".join(run.plan.benchmarks),
                "started": run.started,
                "tool": run.tool,
                "measurements": run.done,
                "planned": run.total,
                "simulated": run.plan.simulated,
                "emulated": run.plan.emulated,
            }
            for run in self._runs
        ]
        return self._frame(rows, _RUNS)

    @property
    def conditions(self) -> DataFrame:
        """A row for each value of each condition of a run, with the number of measurements that have it."""
        counts: Counter[tuple[int, str, str]] = Counter()
        for number, headers in self._headers(None):
            counts.update((number, *condition) for one in headers for condition in one.conditions.items())
        rows = [dict(zip(_CONDITIONS, (*each, count), strict=True)) for each, count in sorted(counts.items())]
        return self._frame(rows, _CONDITIONS)

    def samples(self, benchmark: str | None = None) -> DataFrame:
        """Return a row for each raw sample, of one benchmark or of all, with the columns of `intercore export`."""
        kinds = columns.factor_kinds(one for _, headers in self._headers(benchmark) for one in headers)

        def parts_of(run: RunInParts) -> list[SeriesPart]:
            failed = failed_by(run.headers())
            return [
                part for part in columns.series_parts(run, failed, kinds) if benchmark in {None, part.same["benchmark"]}
            ]

        with StoreReader(self.path) as store:
            parts = [part for run in self._runs for part in store.read_in_parts(run.id, parts_of)]
        return frames.of_samples(parts, columns.columns(kinds), self._library or frames.installed())

    def summary(self, benchmark: str | None = None) -> DataFrame:
        """Return a row for each setting and series, over all its repetitions; of one benchmark or of all.

        `count` is the number of samples. Times are in ns, counts as measured. `median_low` and `median_high` bound the
        95 % interval of the median; they and the percentiles are null if there are too few samples for them
        (docs/statistics.md). Failed measurements, moments, timestamp overheads and times of emulated targets are left
        out.
        """
        kinds = columns.factor_kinds(one for _, headers in self._headers(benchmark) for one in headers)
        for name in _OF_REPETITION:
            kinds.pop(name, None)
        with StoreReader(self.path) as store:
            rows = [
                row
                for summary in self._runs
                for row in _summarised(analysable(store.run(summary.id)), benchmark, kinds)
            ]
        factors = {columns.factor_column(name): kind for name, kind in kinds.items()}
        return self._frame(rows, {**_SETTING, **factors, **_STATISTICS})

    def _headers(self, benchmark: str | None) -> Iterator[tuple[int, list[Measurement]]]:
        """Yield the measurements of the benchmark in each run, without their samples."""
        known = list(dict.fromkeys(name for run in self._runs for name in run.plan.benchmarks))
        if benchmark is not None and benchmark not in known:
            raise UsageError(unknown("benchmark", benchmark, known, f"{self.path} has"))
        with StoreReader(self.path) as store:
            for run in self._runs:
                found = store.read_in_parts(run.id, lambda each: list(each.headers()))
                yield run.id, [one for one in found if benchmark in {None, one.benchmark}]

    def _frame(self, rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind]) -> DataFrame:
        return frames.of_rows(rows, kinds, self._library or frames.installed())


def _summarised(run: Run, benchmark: str | None, kinds: Mapping[str, Kind]) -> Iterator[dict[str, Any]]:
    """Yield a row for each setting and series of a run."""
    pools: defaultdict[tuple[Any, ...], list[tuple[Measurement, Series]]] = defaultdict(list)
    settings: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in run.measurements:
        if benchmark not in {None, one.benchmark}:
            continue
        setting: dict[str, Any] = {
            "run": run.id,
            "target": run.plan.target,
            "benchmark": one.benchmark,
            **columns.levels(one, kinds),
        }
        for series in one.series:
            if _is_summarised(series) and not (series.is_time and run.plan.emulated):
                key = (*setting.items(), series.name)
                settings[key] = {**setting, "series": series.name, "unit": "ns" if series.is_time else series.unit}
                pools[key].append((one, series))
    for key, pool in pools.items():
        yield {**settings[key], **_statistics(_distribution(pool))}


def _is_summarised(series: Series) -> bool:
    return series.unit != "moment" and len(series.ticks) > 0 and not series.is_beside


def _distribution(pool: Iterable[tuple[Measurement, Series]]) -> Distribution:
    measurements, known = zip(*pool, strict=True)
    if known[0].is_time:
        units = by_run(measurements, (series.ns for series in known))
        return distribution(units, tick=max(1e9 / series.hz for series in known))
    return distribution(by_run(measurements, (series.ticks for series in known)), tick=1.0)


def _statistics(found: Distribution) -> dict[str, float | None]:
    """Return a distribution as columns."""
    quantiles = {"median": found.median, "p90": found.p90, "p99": found.p99, "p99_9": found.p99_9}
    return {
        "count": found.n,
        "repetitions": found.repetitions,
        "min": found.min,
        **{name: None if interval is None else interval.value for name, interval in quantiles.items()},
        "median_low": found.median.low,
        "median_high": found.median.high,
        "max": found.max,
        "mean": found.mean,
        "stdev": found.stdev,
    }
