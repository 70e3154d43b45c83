"""The command `run`: measures a benchmark on a target, and prints the analysis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from intercore.benchmarks.options import Options
from intercore.board.factors import OPT
from intercore.campaign.levels import repetitions_of
from intercore.campaign.plan_file import Experiment
from intercore.campaign.planning import draft_plan, in_runs, plan_without_parts
from intercore.campaign.until import DEFAULT_CAP, parse_rule
from intercore.cli.explained import check_explainable, explain_worst
from intercore.cli.measuring import kept_target, measure_runs
from intercore.cli.meter_options import CurrentsPath, MeasuredPath, MeterUrl, open_metering, with_meter
from intercore.cli.number_options import seconds_option, whole_option
from intercore.cli.options import (
    DEFAULT_STORE,
    MOST_BAUD,
    TARGET_HELP,
    Baud,
    FirmwarePath,
    Force,
    ImagePath,
    KernelPath,
    Output,
    OwnFlags,
    OwnFolders,
    OwnSources,
    PortUrl,
    StorePath,
    Timeout,
)
from intercore.cli.outcome import check_energy, check_page, check_sound, findings, write_report
from intercore.cli.planned import complete_plan_on, resolve_user_workload, sources_of
from intercore.cli.report_options import with_report_options
from intercore.cli.stored import open_to_add, run_to_resume
from intercore.errors import UsageError
from intercore.record.level_words import parse_levels
from intercore.record.plan import ENOUGH_REPETITIONS, EVERY, MAX_RUNS, MAX_SETTINGS, SUITE, left_out, settings
from intercore.record.store import Store
from intercore.target.targets import DEFAULT_BAUD, Address, find
from intercore.terminal.console import say
from intercore.terminal.formats import DEFAULT, formats, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.campaign.kept_target import KeptTarget
    from intercore.campaign.metering import Metering
    from intercore.record.measurement import Plan, Run


app = typer.Typer(add_completion=False)

MaxBaud = Annotated[
    int | None,
    whole_option(
        "--max-baud",
        1,
        MOST_BAUD,
        "Highest bit rate that the tool may set on the serial port, e.g. 921600. Default: no limit.",
    ),
]
Faults = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        help="Inject a fault into a simulated target, e.g. uart-out:flip=1e-4 (bit errors) or reset@5e7 (at cycle "
        "5e7); intercore-sim --help lists them. May be repeated.",
    ),
]


@app.command(
    epilog="Examples: intercore run host suite; "
    "intercore run host speedup workload=fp n=1000,10000,100000 mode=create,pool; "
    "intercore run host switch --runs 5; "
    "intercore run pico-sim speedup workload=./fft.c",
)
@with_report_options
def run(
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help=TARGET_HELP)] = None,
    benchmark: Annotated[
        str | None,
        typer.Argument(
            metavar="BENCHMARK",
            help="Benchmark, e.g. speedup, or suite for all of them. intercore list TARGET lists them. TARGET and "
            "BENCHMARK may be omitted only with --resume.",
        ),
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE,…",
            help="Factors (parameters) and their levels (values), e.g. n=1000,10000 opt=O0,O3; to list those of a "
            "benchmark: intercore list TARGET BENCHMARK. All combinations are measured.",
        ),
    ] = None,
    *,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue the newest unfinished run. To continue a sweep, repeat the sweep command."
        ),
    ] = False,
    report_path: Annotated[
        Path | None,
        typer.Option("--report", help="Also write an HTML page, e.g. page.html. The suite always writes one."),
    ] = None,
    force: Force = False,
    opt: Annotated[
        str | None,
        typer.Option(help="Optimisation levels to measure, e.g. O0,O3. Shorthand for the factor opt=O0,O3."),
    ] = None,
    repetitions: Annotated[
        int | None,
        whole_option(
            "--repetitions",
            1,
            MAX_SETTINGS,
            f"Repetitions of each setting (combination of levels), e.g. 10. Default: {ENOUGH_REPETITIONS}, or 1 on a "
            "simulated target.",
        ),
    ] = None,
    runs: Annotated[
        int | None,
        whole_option(
            "--runs",
            1,
            MAX_RUNS,
            "Measure everything in so many runs, each with its repetitions, e.g. 5. Intervals and comparisons then "
            "include what differs between runs. Default: 1.",
        ),
    ] = None,
    every: Annotated[
        float | None,
        seconds_option(
            "--every",
            0,
            f"With --runs: seconds from the start of a run to that of the next, e.g. 60. Default: {EVERY:g}.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT",
            help="Repeat until the 95 % confidence interval of each median is within ±PERCENT of it, e.g. 1%.",
        ),
    ] = None,
    cap: Annotated[
        int | None,
        whole_option(
            "--cap",
            1,
            MAX_SETTINGS,
            f"With --until: maximum repetitions of a setting, e.g. 100. Default: {DEFAULT_CAP}.",
        ),
    ] = None,
    skip_impossible: Annotated[
        bool,
        typer.Option(
            "--skip-impossible",
            help="Skip settings that the target cannot measure. Without this option, such a setting is an error.",
        ),
    ] = False,
    seed: Annotated[
        int | None,
        whole_option(
            "--seed",
            0,
            2**32 - 1,
            "Seed for the random order of the settings and the random delays, e.g. 7. Default: 1.",
        ),
    ] = None,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    max_baud: MaxBaud = None,
    faults: Faults = None,
    image: ImagePath = None,
    kernel: KernelPath = None,
    firmware: FirmwarePath = None,
    further_files: OwnSources = None,
    folders: OwnFolders = None,
    flags: OwnFlags = None,
    emulated: Annotated[
        bool,
        typer.Option(
            "--emulated", help="Declare that the target at this port is an emulator: its timing is meaningless."
        ),
    ] = False,
    explains: Annotated[
        bool,
        typer.Option(
            "--explain-worst",
            help="Benchmarks `irq` and `jitter` on a simulated Pico: repeat the measurement with the longest sample, "
            "and say what its time went to.",
        ),
    ] = False,
    meter: MeterUrl = None,
    measured_path: MeasuredPath = None,
    currents: CurrentsPath = None,
    timeout: Timeout = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Print all tables and one line per measurement.")
    ] = False,
    options: Options,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Measure a benchmark on a target, store every sample, and print the results."""
    check_page(report_path, force=force)
    wanted, own = resolve_user_workload(parse_levels(levels or []), further_files or [], folders or [], flags or [])
    if opt is not None and wanted.setdefault(OPT.name, opt.split(",")) != opt.split(","):
        raise UsageError("opt is given twice, as opt= and as --opt: omit one of them")
    sources = sources_of(kernel=kernel, firmware=firmware, own=own)
    address = Address(
        port,
        baud,
        max_baud=max_baud,
        faults=tuple(faults or ()),
        image=None if image is None else image.absolute(),
        emulated=emulated,
        sources=sources,
    )
    if resume:
        given: dict[str, object] = {
            "target": target,
            "--opt": opt,
            "--repetitions": repetitions,
            "--runs": runs,
            "--every": every,
            "--seed": seed,
            "--until": until,
            "--cap": cap,
            "--emulated": emulated or None,
            "--kernel": kernel,
            "--firmware": firmware,
            "--source": own,
        }
        _refuse_new_plan(name for name, value in given.items() if value is not None)
        with open_to_add(store_path) as store:
            run_id = run_to_resume(store)
            store.lock(run_id)
            plan = with_meter(store.run(run_id).plan, meter, measured_path, currents, resumed=True)
            of_run = kept_target(plan, address, timeout)
            with open_metering(plan) as metering, of_run as kept:
                finished = _measured(store, run_id, kept, metering, verbose=verbose, explains=explains)
    elif target is None or benchmark is None:
        if target is not None:
            raise UsageError(f"name a benchmark, e.g. intercore run {find(target).name} speedup")
        raise UsageError("name a target and a benchmark, e.g. intercore run host speedup")
    else:
        known = find(target)
        if benchmark == SUITE and report_path is None:
            check_page(_suite_page(target), force=force)
        plan = plan_without_parts(known, address, benchmark, repetitions or 1, 1 if seed is None else seed)
        plan = with_meter(plan, meter, measured_path, currents)
        if repetitions is None:
            repetitions = min(repetitions_of(plan.origin), cap or ENOUGH_REPETITIONS)
        plan = msgspec.structs.replace(plan, repetitions=repetitions, stop=parse_rule(until, cap, repetitions))
        plan = _in_runs(plan, runs, every)
        if explains:
            check_explainable(known, benchmark)
        draft = draft_plan(plan, [Experiment(benchmark, wanted, skip_impossible=skip_impossible, fill=True)])
        of_run = kept_target(plan, address, timeout)
        without_faults = kept_target(plan, msgspec.structs.replace(address, faults=()), timeout)
        with (
            open_metering(plan) as metering,  # before the target: the meter may supply its power
            of_run as kept,
            without_faults as faultless,
        ):
            plan = complete_plan_on(faultless if faults else kept, draft)
            if not formats()[output].has_sentences and (sentence := left_out(plan)):
                say(sentence)
            with Store(store_path) as store:
                run_id = store.create_run(plan, len(settings(plan)))
                finished = _measured(store, run_id, kept, metering, verbose=verbose, explains=explains)
    if report_path is None and finished.plan.name == SUITE:
        report_path = _suite_page(finished.plan.target)
    show(findings(finished, store_path, options, brief=not verbose), output)
    if report_path is not None:
        write_report([finished], report_path, options, force=force)
    check_sound([finished])
    check_energy([finished], store_path)


