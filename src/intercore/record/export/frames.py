"""Data frames, by the library that the user has: Polars or pandas."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from intercore.errors import IntercoreError
from intercore.record.export.columns import OF_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from intercore.record.export.columns import Kind, SeriesPart

    DataFrame: TypeAlias = pl.DataFrame | pd.DataFrame

Library: TypeAlias = Literal["polars", "pandas"]
_NULLABLE: Mapping[Kind, str] = {"Int64": "Int64", "Float64": "Float64", "String": "string", "Boolean": "boolean"}
"""pandas' types that can hold a missing value."""


def installed() -> Library:
    """Return the library that is installed, Polars if both are. IntercoreError if neither is."""
    for name in ("polars", "pandas"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return name
    raise IntercoreError(
        "a data frame needs polars or pandas, but neither can be loaded. To install polars: pip install polars"
    )


def of_rows(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind], library: Library) -> DataFrame:
    """Return a frame with a row for each of `rows`; what a row has no value of is null."""
    columns = {name: [row.get(name) for row in rows] for name in kinds}
    if library == "polars":
        import polars as pl  # noqa: PLC0415 - an extra

        return pl.DataFrame(columns, schema={name: getattr(pl, kind) for name, kind in kinds.items()})
    import pandas as pd  # noqa: PLC0415 - likewise

    return pd.DataFrame({name: pd.array(values, _NULLABLE[kinds[name]]) for name, values in columns.items()})


def of_samples(parts: Sequence[SeriesPart], kinds: Mapping[str, Kind], library: Library) -> DataFrame:
    """Return a frame with a row for each sample of `parts`, with the columns `kinds`."""
    same: Any = of_rows([part.same for part in parts], {k: v for k, v in kinds.items() if k not in OF_SAMPLES}, library)
    part_of_row = np.repeat(np.arange(len(parts)), [len(part.samples.ticks) for part in parts])
    values = {
        "index": _joined(np.int64, [np.arange(part.first, part.first + len(part.samples.ticks)) for part in parts]),
        "ticks": _joined(np.int64, [part.samples.ticks for part in parts]),
        "ns": _joined(np.float64, [_ns(part) for part in parts]),
    }
    if library == "polars":
        import polars as pl  # noqa: PLC0415 - an extra

        ticks = [pl.Series(name, each, nan_to_null=True) for name, each in values.items()]
        return same[part_of_row].with_columns(ticks).select(kinds.keys())
    frame = same.iloc[part_of_row].reset_index(drop=True).assign(**values)
    return frame.astype({name: _NULLABLE[kinds[name]] for name in values})[list(kinds)]


def _joined(kind: type[np.generic], arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *arrays])


def _ns(part: SeriesPart) -> NDArray[np.float64]:
    """Return samples in ns; not a number where they are no times."""
    return part.samples.ns if part.samples.is_time else np.full(len(part.samples.ticks), np.nan)
