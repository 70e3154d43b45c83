"""A run as one self-contained HTML page: what a person looks at before believing a number.

First come a card of each target, how far to trust it, and a table of answers that leads to the sections below; then
all costs in one picture; then a section for each benchmark, folded to its answer and its main picture. Pictures are
SVG, there without a script and on paper (`intercore.view.svg`).

What a mouse, a finger or the keyboard does with them is in `pictures.js`, which works on the same SVG. What marks show
when somebody points at them comes packed. The page loads nothing: its content security policy admits that script and
forbids everything else. Every string from a target, a store or a published table is escaped where it is shown.
"""

from __future__ import annotations

import base64
import gzip
import re
import shlex
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from itertools import chain, count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import msgspec
import numpy as np
from markupsafe import Markup

import intercore
from intercore.benchmarks import disturbance, failed, model, registry, stop_rule
from intercore.benchmarks.grouping import overhead_us
from intercore.benchmarks.reports import run_caveats
from intercore.comparison.analysis import compare
from intercore.comparison.picture import picture
from intercore.comparison.report import comparison_section
from intercore.errors import UsageError
from intercore.files.replacement import PAGE, replacement
from intercore.page.answers import answer_rows, choices, differ_most, differing, marked_answers, worst_case
from intercore.page.overview import overview
from intercore.record import identity
from intercore.record.conditions import cycle_hz
from intercore.record.factors import OPT_NAME, TARGET_FACTORS
from intercore.record.measurement import TIMESTAMP_OVERHEAD_PREFIX
from intercore.record.origin import CAUTION
from intercore.record.plan import SUITE, command_to_go_on, left_out
from intercore.statistics.intervals import summary
from intercore.statistics.precision import percent
from intercore.view.common_scale import on_common_scales
from intercore.view.cost import Cost
from intercore.view.figure import labelled
from intercore.view.html import environment
from intercore.view.memory import in_words
from intercore.view.section import Topic, label_of_all
from intercore.view.svg import DEFINITIONS, drawn, is_cut, texts_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from jinja2 import Environment
    from numpy.typing import NDArray

    from intercore.benchmarks.reports import ReportedRun
    from intercore.comparison.analysis import Comparison, UsualBuilds
    from intercore.finding import Finding
    from intercore.record.measurement import Run
    from intercore.view.exhibit import Exhibit
    from intercore.view.figure import Figure
    from intercore.view.section import CombinedReport, Report, Section


_HOST = "host"
_TRUST = {
    "measured": "Measured on this target, as it was built.",
    "simulated": Markup(
        "Good for comparing alternatives on this chip; before you rely on a time, measure a board. Its "
        '<a href="#model">model</a> counts every cycle.'
    ),
    "emulated": CAUTION,
}
_NOT_FLASH = "; expect different timings from flash"
_WARNINGS_SHOWN = 3
"""Of each run, before the others are folded."""
_VALUES_SHOWN = 3  # of a condition that changes within a run
_SAME_RATE = 1e-4  # no crystal is off by more: clocks whose rates differ by less are one, measured at each start


@dataclass(frozen=True)
class AdviceGroup:
    """Warnings with the same advice."""

    entries: list[tuple[str, str]]
    """The topic of each, in the words of the page, and its sentence; an empty topic for the whole run."""
    advice: str
    """The likely cause and the remedy: sentences, once for all of them; empty if there are none."""


def by_advice(caveats: Iterable[tuple[Report | None, Finding]]) -> list[AdviceGroup]:
    """Put caveats with the same advice together, where the first of them stands.

    Each comes with its benchmark's report, or None if it is about the whole run; all behind its first sentence is
    advice. The topic names the benchmark, so the sentence need not.
    """
    found: dict[str, AdviceGroup] = {}
    for report, caveat in caveats:
        topic, prefix = ("", "") if report is None else (_topic(report), f"{report.benchmark}, ")
        warning = caveat.text.removeprefix(prefix)
        sentence, end, advice = warning.partition(". ")
        found.setdefault(advice or warning, AdviceGroup([], advice)).entries.append((topic, sentence + end.strip()))
    return list(found.values())


