"""The command `profile`: runs a program on the simulated RP2040 and shows where the cycles of each core went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.cli.options import Force, Output
from intercore.errors import UsageError
from intercore.files.replacement import CALLGRIND, SPEEDSCOPE, check_replaceable, replacement
from intercore.profile.alone import compared
from intercore.profile.callgrind import callgrind
from intercore.profile.image import named
from intercore.profile.recording import Recording, Timed
from intercore.profile.report import TOP, TOP_LINES, rows, section
from intercore.profile.speedscope import speedscope
from intercore.profile.summary import analysed
from intercore.sim import Reason, Simulator, SimulatorError
from intercore.terminal.console import messages
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)

_MOST_SECONDS = 3600.0


@app.command(
    epilog="Examples: intercore profile blink.elf; "
    "intercore profile app.elf --seconds 0.2 --from start_work --to work_done; "
    "intercore profile app.elf --calls crc32; "
    "intercore profile app.elf --callgrind app.callgrind, and then kcachegrind app.callgrind; "
    "intercore profile app.elf --speedscope app.speedscope.json, and then open it at https://www.speedscope.app"
)
def profile(
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
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Run for at most so many seconds of the chip's time.")
    ] = 1.0,
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
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=0, help="Show so many functions; 0 shows all of them.")
    ] = TOP,
    lines: Annotated[
        int, typer.Option("--lines", metavar="N", min=0, help="Show so many source lines; 0 shows all of them.")
    ] = TOP_LINES,
    callgrind_file: Annotated[
        Path | None,
        typer.Option("--callgrind", metavar="FILE", help="Also write a file for KCachegrind and callgrind_annotate."),
    ] = None,
    speedscope_file: Annotated[
        Path | None,
        typer.Option("--speedscope", metavar="FILE", help="Also write a file for https://www.speedscope.app."),
    ] = None,
    force: Force = False,
    output: Output = DEFAULT,
) -> None:
    """Run a program on the simulated Pico and show where the cycles of each core go: by function, bank and lock."""
    if not 0 < seconds <= _MOST_SECONDS:
        raise UsageError(f"--seconds {seconds:g} is not between 0 and {_MOST_SECONDS:g}")
    for path, kind in (callgrind_file, CALLGRIND), (speedscope_file, SPEEDSCOPE):
        if path is not None:
            check_replaceable(path, kind, force=force)
    program = named(image)
    simulator = Simulator(program.image)
    timed = None if calls is None else Timed(calls, _place(simulator, calls, "--calls"))
    last = None if end is None else _place(simulator, end, "--to")
    with messages().status("the chip is switched on") as status:
        recording = Recording(simulator, seconds, status.update)
        if begin is not None:
            recording.reach(_place(simulator, begin, "--from"), begin)
        elif alone is not None:
            recording.reach_start(1)
        kept = None if alone is None else simulator.keep()
        found, stop = recording.record(image.name, last, timed)
        ended = simulator.take_diagnostics()
        by_itself = (
            None
            if alone is None or kept is None
            else compared(alone, found, recording.record_alone(alone, kept, image.name, last))
        )
    analysis = analysed(found, program.names, by_itself)
    warnings = [f"The program did what is not modelled or not allowed: {one}" for one in ended]
    if end is not None and stop.reason is not Reason.ADDRESS:
        warnings.insert(0, f"No core executed {end}: the profile goes up to the end of the run.")
    warnings += [
        f"Core {number} made more different calls than are told apart: the rest is added to the callers."
        for number, core in enumerate(found.cores)
        if core.truncated
    ]
    if found.untold:
        warnings.append(f"{found.untold:,} lost cycles were of too many kinds: it is not told to whom they were lost.")
    if program.doubt:
        warnings.append(program.doubt)
    if not simulator.symbols:
        warnings.append(
            f"{image.name} has no symbols, so functions are told by the addresses at which they were called."
        )
    show(OfSection(analysis, rows(analysis), section(analysis, top, lines), warnings, answer_first=True), output)
    for path, kind, text in (
        (callgrind_file, CALLGRIND, callgrind),
        (speedscope_file, SPEEDSCOPE, speedscope),
    ):
        if path is not None:
            with replacement(path, kind, force=force) as file:
                file.write(text(found).encode())
            messages().print(f"wrote {path.absolute()}", markup=False, soft_wrap=True)


def _place(simulator: Simulator, text: str, option: str) -> int:
    try:
        return simulator.address(int(text, 0) if text[:1].isdigit() else text)
    except (SimulatorError, ValueError) as error:
        raise UsageError(f"{option} {text}: {error}") from None