def _measured(
    store: Store, run_id: int, kept: KeptTarget, metering: Metering | None, *, verbose: bool, explains: bool
) -> Run:
    """Complete a run, and explain its longest samples if that is asked for."""
    if explains:
        plan = store.run(run_id).plan
        check_explainable(find(plan.target), plan.name)
    (finished,) = measure_runs(store, {run_id: kept}, metering, verbose=verbose)
    return explain_worst(store, finished, kept) if explains else finished


def _in_runs(plan: Plan, runs: int | None, every: float | None) -> Plan:
    """Return a plan with the runs of the command line. UsageError if these do not fit the plan."""
    if every is not None and runs in (None, 1):
        raise UsageError("--every is the time between runs: add --runs 5, or omit --every")
    if runs in (None, 1):
        return plan
    if plan.origin != "measured":
        raise UsageError(
            f"--runs shows what differs between two runs of a real target, and {plan.target} is {plan.origin}: use "
            "--repetitions"
        )
    if plan.stop is not None:
        raise UsageError("--runs and --until exclude each other: omit one of them")
    return in_runs(plan, runs, EVERY if every is None else every)


def _suite_page(target: str) -> Path:
    return Path(f"{target}-suite.html")


def _refuse_new_plan(given: Iterable[str]) -> None:
    for name in given:
        raise UsageError(
            f"--resume continues a stored run with its own plan: omit {name}, or omit --resume to start a new run"
        )