@dataclass(frozen=True)
class _Section:
    """The page's data on one run."""

    run: Run
    analysed: Run
    """What the numbers are of."""
    warnings: tuple[tuple[Report | None, Finding], ...]
    """Each caveat with its benchmark's report; None if it is about the whole run."""
    nothing: str
    """Why there is nothing to show: a sentence; empty if there is something."""
    lead: Markup
    """The lead of the section on all runs together."""
    overview: Markup
    """The figure of the cost of crossing cores; empty if there is nothing to draw."""
    identity: tuple[Finding, ...]
    """Of which kernel or image the run is, where that is not one and known."""

    @property
    def command(self) -> str:
        """The command line that measures the same again."""
        plan = self.run.plan
        if plan.file is not None:
            return command_to_go_on(plan)
        # The suite has fixed levels, but none of the target's factors.
        own = {} if plan.own is None else {plan.own.level: plan.own.files[0]}
        parts = plan.parts[0].levels if plan.parts else {}
        levels = {name: ",".join(own.get(str(one), str(one)) for one in known) for name, known in parts.items()}
        opt = levels.pop(OPT_NAME, None)
        if plan.name == SUITE:
            levels = {name: known for name, known in levels.items() if name in TARGET_FACTORS}
        elif levels.get("seed") == str(plan.seed):
            del levels["seed"]
        options = {"--opt": opt, "--repetitions": plan.repetitions // plan.runs, "--seed": plan.seed}
        if plan.runs > 1:
            options |= {"--runs": plan.runs, "--every": f"{plan.every:g}"}
        if plan.stop is not None:
            options |= {"--until": stop_rule.until_text(plan.stop), "--cap": plan.stop.cap}
        if plan.url is not None:
            options |= {"--port": plan.url, "--baud": plan.baud}
        options |= {"--kernel": plan.kernel, "--firmware": plan.firmware}
        words = ["intercore", "run", plan.target, plan.name, *(f"{name}={known}" for name, known in levels.items())]
        words += [f"{name}={value}" for name, value in options.items() if value is not None]
        if plan.own is not None:
            words += [f"--source={file}" for file in plan.own.files[1:]]
            words += [f"--include={folder}" for folder in plan.own.folders]
            words += [f"--flag={flag}" for flag in plan.own.flags]
        words += ["--skip-impossible"] if plan.excluded and plan.name != SUITE else []
        return shlex.join(words)

    @property
    def warnings_by_advice(self) -> list[AdviceGroup]:
        """The warnings, those with the same advice together."""
        return by_advice(self.warnings)

    @property
    def folded_warnings(self) -> str:
        """How many of the warnings that are folded are about what: `18 more: messages 3, locks`."""
        folded = [one for known in self.warnings_by_advice[_WARNINGS_SHOWN:] for one in known.entries]
        counts = Counter(topic or "the whole run" for topic, _ in folded)
        topics = ", ".join(topic if count == 1 else f"{topic} {count}" for topic, count in counts.items())
        return f"{counts.total()} more: {topics}"

    @property
    def left_out(self) -> str:
        """Which benchmarks the target cannot measure: a sentence; empty if there is none."""
        return left_out(self.run.plan)

    @property
    def aim(self) -> str:
        """How long the settings were measured again; empty if they were not."""
        rule = self.run.plan.stop
        if rule is None:
            return ""
        return f", until medians are known to ±{percent(rule.until, 10)} % or {rule.cap} times"

    @cached_property
    def overhead(self) -> dict[str, Any]:
        """Summary in µs of the timestamp overhead, by core, over all measurements of the run; none if emulated."""
        samples: dict[str, list[NDArray[np.float64]]] = {}
        for measurement in () if self.run.plan.emulated else self.analysed.measurements:
            for series in measurement.series:
                if series.name.startswith(TIMESTAMP_OVERHEAD_PREFIX) and len(series.ticks):
                    samples.setdefault(series.name.removeprefix(TIMESTAMP_OVERHEAD_PREFIX), []).append(series.ns / 1e3)
        return {core: summary(np.concatenate(parts)) for core, parts in sorted(samples.items())}

    @property
    def timestamp_overhead_us(self) -> float:
        """Median timestamp overhead on the core where it is largest; 0 if unknown."""
        return 0.0 if self.run.plan.emulated else overhead_us(self.analysed.measurements)

    @property
    def clocks(self) -> list[tuple[str, int, int]]:
        """Name, and lowest and highest number of ticks per second, of every clock that was read."""
        known: list[tuple[str, int, int]] = []
        for name, hz in sorted({(series.clock, series.hz) for m in self.run.measurements for series in m.series}):
            if known and known[-1][0] == name and hz <= known[-1][1] * (1 + _SAME_RATE):
                known[-1] = name, known[-1][1], hz
            else:
                known.append((name, hz, hz))
        return known

    def levels(self, factor: str) -> str:
        """Return the levels that a factor took in the run."""
        known = {str(m.factors[factor]): None for m in self.run.measurements if factor in m.factors}
        return ", ".join(known)

    @property
    def trust(self) -> str:
        """How far its numbers can be trusted, by where they come from and whether something disturbed them."""
        place = self.condition("memory.code")
        runs_from = f" Its code runs from {in_words(place)}{_NOT_FLASH * ('sram' in place)}." if place else ""
        return _TRUST[self.run.plan.origin] + self._model + runs_from + self._one_run + self._not_to_trust

    @property
    def _model(self) -> str:
        """How far the model was found to be true, if there is one."""
        if not self.run.plan.simulated:
            return ""
        return f" {model.beside_boards(self.run) or 'It was never compared with a board, so its error is unknown'}."

    @property
    def _one_run(self) -> str:
        """What its intervals leave out, if it is one run of a real target."""
        if self.run.plan.origin != "measured" or self.run.plan.runs > 1:
            return ""
        return " Its intervals are those of this run: another run of the same program may differ by more."

    @property
    def distrusts_worst_cases(self) -> bool:
        """Whether something else than the target may have made its worst cases."""
        return bool(self._not_to_trust)

    @cached_property
    def _not_to_trust(self) -> str:
        """Which of its numbers something else may have made: a sentence; empty if nothing that is known could."""
        if self.run.plan.emulated:
            return ""
        if disturbance.is_wrong(self.run):
            return " Results were wrong: read the warnings before you trust any number."
        stopped = self.condition("cpu.virtualisation") == "virtual machine"
        who = " or ".join(["the disturbance"] * bool(self.disturbed) + ["the hypervisor"] * stopped)
        if not who:
            return ""
        return (
            f" Its medians without a warning are as reliable as their intervals; do not trust its worst cases: {who} "
            "may have caused them."
        )

    @cached_property
    def disturbed(self) -> str:
        """How many of its measurements something disturbed, and what; empty if nothing did."""
        return disturbance.in_words(self.run)

    @property
    def clock(self) -> str:
        """How fast its cores run, e.g. `125 MHz`; empty if unknown."""
        hz = cycle_hz(self.run)
        return "" if hz is None else f"{hz / 1e6:g} MHz"

    @cached_property
    def _conditions(self) -> dict[str, dict[str, None]]:
        """The values of each condition, in the order in which they first come."""
        known: dict[str, dict[str, None]] = {}
        for one in self.run.measurements:
            for key, value in one.conditions.items():
                known.setdefault(key, {})[value] = None
        return known

    def condition(self, key: str) -> str:
        """Return the values of a condition in the run: all of them if they are few."""
        known = list(self._conditions.get(key, ()))
        more = len(known) - _VALUES_SHOWN
        return " / ".join(known[:_VALUES_SHOWN]) + (f" / … and {more} more" if more > 0 else "")


def write_page(
    reported: Sequence[ReportedRun],
    path: Path,
    usual: UsualBuilds = MappingProxyType({}),
    *,
    exhibits: Sequence[str] = (),
    force: bool = False,
) -> None:
    """Write a page about runs to `path`; `usual` is for the comparison, where they are of two targets.

    It begins with the tables and figures of publications that `exhibits` names, as far as the runs have them.

    An existing page is replaced only when the new one is complete, another file only by `force`. A run that has
    nothing to show gets a sentence that says so. Raises UsageError without a run, IntercoreError if the page cannot be
    written.
    """
    if not reported:
        raise UsageError("there is no run for a page")
    # Chips come before the host, here and in ratios.
    ordered = [_by_topic(each) for each in sorted(reported, key=lambda each: each.run.plan.target == _HOST)]
    compared = _compared([each.run for each in ordered], usual)
    page = _page(ordered, compared, exhibits).encode("utf-8", "replace")
    with replacement(path, PAGE, force=force) as file:
        file.write(page)


# What the page is made of


def _by_topic(reported: ReportedRun) -> ReportedRun:
    """Put the reports of a run into the order of the page: what people ask most comes first."""
    order: Sequence[Topic | None] = get_args(Topic)
    place = {topic: number for number, topic in enumerate(order)}
    return replace(
        reported, reports=tuple(sorted(reported.reports, key=lambda each: place.get(each.topic, len(place))))
    )


def _topic(report: Report) -> str:
    """Return the page's topic for a benchmark."""
    return report.topic or report.benchmark


def _page(reported: Sequence[ReportedRun], compared: Comparison | None, exhibits: Sequence[str]) -> str:
    runs = [each.run for each in reported]
    numbers = count()
    exhibited = [one for name in exhibits for one in _exhibited(name, reported, numbers)]
    combined = _together(reported)
    drawn_together = [
        _Drawn(benchmark, each, _numbered(each.figures, numbers))
        for benchmark, each in combined.items()
        if each.figures
    ]
    sections = [_section(each, list(combined.values())) for each in reported]
    chapters = _chapters(reported, combined, numbers)
    numbered = [
        *(each.figures for each in exhibited),
        *(each.figures for each in drawn_together),
        *(chapter.figures for chapter in chapters),
    ]
    shown = [figure for _, figure in chain.from_iterable(numbered)]
    label = label_of_all(runs)
    rows = answer_rows(reported, [one.timestamp_overhead_us for one in sections])
    costs = [[cost for one in each.reports for cost in one.costs if isinstance(cost, Cost)] for each in reported]
    different = differing(rows, costs)
    drawn_comparison = None if compared is None else picture(compared)
    speed = "" if drawn_comparison is None or drawn_comparison.speed is None else drawn_comparison.speed.words
    return str(
        _environment()
        .get_template("page.html.j2")
        .render(
            sections=sections,
            failures=_failures(runs),
            identities=[
                one.text for one in chain(identity.combined_caveats(runs), *(each.identity for each in sections))
            ],
            exhibited=exhibited,
            drawn=drawn_together,
            chapters=chapters,
            rows=rows,
            marked_answers=[
                marked_answers(rows, at, worst=one.distrusts_worst_cases) for at, one in enumerate(sections)
            ],
            choices=choices(rows),
            differing=different,
            differ_most="" if compared is None else differ_most(compared.second.title, different, speed),
            worst=worst_case(rows),
            warnings_shown=_WARNINGS_SHOWN,
            topics={report.benchmark: _topic(report) for one in reported for report in one.reports},
            definitions=DEFINITIONS,
            side_by_side=None if compared is None else comparison_section(compared),
            compared=compared,
            compared_picture=drawn_comparison,
            comparison_warnings=() if compared is None else (*map(_in_short, compared.deciding), *compared.warnings),
            heading_text=_heading(drawn_together, chapters),
            texts=_packed(msgspec.json.encode([texts_of(figure) for figure in shown])) if shown else "",
            conditions=_conditions(sections),
            label=label,
            origin=label or "measured",
            version=intercore.__version__,
            written=datetime.now(UTC).isoformat(),
        )
    )


def _failures(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Return that measurements of runs failed: the word that stands first, and the rest, with the run's name."""
    found = [(run, failure) for run in runs if (failure := failed.headline(run)) is not None]
    named = {run.id: f" {run.title} on {run.plan.target}:" if len(runs) > 1 else "" for run in runs}
    return [(failure.verdict, f":{named[run.id]} {failure.how}") for run, failure in found]


def _in_short(sentence: str) -> str:
    """Return a sentence without what it lists in brackets, which stands in the details below it."""
    return re.sub(r" \(.*\)", "", sentence)


def _compared(runs: Sequence[Run], usual: UsualBuilds) -> Comparison | None:
    """Compare the targets of the runs, if there are two and they have settings in common."""
    try:
        return compare(runs, usual)
    except UsageError:
        return None


Numbered: TypeAlias = "tuple[tuple[int, Figure], ...]"
"""Figures, each with its number on the page."""


@dataclass(frozen=True)
class _Drawn:
    """A benchmark's section on all runs together."""

    benchmark: str
    combined: CombinedReport
    figures: Numbered


@dataclass(frozen=True)
class _Exhibited:
    """A table or figure of a publication, in the numbers of one run."""

    run: Run
    exhibit: Exhibit
    figures: Numbered


def _exhibited(name: str, reported: Sequence[ReportedRun], numbers: Iterator[int]) -> Iterator[_Exhibited]:
    """Return a table or figure of a publication in the numbers of each run that has some."""
    for each in reported:
        for one in (one for report in each.reports for one in report.exhibits if one.id == name):
            figures = [labelled(figure, each.run.plan.origin) for figure in one.figures]
            yield _Exhibited(each.run, one, _numbered(figures, numbers))


@dataclass(frozen=True)
class _Passage:
    """A benchmark's section on one run."""

    run: Run
    section: Section
    figures: Numbered


@dataclass(frozen=True)
class _Chapter:
    """The sections of the runs on one benchmark, one after the other."""

    benchmark: str
    passages: tuple[_Passage, ...]

    @property
    def title(self) -> str:
        return self.passages[0].section.title

    @property
    def notes(self) -> Sequence[str]:
        """What holds for all runs."""
        first, *others = (dict.fromkeys(passage.section.notes) for passage in self.passages)
        return [note for note in first if all(note in one for one in others)]

    def notes_of(self, passage: _Passage) -> Sequence[str]:
        """Return the notes that hold for one run, and not for all."""
        return [note for note in dict.fromkeys(passage.section.notes) if note not in self.notes]

    @property
    def figures(self) -> Numbered:
        return tuple(figure for passage in self.passages for figure in passage.figures)


def _together(reported: Sequence[ReportedRun]) -> dict[str, CombinedReport]:
    """Return the sections on all runs together, by benchmark."""
    entries: dict[str, list[tuple[Run, Report]]] = {}
    for each in reported:
        for report in each.reports if not each.run.plan.emulated else ():
            entries.setdefault(report.benchmark, []).append((each.analysed, report))
    analyses = {benchmark: registry.analysis(benchmark) for benchmark in entries}
    return {
        benchmark: analysis.combined(entries[benchmark])
        for benchmark, analysis in analyses.items()
        if analysis is not None and analysis.combined is not None
    }


def _section(reported: ReportedRun, combined: Sequence[CombinedReport]) -> _Section:
    run = reported.run
    doubts = [(report, one) for report in reported.reports for one in report.caveats]
    nothing = [each.nothing[run.id] for each in combined if each.nothing.get(run.id)]
    if not run.measurements:
        nothing = [f"Run {run.id} has no measurement yet."]
    return _Section(
        run,
        reported.analysed,
        (*((None, one) for one in run_caveats(run)), *doubts),
        " ".join(nothing),
        Markup().join(each.leads[run.id] for each in combined if run.id in each.leads),
        overview([] if run.plan.emulated else [cost for one in reported.reports for cost in one.costs], cycle_hz(run)),
        tuple(identity.caveats(run)),
    )


def _chapters(reported: Sequence[ReportedRun], combined: Collection[str], numbers: Iterator[int]) -> list[_Chapter]:
    """Put together what different runs say of a benchmark that does not do so itself."""
    entries: dict[str, list[tuple[Run, Section]]] = {}
    for each in reported:
        for report in each.reports:
            if (report.benchmark not in combined or each.run.plan.emulated) and each.run.measurements:
                entries.setdefault(report.benchmark, []).append((each.run, report.section))
    return [_chapter(benchmark, pairs, numbers) for benchmark, pairs in entries.items()]


def _chapter(benchmark: str, entries: Sequence[tuple[Run, Section]], numbers: Iterator[int]) -> _Chapter:
    shared = iter(on_common_scales([figure for _, section in entries for figure in section.figures]))
    sections = [(run, replace(section, figures=[next(shared) for _ in section.figures])) for run, section in entries]
    return _Chapter(benchmark, tuple(_passage(run, section, numbers) for run, section in sections))


def _passage(run: Run, section: Section, numbers: Iterator[int]) -> _Passage:
    drawn = [labelled(figure, run.plan.origin) for figure in section.figures]
    return _Passage(run, section, _numbered(drawn, numbers))


def _numbered(figures: Iterable[Figure], numbers: Iterator[int]) -> Numbered:
    return tuple((next(numbers), figure) for figure in figures)


def _heading(drawn: Sequence[_Drawn], chapters: Sequence[_Chapter]) -> str:
    if len(drawn) == 1 and not chapters:
        return drawn[0].combined.heading
    if len(chapters) == 1 and not drawn:
        return chapters[0].title
    return "Gain and cost of a second core" if chapters or drawn else "Gain of the second core"


def _conditions(sections: Sequence[_Section]) -> list[tuple[str, list[str]]]:
    """Return every condition with its value in each run."""
    keys = {key for section in sections for m in section.run.measurements for key in m.conditions}
    return [(key, [section.condition(key) for section in sections]) for key in sorted(keys)]


# How the template writes


@cache
def _environment() -> Environment:
    """Return the environment of the templates; compiling them takes longer than filling them in."""
    made = environment("intercore.page")
    made.filters |= {
        "drawn": drawn,
        "is_cut": is_cut,
        "moment": _moment,
        "go_on": command_to_go_on,
        "unbroken": _unbroken,
    }
    return made


def _packed(data: bytes) -> str:
    """Return data as gzip in base 64, a fourth of its size: the page unpacks it when somebody asks for it."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def _unbroken(text: str) -> str:
    """Return a text in which no line ends between a number and its unit."""
    return re.sub(r"(?<=\d) (?=(?:[nµm]?s|%|×|[kMG]?B/s)(?!\w))", "\N{NO-BREAK SPACE}", text)


def _moment(text: str) -> str:
    """Return an ISO 8601 time for people; unchanged if it is not one."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{time.astimezone(UTC) if time.tzinfo else time:%Y-%m-%d %H:%M} UTC"
