"""The command `hunt`: runs a program on the simulated RP2040 and tells faults of two cores, with their causes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.cli.options import Output
from intercore.cli.profiled import place
from intercore.errors import UsageError
from intercore.hunt.analysis import analysed
from intercore.hunt.hunting import Wanted
from intercore.hunt.report import TOP, rows, states, tables, verdict
from intercore.profile.image import named
from intercore.sim import Simulator, SimulatorError
from intercore.terminal.console import messages
from intercore.terminal.findings import Caution, Failure, Sentence
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.one_screen import Screenful, Weighed

if TYPE_CHECKING:
    from intercore.hunt.analysis import HuntAnalysis

app = typer.Typer(add_completion=False)

_SECONDS = 10.0
_MOST_SECONDS = 3600.0
_NOTES = 3


@app.command(
    epilog="Exit status: 0 no finding, 1 a finding, 2 error in the command. "
    "Examples: intercore hunt app.elf; intercore hunt app.elf --expect PASS --max-time 2; "
    "intercore hunt app.elf --until-symbol test_done --format json"
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
    try:
        program = named(image)
        simulator = Simulator(program.image)
    except (SimulatorError, OSError) as error:
        raise UsageError(str(error)) from None  # status 1 is a finding's
    symbol = None if until is None else place(simulator, until, "--until-symbol")
    with messages().status("the chip is switched on") as status:
        analysis = analysed(program.image, image.name, Wanted(seconds, symbol, (expect or "").encode()), status.update)
    show(Screenful(analysis, rows(analysis), _parts(analysis, top, in_full=in_full), "More with --all"), output)
    if analysis.findings:
        raise typer.Exit(1)


def _parts(analysis: HuntAnalysis, top: int, *, in_full: bool) -> list[Weighed]:
    """Return what people read: findings before all others."""
    first = verdict(analysis)
    parts = [Weighed(Failure(first) if analysis.findings else Sentence(first))]
    parts += [Weighed(Sentence(one.text)) for one in analysis.findings]
    parts += [Weighed(Sentence(text), math.inf if in_full else 100) for text in states(analysis)]
    parts += [Weighed(table, math.inf if in_full else 50 - rank) for rank, table in enumerate(tables(analysis, top))]
    notes = analysis.notes if in_full else analysis.notes[:_NOTES]
    parts += [Weighed(Caution(f"The program did what is not modelled or not allowed: {one}")) for one in notes]
    return parts
