"""A run as one self-contained HTML page: what a person looks at before believing a number.

The page loads nothing: its plotting library is inside it, and its content security policy forbids everything else.
Every string from a target, a store or a published table is escaped where it is shown: by jinja2 in HTML, by
`plot_text` in plots, which have a mark-up of their own.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count, groupby
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

import intercore
from intercore.benchmarks import stop_rule
from intercore.benchmarks.published import SpeedupPublication, published
from intercore.benchmarks.reports import reports
from intercore.benchmarks.speedup import analysis as speedup
from intercore.benchmarks.speedup.report import literature_tables
from intercore.comparison.analysis import compare
from intercore.comparison.report import comparison_section
from intercore.errors import UsageError
from intercore.record import conditions
from intercore.record.factors import OPT_NAME, TARGET_FACTORS
from intercore.record.measurement import LOOKING_PREFIX
from intercore.record.origin import CAUTION, LABELS, doubt, in_brackets
from intercore.record.plan import SUITE, left_out
from intercore.replacement import replacement
from intercore.statistics.intervals import summary
from intercore.statistics.precision import percent
from intercore.view.plots import Group, figures, is_thinned, labelled
from intercore.view.quantity import FORMATS, shown, span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from intercore.benchmarks.speedup.analysis import ForkJoinFit, SpeedupAnalysis, SpeedupPoint
    from intercore.comparison.analysis import Comparison
    from intercore.record.measurement import Level, Measurement, Run
    from intercore.view.section import Figure, Report, Section
    from intercore.view.table import Table


_VALUES_SHOWN = 3  # of a condition that changes within a run


@dataclass(frozen=True)
class _Section:
    """What the page says of one run."""

    run: Run
    groups: tuple[Group, ...]
    warnings: tuple[str, ...]
    reports: tuple[Report, ...]
    """Of all its benchmarks."""
    beside: tuple[Table[Any], ...]
    """Published tables of speed-ups beside the run's own numbers."""

    @property
    def best(self) -> tuple[Group, SpeedupPoint]:
        """The point of the largest speed-up."""
        return max(((group, group.best) for group in self.groups), key=lambda pair: pair[1].speedup.value)

    @property
    def nothing(self) -> str:
        """Why there is no speed-up to show though it was to be measured: a sentence; empty if there is none."""
        run = self.run
        if not run.measurements:
            return f"Run {run.id} holds no measurement yet, so there is nothing to show."
        known = sum(measurement.benchmark == "speedup" for measurement in run.measurements)
        if known and not self.groups:
            return f"None of the {known} measurements of run {run.id} gives a speed-up; see the warnings."
        return ""

    @property
    def command(self) -> str:
        """The command line that measures the same again."""
        plan = self.run.plan
        if plan.file is not None:
            return shlex.join(["intercore", "sweep", plan.file])
        # The suite has levels of its own, the same for everyone, but none of the target's factors.
        levels = {name: ",".join(map(str, known)) for name, known in plan.parts[0].levels.items()} if plan.parts else {}
        opt = levels.pop(OPT_NAME, None)
        if plan.name == SUITE:
            levels = {name: known for name, known in levels.items() if name in TARGET_FACTORS}
        elif levels.get("seed") == str(plan.seed):
            del levels["seed"]
        options = {"--opt": opt, "--repetitions": plan.repetitions, "--seed": plan.seed}
        if plan.stop is not None:
            options |= {"--until": stop_rule.asked(plan.stop), "--cap": plan.stop.cap}
        if plan.url is not None:
            options |= {"--port": plan.url, "--baud": plan.baud}
        words = ["intercore", "run", plan.target, plan.name, *(f"{name}={known}" for name, known in levels.items())]
        words += [f"{name}={value}" for name, value in options.items() if value is not None]
        words += ["--skip-impossible"] if plan.excluded and plan.name != SUITE else []
        return shlex.join(words)

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

    @property
    def looking(self) -> dict[str, Any]:
        """Summary in µs of the cost of looking, by core, over all measurements of the run."""
        samples: dict[str, list[NDArray[np.float64]]] = {}
        for measurement in self.run.measurements:
            for series in measurement.series:
                if series.name.startswith(LOOKING_PREFIX) and len(series.ticks):
                    samples.setdefault(series.name.removeprefix(LOOKING_PREFIX), []).append(series.ns / 1e3)
        return {core: summary(np.concatenate(parts)) for core, parts in sorted(samples.items())}

    @property
    def clocks(self) -> list[tuple[str, int]]:
        """Name and ticks per second of every clock that was read."""
        return sorted({(series.clock, series.hz) for m in self.run.measurements for series in m.series})

    def levels(self, factor: str) -> str:
        """Return the levels that a factor took in the run."""
        known = {str(m.factors[factor]): None for m in self.run.measurements if factor in m.factors}
        return ", ".join(known)

    def condition(self, key: str) -> str:
        """Return the values of a condition in the run: all of them if they are few."""
        known = list({m.conditions[key]: None for m in self.run.measurements if key in m.conditions})
        more = len(known) - _VALUES_SHOWN
        return " / ".join(known[:_VALUES_SHOWN]) + (f" / … and {more} more" if more > 0 else "")


