"""The command line: each command reads what it needs, calls one module, and prints."""

from __future__ import annotations

import contextlib
import functools
import inspect
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, ParamSpec

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from typer.models import OptionInfo

import intercore
from intercore.benchmarks.message.prediction_report import print_prediction
from intercore.benchmarks.reports import reports
from intercore.benchmarks.speedup import analysis as speedup
from intercore.board.boards import BOARDS, Flashing
from intercore.board.boards import find as find_board
from intercore.board.build import board_image
from intercore.campaign import plan_file, stop_rule
from intercore.campaign.estimate import words as in_words
from intercore.campaign.levels import (
    SUITE,
    excluded,
    find_benchmark,
    left_out,
    parse_levels,
    refused,
    resolve,
    suite,
    target_levels,
)
from intercore.campaign.preview import duration, prepare
from intercore.campaign.progress import watch, watch_campaigns
from intercore.campaign.runner import carry_out, target_conditions
from intercore.campaign.sweep import DEFAULT_PATIENCE, Campaign
from intercore.campaign.sweep import carry_out as sweep_campaigns
from intercore.campaign.workers import Processes, cores
from intercore.comparison.report import print_comparison
from intercore.document.run import run_document
from intercore.errors import IntercoreError, UsageError
from intercore.link.port import DEFAULT_TIMEOUT
from intercore.link.shell import converse
from intercore.record import conditions
from intercore.record.factors import FACTORS, OPT, Factor
from intercore.record.factors import resolve as resolve_factors
from intercore.record.measurement import Part, Plan
from intercore.record.origin import LABELS, in_brackets, in_heading
from intercore.record.plan import check, settings
from intercore.record.store import Store
from intercore.target.targets import (
    DEFAULT_BAUD,
    ESP_PATIENCE,
    TARGETS,
    Address,
    Target,
    check_address,
    find,
    option_of,
)
from intercore.terminal.image import print_image
from intercore.view.table import Format, print_csv, print_json, print_rows, print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from intercore.board.boards import Board
    from intercore.campaign.plan_file import PlanFile
    from intercore.campaign.preview import Prepared
    from intercore.campaign.workers import Crew
    from intercore.link.session import Session
    from intercore.record.measurement import Level, Run
    from intercore.target.connection import Connection

P = ParamSpec("P")

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Measures what the second core of a chip really buys: speed-up, overhead, break-even.",
    epilog="Start with: intercore run host speedup",
)
library = typer.Typer(no_args_is_help=True, help="Write the program of a board as a library for another tool.")
app.add_typer(library, name="library")
_WIDTH = None if sys.stdout.isatty() else 100
"""Of tables that go to a file or a pipe, where rich would assume 80 columns."""
_out = Console(width=_WIDTH)
_err = Console(stderr=True)

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

_TARGET_HELP = (
    "host, pico-sim, pico-amp-sim, esp32-qemu, or with --port pico, pico-amp, stm32h745, esp32, esp32s3, serial."
)
TargetName = Annotated[str, typer.Argument(metavar="TARGET", help=_TARGET_HELP)]
RunId = Annotated[int | None, typer.Argument(metavar="[RUN]", help="Number of a stored run; the newest if left out.")]
StorePath = Annotated[Path, typer.Option("--store", envvar="INTERCORE_STORE", help="File that holds the runs.")]
Output = Annotated[Format, typer.Option("--format", help="How to print.")]
Efficiency = Annotated[float, typer.Option(help="Parallel efficiency that counts as break-even, above 0, below 1.")]
PortUrl = Annotated[
    str | None,
    typer.Option("--port", help="Device, pyserial URL or labgrid place: /dev/ttyACM0, COM3, labgrid://PLACE."),
]
Baud = Annotated[int, typer.Option(help="Bits per second of a serial port, at first.", min=1)]
MaxBaud = Annotated[
    int | None, typer.Option(help="Most bits per second to go to once both ends can; no limit if left out.", min=1)
]
Faults = Annotated[
    list[str] | None,
    typer.Option("--fault", help="Fault of a simulated target, e.g. uart-out:flip=1e-4 or reset@5e7; again for more."),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        help=f"Longest silence of a target, in seconds; {DEFAULT_TIMEOUT:.0f}, of an ESP32 {ESP_PATIENCE:.0f}.", min=0.1
    ),
]
ImagePath = Annotated[
    Path | None,
    typer.Option("--image", help="For esp32-qemu: an image of its whole flash that is there, instead of building one."),
]

