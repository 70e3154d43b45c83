"""The command `intercore`: the list of commands, each loaded when it is called, and how errors end one."""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

import intercore
from intercore.errors import INTERRUPTED, IntercoreError, UsageError, unknown
from intercore.terminal.console import say_error
from intercore.terminal.streams import prepare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typer._click import Command, Context

COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("run", "Measure a benchmark on a target, store every sample, and print the results."),
    "sweep": (
        "sweep",
        "Measure what a plan file describes, in random order. To continue after an interruption, repeat the command.",
    ),
    "list": ("listing", "List the targets, or the benchmarks of a target and their factors (parameters)."),
    "info": (
        "info",
        "Show the configuration of a target: chip, cores, clocks, compiler, scheduler and more.",
    ),
    "show": ("show", "Print the analysis of a stored run, or of some of its benchmarks."),
    "runs": ("runs", "List the stored runs."),
    "report": (
        "report",
        "Write one self-contained HTML page with the plots of a run, or of several runs side by side.",
    ),
    "compare": (
        "compare",
        "Compare two runs, targets or baselines: show what is faster, slower or the same, and which conditions differ.",
    ),
    "baseline": (
        "baseline",
        "Save the results of a run in a small file (save FILE [RUN]), so that later runs can be compared with them.",
    ),
    "check": (
        "check",
        "Check a run against the budgets in a file. The exit status is 0 if all budgets are met.",
    ),
    "predict": (
        "predict",
        "Predict times from stored runs. For each factor that you do not set, compare and rank its measured levels.",
    ),
    "trace": (
        "trace",
        "Record what cores and tasks do during a benchmark, show where the time goes, and write a Perfetto file.",
    ),
    "profile": (
        "profile",
        "Run a program on the simulated Pico and show where the cycles of each core go: by function, bank and lock.",
    ),
    "hunt": (
        "hunt",
        "Run a program on the simulated Pico and find faults of two cores: deadlocks, stack overflows and more.",
    ),
    "export": ("export", "Write every raw sample of a run to a file, one sample per row."),
    "shell": (
        "shell",
        "Open an interactive console on a target. `help` lists its commands; Ctrl-D (end of input) exits.",
    ),
    "meters": ("meters", "List the connected power meters and the supported kinds of meters."),
    "validate": (
        "validate",
        "Measure a board and its model with the same program, and rank the assumptions that explain the differences.",
    ),
    "import": ("import_", "Check a file that intercore validate has written elsewhere, and show what it says."),
    "doctor": (
        "doctor",
        "Check the tools for each target, look for anything that disturbs measurements, and suggest remedies.",
    ),
    "build": (
        "build",
        "Build the firmware for a board: ELF files, and a UF2 file or a complete flash image.",
    ),
    "flash": (
        "flash",
        "Build the firmware for a board and flash it via its boot drive, picotool, a debug probe or esptool.",
    ),
    "new": ("new", "Write a template, such as a workload, that builds and runs unchanged."),
    "library": ("library", "Write the ESP32 firmware as a library for another build tool: Arduino."),
}
"""The module and the help of each command. The help is repeated from the module, so that listing commands imports
none."""


_COMPLETE = "_INTERCORE_COMPLETE"
"""Environment variable by which a shell requests completions."""
_LEAST_SIMILARITY = 0.75
"""Least similarity to the name of a target or benchmark from which an unknown command counts as that name mistyped."""
FIRST_COMMANDS = ("intercore run host suite", "intercore run pico-sim suite", "intercore list", "intercore --help")
_INTRODUCTION = f"""\
Intercore measures how much faster a chip's second core makes a program. Start with one of:

    {FIRST_COMMANDS[0]:30} all benchmarks on this machine, some minutes
    {FIRST_COMMANDS[1]:30} the same on a simulated Raspberry Pi Pico
    {FIRST_COMMANDS[2]:30} all targets, boards included
    {FIRST_COMMANDS[3]:30} all commands
"""


