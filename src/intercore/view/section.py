"""What a benchmark has to say about a run: the same for the terminal, the page and the JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from intercore.record.origin import LABELS, in_heading, weakest_origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from intercore.finding import Finding
    from intercore.record.measurement import Run
    from intercore.view.answer import Answer, Remark
    from intercore.view.cost import BreakEvenRange, CoreTime, Cost
    from intercore.view.exhibit import Exhibit
    from intercore.view.figure import Figure
    from intercore.view.table import Table

Topic: TypeAlias = Literal[
    "parallel work",
    "both cores",
    "waking a task",
    "messages",
    "locks",
    "kernel calls",
    "periodic task",
    "interrupts",
    "memory",
    "energy",
    "the clock",
]
"""The topic of a benchmark, for people who do not know its name; in the order of the page."""


def where(run: Run) -> str:
    """Name a run's target for headings, so that no number that was not measured stands under one that hides it."""
    return in_heading(run.plan.target, run.plan.origin)


def whose(run: Run) -> str:
    """Name a run's target in a cell next to published numbers, with its origin: `pico-sim (SIMULATED)`."""
    label = LABELS[run.plan.origin].partition(":")[0]
    return f"{run.plan.target} ({label})" if label else run.plan.target


def label_of_all(runs: Sequence[Run]) -> str:
    """Return the label of the run that is doubted most, and whether it is that of all; empty if all were measured."""
    known = {run.plan.origin for run in runs}
    label = LABELS[weakest_origin(known)]
    return f"partly {label}" if label and len(known) > 1 else label


@dataclass(frozen=True)
class Section:
    """What people read of one benchmark in one run."""

    title: str
    """Its heading, with the benchmark in parentheses: `How tasks share the cores (contention)`."""
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
    """The report of one benchmark on one run."""

    benchmark: str
    json: Mapping[str, object]
    """Its keys in `analysis` of the JSON document, in the shape of the document's schema."""
    rows: Sequence[Mapping[str, object]]
    """The same as flat rows, for CSV."""
    findings: Sequence[Finding]
    """Findings, the most important first, and caveats."""
    section: Section
    topic: Topic | None = None
    """What the page calls it, and where it stands there; None for the benchmark's name, behind all others."""
    answers: Sequence[Answer] = ()
    """The first that one asks of it, on a line each."""
    remarks: Sequence[Remark] = ()
    """What may stand out on this target."""
    exhibits: Sequence[Exhibit] = ()
    """Tables and figures of publications that the run has numbers for."""
    costs: Sequence[Cost | BreakEvenRange] = ()
    """For the picture of what crossing cores costs."""
    core_times: Sequence[CoreTime] = ()
    """What operations take of the cores, for their part at a rate."""
    analysis: object = None
    """The data that its benchmark needs for a section on several runs; private to the benchmark."""

    @property
    def caveats(self) -> list[Finding]:
        """Caveats, with the likely cause."""
        return [one for one in self.findings if one.severity != "info"]


@dataclass(frozen=True)
class CombinedReport:
    """A benchmark's section on all runs of a page, instead of one for each.

    Such a benchmark has a module `combined` with a function of that name, which takes the runs and their reports.
    Markup is HTML that needs no escaping.
    """

    title: str
    """As that of a section."""
    heading: str
    """The heading of a page without other sections."""
    label: str
    """Where the numbers come from, of which kind they are that are doubted most; empty if all were measured."""
    nothing: Mapping[int, str]
    """Why a run has nothing to show though it was to be measured: a sentence, by the run's number."""
    leads: Mapping[int, Markup]
    """What a reader must know first, by the run's number."""
    figures: Sequence[Figure]
    """None if no run has anything to show; then nothing below is shown either."""
    reading: Markup
    """How what leads is to be read."""
    note: Markup
    """What to add to the caption of the last figure."""
    numbers: Markup
    """The tables."""