BoardName = Annotated[str, typer.Argument(metavar="BOARD", help=f"{', '.join(BOARDS)}.")]


def _with_factors(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command, in place of its `**levels`, an option for each factor that some board is built with."""
    signature = inspect.signature(command, eval_str=True)
    own = [known for known in signature.parameters.values() if known.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [
        inspect.Parameter(
            factors[0].name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[str | None, _option(factors)],
        )
        for factors in FACTORS.values()
    ]
    command.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return command


def _option(factors: Sequence[Factor]) -> OptionInfo:
    """Return the option that chooses a level of a board's factor when its program is built; boards may differ in it."""
    title = f"{factors[0].title[0].upper()}{factors[0].title[1:]}"
    known = []
    for factor in factors:
        boards = [board.name for board in BOARDS.values() if factor in board.factors]
        whose = "" if len(boards) == len(BOARDS) else f" ({', '.join(boards)})"
        known.append(f"{factor.values}; {factor.default}{whose}")
    return OptionInfo(
        default=...,
        param_decls=[option_of(factors[0].name)],
        help=f"{title}: {', or '.join(known)}.",
        show_default=False,
    )


DEFAULT_STORE = Path("intercore.db")


@app.command(
    epilog="Examples: intercore run host suite; "
    "intercore run host speedup workload=fp n=1000,10000,100000 mode=create,pool",
)
def run(
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help=_TARGET_HELP)] = None,
    benchmark: Annotated[
        str | None, typer.Argument(metavar="BENCHMARK", help="suite for all; see intercore list TARGET.")
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE,…", help="Levels per factor, of benchmark or target; all combinations are run."
        ),
    ] = None,
    *,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest unfinished run.")] = False,
    report_path: Annotated[
        Path | None, typer.Option("--report", help="Also write an HTML page there; the suite always writes one.")
    ] = None,
    opt: Annotated[str | None, typer.Option(help="Optimisation levels to build with: O0,O3, as opt=O0,O3.")] = None,
    repetitions: Annotated[int | None, typer.Option(help="How often to measure each setting; 1.", min=1)] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT", help="Repeat until the 95 % interval of each median is within ±PERCENT of it: 1%."
        ),
    ] = None,
    cap: Annotated[
        int | None, typer.Option(help=f"Most repetitions of a setting with --until; {stop_rule.DEFAULT_CAP}.", min=1)
    ] = None,
    skip_impossible: Annotated[
        bool, typer.Option("--skip-impossible", help="Leave out what the target cannot measure instead of refusing it.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Of the order and of the dither; 1.", min=0, max=2**32 - 1)] = None,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    max_baud: MaxBaud = None,
    faults: Faults = None,
    image: ImagePath = None,
    timeout: Timeout = None,
    efficiency: Efficiency = speedup.DEFAULT_EFFICIENCY,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = Format.TABLE,
) -> None:
    """Measure a benchmark on a target, store every sample, and print the analysis."""
    _check_efficiency(efficiency)
    address = Address(port, baud, max_baud=max_baud, faults=tuple(faults or ()), program=image)
    if resume:
        fixed = {"target": target, "--opt": opt, "--repetitions": repetitions, "--seed": seed}
        fixed |= {"--until": until, "--cap": cap}
        _refuse_new_plan(name for name, value in fixed.items() if value is not None)
        with _existing(store_path) as store:
            finished = _carry_out(store, store.newest_unfinished(), address, timeout)
    elif target is None or benchmark is None:
        raise UsageError("which target and which benchmark? e.g. intercore run host speedup")
    else:
        plan = Plan(
            target,
            port,
            benchmark,
            (),
            repetitions or 1,
            1 if seed is None else seed,
            baud=baud,
            stop=stop_rule.parse_rule(until, cap, repetitions or 1),
            image=None if image is None else str(image.absolute()),
        )
        plan = _with_parts(plan, levels or [], opt, address, timeout, skip_impossible=skip_impossible)
        total = len(settings(plan))
        if output is not Format.TABLE and (sentence := left_out(plan)):
            _err.print(sentence, markup=False, highlight=False, soft_wrap=True)
        with Store(store_path) as store:
            finished = _carry_out(store, store.create_run(plan, total), address, timeout)
    if report_path is None and finished.plan.name == SUITE:
        report_path = Path(f"{finished.plan.target}-suite.html")
    if report_path is not None:
        _write_report([finished], report_path, efficiency)
    _print_run(finished, store_path, efficiency, output)