class Deferred(TyperCommand):
    """A command whose module is imported only when it is called, because that takes half a second."""

    def __init__(self, name: str, module: str, text: str) -> None:
        """Represent the command in a module of this package."""
        super().__init__(name, help=text)
        self._module = module

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: Context | None = None,
        **extra: Any,  # noqa: ANN401 - whatever a context of typer's takes
    ) -> Context:
        """Parse the arguments by the command itself, or, during completion, perhaps by a stub that loads faster."""
        command = self._completing() if _COMPLETE in os.environ else self._itself()
        return command.make_context(info_name, args, parent, **extra)

    def _itself(self) -> Command:
        return loaded(self._module)

    def _completing(self) -> Command:
        from intercore.cli import completion  # noqa: PLC0415 - only completion needs it

        return completion.command(self.name or "", self._itself)


def loaded(module: str) -> Command:
    """Return the command in a module of this package."""
    return _with_plain_usage(get_command(import_module(f"intercore.cli.{module}").app))


def _with_plain_usage(command: Command) -> Command:
    """Return a command whose usage line shows required arguments without typer's braces, which would mean a choice."""
    for parameter in command.params:
        if isinstance(parameter, TyperArgument) and parameter.required and parameter.metavar is not None:
            pieces = [parameter.metavar]
            parameter.get_usage_pieces = partial(_copy_of, pieces)  # type: ignore[method-assign]
    if isinstance(command, TyperGroup):
        for inner in command.commands.values():
            _with_plain_usage(inner)
    return command


def _copy_of(pieces: list[str], _: Context) -> list[str]:
    return [*pieces]


class Commands(TyperGroup):
    """All commands."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever a group of typer's takes
        """Register each command without loading it."""
        super().__init__(**settings)
        for name, (module, text) in COMMANDS.items():
            self.add_command(Deferred(name, module, text))

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Find the command. Raises UsageError that suggests the closest one."""
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            raise UsageError(_suggestion(args[0]))
        return super().resolve_command(ctx, args)


def _suggestion(word: str) -> str:
    """Return the error for an unknown command, which may be the name of a benchmark or target."""
    from intercore.benchmarks.registry import names  # noqa: PLC0415 - only an unknown command needs it
    from intercore.record.plan import SUITE  # noqa: PLC0415
    from intercore.target.targets import TARGETS  # noqa: PLC0415

    benchmarks, targets = {SUITE, *names()}, {target.name for target in TARGETS}
    if word in benchmarks:
        return f"'{word}' is a benchmark; to measure it, name a target: intercore run host {word}"
    if word in targets:
        return f"'{word}' is a target; to measure on it: intercore run {word} {SUITE}"
    near = difflib.get_close_matches(word, sorted({*benchmarks, *targets}), n=1, cutoff=_LEAST_SIMILARITY)
    if near and not difflib.get_close_matches(word, COMMANDS, n=1):
        example = f"intercore run {near[0]} {SUITE}" if near[0] in targets else f"intercore run host {near[0]}"
        what = "target" if near[0] in targets else "benchmark"
        return f"there is no command '{word}'; if you mean the {what} '{near[0]}': {example}"
    return unknown("command", word, COMMANDS)


app = typer.Typer(
    cls=Commands,
    pretty_exceptions_enable=False,
    help="Measures how much faster a chip's second core makes a program: speed-up, overhead, break-even.",
    epilog=f"Start with: {FIRST_COMMANDS[0]}",
)


@app.callback(invoke_without_command=True)
def version_option(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    """Print the version if requested; without a command, print an introduction."""
    if version:
        typer.echo(f"intercore {intercore.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(_INTRODUCTION, nl=False)
        raise typer.Exit(UsageError.exit_status)


def main() -> None:
    """Run the command line. An error ends it with a message on standard error."""
    if os.environ.get(_COMPLETE, "").startswith("complete"):
        with contextlib.suppress(Exception):  # an error must not appear in the shell's prompt
            app(standalone_mode=False)
        return
    # Each thread of OpenBLAS would keep a processor busy for 0.1 s, for matrices that are small.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare()
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status)
    except typer.TyperException as error:
        _fail(error.format_message(), UsageError.exit_status)
    except IntercoreError as error:
        _fail(str(error), error.exit_status)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output, such as `head`, has exited. Without this, Python would print another error at exit.
        sys.stdout = None
        sys.exit(0)
    except OSError as error:
        sys.stdout = None
        what = f"use {error.filename}" if error.filename else "write the output"
        _fail(f"cannot {what}: {error.strerror or error}", IntercoreError.exit_status)


def _fail(sentence: str, status: int) -> NoReturn:
    if sentence:  # without arguments, the help has been printed instead
        say_error(sentence)
    sys.exit(status)
