"""Published results as data, which stand beside the user's: reads the tables in the benchmarks' `published/`.

What a table holds differs by benchmark: its type is what `Benchmark.load_publication` returns.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from intercore import benchmarks
from intercore.benchmarks import registry
from intercore.benchmarks.claims import within_scope
from intercore.errors import IntercoreError
from intercore.view.exhibit import Exhibit, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.resources.abc import Traversable

    from intercore.view.exhibit import Outcome
    from intercore.view.figure import Figure
    from intercore.view.table import Table

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the figures were published."""

    authors: Annotated[tuple[Text, ...], Meta(min_length=1)]
    """In the order of the publication, names written as there."""
    title: Text
    """In the language of the publication."""
    venue: Text
    table: Text
    """Which table or figure of the publication, e.g. `Table 1`."""
    year: Annotated[int, Meta(ge=1950, le=2100)] | None = None
    """None if the publication does not state it."""
    doi: Annotated[str, Meta(pattern=r"^10\.\d{4,9}/\S+$")] | None = None
    """Without the resolver's address; None where the venue gives none."""
    title_en: Text | None = None
    """An English title if the publication's language is another: its own where it has one."""

    @property
    def citation(self) -> str:
        """Who published it, where and when, as one line without a full stop."""
        year = "" if self.year is None else f" ({self.year})"
        doi = "" if self.doi is None else f", doi:{self.doi}"
        return f"{' and '.join(self.authors)}, “{self.title_en or self.title}”, {self.venue}{year}, {self.table}{doi}"


class PublishedExhibit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table or figure of a publication that a run can be shown in the form of."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
    """Unique among all publications: `seed-000-figure-2`."""
    name: Text
    """Its name in the publication: `Figure 2`."""
    shows: Text
    """What is in it, in a few words."""
    form: str = ""
    """Of a figure: its axes, its lines, and the publication's statement on it."""


Scope: TypeAlias = Literal["pattern", "kernel", "chip"]
"""Where a finding can be seen: a pattern, how times lie to each other, on any machine; wherever its kernel runs; on its
own chip alone. Only its own chip contradicts it."""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding of a publication."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
    exhibits: tuple[Text, ...]
    """The `id` of each table or figure that it rests on."""
    place: Text
    """Where it stands."""
    text: Text
    """What it says, in our words."""
    scope: Scope
    """Where it can be tried (`claims.within_scope`)."""