@app.command(
    epilog="Examples: intercore sweep plans/seed-000.toml --dry-run; intercore sweep plan.toml --report a.html"
)
def sweep(
    plan_path: Annotated[Path, typer.Argument(metavar="PLAN", help="Plan file (TOML); docs/sweep.md describes it.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the plan on its targets, say how long it takes, and store nothing.")
    ] = False,
    trials: Annotated[
        bool, typer.Option(" /--no-estimate", help="Do not try a few settings first to see how long they take.")
    ] = True,
    again: Annotated[bool, typer.Option("--again", help="Begin anew instead of going on with what is stored.")] = False,
    jobs: Annotated[
        int | None, typer.Option(help="Simulated chips at a time; one per core if left out.", min=1, max=1024)
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Simulated chips on the workers of a Dask scheduler: tcp://host:8786."),
    ] = None,
    report_path: Annotated[Path | None, typer.Option("--report", help="Also write an HTML page there.")] = None,
    patience: Annotated[
        float, typer.Option(help="Seconds to wait for a target that has gone before it is set aside.", min=0)
    ] = DEFAULT_PATIENCE,
    timeout: Timeout = None,
    efficiency: Efficiency = speedup.DEFAULT_EFFICIENCY,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = Format.TABLE,
) -> None:
    """Carry out a plan file on its targets, in random order; interrupted at any point, it goes on where it was."""
    _check_efficiency(efficiency)
    file = plan_file.read(plan_path)
    with contextlib.ExitStack() as stack:
        simulators = stack.enter_context(contextlib.closing(_simulators(file, jobs, cluster)))
        store = stack.enter_context(Store(store_path)) if store_path.exists() or not dry_run else None
        with _err.status(f"reading {plan_path}") as status:
            prepared = prepare(file, store, timeout, status.update, again=again, trials=trials)
        if store is None or dry_run:
            print_rows(f"Plan {plan_path}", [one.row() for one in prepared], output, _out)
            if output is Format.TABLE:
                _out.print(_estimate(prepared, simulators), markup=False, highlight=False, soft_wrap=True)
            return
        finished, complete = _sweep(store, file, prepared, simulators, timeout, patience)
    if report_path is not None and finished:
        _write_report(finished, report_path, efficiency)
    _print_runs(finished, store_path, efficiency, output)
    if not complete:
        raise typer.Exit(IntercoreError.exit_status)


@app.command("list", epilog="Examples: intercore list; intercore list host")
def list_(
    target: Annotated[str | None, typer.Argument(metavar="[TARGET]", help="Whose benchmarks to list.")] = None,
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    image: ImagePath = None,
    timeout: Timeout = None,
    output: Output = Format.TABLE,
) -> None:
    """List the targets, or the benchmarks of a target with their parameters."""
    if target is None:
        rows = [{"target": known.name, "what it is": known.summary} for known in TARGETS]
        print_rows("Targets", rows, output, _out)
        return
    chosen = find(target)
    with _session(chosen, Address(port, baud, program=image), timeout) as (session, _):
        benchmarks = session.benchmarks()
    factors = chosen.factors if chosen.built_here and image is None else ()
    if output is not Format.TABLE:
        names = ("name", "kind", "default", "min", "max", "choices", "help")
        rows_of_all = [
            {"benchmark": benchmark.name, **{name: getattr(parameter, name) for name in names}}
            for benchmark in benchmarks
            for parameter in benchmark.parameters
        ]
        print_rows("Parameters", rows_of_all + [_factor_row(factor) for factor in factors], output, _out)
        return
    for benchmark in benchmarks:
        if benchmark.refused:
            _out.print(f"{benchmark.name}: {benchmark.refused}", markup=False, highlight=False, soft_wrap=True)
            continue
        rows = [
            {
                "parameter": parameter.name,
                "values": "|".join(parameter.choices) or f"{parameter.min} to {parameter.max}",
                "default": parameter.default,
                "meaning": parameter.help,
            }
            for parameter in benchmark.parameters
        ]
        print_rows(f"{benchmark.name}: {benchmark.summary}", rows, output, _out)
    if factors:
        known = [
            {"factor": factor.name, "values": factor.values, "default": factor.default, "meaning": factor.title}
            for factor in factors
        ]
        print_rows(f"{target} itself: for all its benchmarks, given like their parameters", known, output, _out)


