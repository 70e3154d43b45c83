"""The output on measured runs: the answers on one screen, and everything else on request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks import model
from intercore.terminal.findings import Caution, Failure, Line, Sentence
from intercore.terminal.one_screen import Weighed, on_one_screen
from intercore.text import plural
from intercore.view.quantity import duration
from intercore.view.section import where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from intercore.finding import Finding
    from intercore.record.measurement import Run
    from intercore.terminal.findings import Part, Row
    from intercore.view.answer import Answer
    from intercore.view.section import Report

_MOST_REMARKS = 3
_STANDS_OUT = 1.25
"""Factor above the expectation from which on a remark is shown."""
_MOST_CAUSES = 2
"""Of warnings, that one screen has room for."""
_OF_ALL = ("energy", "rate")
"""These are shown in addition to the benchmark."""


@dataclass(frozen=True)
class RunFindings:
    """What is told of one run."""

    run: Run
    make_document: Callable[[], object]
    """Return its JSON document."""
    make_reports: Callable[[], Sequence[Report]]
    """Return the reports of its benchmarks. It takes seconds, and not every format needs it."""
    headline: Finding | None
    """Failed measurements and their causes: shown first; None if none failed."""
    first: Sequence[Finding]
    """What else must be known before any number is read: of which kernel or image they are."""
    left_out: str
    """What the target could not measure: a sentence, or empty."""
    caveats: Sequence[Finding]
    """Caveats on the whole run; the reports have those of the benchmarks."""
    go_on: str
    """The command that continues the run if it is unfinished."""
    overhead_us: float = 0.0
    """The timestamp overhead in each answer; 0 if unknown."""
    details: str = ""
    """The command that shows what is left out of one screen; empty where nothing is. Without answers nothing is."""
    published: str = ""
    """The command that shows the tables of papers, too; empty where they are shown."""
    exhibits: Sequence[str] = ()
    """The tables and figures of papers that come first, by name."""

    def document(self) -> object:
        """Return the run's document."""
        return self.make_document()

    def rows(self) -> Sequence[Row]:
        """Return the rows of all benchmarks, each with where it comes from."""
        return [row for table in self.tables() for row in table]

    def tables(self) -> Sequence[Sequence[Row]]:
        """Return them by benchmark."""
        origin = _origin(self.run)
        return [
            [{"benchmark": report.benchmark, **row, **origin} for row in report.rows] for report in self.make_reports()
        ]

    def text(self) -> Iterator[Part]:
        """Yield caveats on the run, the answers, remarks, caveats on these, and the next commands."""
        if self.headline is not None:
            yield Failure(self.headline.text)
        yield from (Caution(one.text) for one in self.first)
        reports = self.make_reports()
        caveats = [*self.caveats, *(one for report in reports for one in report.caveats)]
        answered = any(report.answers for report in reports)
        brief = bool(self.details) and answered
        yield from self._exhibits(reports)
        if answered:
            table = _answers_table(self.run, reports, self.overhead_us, brief=brief)
            remarks = list(map(Sentence, most_notable(reports)))
            if brief:
                yield from self._screen(table, remarks, reports, caveats)
            else:
                yield table
                yield from remarks
        if not brief:
            yield from self._all(reports, caveats)
        yield from self._rest()

    def _exhibits(self, reports: Sequence[Report]) -> Iterator[Part]:
        """Yield the run's values in the form of a paper's tables and figures, and the verdicts on their findings."""
        known = {one.id: one for report in reports for one in report.exhibits}
        for name in self.exhibits:
            if name not in known:
                yield Caution(f"{name}: this run has no measurement of it.")
                continue
            one = known[name]
            yield Sentence(f"{one.title}. {one.form} {one.citation}.")
            yield from one.tables
            if one.verdicts:
                yield one.verdict_table
            yield from (Sentence(text) for text in (one.note, one.untested) if text)

    def _rest(self) -> Iterator[Part]:
        if not self.run.complete:
            so_far = f"{len(self.run.measurements)} of {self.run.total} measurements so far"
            if self.run.lacking_energy:
                so_far += f", {self.run.lacking_energy} without their energy"
            yield Line(f"{so_far}; continue with: {self.go_on}")

    def _all(self, reports: Sequence[Report], caveats: Sequence[Finding]) -> Iterator[Part]:
        hidden = 0
        for report in reports:
            shown = [table for table in report.section.tables if not (table.published and self.published)]
            hidden += len(report.section.tables) - len(shown)
            yield from shown
            yield from map(Sentence, report.section.sentences)
        if hidden:
            yield Line(f"Published tables with this run's values ({hidden}): {self.published}")
        if self.left_out:
            yield Sentence(self.left_out)
        yield from self._model(brief=False)
        yield from (Caution(one.text) for one in caveats)

    def _model(self, *, brief: bool) -> Iterator[Part]:
        """Yield how far the times of a simulated chip are known to be true."""
        if said := model.beside_boards(self.run, brief=brief):
            yield Sentence(f"{said}.")

    def _screen(
        self, table: Part, remarks: Sequence[Part], reports: Sequence[Report], caveats: Sequence[Finding]
    ) -> Iterator[Part]:
        """Yield the answers, the first cause of caveats, and what one screen has room for: causes before remarks."""
        causes = by_cause(caveats)
        cautions = [
            Caution(first_sentence(first.text) + (f" ({count} of this kind)" if count > 1 else ""))
            for first, count in causes[:_MOST_CAUSES]
        ]
        last = self._others(sum(count for _, count in causes))
        every = [
            Weighed(table),
            *(Weighed(remark, -rank) for rank, remark in enumerate(remarks, 1)),
            *map(Weighed, self._sentences(reports)),
            *map(Weighed, cautions[:1]),
            *(Weighed(caution, 1 / rank) for rank, caution in enumerate(cautions[1:], 1)),
            Weighed(last),
        ]
        shown = on_one_screen(every)[:-1]
        yield from shown
        told = sum(count for caution, (_, count) in zip(cautions, causes, strict=False) if caution in shown)
        yield self._others(sum(count for _, count in causes) - told)

    def _others(self, warnings: int) -> Line:
        """Return how to see all tables, and so many warnings that are not shown."""
        more = f", and {plural(warnings, 'more warning')}" if warnings else ""
        return Line(f"All tables{more}: {self.details}")

    def _sentences(self, reports: Sequence[Report]) -> Iterator[Part]:
        if len([report for report in reports if report.benchmark not in _OF_ALL]) == 1:
            yield from (Sentence(text) for report in reports for text in report.section.sentences)
        if self.left_out:
            yield Sentence(self.left_out)
        yield from self._model(brief=True)