class Publication(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="benchmark"):
    """The common part of every published table. Each benchmark that measures the same quantity has its own kind."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
    label: Text
    """Short name for tables and plots."""
    usage: Text
    """The values taken from the publication."""
    source: Source
    conditions: dict[str, Text]
    """The conditions of the publication's measurement, by name."""
    notes: tuple[Text, ...] = ()
    """Notes on the figures, a sentence each."""
    exhibits: tuple[PublishedExhibit, ...] = ()
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a claim about an exhibit that is not there."""
        known = {one.id for one in self.exhibits}
        for claim in self.claims:
            if unknown := set(claim.exhibits) - known:
                raise ValueError(f"the claim {claim.id} names unknown exhibits: {', '.join(sorted(unknown))}")

    @property
    def in_words(self) -> str:
        """Where it was published, of which chip, and what a reader must know of it."""
        return " ".join([f"Published: {self.source.citation}. {self.conditions['chip']}.", *self.notes])

    def exhibit(self, name: str) -> PublishedExhibit:
        """Return a table or figure by its `id`. KeyError if there is none."""
        return {one.id: one for one in self.exhibits}[name]

    def shown(
        self,
        name: str,
        *,
        tables: Sequence[Table[Any]],
        figures: Sequence[Figure],
        verdicts: Sequence[Verdict],
        untested: str = "",
        note: str = "",
    ) -> Exhibit:
        """Return a table or figure, by its `id`, with what a run has of it. KeyError if there is none."""
        known = self.exhibit(name)
        return Exhibit(
            known.id,
            known.name,
            f"{known.name}, {self.label}, with this run's numbers: {known.shows}",
            msgspec.structs.replace(self.source, table=known.name).citation,
            known.form,
            tables,
            figures,
            verdicts,
            note=note,
            untested=untested,
        )

    def verdicts(
        self, exhibit: str, said: Callable[[str], tuple[Outcome, str]], chip: str, kernel: str = ""
    ) -> list[Verdict]:
        """Return the verdict on each claim about a table or figure, from `said`."""
        return [self.held(one.id, said(one.id), chip, kernel) for one in self.claims if exhibit in one.exhibits]

    def held(self, claim: str, said: tuple[Outcome, str], chip: str, kernel: str = "") -> Verdict:
        """Return the verdict on a claim within its scope (`within_scope`). KeyError if there is none."""
        known = {one.id: one for one in self.claims}[claim]
        outcome, because = within_scope(known.scope, said, chip, kernel)
        return Verdict(self.id, known.exhibits, known.place, known.text, outcome, because)


class PrintedTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Average and ends of a time, as printed."""

    average_ms: Positive
    minimum_ms: Positive
    maximum_ms: Positive
    variance_ms: NotNegative | None = None
    """As printed under that name, which need not be one (`benchmarks/printed_variance.py`); None if nothing is."""

    def __post_init__(self) -> None:
        """Refuse infinity, and an average outside of its range."""
        require_finite(
            average_ms=self.average_ms,
            minimum_ms=self.minimum_ms,
            maximum_ms=self.maximum_ms,
            variance_ms=self.variance_ms,
        )
        if not self.minimum_ms <= self.average_ms <= self.maximum_ms:
            raise ValueError("average_ms must lie between minimum_ms and maximum_ms")


class PrintedFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Times that were printed to the same digit."""

    rounding_ms: Positive
    """Unit of the last printed digit, ms."""

    @property
    def half_us(self) -> float:
        """Half of that unit, µs: how far a printed number may be from what it was rounded from."""
        return self.rounding_ms * 1e3 / 2

    def __post_init__(self) -> None:
        """Refuse an infinite rounding."""
        require_finite(rounding_ms=self.rounding_ms)


_Kind = TypeVar("_Kind", bound=Publication)


class _Tag(msgspec.Struct, frozen=True):
    benchmark: str


def exhibits() -> tuple[str, ...]:
    """Return the `id` of every table and figure of all publications."""
    return tuple(one.id for table in _of_all(tuple(registry.names())) for one in table.exhibits)


def published(kind: type[_Kind]) -> tuple[_Kind, ...]:
    """Return the published tables of a kind that the package carries, by file name; `Publication` stands for all."""
    return tuple(table for table in _of_all(tuple(registry.names())) if isinstance(table, kind))


@cache
def _of_all(names: tuple[str, ...]) -> tuple[Publication, ...]:
    """Read those of all these benchmarks, once: a page asks for them ten times."""
    folders = (files(benchmarks) / name / "published" for name in names)
    found = (entry for folder in folders if folder.is_dir() for entry in folder.iterdir())
    paths = sorted((entry for entry in found if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return tuple(map(load, paths))


def load(path: Traversable) -> Publication:
    """Read one table; IntercoreError names the file and, where there is one, the field that is wrong."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        table: Publication = msgspec.convert(data, _kind_of(msgspec.convert(data, _Tag).benchmark))
    except OSError as error:
        raise IntercoreError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise IntercoreError(f"{path} is not valid TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise IntercoreError(f"{path} is not a valid file of published figures: {error}") from error
    return table


def require_finite(**values: float | None) -> None:
    """Raise ValueError for infinity, which TOML can write."""
    for name, value in values.items():
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{name} must be finite, not {value}")


def _kind_of(benchmark: str) -> type[Publication]:
    load_type = registry.benchmark(benchmark).load_publication
    if load_type is None:
        raise msgspec.ValidationError(f"Invalid value {benchmark!r} - at `$.benchmark`")
    return load_type()