@app.command(epilog="Example: intercore info host --format json")
def info(
    target: TargetName,
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    image: ImagePath = None,
    timeout: Timeout = None,
    output: Output = Format.TABLE,
) -> None:
    """Show what a target is: chip, cores, clocks, compiler, scheduler; the conditions of what is measured there."""
    with _session(find(target), Address(port, baud, program=image), timeout) as (session, opened):
        known = target_conditions(session, opened, target)
    origin = find(target).origin
    if origin == "simulated":
        known["simulated"] = "yes: numbers from here are simulated, not measured"
    rows = [{"condition": key, "value": value} for key, value in sorted(known.items())]
    print_rows(in_heading(target, origin), rows, output, _out)


@app.command(epilog="Examples: intercore show; intercore show 3 --format json")
def show(
    run_id: RunId = None,
    *,
    efficiency: Efficiency = speedup.DEFAULT_EFFICIENCY,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = Format.TABLE,
) -> None:
    """Print the analysis of a stored run."""
    _check_efficiency(efficiency)
    _print_run(_stored(store_path, run_id), store_path, efficiency, output)


@app.command(epilog="Example: intercore runs")
def runs(*, store_path: StorePath = DEFAULT_STORE, output: Output = Format.TABLE) -> None:
    """List the stored runs."""
    with _existing(store_path) as store:
        summaries = store.runs()
    rows = [
        {
            "run": summary.id,
            "started": summary.started,
            "target": in_brackets(summary.plan.target, summary.plan.origin),
            "benchmark": summary.plan.name,
            "done": summary.done,
            "of": summary.total,
            "until": None if summary.plan.stop is None else stop_rule.asked(summary.plan.stop),
        }
        for summary in summaries
    ]
    print_rows(f"Runs in {store_path}", rows, output, _out)


@app.command(epilog="Examples: intercore report 3 -o speedup.html; intercore report 1 host")
def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]…", help="Numbers of stored runs, or targets for their newest of each benchmark."),
    ] = None,
    *,
    page: Annotated[Path, typer.Option("-o", "--output", help="Where to write the page.")] = Path("intercore.html"),
    efficiency: Efficiency = speedup.DEFAULT_EFFICIENCY,
    store_path: StorePath = DEFAULT_STORE,
) -> None:
    """Write one self-contained HTML page with the plots of a run, or of several side by side."""
    _check_efficiency(efficiency)
    with _existing(store_path) as store:
        numbers = dict.fromkeys(number for name in names or () for number in _run_ids(store, name))
        found = [store.run(number) for number in numbers] if names else [store.run()]
    _write_report(found, page, efficiency)


@app.command(epilog="Example: intercore compare pico-sim pico-amp-sim")
def compare(
    names: Annotated[
        list[str], typer.Argument(metavar="RUN…", help="Two targets, for their newest runs, or numbers of stored runs.")
    ],
    *,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = Format.TABLE,
) -> None:
    """Compare two targets: the same settings side by side, their ratio, and by what else the two differ."""
    from intercore.comparison.analysis import compare as compare_runs  # noqa: PLC0415 - for this command alone

    with _existing(store_path) as store:
        found = [store.run(number) for number in dict.fromkeys(n for name in names for n in _run_ids(store, name))]
    print_comparison(compare_runs(found), output, _out)


@app.command(epilog="Example: intercore predict pico-sim message size=300 transport=ring from=0 to=1")
def predict(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="What was measured: see intercore runs.")],
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="message.")],
    setting: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE…", help="The size, and each factor of several levels.")
    ] = None,
    *,
    extrapolate: Annotated[
        bool, typer.Option("--extrapolate", help="Also predict what is outside of all that was measured.")
    ] = False,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = Format.TABLE,
) -> None:
    """Predict what a message takes from stored runs, with intervals, and say what that rests on."""
    from intercore.benchmarks.message.prediction import predict as predict_message  # noqa: PLC0415 - for this command alone

    with _existing(store_path) as store:
        found = predict_message(store, find(target).name, benchmark, setting or [], extrapolate=extrapolate)
    print_prediction(found, output, _out)