class _AnswerRow(NamedTuple):
    """A line of the answers."""

    benchmark: str
    """Empty below the first answer of a benchmark."""
    answer: Answer
    text: str
    has_warnings: bool
    """Whether it has warnings; of the first one of a benchmark only."""


def in_brief(answer: Answer) -> str:
    """Return an answer as one screen has room for it: what stands behind a semicolon is left out."""
    return answer.text.partition(";")[0]


def _answers_table(run: Run, reports: Sequence[Report], overhead_us: float, *, brief: bool) -> Table[_AnswerRow]:
    rows = [
        _AnswerRow(
            "" if index else report.benchmark,
            answer,
            in_brief(answer) if brief else answer.text,
            bool(report.caveats) and not index,
        )
        for report in reports
        for index, answer in enumerate(one for one in report.answers if one.brief)
    ]
    marked = "; ! marks warnings" if any(row.has_warnings for row in rows) else ""
    if overhead_us and any(row.answer.unit == "us" and not row.answer.overhead for row in rows):
        marked += f"; times include {duration(overhead_us)} of timestamp overhead"
    return Table(
        f"Run {run.id} on {where(run)}{marked}",
        rows,
        [
            Column("benchmark", lambda row: row.benchmark + " !" * row.has_warnings),
            Column("question", lambda row: row.answer.question),
            Column("answer", lambda row: row.text),
        ],
    )


def most_notable(reports: Iterable[Report]) -> list[str]:
    """Return what differs most from what one would expect, at most three sentences."""
    remarks = [one for report in reports for one in report.remarks if one.times >= _STANDS_OUT]
    return [one.text for one in sorted(remarks, key=lambda one: -one.times)[:_MOST_REMARKS]]


def first_sentence(text: str) -> str:
    """Return how a text begins, up to the first full stop that a capital follows."""
    return re.split(r"(?<=\.) +(?=[A-Z])", text, maxsplit=1)[0]


def by_cause(caveats: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """Return the first caveat of each code, and how many of it there are."""
    found: dict[str, list[Finding]] = {}
    for one in caveats:
        found.setdefault(one.code, []).append(one)
    return [(same[0], len(same)) for same in found.values()]


@dataclass(frozen=True)
class RunsFindings:
    """The output on several runs, one after the other."""

    runs: Sequence[RunFindings]

    def document(self) -> object:
        """Return the list of the runs' documents."""
        return [run.document() for run in self.runs]

    def rows(self) -> Sequence[Row]:
        """Return the rows of all runs."""
        return [row for run in self.runs for row in run.rows()]

    def tables(self) -> Sequence[Sequence[Row]]:
        """Return them by benchmark, of all runs together."""
        found: dict[str, list[Row]] = {}
        for table in (table for run in self.runs for table in run.tables()):
            for row in table:
                found.setdefault(str(row["benchmark"]), []).append(row)
        return list(found.values())

    def text(self) -> Iterator[Part]:
        """Yield the output on each run."""
        for run in self.runs:
            yield from run.text()


def _origin(run: Run) -> Mapping[str, object]:
    return {"target": run.plan.target, "simulated": run.plan.simulated, "emulated": run.plan.emulated}
