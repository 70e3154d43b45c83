"""The command `profile`: runs a program on the simulated RP2040 and shows where the cycles of each core went."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intercore.cli.options import Force, Output
from intercore.cli.profiled import Window, has_time, is_target, of_benchmark, of_image
from intercore.errors import UsageError
from intercore.files.replacement import CALLGRIND, PAGE, PERFETTO, SPEEDSCOPE, Kind, check_replaceable, replacement
from intercore.profile.callgrind import callgrind
from intercore.profile.instructions import instructions_of
from intercore.profile.instructions import rows as instruction_rows
from intercore.profile.instructions import section as instruction_section
from intercore.profile.perfetto import perfetto
from intercore.profile.report import TOP, rows, tables, told
from intercore.profile.sentences import Told
from intercore.profile.speedscope import speedscope
from intercore.profile.summary import abridged, analysed
from intercore.profile.timeline import timeline
from intercore.terminal.console import messages
from intercore.terminal.findings import Caution, Sentence
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.one_screen import Screenful, Weighed
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from intercore.cli.profiled import Profiled, has_time
    from intercore.view.table import Table

app = typer.Typer(add_completion=False)

_SECONDS = 1.0
_MOST_SECONDS = 3600.0
_REST = "More with --all"


@app.command(
    epilog="Examples: intercore profile blink.elf; "
    "intercore profile app.elf --seconds 0.2 --from start_work --to work_done; "
    "intercore profile app.elf --calls crc32; "
    "intercore profile pico-sim switch primitive=queue; "
    "intercore profile app.elf --report app.html; "
    "intercore profile app.elf --callgrind app.callgrind, and then kcachegrind app.callgrind; "
    "intercore profile app.elf --speedscope app.speedscope.json, and then open it at https://www.speedscope.app"
)
def profile(
    image: Annotated[
        Path,
        typer.Argument(
            metavar="IMAGE",
            help="Program for the RP2040: an ELF file, or a UF2 file. The names of functions in app.uf2 are those of "
            "app.elf beside it, if that is of the same build. Or a simulated target, e.g. pico-sim.",
            show_default=False,
        ),
    ],
    measured: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BENCHMARK NAME=VALUE…]",
            help="Of a simulated target, the benchmark to record, and one value for each factor.",
            show_default=False,
        ),
    ] = None,
    *,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", metavar="S", help=f"Run for at most so many seconds of the chip's time. Default: {_SECONDS:g}."
        ),
    ] = None,
    begin: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="Begin where a core first executes this function or address, e.g. main or 0x10000354. "
            "Default: when the chip is switched on.",
        ),
    ] = None,
    end: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="PLACE", help="End where a core executes this function or address for the first time."
        ),
    ] = None,
    calls: Annotated[
        str | None,
        typer.Option(
            "--calls",
            metavar="FUNCTION",
            help="Time each call of this function, and show what the longest one spent its time on.",
        ),
    ] = None,
    alone: Annotated[
        int | None,
        typer.Option(
            "--alone",
            metavar="CORE",
            min=0,
            max=1,
            help="Also run this core from the same state on alone, with the other core held still, and compare.",
        ),
    ] = None,
    moves: Annotated[
        list[str] | None,
        typer.Option(
            "--try",
            metavar="NAME",
            help="Estimate what it brings to move this function, or these data, to memory of its own: the same run "
            "again, with nothing in the way of accesses to it. Can be given several times.",
        ),
    ] = None,
    in_full: Annotated[bool, typer.Option("--all", help="Show all sentences and tables, and not one screen.")] = False,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=0, help="Show so many rows of each table; 0 shows all of them.")
    ] = TOP,
    callgrind_file: Annotated[
        Path | None,
        typer.Option("--callgrind", metavar="FILE", help="Also write a file for KCachegrind and callgrind_annotate."),
    ] = None,
    speedscope_file: Annotated[
        Path | None,
        typer.Option("--speedscope", metavar="FILE", help="Also write a file for https://www.speedscope.app."),
    ] = None,
    perfetto_file: Annotated[
        Path | None,
        typer.Option(
            "--perfetto",
            metavar="FILE",
            help="Also write a timeline for https://ui.perfetto.dev: tasks, interrupts, calls, locks, misses and "
            "losses. This takes a second run of the program.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Also write an HTML page with flame graphs and the source."),
    ] = None,
    force: Force = False,
    output: Output = DEFAULT,
) -> None:
    """Run a program on the simulated Pico and show where the cycles of each core go: by function, bank and lock."""
    if seconds is not None and not 0 < seconds <= _MOST_SECONDS:
        raise UsageError(f"--seconds {seconds:g} is not between 0 and {_MOST_SECONDS:g}")
    files = ((callgrind_file, CALLGRIND), (speedscope_file, SPEEDSCOPE), (perfetto_file, PERFETTO), (page, PAGE))
    for path, kind in files:
        if path is not None:
            check_replaceable(path, kind, force=force)
    timed = has_time(image)
    if not timed and (wanted := [path for path, _ in files if path is not None]):
        raise UsageError(f"{wanted[0]}: {image} has no time that a file could tell: omit it")
    window = None
    if any(one is not None for one in (begin, end, alone, seconds, perfetto_file, moves)) or not is_target(image):
        window = Window(seconds or _SECONDS, begin, end, alone, moves or [])
    recorded = _recorded(image, measured or [], window, calls)
    found = recorded.profile
    if not timed:
        counted = instructions_of(found)
        all_of_it = instruction_section(counted, top)
        sentences = [Told(text, math.inf) for text in all_of_it.sentences]
        parts = _parts(sentences, all_of_it.tables, recorded.warnings, in_full=in_full)
        show(Screenful(counted, instruction_rows(counted), parts, _REST), output)
        return
    analysis = analysed(found, recorded.names, recorded.alone, recorded.tried)
    warnings = [*recorded.warnings]
    warnings += [
        f"Core {number} made more different calls than are told apart: the rest is added to the callers."
        for number, core in enumerate(found.cores)
        if core.truncated
    ]
    if found.untold:
        warnings.append(f"{found.untold:,} lost cycles were of too many kinds: it is not told to whom they were lost.")
    # Files come first: whoever reads no more than the first lines, as `head` does, gets them, too.
    for path, kind, made in (
        (callgrind_file, CALLGRIND, lambda: callgrind(found).encode()),
        (speedscope_file, SPEEDSCOPE, lambda: speedscope(found).encode()),
        (perfetto_file, PERFETTO, lambda: _perfetto(recorded)),
    ):
        _write(path, kind, made, force=force)
    if page is not None:
        from intercore.page.profile_page import write_profile_page  # noqa: PLC0415 - jinja takes a moment to load

        write_profile_page(found, analysis, warnings, page, force=force)
    shown = analysis if in_full else abridged(analysis)
    sentences = list(told(shown))
    parts = _parts(sentences, tables(shown, top), warnings, in_full=in_full)
    advised = [name for one in sentences for name in one.moves]
    if advised and window is not None and analysis.tried is None:
        parts.append(
            Weighed(Sentence(f"Estimate what it brings to move {advised[0]}: --try {shlex.quote(advised[0])}"))
        )
    show(Screenful(analysis, rows(analysis), parts, _REST), output)
    for file in filter(None, (path for path, _ in files)):
        messages().print(f"wrote {file.absolute()}", markup=False, soft_wrap=True)


def _parts(
    told: Iterable[Told], tables: Iterable[Table[Any]], warnings: Iterable[str], *, in_full: bool
) -> list[Weighed]:
    """Return what people read: the sentences that matter most and the first table come before all others."""
    sentences = [Weighed(Sentence(one.text), math.inf if in_full else one.weight) for one in told]
    shown = [Weighed(table, math.inf if in_full or not rank else -rank) for rank, table in enumerate(tables)]
    return [*sentences, *shown, *(Weighed(Caution(text)) for text in warnings)]


def _write(path: Path | None, kind: Kind, made: Callable[[], bytes], *, force: bool) -> None:
    if path is not None:
        with replacement(path, kind, force=force) as file:
            file.write(made())


def _recorded(image: Path, measured: list[str], window: Window | None, calls: str | None) -> Profiled:
    """Record a program in a window, or a benchmark as a whole."""
    if not is_target(image):
        if measured:
            raise UsageError(
                f"{measured[0]} has no effect on the program {image}: a benchmark goes with a simulated target, as in "
                f"intercore profile pico-sim {measured[0]}"
            )
        return of_image(image, window or Window(_SECONDS, None, None, None, []), calls)
    if not measured:
        raise UsageError(f"which benchmark on {image}? For example: intercore profile {image} switch")
    if window is not None:
        raise UsageError(
            "--seconds, --from, --to, --alone, --try and --perfetto are for programs: a benchmark is recorded whole"
        )
    return of_benchmark(str(image), measured[0], measured[1:], calls)


def _perfetto(recorded: Profiled) -> bytes:
    """Run the window of a profile once more; return the timeline."""
    assert recorded.start is not None, "only programs have a timeline"  # noqa: S101 - checked above
    simulator, start = recorded.start
    with messages().status("the timeline: the program is run once more") as status:
        seen = timeline(simulator, start, recorded.profile, lambda part: status.update(f"{part:.0%} of the timeline"))
    if seen.left_out:
        messages().print(
            f"the timeline is without {listed(seen.left_out[:3])}"
            f"{f' and {len(seen.left_out) - 3} more' if len(seen.left_out) > 3 else ''}: too many calls",
            markup=False,
        )
    return perfetto(seen, recorded.profile.image)