@app.command(epilog="Example: intercore export 3 --to samples.parquet")
def export(
    run_id: Annotated[int, typer.Argument(metavar="RUN", help="Number of a stored run; see intercore runs.")],
    *,
    to: Annotated[Path, typer.Option(help="File to write; its suffix, .parquet or .csv, is the format.")],
    store_path: StorePath = DEFAULT_STORE,
) -> None:
    """Write every raw sample of a run to a file, one row each."""
    from intercore.record.export import export as export_samples  # noqa: PLC0415 - polars takes half a second to load

    export_samples(_stored(store_path, run_id), to)
    _err.print(f"wrote {to}", markup=False, soft_wrap=True)


@app.command(epilog="Example: intercore shell host, then type: run speedup workload=fp n=1000")
def shell(
    target: TargetName,
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    image: ImagePath = None,
    timeout: Timeout = None,
) -> None:
    """Open an interactive console on a target; `help` lists its commands, the end of input (Ctrl-D) leaves it."""
    chosen = find(target)
    if sys.stdin is None:
        raise UsageError("standard input is closed: type lines, or pipe them, as in echo info | intercore shell host")
    with contextlib.closing(_open(chosen, Address(port, baud, program=image))) as opened:
        if chosen.emulated:
            _err.print(LABELS[chosen.origin], markup=False, highlight=False, soft_wrap=True)
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as typed:
            converse(opened.port, typed, sys.stdout, _patience(chosen, timeout))


@app.command(epilog="Example: intercore build pico --opt O3 -o firmware")
@_with_factors
def build(
    board: BoardName,
    *,
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write the files to.")] = Path(),
    output: Output = Format.TABLE,
    **levels: str | None,
) -> None:
    """Build the program of a board from the firmware's sources: ELF files, and a UF2 file or one of the whole flash."""
    from intercore.board.image_files import write_image  # noqa: PLC0415 - for this command alone

    chosen = find_board(board)
    wanted = _build(chosen, levels)
    with _err.status(f"building for {board}") as status:
        files = write_image(board_image(chosen, wanted, status.update), folder)
    print_image(files, output, _out)


@app.command(
    epilog="Examples: intercore flash pico --opt O3; intercore flash stm32h745 --m7-mhz 240; "
    "intercore flash esp32 --port /dev/ttyUSB0",
)
@_with_factors
def flash(
    board: BoardName,
    *,
    drive: Annotated[Path | None, typer.Option(help="Folder of a Pico's boot drive, if it is not found.")] = None,
    probe: Annotated[str | None, typer.Option(help="Serial number of the debug probe, if there are several.")] = None,
    tool: Annotated[
        str | None,
        typer.Option(
            "--with", help="What drives the probe: openocd, stm32cubeprogrammer or pyocd; the first there is."
        ),
    ] = None,
    port: Annotated[str | None, typer.Option(help="Serial port of an ESP32: /dev/ttyUSB0, COM3.")] = None,
    image: Annotated[
        Path | None,
        typer.Option(help="For an ESP32: a file with its whole flash, from intercore build, instead of building one."),
    ] = None,
    **levels: str | None,
) -> None:
    """Build the program of a board and put it there: on its boot drive, by picotool, a debug probe or esptool."""
    from intercore.board.flash import flash as put  # noqa: PLC0415 - for this command alone

    chosen = find_board(board)
    say = functools.partial(_err.print, markup=False, highlight=False, soft_wrap=True)
    wanted = _build(chosen, levels)
    if image is not None and wanted:
        raise UsageError(f"the image was built already: leave out {option_of(next(iter(wanted)))}, or --image")
    way = Flashing(drive, probe, tool, port, image)
    say(f"{put(chosen, wanted, way, say)}; it starts at once")


@library.command(epilog="Examples: intercore library arduino; intercore library arduino --output Intercore")
def arduino(
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder to write, or file with the ending .zip.")
    ] = Path("Intercore.zip"),
) -> None:
    """Write the program of the ESP32 as an Arduino library, made of the firmware's sources."""
    from intercore.board.arduino_library import write_arduino_library  # noqa: PLC0415 - for this command alone

    written = write_arduino_library(output)
    how = (
        "add it by Sketch > Include Library > Add .ZIP Library"
        if output.suffix == ".zip"
        else "put it into the folder libraries of the sketchbook"
    )
    _out.print(f"{written}: {how}, then open File > Examples > Intercore > Benchmark", markup=False, soft_wrap=True)


@app.callback(invoke_without_command=True)
def version_option(
    *, version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False
) -> None:
    """Print the version if asked for it."""
    if version:
        _out.print(f"intercore {intercore.__version__}", highlight=False)
        raise typer.Exit


