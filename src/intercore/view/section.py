"""What a benchmark has to say about a run: the same for the terminal, the page and the JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from intercore.record.origin import LABELS, in_heading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Run
    from intercore.view.table import Table

Figure: TypeAlias = dict[str, Any]
"""A plot as plotly.js takes it: `name` (of the file it is saved as), `data`, `layout` and `caption`, a sentence or two.
Its colours are names that the page's script looks up for light and dark (see `intercore.view.plots`)."""


def where(run: Run) -> str:
    """Name a run's target for headings, so that no number that was not measured stands under one that hides it."""
    return in_heading(run.plan.target, run.plan.origin)


def whose(run: Run) -> str:
    """Name a run's target in a cell beside published numbers, and what its own are: `pico-sim (SIMULATED)`."""
    label = LABELS[run.plan.origin].partition(":")[0]
    return f"{run.plan.target} ({label})" if label else run.plan.target


@dataclass(frozen=True)
class Section:
    """What people read of one benchmark in one run."""

    title: str
    """What it tells, and the benchmark in brackets: `Who gets the CPU (contention)`."""
    sentences: Sequence[str]
    """What was found and what it means for a design, what matters most first."""
    tables: Sequence[Table[Any]]
    """The numbers, at most 100 columns wide; the terminal and the page show the same ones."""
    figures: Sequence[Figure] = ()
    """For the page only."""
    notes: Sequence[str] = ()
    """How it was measured, and where and why it differs from the literature. For the page only."""


@dataclass(frozen=True)
class Report:
    """All that one benchmark says about one run."""

    benchmark: str
    json: Mapping[str, object]
    """Its keys in `analysis` of the JSON document, in the shape of the document's schema."""
    rows: Sequence[Mapping[str, object]]
    """The same as flat rows, for CSV."""
    warnings: Sequence[str]
    """Sentences about what makes the numbers doubtful, with the likely cause."""
    section: Section
