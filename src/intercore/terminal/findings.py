"""What a command has found, in each of the shapes that a format of the output may need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from intercore.view.table import Column, Table, cell_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.view.section import Section

Row: TypeAlias = "Mapping[str, object]"


@dataclass(frozen=True)
class Sentence:
    """A sentence, wrapped as the terminal is wide."""

    text: str


@dataclass(frozen=True)
class Caution:
    """A caveat."""

    text: str


@dataclass(frozen=True)
class Failure:
    """A sentence that comes first: the command has failed."""

    text: str


@dataclass(frozen=True)
class Line:
    """What stays on one line however long it is: it has a path or a command that people copy."""

    text: str


Part: TypeAlias = "Table[Any] | Sentence | Caution | Failure | Line"


class Findings(Protocol):
    """What a command has found. A format asks for one of the shapes, and only that one is made."""

    def document(self) -> object:
        """Return all of it as one document: what msgspec can encode."""

    def rows(self) -> Sequence[Row]:
        """Return its numbers as flat rows; a column that some rows lack is empty there."""

    def text(self) -> Iterator[Part]:
        """Yield what people read, from top to bottom."""


@runtime_checkable
class OfBenchmarks(Protocol):
    """Findings of several benchmarks, whose rows have little in common."""

    def tables(self) -> Sequence[Sequence[Row]]:
        """Return the rows of each benchmark."""


def tables(found: Findings) -> Sequence[Sequence[Row]]:
    """Return the rows that make a table each: those of each benchmark, else all."""
    return found.tables() if isinstance(found, OfBenchmarks) else [found.rows()]


@dataclass(frozen=True)
class PlainRows:
    """Rows of the same names, the same in each shape; for people, each name heads a column."""

    title: str
    plain: Sequence[Row]
    closing: str | None = None
    """What people read below the table."""

    def document(self) -> object:
        """Return the rows."""
        return self.plain

    def rows(self) -> Sequence[Row]:
        """Return the rows."""
        return self.plain

    def text(self) -> Iterator[Part]:
        """Yield the table, and what stands below it."""
        names = self.plain[0] if self.plain else {}
        yield Table(self.title, self.plain, [Column(name, partial(_cell, name)) for name in names])
        if self.closing is not None:
            yield Line(self.closing)


@dataclass(frozen=True)
class OfSection:
    """An analysis that people read as a section."""

    analysis: object
    flat: Sequence[Row]
    section: Section
    warnings: Sequence[str] = ()
    first: Sequence[str] = ()
    """What else must be known, before any number is read: of which kernel or image they are."""
    answer_first: bool = False
    """Whether the sentences stand before the tables."""

    def document(self) -> object:
        """Return the analysis."""
        return self.analysis

    def rows(self) -> Sequence[Row]:
        """Return the analysis as rows."""
        return self.flat

    def text(self) -> Iterator[Part]:
        """Yield what must be known first, tables and sentences of the section, and the warnings."""
        yield from map(Caution, self.first)
        sentences: tuple[Part, ...] = tuple(map(Sentence, self.section.sentences))
        tables: tuple[Part, ...] = tuple(self.section.tables)
        yield from (*sentences, *tables) if self.answer_first else (*tables, *sentences)
        yield from map(Caution, self.warnings)


def _cell(name: str, row: Row) -> str:
    return cell_text(row[name])