# What the commands share


def _check_efficiency(efficiency: float) -> None:
    if not 0 < efficiency < 1:
        raise UsageError(f"--efficiency={efficiency} is out of range: above 0 and below 1, e.g. 0.9")


def _open(target: Target, address: Address) -> Connection:
    check_address(target, address)
    with _err.status(f"opening {target.name}") as status:
        return target.open(address, status.update)


def _patience(target: Target, timeout: float | None) -> float:
    return target.patience if timeout is None else timeout


@contextlib.contextmanager
def _session(target: Target, address: Address, timeout: float | None) -> Iterator[tuple[Session, Connection]]:
    with (
        contextlib.closing(_open(target, address)) as opened,
        opened.session(_patience(target, timeout)) as session,
    ):
        yield session, opened


@contextlib.contextmanager
def _existing(path: Path) -> Iterator[Store]:
    """Open a store for reading: one that is not there is an error, not a new one."""
    if not path.exists():
        raise UsageError(
            f"there is no store {path}; measure something first (intercore run host speedup) or use --store"
        )
    with Store(path) as store:
        yield store


def _factor_row(factor: Factor) -> dict[str, object]:
    """Return a factor of a target as `list` shows the parameters of a benchmark; `benchmark` is None: it is for all."""
    numbers = isinstance(factor.default, int)
    return {
        "benchmark": None,
        "name": factor.name,
        "kind": "integer" if numbers else "choice",
        "default": factor.default,
        "min": factor.levels[0] if numbers else None,
        "max": factor.levels[-1] if numbers else None,
        "choices": [] if factor.is_range else list(factor.levels),
        "help": factor.title,
    }


def _build(board: Board, given: Mapping[str, str | None]) -> dict[str, Level]:
    """Return what a board's program is to be built with. Raises UsageError for what it cannot be."""
    known = [factor.name for factor in board.factors]
    wanted = {name: [text] for name, text in given.items() if text is not None}
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"{board.name} has no {option_of(name)}; it has: {', '.join(option_of(other) for other in known)}"
            )
    return {name: levels[0] for name, levels in resolve_factors(board.factors, wanted).items()}


def _stored(path: Path, run_id: int | None) -> Run:
    with _existing(path) as store:
        return store.run(run_id)


def _refuse_new_plan(given: Iterable[str]) -> None:
    for name in given:
        raise UsageError(f"--resume goes on with a stored plan: leave out {name}, or start a new run without --resume")


def _with_parts(
    plan: Plan, words: list[str], opt: str | None, address: Address, timeout: float | None, *, skip_impossible: bool
) -> Plan:
    """Return the plan with its parts, after checking what the user asked for against what the target has."""
    target = find(plan.target)
    check_address(target, address)
    wanted = parse_levels(words)
    if opt is not None and wanted.setdefault(OPT.name, opt.split(",")) != opt.split(","):
        raise UsageError("opt is given twice, as a word and as an option: leave one out")
    built = target_levels(target, wanted, is_built=address.program is not None)
    wanted = {name: texts for name, texts in wanted.items() if name not in FACTORS}
    if plan.name == SUITE and wanted:
        name = next(iter(wanted))
        raise UsageError(f"the suite has levels of its own: leave out {name}, or name one benchmark instead of suite")
    first = {name: levels[0] for name, levels in built.items()}
    with _session(target, msgspec.structs.replace(address, build=first, faults=()), timeout) as (session, _):
        known = session.benchmarks()
        if plan.name == SUITE:
            parts = suite(known, plan.seed, target.origin)
        else:
            parts = [Part(plan.name, resolve(find_benchmark(known, plan.name), wanted, plan.seed))]
        parts = [Part(part.benchmark, {**part.levels, **built}) for part in parts]
        plan = msgspec.structs.replace(plan, parts=tuple(parts), simulated=target.simulated, emulated=target.emulated)
        check(plan)
        asked = None if plan.name == SUITE else () if skip_impossible else wanted
        impossible = [
            one for part in parts for one in excluded(session, find_benchmark(known, part.benchmark), part, asked)
        ]
    whole = refused(known) if plan.name == SUITE else []
    return msgspec.structs.replace(plan, excluded=(*whole, *impossible))


