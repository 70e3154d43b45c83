"""The command `profile`: runs a program on the simulated RP2040 and shows where the cycles of each core went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.cli.options import Force, Output
from intercore.errors import IntercoreError, UsageError
from intercore.files.replacement import CALLGRIND, SPEEDSCOPE, check_replaceable, replacement
from intercore.profile.callgrind import callgrind
from intercore.profile.image import named
from intercore.profile.recorded import take
from intercore.profile.report import TOP, TOP_LINES, rows, section
from intercore.profile.speedscope import speedscope
from intercore.profile.summary import analysed
from intercore.sim import Reason, Simulator, SimulatorError
from intercore.terminal.console import messages
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show

if TYPE_CHECKING:
    from intercore.sim import Stop

app = typer.Typer(add_completion=False)

_SLICE = 5_000_000
"""Cycles between two signs of progress."""
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
    timed = None if calls is None else _place(simulator, calls, "--calls")
    if begin is not None:
        address = _place(simulator, begin, "--from")
        stop = _run(simulator, seconds, address)
        if stop.reason is not Reason.ADDRESS:
            raise IntercoreError(f"no core executed {begin} within {seconds:g} s of the chip's time: {stop}")
    simulator.start_profile(timed)
    begun = simulator.seconds
    stop = _run(simulator, seconds, None if end is None else _place(simulator, end, "--to"))
    why = (
        f"the limit of {seconds:g} s is reached"
        if stop.reason is Reason.LIMIT
        else stop.sentence.removeprefix(f"{simulator.moment}: ")
    )
    found = take(simulator, image.name, why, simulator.seconds - begun, calls)
    analysis = analysed(found, program.names)
    warnings = [f"The program did what is not modelled or not allowed: {one}" for one in simulator.take_diagnostics()]
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


def _run(simulator: Simulator, seconds: float, address: int | None) -> Stop:
    """Run for so many seconds of the chip's time, or up to an address."""
    begun = simulator.seconds
    with messages().status("the chip is switched on") as status:
        while True:
            left = seconds - (simulator.seconds - begun)
            cycles = max(1, min(_SLICE, round(left * simulator.hz)))
            stop = simulator.run(cycles, address=address)
            simulator.take_uart()
            if stop.reason is not Reason.LIMIT or simulator.seconds - begun >= seconds * (1 - 1e-9):
                return stop
            status.update(f"{simulator.seconds - begun:.2f} s of {seconds:g} s of the chip's time")
