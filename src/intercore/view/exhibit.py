"""A table or figure of a publication with the numbers of a run, and the run's verdicts on its findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.view.figure import Figure

Outcome: TypeAlias = Literal["agrees", "contradicts", "cannot tell"]


class Verdict(msgspec.Struct, frozen=True):
    """The verdict of a run on one finding of a publication."""

    publication: str
    """Its `id`."""
    exhibits: tuple[str, ...]
    """The `id` of each table or figure that the finding rests on."""
    place: str
    """Where the finding stands in the publication."""
    finding: str
    """The finding, in our words."""
    outcome: Outcome
    because: str
    """The evidence, or why the run is inconclusive: a sentence."""


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a publication, as published and in the same form with a run's own numbers."""

    id: str
    """`seed-000-figure-2`."""
    name: str
    """Its name in the publication: `Figure 2`."""
    title: str
    """That, of which publication, and what it shows."""
    citation: str
    form: str
    """Its axes and rows, and the publication's statement on it: sentences."""
    tables: Sequence[Table[Any]]
    """The published numbers, where there are any, and the run's own."""
    figures: Sequence[Figure]
    verdicts: Sequence[Verdict]
    note: str = ""
    """What the published numbers likely are, where that is inferred and not printed: sentences, or empty."""
    untested: str = ""
    """What the target lacks that the publication varied: a sentence, or empty."""

    @property
    def verdict_table(self) -> Table[Verdict]:
        """The run's verdict on each finding."""
        return Table(
            f"This run and the findings on: {self.name}",
            self.verdicts,
            [
                Column("finding", lambda one: f"{one.finding} ({one.place})"),
                Column("this run", lambda one: one.outcome),
                Column("because", lambda one: one.because),
            ],
            published=True,
        )
