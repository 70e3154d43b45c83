"""The command `hunt`: runs a program on the simulated RP2040 and tells faults of two cores, with their causes."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from intercore.cli.options import Force, Output
from intercore.cli.profiled import place
from intercore.document.junit import hunt_junit
from intercore.errors import INTERRUPTED, UsageError
from intercore.files.replacement import JUNIT, check_replaceable, replacement
from intercore.hunt.analysis import analysed
from intercore.hunt.hunting import Wanted
from intercore.hunt.report import TOP, deviating, rows, states, tables, verdict
from intercore.hunt.timelines import with_timelines
from intercore.hunt.variation import deviations
from intercore.hunt.variation.varied import Search, fails, replayed, varied
from intercore.profile.image import named
from intercore.sim import Simulator, SimulatorError
from intercore.terminal.console import messages
from intercore.terminal.findings import Caution, Failure, Line, Sentence
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.one_screen import Screenful, Weighed

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.hunt.analysis import HuntAnalysis

app = typer.Typer(add_completion=False)

_SECONDS = 10.0
_MOST_SECONDS = 3600.0
_NOTES = 3
_MOST_RUNS = 1_000_000
_SEEDS = 1 << 64


@app.command(
    epilog="Exit status: 0 no finding, 1 a finding, 2 error in the command. "
    "Examples: intercore hunt app.elf; intercore hunt app.elf --expect PASS --max-time 2; "
    "intercore hunt app.elf --until-symbol test_done --format json; intercore hunt app.elf --expect PASS --vary 1000"
)
def hunt(
    image: Annotated[
        Path,
        typer.Argument(
            metavar="IMAGE",
            help="Program for the RP2040: an ELF file, or a UF2 file. The names of functions in app.uf2 are those of "
            "app.elf beside it, if that is of the same build.",
            show_default=False,
        ),
    ],
    *,
    until: Annotated[
        str | None,
        typer.Option(
            "--until-symbol",
            metavar="PLACE",
            help="Run until a core executes this function or address, e.g. test_done. Not to get there is a finding.",
        ),
    ] = None,
    expect: Annotated[
        str | None,
        typer.Option(
            "--expect",
            metavar="TEXT",
            help="Run until the program has printed this text on UART0, USB or by semihosting. Not to print it is a "
            "finding.",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--max-time", metavar="S", help="Run for at most so many seconds of the chip's time.")
    ] = _SECONDS,
    vary: Annotated[
        int | None,
        typer.Option(
            "--vary",
            metavar="N",
            help="If nothing is found, run N times more, each with another interleaving of the cores that a real chip "
            "may show, up to the first run that fails.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", help="Of --vary: which interleavings these are; 0 by default.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Of --vary: processes at a time, by default as many as processors."),
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option("--replay", metavar="TEXT", help="Repeat an interleaving that failed, as --vary has printed it."),
    ] = None,
    junit_path: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Also write a JUnit XML report, a test for each rule."),
    ] = None,
    timelines: Annotated[
        Path | None,
        typer.Option(
            "--timeline",
            metavar="FOLDER",
            help="Also write the last millisecond before each finding as a timeline for https://ui.perfetto.dev. This "
            "takes more runs of the program.",
        ),
    ] = None,
    force: Force = False,
    in_full: Annotated[bool, typer.Option("--all", help="Show all sentences and tables, and not one screen.")] = False,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=0, help="Show so many rows of each table; 0 shows all of them.")
    ] = TOP,
    output: Output = DEFAULT,
) -> None:
    """Run a program on the simulated Pico and find faults of two cores: deadlocks, stack overflows and more."""
    if not 0 < seconds <= _MOST_SECONDS:
        raise UsageError(f"--max-time {seconds:g} is not between 0 and {_MOST_SECONDS:g}")
    if expect == "":
        raise UsageError("--expect: the text is empty: give a text that the program prints")
    search = _search(vary, seed, jobs)
    repeated = None if replay is None else deviations.parsed(replay)
    if search and repeated:
        raise UsageError("--vary and --replay: give one of them")
    files = _Files(junit_path, timelines, force)
    files.check()
    try:
        program = named(image)
        simulator = Simulator(program.image)
    except (SimulatorError, OSError) as error:
        raise UsageError(str(error)) from None  # status 1 is a finding's
    symbol = None if until is None else place(simulator, until, "--until-symbol")
    wanted = Wanted(seconds, symbol, (expect or "").encode())
    with messages().status("the chip is switched on") as status:
        if repeated:
            analysis = replayed(program.image, image.name, wanted, repeated, status.update)
        else:
            analysis = analysed(program.image, image.name, wanted, status.update)
            if search and not fails(analysis):
                analysis = varied(program.image, analysis, wanted, search, status.update)
        # Files come first: whoever reads no more than the first lines, as `head` does, gets them, too.
        analysis = files.write(program.image, analysis, status.update)
    show(Screenful(analysis, rows(analysis), _parts(analysis, top, in_full=in_full), "More with --all"), output)
    files.tell(analysis)
    if analysis.findings:
        raise typer.Exit(1)
    if analysis.variation and analysis.variation.interrupted:
        raise typer.Exit(INTERRUPTED)


class _Files(NamedTuple):
    """Files that are written beside what is shown."""

    junit: Path | None
    timelines: Path | None
    """A folder."""
    force: bool

    def check(self) -> None:
        """Raise UsageError if they would take the place of something else."""
        if self.junit is not None:
            check_replaceable(self.junit, JUNIT, force=self.force)
        if self.timelines is not None and self.timelines.exists() and not self.timelines.is_dir():
            raise UsageError(f"--timeline {self.timelines} is a file, not a folder, in which each finding has its own")

    def write(self, image: Path, analysis: HuntAnalysis, progress: Callable[[str], None]) -> HuntAnalysis:
        """Write them, and return the findings with their timelines."""
        if self.timelines is not None and analysis.findings:
            replay = analysis.variation.replay if analysis.variation else ""
            faults = deviations.faults_of(deviations.parsed(replay)) if replay else []
            analysis = with_timelines(image, analysis, faults, self.timelines, progress, force=self.force)
        if self.junit is not None:
            with replacement(self.junit, JUNIT, force=self.force) as file:
                file.write(hunt_junit(analysis))
        return analysis

    def tell(self, analysis: HuntAnalysis) -> None:
        """Say what was written."""
        of_findings = [Path(one.timeline) for one in analysis.findings if one.timeline]
        for path in [*([self.junit] if self.junit else []), *of_findings]:
            messages().print(f"wrote {path.absolute()}", markup=False, soft_wrap=True)


def _search(runs: int | None, seed: int | None, jobs: int | None) -> Search | None:
    if runs is None:
        for name, value in (("--seed", seed), ("--jobs", jobs)):
            if value is not None:
                raise UsageError(f"{name} {value} is for --vary: give --vary N, too")
        return None
    if not 0 < runs <= _MOST_RUNS:
        raise UsageError(f"--vary {runs} is not between 1 and {_MOST_RUNS:,}")
    if seed is not None and not 0 <= seed < _SEEDS:
        raise UsageError(f"--seed {seed} is not between 0 and {_SEEDS - 1}")
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs} is less than 1")
    return Search(runs, seed or 0, jobs or os.cpu_count() or 1)


def _parts(analysis: HuntAnalysis, top: int, *, in_full: bool) -> list[Weighed]:
    """Return what people read: findings before all others."""
    first = verdict(analysis)
    parts = [Weighed(Failure(first) if analysis.findings else Sentence(first))]
    parts += [Weighed(Sentence(text)) for text in deviating(analysis)]
    if analysis.variation and analysis.variation.replay:
        parts.append(Weighed(Line(f"--replay '{analysis.variation.replay}'")))
    for one in analysis.findings:
        parts.append(Weighed(Sentence(one.text)))
        if one.timeline:
            parts.append(Weighed(Line(f"timeline: {one.timeline}")))
    parts += [Weighed(Sentence(text), math.inf if in_full else 100) for text in states(analysis)]
    parts += [Weighed(table, math.inf if in_full else 50 - rank) for rank, table in enumerate(tables(analysis, top))]
    notes = analysis.notes if in_full else analysis.notes[:_NOTES]
    parts += [Weighed(Caution(f"The program did what is not modelled or not allowed: {one}")) for one in notes]
    return parts
