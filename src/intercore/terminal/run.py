"""What is told of runs that were measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.terminal.findings import Caution, Line, Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.record.measurement import Run
    from intercore.terminal.findings import Part, Row
    from intercore.view.section import Report


@dataclass(frozen=True)
class RunFindings:
    """What is told of one run."""

    run: Run
    make_document: Callable[[], object]
    """Return its JSON document."""
    make_reports: Callable[[], Sequence[Report]]
    """Return what each of its benchmarks says about it. It takes seconds, and not every format needs it."""
    first: Sequence[str]
    """What must be known before any number is read: of which kernel or image they are."""
    left_out: str
    """What the target could not measure: a sentence, or empty."""
    warnings: Sequence[str]
    """What makes the run doubtful as a whole; the reports have those of the benchmarks."""
    go_on: str
    """The command that goes on with the run if it is unfinished."""

    def document(self) -> object:
        """Return the run's document."""
        return self.make_document()

    def rows(self) -> Sequence[Row]:
        """Return the rows of all benchmarks, each with where it comes from."""
        origin = _origin(self.run)
        return [{**row, **origin} for report in self.make_reports() for row in report.rows]

    def text(self) -> Iterator[Part]:
        """Yield what must be known first, what each benchmark tells, what is doubtful in that, and how to go on."""
        yield from map(Caution, self.first)
        reports = self.make_reports()
        for report in reports:
            yield from report.section.tables
            yield from map(Sentence, report.section.sentences)
        if self.left_out:
            yield Sentence(self.left_out)
        yield from map(Caution, self.warnings)
        for report in reports:
            yield from map(Caution, report.warnings)
        if not self.run.complete:
            so_far = f"{len(self.run.measurements)} of {self.run.total} measurements so far"
            yield Line(f"{so_far}; go on with: {self.go_on}")


@dataclass(frozen=True)
class RunsFindings:
    """What is told of several runs, one after the other."""

    runs: Sequence[RunFindings]

    def document(self) -> object:
        """Return the list of the runs' documents."""
        return [run.document() for run in self.runs]

    def rows(self) -> Sequence[Row]:
        """Return the rows of all runs."""
        return [row for run in self.runs for row in run.rows()]

    def text(self) -> Iterator[Part]:
        """Yield what is told of each run."""
        for run in self.runs:
            yield from run.text()


def _origin(run: Run) -> Mapping[str, object]:
    return {"target": run.plan.target, "simulated": run.plan.simulated, "emulated": run.plan.emulated}