def _carry_out(store: Store, run_id: int, address: Address, timeout: float | None) -> Run:
    """Measure what a run lacks and return it whole. If that ends early, say how to go on.

    Port and rate are those that the run was created with unless `address` names another port.
    """
    plan = store.run(run_id).plan
    target = find(plan.target)
    if address.port is None:
        address = msgspec.structs.replace(address, port=plan.url, baud=plan.baud)
    if address.program is None and plan.image is not None:
        address = msgspec.structs.replace(address, program=Path(plan.image))
    check_address(target, address)

    def connect(build: Mapping[str, Level]) -> Connection:
        built = msgspec.structs.replace(address, build=build)
        check_address(target, built)  # the store may be from anyone
        return target.open(built, lambda what: _err.print(what, markup=False))

    try:
        with watch(_err) as observer:
            carry_out(store, run_id, connect, observer, _patience(target, timeout), address.max_baud)
    except (IntercoreError, KeyboardInterrupt) as error:
        _err.print(_how_to_go_on(store, run_id), markup=False, highlight=False, soft_wrap=True)
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        raise
    return store.run(run_id)


def _simulators(file: PlanFile, jobs: int | None, cluster: str | None) -> Crew:
    """Return who is to run the simulated chips of a plan file."""
    if cluster is None:
        return Processes(jobs or cores())
    if jobs is not None:
        raise UsageError("--jobs is for this machine: how many simulated chips a cluster runs is up to its workers")
    for place in file.places:
        if not find(place.name).simulated:
            raise file.refuse(place.path, f"with --cluster, all targets are simulated, and {place} is not")
    from intercore.campaign.cluster import Cluster  # noqa: PLC0415 - Dask takes a second to load

    return Cluster(cluster, lambda what: _err.print(what, markup=False))


def _sweep(
    store: Store,
    file: PlanFile,
    prepared: Sequence[Prepared],
    simulators: Crew,
    timeout: float | None,
    patience: float,
) -> tuple[list[Run], bool]:
    """Measure what is missing; return the runs, and whether nothing is that was to be measured.

    If that ends early, say how to go on.
    """
    say = functools.partial(_err.print, markup=False, highlight=False, soft_wrap=True)
    campaigns = []
    for one in prepared:
        if one.plan is None:
            say(f"{one.place} is set aside: {one.trouble}")
            continue
        if one.changed is not None:
            left = f"{one.changed.done} of {one.changed.total} measurements"
            say(f"{one.place}: {file.name} has changed since run {one.changed.id} ({left}), which stays as it is")
        number = store.create_run(one.plan, len(one.missing)) if one.run is None else one.run.id
        campaigns.append(Campaign(store.run(number), str(one.place), one.place.max_baud, one.place.flashing))
    if not campaigns:
        raise IntercoreError(f"no target of {file.name} can be measured; see above")
    if any(one.missing for one in prepared):
        say(_estimate(prepared, simulators))
    go_on = f"go on with: intercore sweep {shlex.quote(file.name)}{_store_option(store.path)}"
    try:
        with watch_campaigns(_err) as watcher:
            in_time = sweep_campaigns(
                store, campaigns, simulators, watcher, timeout=timeout, budget=file.budget, patience=patience
            )
    except (IntercoreError, KeyboardInterrupt) as error:
        done = ", ".join(f"{one.done} of {one.total} on {one.name}" for one in campaigns)
        say(f"the campaign was interrupted: {done} are in {store.path}; {go_on}")
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        raise
    for campaign in campaigns:
        if campaign.failures or campaign.set_aside is not None:
            lacking = f"{campaign.total - campaign.done} of {campaign.total} measurements are missing"
            say(f"{campaign.name}: {lacking}; {go_on}")
    if not in_time:
        say(f"the budget is used up; {go_on}")
    missing = any(one.plan is None for one in prepared) or any(
        campaign.failures or campaign.set_aside is not None for campaign in campaigns
    )
    return [store.run(one.id) for one in campaigns], not missing


def _estimate(prepared: Sequence[Prepared], simulators: Crew) -> str:
    """Say how much there is to do, and how long that will take."""
    whole = sum(len(one.missing) for one in prepared)
    if not whole:
        return "nothing is missing; --again measures anew"
    simulated = any(one.plan is not None and one.plan.simulated and one.missing for one in prepared)
    where = f" on {simulators}" if simulated else ""
    known = "; ".join(f"{one.place}: {one.pace.how}" for one in prepared if one.pace is not None and one.missing)
    rule = any(one.plan is not None and one.plan.stop is not None for one in prepared)
    least = "at least " if rule else "about "
    long = f", {least}{in_words(duration(prepared, simulators.size))}{where} (from {known})" if known else ""
    return f"{whole} measurements to take{long}"


