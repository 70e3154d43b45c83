"""The command `trace`: a benchmark measured once with the firmware's recorder and once without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from intercore.benchmarks.suite import traced as traced_levels
from intercore.board.factors import OPT
from intercore.campaign.levels import find_benchmark, target_levels
from intercore.cli.connection import connected
from intercore.cli.options import (
    TARGET_HELP,
    Baud,
    Force,
    KernelPath,
    Output,
    OwnFlags,
    OwnFolders,
    OwnSources,
    PortUrl,
    Timeout,
    either,
)
from intercore.cli.outcome import check_page
from intercore.cli.planned import sources_of, with_own
from intercore.errors import IntercoreError, UsageError
from intercore.files.replacement import PERFETTO, check_replaceable, replacement
from intercore.link.exchange import UnknownCommandError
from intercore.page.trace_page import write_trace_page
from intercore.record.factors import TARGET_FACTORS, TRACE_NAME
from intercore.record.level_words import parse_levels
from intercore.record.measurement import SPOILING_CHECKS
from intercore.record.origin import in_heading
from intercore.target.targets import DEFAULT_BAUD, TARGETS, Address, find
from intercore.terminal.console import messages
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show
from intercore.trace.history import History
from intercore.trace.path import consists_of
from intercore.trace.perfetto import perfetto
from intercore.trace.report import analysed, rows, section
from intercore.trace.shares import traced
from intercore.trace.timeline import timeline, typical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.link.session import Answer, Session
    from intercore.record.measurement import Level
    from intercore.record.trace_recording import Recording
    from intercore.target.targets import Target

app = typer.Typer(add_completion=False)


class Recorded(msgspec.Struct, frozen=True, eq=False):
    """A benchmark that was measured twice."""

    plain: Answer
    """With the recorder off."""
    recorded: Answer
    """With the recorder on."""
    recording: Recording
    conditions: Mapping[str, str]
    """Of the target."""

    @property
    def failed(self) -> str:
        """Which checks failed, with their counts: `wrong: 3`; empty if none did."""
        counts = {name: self.plain.checks.get(name, 0) + self.recorded.checks.get(name, 0) for name in SPOILING_CHECKS}
        return ", ".join(f"{name}: {count}" for name, count in counts.items() if count)

    @property
    def counter_bits(self) -> int:
        """After how many bits the cores' own counters wrap; 0 where there are none."""
        bits = self.conditions.get("clock.counter_bits", "0")
        return int(bits) if bits.isdecimal() else 0


@app.command(
    epilog="Examples: intercore trace pico-sim switch primitive=queue; "
    "intercore trace pico jitter samples=20 --port /dev/ttyACM0"
)
def trace(
    target: Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)],
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="See intercore list TARGET.")],
    levels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE…", help="A level for each factor, of benchmark or target; else its default."
        ),
    ] = None,
    *,
    path: Annotated[
        Path | None, typer.Option("--perfetto", help="Where to write the trace; TARGET-BENCHMARK.perfetto-trace.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Also write an HTML page there, with a timeline of one repetition.")
    ] = None,
    kernel: KernelPath = None,
    force: Force = False,
    besides: OwnSources = None,
    folders: OwnFolders = None,
    flags: OwnFlags = None,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    timeout: Timeout = None,
    output: Output = DEFAULT,
) -> None:
    """Record what cores and tasks do while a benchmark measures: what its times consist of, and a Perfetto file."""
    known = find(target)
    path = Path(f"{target}-{benchmark}.perfetto-trace") if path is None else path
    check_replaceable(path, PERFETTO, force=force)
    check_page(page, force=force)
    wanted, own = with_own(parse_levels(levels or []), besides or [], folders or [], flags or [])
    words = {name: _single(name, texts) for name, texts in wanted.items()}
    build = _build(known, {name: text for name, text in words.items() if name in TARGET_FACTORS})
    address = Address(port, baud, build, sources=sources_of(kernel=kernel, firmware=None, own=own))
    asked: dict[str, Level] = {name: text for name, text in words.items() if name not in TARGET_FACTORS}
    with connected(known, address, timeout) as (session, _):
        session.raise_rate()
        found = _measured_twice(session, known, benchmark, {**traced_levels(benchmark), **asked})
    history = History(found.recording)
    plain = {one.name: one for one in found.plain.series}
    series = traced(history, found.recorded.series, plain, found.counter_bits)
    ways = {window: consists_of(history, window) for one in series for window in one.windows}
    with replacement(path, PERFETTO, force=force) as file:
        file.write(perfetto(history, ways, f"{benchmark} on {in_heading(target, known.origin)}"))
    if found.failed:
        raise IntercoreError(
            f"RESULTS WRONG: {benchmark} failed its checks ({found.failed}), so nothing is told of its times; {path} "
            "has what ran meanwhile: open it at https://ui.perfetto.dev"
        )
    scheduler = found.conditions.get("recorder.scheduler")
    analysis = analysed(history, series, target, known.origin, benchmark, str(path), scheduler=scheduler)
    show(OfSection(analysis, rows(analysis), section(analysis)), output)
    if page is not None:
        found_lines = (typical(one.windows, [ways[window] for window in one.windows]) for one in series)
        write_trace_page(
            analysis, [timeline(history, *line) for line in found_lines if line is not None], page, force=force
        )
        messages().print(f"wrote {page.absolute()}", markup=False, soft_wrap=True)
    messages().print(f"wrote {path.absolute()}: open it at https://ui.perfetto.dev", markup=False, soft_wrap=True)


def _single(name: str, texts: Sequence[str]) -> str:
    if len(texts) != 1:
        raise UsageError(f"trace measures one setting: name one level of {name}, and not {','.join(texts)}")
    return texts[0]


def _build(target: Target, words: Mapping[str, str]) -> dict[str, Level]:
    """Return what the target's program is built with, with the largest rings if the user names none."""
    factor = next((one for one in target.factors if one.name == TRACE_NAME), None)
    if factor is None and target.name != "serial":
        able = either(one.name for one in TARGETS if any(own.name == TRACE_NAME for own in one.factors))
        raise UsageError(f"{target.name} has no recorder; those that have one are {able}")
    wanted = dict(words)
    if factor is not None and target.built_here:
        wanted.setdefault(TRACE_NAME, str(factor.levels[-1]))
        if wanted[TRACE_NAME] == "0":
            raise UsageError(f"{TRACE_NAME}=0 is a program without the recorder; leave it out, or name one of "
                             f"{either(map(str, factor.levels[1:]))}")  # fmt: skip
    built = target_levels(target, {name: [text] for name, text in wanted.items()})
    return {name: found[0] for name, found in built.items() if name != OPT.name or name in words}


def _measured_twice(session: Session, target: Target, benchmark: str, asked: Mapping[str, Level]) -> Recorded:
    """Measure with the recorder off, then on."""
    conditions = session.info().conditions
    find_benchmark(session.benchmarks(), benchmark)
    with messages().status(f"measuring {benchmark} on {target.name}, not recorded") as status:
        plain = session.measure(benchmark, asked)
        status.update(f"measuring {benchmark} on {target.name}, recorded")
        try:
            recorded, recording = session.record(benchmark, asked)
        except UnknownCommandError:
            how = "" if target.board is None else f": intercore flash {target.name} --{TRACE_NAME} 1024"
            raise UsageError(f"the program on {target.name} has no recorder; put one there that has{how}") from None
    return Recorded(plain, recorded, recording, conditions)