def write_page(runs: Sequence[Run], path: Path, efficiency: float = speedup.DEFAULT_EFFICIENCY) -> None:
    """Write a page about the runs to `path`; `efficiency` is the one wanted at break-even.

    An existing file is replaced only when the new one is complete. A run that has nothing to show gets a sentence
    that says so. Raises UsageError without a run, IntercoreError if the page cannot be written.
    """
    if not runs:
        raise UsageError("there is no run to make a page of")
    page = _page(runs, efficiency).encode("utf-8", "replace")
    with replacement(path) as file:
        file.write(page)


# What the page is made of


def _page(runs: Sequence[Run], efficiency: float) -> str:
    tables = published(SpeedupPublication)
    sections = _sections(runs, efficiency)
    own = [group for section in sections for group in section.groups]
    literature = [group for table in tables for group in _published_groups(table, efficiency)]
    drawn = figures(own, literature, efficiency) if own else []
    chapters = _chapters(sections, len(drawn))
    compared = _compared(runs)
    return str(
        _environment()
        .get_template("page.html.j2")
        .render(
            sections=sections,
            chapters=chapters,
            side_by_side=None if compared is None else comparison_section(compared),
            comparison_warnings=() if compared is None else compared.warnings,
            heading=_heading(sections, chapters),
            groups=own + literature,
            publications=tables,
            figures=drawn,
            all_figures=[*drawn, *(figure for chapter in chapters for figure in chapter.figures)],
            thinned=is_thinned(own),
            conditions=_conditions(sections),
            efficiency=efficiency,
            origin=_origin(runs),
            labels=LABELS,
            caution=CAUTION,
            version=intercore.__version__,
            written=datetime.now(UTC).isoformat(),
            plotly=Markup(get_plotlyjs()),  # noqa: S704 - a library, carried by a package that we pin
        )
    )


def _compared(runs: Sequence[Run]) -> Comparison | None:
    """Compare the targets of the runs, if there are two and they have settings in common."""
    try:
        return compare(runs)
    except UsageError:
        return None


@dataclass(frozen=True)
class _Passage:
    """What one run says of one benchmark."""

    run: Run
    section: Section
    figures: tuple[tuple[int, Figure], ...] = ()
    """Each with its number on the page."""


@dataclass(frozen=True)
class _Chapter:
    """What the runs say of one benchmark other than `speedup`."""

    passages: tuple[_Passage, ...]

    @property
    def title(self) -> str:
        return self.passages[0].section.title

    @property
    def notes(self) -> Sequence[str]:
        return tuple(dict.fromkeys(note for passage in self.passages for note in passage.section.notes))

    @property
    def figures(self) -> list[Figure]:
        return [figure for passage in self.passages for _, figure in passage.figures]


def _chapters(sections: Sequence[_Section], first_figure: int) -> list[_Chapter]:
    """Put together what different runs say of a benchmark; figures are numbered from `first_figure` up."""
    numbers = count(first_figure)
    said: dict[str, list[_Passage]] = {}
    for section in sections:
        for report in section.reports:
            if report.benchmark != "speedup" and section.run.measurements:
                said.setdefault(report.benchmark, []).append(_Passage(section.run, report.section))
    return [_Chapter(tuple(_with_figures(passage, numbers) for passage in passages)) for passages in said.values()]


def _with_figures(passage: _Passage, numbers: Iterator[int]) -> _Passage:
    drawn = [labelled(figure, passage.run.plan.origin) for figure in passage.section.figures]
    return replace(passage, figures=tuple((next(numbers), figure) for figure in drawn))


def _heading(sections: Sequence[_Section], chapters: Sequence[_Chapter]) -> str:
    cores = {group.fit.cores for section in sections for group in section.groups}
    if not chapters:
        return "What more than two cores buy" if max(cores, default=2) > 2 else "What the second core buys"
    return "What a second core buys, and what it costs" if cores or len(chapters) > 1 else chapters[0].title


