"""The command `trace`: measures one setting with the firmware's recorder off and then on."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.benchmarks.suite import traced as traced_levels
from intercore.campaign.plan_file import Experiment
from intercore.campaign.planning import draft_plan, plan_without_parts
from intercore.campaign.recorder import Recorder
from intercore.campaign.this_thread import carry_out
from intercore.cli.measuring import kept_target
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
    alternatives,
)
from intercore.cli.outcome import check_page
from intercore.cli.planned import complete_plan_on, resolve_user_workload, sources_of
from intercore.errors import IntercoreError, UsageError
from intercore.files.replacement import PERFETTO, check_replaceable, replacement
from intercore.link.exchange import UnknownCommandError
from intercore.page.trace_page import write_trace_page
from intercore.record.factors import TRACE_NAME
from intercore.record.level_words import parse_levels
from intercore.record.measurement import SPOILING_CHECKS
from intercore.record.origin import in_heading
from intercore.record.store import Store
from intercore.target.targets import DEFAULT_BAUD, TARGETS, Address, find
from intercore.terminal.console import messages
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.progress import watch
from intercore.trace.history import History
from intercore.trace.path import path_of
from intercore.trace.perfetto import perfetto
from intercore.trace.report import analysed, rows, section
from intercore.trace.shares import traced
from intercore.trace.timeline import timeline, typical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.campaign.planning import Draft
    from intercore.record.measurement import Measurement
    from intercore.target.targets import Target

app = typer.Typer(add_completion=False)


@app.command(
    epilog="A board needs a program with the recorder: intercore flash pico --trace 1024. "
    "Examples: intercore trace pico-sim switch primitive=queue; "
    "intercore trace pico-sim speedup workload=./fft.c; "
    "intercore trace pico jitter samples=20 --port /dev/ttyACM0"
)
def trace(
    target: Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)],
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="Benchmark, e.g. switch. intercore list TARGET lists them.")
    ],
    levels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE…",
            help="One value for each factor, e.g. primitive=queue. Factors that you omit have their default values.",
        ),
    ] = None,
    *,
    path: Annotated[
        Path | None,
        typer.Option(
            "--perfetto",
            help="Perfetto file to write, e.g. switch.perfetto-trace. Default: TARGET-BENCHMARK.perfetto-trace.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Also write an HTML page with a timeline of one repetition, e.g. switch.html."),
    ] = None,
    kernel: KernelPath = None,
    force: Force = False,
    further_files: OwnSources = None,
    folders: OwnFolders = None,
    flags: OwnFlags = None,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    timeout: Timeout = None,
    output: Output = DEFAULT,
) -> None:
    """Record what cores and tasks do during a benchmark, show where the time goes, and write a Perfetto file."""
    known = find(target)
    path = Path(f"{target}-{benchmark}.perfetto-trace") if path is None else path
    check_replaceable(path, PERFETTO, force=force)
    check_page(page, force=force)
    wanted, own = resolve_user_workload(parse_levels(levels or []), further_files or [], folders or [], flags or [])
    for name, texts in wanted.items():
        if len(texts) != 1:
            raise UsageError(
                f"trace can only measure one setting: give one level of {name} instead of {','.join(texts)}"
            )
    address = Address(port, baud, sources=sources_of(kernel=kernel, firmware=None, own=own))
    experiment = Experiment(benchmark, {**traced_levels(benchmark), **_with_rings(known, wanted)})
    draft = draft_plan(plan_without_parts(known, address, benchmark, repetitions=1), [experiment])
    plain, recorder = _measured(draft, address, timeout)
    recorded, bits = recorder.recorded, plain.conditions.get("clock.counter_bits", "0")
    history = History(recorder.recording)
    without = {one.name: one for one in plain.series}
    series = traced(history, recorded.series, without, int(bits) if bits.isdecimal() else 0)
    ways = {window: path_of(history, window) for one in series for window in one.windows}
    with replacement(path, PERFETTO, force=force) as file:
        file.write(perfetto(history, ways, f"{benchmark} on {in_heading(target, known.origin)}"))
    counts = {name: plain.checks.get(name, 0) + recorded.checks.get(name, 0) for name in SPOILING_CHECKS}
    if failed := ", ".join(f"{name}: {count}" for name, count in counts.items() if count):
        raise IntercoreError(
            f"RESULTS WRONG: {benchmark} failed its checks ({failed}), so its times are not shown. {path} "
            "has the recording: open it at https://ui.perfetto.dev"
        )
    scheduler = plain.conditions.get("recorder.scheduler")
    analysis = analysed(history, series, target, known.origin, benchmark, str(path), scheduler=scheduler)
    show(OfSection(analysis, rows(analysis), section(analysis)), output)
    if page is not None:
        found_lines = (typical(one.windows, [ways[window] for window in one.windows]) for one in series)
        write_trace_page(
            analysis, [timeline(history, *line) for line in found_lines if line is not None], page, force=force
        )
        messages().print(f"wrote {page.absolute()}", markup=False, soft_wrap=True)
    messages().print(f"wrote {path.absolute()}: open it at https://ui.perfetto.dev", markup=False, soft_wrap=True)


def _with_rings(target: Target, wanted: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Return the levels, with the largest rings if a program is built and the user gives no size."""
    factor = next((one for one in target.factors if one.name == TRACE_NAME), None)
    if factor is None and target.name != "serial":
        able = alternatives(one.name for one in TARGETS if any(own.name == TRACE_NAME for own in one.factors))
        raise UsageError(f"{target.name} has no recorder; targets with a recorder are {able}")
    if factor is None or not target.built_here:
        return wanted
    if wanted.get(TRACE_NAME) == ["0"]:
        raise UsageError(f"{TRACE_NAME}=0 builds a program without the recorder: omit {TRACE_NAME}, or choose one of "
                         f"{alternatives(map(str, factor.levels[1:]))}")  # fmt: skip
    return {TRACE_NAME: [str(factor.levels[-1])], **wanted}


def _measured(draft: Draft, address: Address, timeout: float | None) -> tuple[Measurement, Recorder]:
    """Measure with the recorder off and then on, in a temporary store."""
    target, recorder = draft.target, Recorder()
    with (
        kept_target(draft.plan, address, timeout) as kept,
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder, "trace.db")) as store,
    ):
        run_id = store.create_run(complete_plan_on(kept, draft), 1)
        try:
            with watch(messages()) as observer:
                carry_out(store, {run_id: kept}, observer, measure=recorder)
        except UnknownCommandError:
            how = "" if target.board is None else f": intercore flash {target.name} --{TRACE_NAME} 1024"
            raise UsageError(
                f"the program on {target.name} has no recorder: flash a program with a recorder{how}"
            ) from None
        (plain,) = store.run(run_id).measurements
    return plain, recorder