def _how_to_go_on(store: Store, run_id: int) -> str:
    try:
        run = store.run(run_id)
    except IntercoreError:
        return f"run {run_id} was interrupted"
    done = f"run {run_id} was interrupted: {len(run.measurements)} of {run.total} measurements are in {store.path}"
    return f"{done}; go on with: {_resume_command(store.path)}"


def _resume_command(path: Path, file: str | None = None) -> str:
    command = "run --resume" if file is None else f"sweep {shlex.quote(file)}"
    return f"intercore {command}{_store_option(path)}"


def _store_option(path: Path) -> str:
    return "" if path.absolute() == DEFAULT_STORE.absolute() else f" --store {shlex.quote(str(path))}"


def _run_ids(store: Store, name: str) -> list[int]:
    """Return the number of the run that is named by it, or the newest of each benchmark on the target named.

    A run is left out if newer ones measured all that it did.
    """
    if name.isascii() and name.isdecimal():
        return [int(name)]
    target = find(name).name
    seen: set[str] = set()
    newest = []
    for summary in reversed(store.runs()):
        if summary.plan.target == target and not seen.issuperset(summary.plan.benchmarks):
            seen.update(summary.plan.benchmarks)
            newest.append(summary.id)
    if not newest:
        raise UsageError(f"{store.path} holds no run of the target {target}; measure: intercore run {target} suite")
    return newest[::-1]


def _write_report(runs: Sequence[Run], path: Path, efficiency: float) -> None:
    from intercore.page.page import write_page  # noqa: PLC0415 - plotly takes a second to load

    write_page(runs, path, efficiency)
    _err.print(f"wrote {path.absolute()}", markup=False, soft_wrap=True)


def _print_run(run: Run, store_path: Path, efficiency: float, output: Format) -> None:
    if output is Format.JSON:
        print_json(run_document(run, efficiency))
        return
    found = reports(run, efficiency)
    if output is Format.CSV:
        print_csv([{**row, **_origin(run)} for report in found for row in report.rows])
        return
    for report in found:
        for table in report.section.tables:
            print_table(table, _out)
        for sentence in report.section.sentences:
            _out.print(escape(sentence), highlight=False)
    doubts = [sentence for report in found for sentence in report.warnings]
    if sentence := left_out(run.plan):
        _out.print(escape(sentence), highlight=False)
    for sentence in [*conditions.warnings(run), *stop_rule.warnings(run), *doubts]:
        _out.print(f"[yellow]Warning:[/] {escape(sentence)}")
    if not run.complete:
        so_far = f"{len(run.measurements)} of {run.total} measurements so far"
        _out.print(f"{so_far}; go on with: {_resume_command(store_path, run.plan.file)}", markup=False, soft_wrap=True)


def _print_runs(runs: Sequence[Run], store_path: Path, efficiency: float, output: Format) -> None:
    """Print several runs one after the other: as JSON, a list of their documents."""
    if output is Format.JSON:
        print_json([run_document(run, efficiency) for run in runs])
    elif output is Format.CSV:
        print_csv(
            [{**row, **_origin(run)} for run in runs for report in reports(run, efficiency) for row in report.rows]
        )
    else:
        for run in runs:
            _print_run(run, store_path, efficiency, output)


def _origin(run: Run) -> dict[str, object]:
    return {"target": run.plan.target, "simulated": run.plan.simulated, "emulated": run.plan.emulated}


def main() -> None:
    """Run the command line; errors are one sentence on standard error."""
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status)
    except typer.TyperException as error:
        if not error.format_message():  # no command at all: the help has been shown
            sys.exit(UsageError.exit_status)
        _fail(error.format_message(), UsageError.exit_status)
    except IntercoreError as error:
        _fail(str(error), error.exit_status)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has left. Python would complain once more while it exits.
        sys.stdout = None
        sys.exit(0)
    except OSError as error:
        sys.stdout = None
        what = f"use {error.filename}" if error.filename else "write the output"
        _fail(f"cannot {what}: {error.strerror or error}", IntercoreError.exit_status)


def _fail(sentence: str, status: int) -> NoReturn:
    _err.print(f"[red]error:[/] {escape(sentence)}", soft_wrap=True)
    sys.exit(status)