def _origin(runs: Sequence[Run]) -> str:
    """Say where the numbers of the page come from: the label that doubts them most, and whether it is that of all."""
    known = {run.plan.origin for run in runs}
    label = LABELS[doubt(known)] or "measured"
    return label if len(known) == 1 else f"partly {label}"


def _sections(runs: Sequence[Run], efficiency: float) -> list[_Section]:
    analyses = [speedup.analyse(run.measurements, efficiency) for run in runs]
    named = _differing(point.setting for analysis in analyses for point in analysis.points)
    found = []
    for run, analysis in zip(runs, analyses, strict=True):
        said = reports(run, efficiency)
        doubts = [sentence for report in said for sentence in report.warnings]
        groups = _groups(run, analysis, named, _prefix(run, runs))
        found.append(
            _Section(
                run,
                tuple(groups),
                (*conditions.warnings(run), *stop_rule.warnings(run), *doubts),
                tuple(said),
                tuple(literature_tables(run, analysis.points)),
            )
        )
    return found


def _prefix(run: Run, runs: Sequence[Run]) -> str:
    """Tell a run apart from the others on the page: by its target if that is enough."""
    drawn = [other for other in runs if "speedup" in other.plan.benchmarks]
    if len(drawn) <= 1:
        return ""
    alone = sum(run.plan.target == other.plan.target for other in drawn) == 1
    return f"{run.plan.target}: " if alone else f"run {run.id}: "


def _differing(settings: Iterable[dict[str, Level]]) -> set[str]:
    """Return the factors that tell the groups apart, and the mode in any case."""
    levels: dict[str, set[Level]] = {}
    for setting in settings:
        for name, level in setting.items():
            levels.setdefault(name, set()).add(level)
    return {"mode"} | {name for name, known in levels.items() if len(known) > 1}


def _groups(run: Run, analysis: SpeedupAnalysis, named: Collection[str], prefix: str) -> Iterator[Group]:
    origin = run.plan.origin
    names = {name for point in analysis.points for name in point.setting}
    for fit, points in _fits(analysis):
        yield Group(
            label=in_brackets(prefix + _words(points[0].setting, named), origin),
            origin=origin,
            fit=fit,
            points=points,
            pools=tuple(_pool(run, point, names) for point in points),
            cycle_hz=conditions.cycle_hz(run),
        )


def _published_groups(table: SpeedupPublication, efficiency: float) -> Iterator[Group]:
    for fit, points in _fits(speedup.analyse_published(table, efficiency)):
        yield Group(f"published: {table.label}", "published", fit, points, (), table.setting.cpu_hz)


def _fits(analysis: SpeedupAnalysis) -> Iterator[tuple[ForkJoinFit, tuple[SpeedupPoint, ...]]]:
    groups = groupby(analysis.points, key=lambda point: point.group)
    for fit, (_, points) in zip(analysis.fits, groups, strict=True):
        yield fit, tuple(points)


def _words(setting: dict[str, Level], named: Collection[str]) -> str:
    """Name a group by what tells it apart, e.g. `fp, create, priority=2`."""
    speaking = ("workload", "mode", "join")
    return ", ".join(
        str(level) if name in speaking else f"{name}={level}" for name, level in setting.items() if name in named
    )


def _pool(run: Run, point: SpeedupPoint, names: Iterable[str]) -> tuple[Measurement, ...]:
    """Return the measurements that the analysis pooled in a point; `names` are the factors that tell points apart."""
    setting: dict[str, Level | None] = {**dict.fromkeys(names), **point.setting, "n": point.n}
    return tuple(
        measurement
        for measurement in run.measurements
        if measurement.benchmark == "speedup"
        and all(measurement.factors.get(name) == level for name, level in setting.items())
    )


def _conditions(sections: Sequence[_Section]) -> list[tuple[str, list[str]]]:
    """Return every condition with its value in each run."""
    keys = {key for section in sections for m in section.run.measurements for key in m.conditions}
    return [(key, [section.condition(key) for section in sections]) for key in sorted(keys)]


# How the template writes


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("intercore.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "value": lambda estimate, kind: FORMATS[kind](estimate.value),
        "span": span,
        "shown": shown,
        "json": _json,
        "csp_hash": _csp_hash,
        "moment": _moment,
        **FORMATS,
    }
    return environment


def _json(value: object) -> Markup:
    """Return JSON that cannot end the script element it stands in. What is not finite becomes null."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - escaped just above


def _csp_hash(script: str) -> str:
    """Return what the content security policy knows a script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _moment(text: str) -> str:
    """Return an ISO 8601 time for people; as it came if it is none."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{time.astimezone(UTC) if time.tzinfo else time:%Y-%m-%d %H:%M} UTC"
