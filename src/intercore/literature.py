"""Published results as data: reads the tables in `published/`, which are drawn beside the user's own points."""

from __future__ import annotations

import math
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the figures were published."""

    authors: Annotated[tuple[Text, ...], Meta(min_length=1)]
    """In the order of the publication, names written as there."""
    title: Text
    """In the language of the publication."""
    venue: Text
    year: Annotated[int, Meta(ge=1950, le=2100)]
    doi: Annotated[str, Meta(pattern=r"^10\.\d{4,9}/\S+$")]
    """Without the resolver's address."""
    table: Text
    """Which table or figure of the publication, e.g. `Table 1`."""
    title_en: Text | None = None
    """The publication's own English title if its language is another."""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The factors of the benchmark `speedup` that all rows share."""

    workload: Text
    mode: Text
    join: Text
    """`unstated` if the publication does not say how completion is awaited."""
    cores: Count
    tick_hz: Count | None = None
    """Kernel ticks per second; None if neither stated nor known."""
    cpu_hz: Count | None = None
    """Cycles per second of a core; None if not stated or not fixed."""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One size of the work, as printed."""

    n: Count
    t1_ms: Positive
    """Sequential duration, ms."""
    tp_ms: Positive
    """Duration on all cores of the setting, ms."""
    speedup: Positive | None = None
    """S as printed; the analysis computes its own from the durations."""
    efficiency: Positive | None = None
    """E as printed, as a fraction."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        _require_finite(t1_ms=self.t1_ms, tp_ms=self.tp_ms, speedup=self.speedup, efficiency=self.efficiency)


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows of a table and how they were rounded."""

    rounding_ms: Positive
    """Unit of the last printed digit of the durations, ms."""
    rows: Annotated[tuple[Row, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse an infinite rounding and two rows for one size."""
        _require_finite(rounding_ms=self.rounding_ms)
        if len({row.n for row in self.rows}) < len(self.rows):
            raise ValueError("two rows have the same n")


class Publication(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One published table: figures with their source and conditions."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
    label: Text
    """Short name for tables and plots."""
    benchmark: Literal["speedup"]
    """Which of our benchmarks measures the same quantity."""
    usage: Text
    """What of the publication was carried over."""
    source: Source
    conditions: dict[str, Text]
    """What the publication says of how it measured, by name."""
    setting: Setting
    figures: Figures
    notes: tuple[Text, ...] = ()
    """What a reader must know of the figures, a sentence each."""


def published() -> tuple[Publication, ...]:
    """Return every published table that the package carries, by file name."""
    folder = files("intercore") / "published"
    tables = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return tuple(load(table) for table in tables)


def load(path: Traversable) -> Publication:
    """Read one table; IntercoreError names the file and, where there is one, the field that is wrong."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Publication)
    except OSError as error:
        raise IntercoreError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise IntercoreError(f"{path}: is not TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise IntercoreError(f"{path}: is not a published table: {error}") from error


def _require_finite(**values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{name} must be finite, not {value}")
