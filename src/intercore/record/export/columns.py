"""The columns of exported samples, one row per sample, whatever makes a data frame of them: docs/export.md has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from intercore.record.measurement import Measurement, RunInParts, Series

Kind: TypeAlias = Literal["Int64", "Float64", "String", "Boolean"]
"""Type of a column, as Polars and Arrow name it."""

_BEFORE: Mapping[str, Kind] = {"run": "Int64", "measurement": "Int64", "benchmark": "String"}
_AFTER: Mapping[str, Kind] = {
    "repetition": "Int64",
    "series": "String",
    "index": "Int64",
    "ticks": "Int64",
    "unit": "String",
    "clock": "String",
    "hz": "Int64",
    "ns": "Float64",
    "simulated": "Boolean",
    "emulated": "Boolean",
    "target": "String",
    "failed": "Boolean",
}
COLUMNS: Mapping[str, Kind] = {**_BEFORE, **_AFTER}
"""The columns of every export, with their types; those of the factors stand before `repetition`."""
OF_SAMPLES = ("index", "ticks", "ns")
"""Columns whose values differ within a series."""


class SeriesPart(NamedTuple):
    """Consecutive samples of a series: rows of the table that differ in `OF_SAMPLES` only."""

    same: Mapping[str, Any]
    """The other values of its rows, by column."""
    samples: Series
    first: int = 0
    """Index of its first sample in the series."""

    def split(self, count: int) -> tuple[SeriesPart, SeriesPart]:
        """Return its first samples, at most `count`, and the rest, which may be empty."""
        head, rest = (
            msgspec.structs.replace(self.samples, ticks=part) for part in np.split(self.samples.ticks, [count])
        )
        return self._replace(samples=head), self._replace(samples=rest, first=self.first + len(head.ticks))


def factor_kinds(measurements: Iterable[Measurement]) -> dict[str, Kind]:
    """Return the type of each factor's column: integers if all its levels are, else text."""
    kinds: dict[str, Kind] = {}
    for measurement in measurements:
        for name, level in measurement.factors.items():
            kinds.setdefault(name, "Int64")
            if isinstance(level, str):
                kinds[name] = "String"
    return kinds


def factor_column(name: str) -> str:
    """Return the name of a factor's column, which is not that of another one."""
    return f"factor.{name}" if name in COLUMNS else name


def columns(factors: Mapping[str, Kind]) -> dict[str, Kind]:
    """Return all columns of a table whose measurements have these factors, in order."""
    return {**_BEFORE, **{factor_column(name): kind for name, kind in factors.items()}, **_AFTER}


def levels(measurement: Measurement, factors: Mapping[str, Kind]) -> dict[str, int | str]:
    """Return the levels of those factors that a measurement has, by column."""
    return {
        factor_column(name): str(measurement.factors[name]) if kind == "String" else measurement.factors[name]
        for name, kind in factors.items()
        if name in measurement.factors
    }


def series_parts(
    run: RunInParts, failed: Callable[[Measurement], bool], factors: Mapping[str, Kind]
) -> Iterator[SeriesPart]:
    """Give every series of a run; `failed` says whether a measurement failed."""
    for number, measurement in enumerate(run.measurements()):
        of_measurement = {
            "run": run.id,
            "measurement": number,
            "benchmark": measurement.benchmark,
            **levels(measurement, factors),
            "repetition": measurement.repetition,
            "simulated": run.plan.simulated,
            "emulated": run.plan.emulated,
            "target": run.plan.target,
            "failed": failed(measurement),
        }
        for series in measurement.series:
            of_series = {"series": series.name, "unit": series.unit, "clock": series.clock, "hz": series.hz}
            yield SeriesPart({**of_measurement, **of_series}, series)
