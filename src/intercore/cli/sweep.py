"""The command `sweep`: measures a plan file on its targets."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from intercore.benchmarks.options import Options
from intercore.campaign import plan_reader
from intercore.campaign.campaign import Campaign
from intercore.campaign.execution import DEFAULT_RECONNECT_TIMEOUT, carry_out
from intercore.campaign.plan_file import on_target, part_of
from intercore.campaign.preview import preview, total_duration
from intercore.campaign.simulator_processes import SimulatorProcesses
from intercore.cli.number_options import percent_option, seconds_option, whole_option
from intercore.cli.options import (
    DEFAULT_STORE,
    Force,
    Output,
    StorePath,
    Timeout,
)
from intercore.cli.outcome import check_energy, check_page, check_sound, findings, write_report
from intercore.cli.report_options import with_report_options
from intercore.cli.stored import command_to_go_on, open_existing
from intercore.errors import INTERRUPTED, IntercoreError, UsageError
from intercore.operating_system import usable_cores
from intercore.record.store import Store
from intercore.target.targets import find
from intercore.terminal.console import messages, say, say_once
from intercore.terminal.findings import PlainRows
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.progress import watch_several
from intercore.terminal.run import RunsFindings
from intercore.view.quantity import rough_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.campaign.plan_file import PlanFile
    from intercore.campaign.preview import TargetPreview
    from intercore.campaign.workers import Workers
    from intercore.record.measurement import Run

app = typer.Typer(add_completion=False)


@app.command(
    epilog="Examples: intercore sweep plans/seed-000.toml --dry-run; intercore sweep plan.toml --report a.html"
)
@with_report_options
def sweep(
    plan_path: Annotated[
        Path,
        typer.Argument(metavar="PLAN", help="Plan file (TOML), e.g. plans/seed-000.toml; docs/sweep.md describes it."),
    ],
    *,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Check the plan on its targets and estimate its duration, without storing anything. Even a dry run "
            "flashes the boards that the plan flashes, once each.",
        ),
    ] = False,
    trials: Annotated[
        bool,
        typer.Option(
            " /--no-estimate",
            show_default=False,
            help="Skip the trial measurements, which the estimate of the duration needs.",
        ),
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Start a new run, even if the store has a run of this plan.")
    ] = False,
    jobs: Annotated[
        int | None,
        whole_option(
            "--jobs",
            1,
            1024,
            "Simulated chips that run at the same time, e.g. 4. Default: one for each core of this machine.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help="Measure on this target only, e.g. pico-sim: a target of the plan, or any target that needs no port.",
        ),
    ] = None,
    fraction: Annotated[
        float | None,
        percent_option(
            "--fraction",
            "Measure only this share of the settings, chosen at random, e.g. 10%. The plan's seed determines the "
            "choice.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Run simulated chips on the workers of this Dask scheduler, e.g. tls://host:8786."
        ),
    ] = None,
    report_path: Annotated[
        Path | None, typer.Option("--report", help="Also write an HTML page, e.g. page.html.")
    ] = None,
    force: Force = False,
    reconnect_timeout: Annotated[
        float,
        seconds_option("--patience", 0.0, "Seconds to wait for a lost target before it is skipped, e.g. 60."),
    ] = DEFAULT_RECONNECT_TIMEOUT,
    timeout: Timeout = None,
    options: Options,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Measure what a plan file describes, in random order. To continue after an interruption, repeat the command."""
    check_page(report_path, force=force)
    file = plan_reader.read(plan_path)
    file = file if target is None else on_target(file, target)
    file = file if fraction is None else part_of(file, fraction)
    with contextlib.ExitStack() as stack:
        simulators = stack.enter_context(contextlib.closing(_simulators(file, jobs, cluster)))
        store = None if dry_run else stack.enter_context(Store(store_path))
        stored = stack.enter_context(open_existing(store_path)) if dry_run and store_path.exists() else store
        lock = (lambda _: None) if store is None else store.lock
        with messages().status(f"reading {plan_path}") as status:
            prepared = preview(
                file, stored, timeout, status.update, lock=lock, again=again, trials=trials, keep=not dry_run
            )
        for one in prepared:
            if one.kernel:
                say_once(f"kernel: {one.kernel}")
        if store is None:
            _report_set_aside(file, prepared)
            planned = [one.row() for one in prepared]
            show(PlainRows(f"Plan {plan_path}", planned, closing=_estimate(prepared, simulators)), output)
            if any(one.plan is None for one in prepared):
                raise typer.Exit(IntercoreError.exit_status)  # the status with which the sweep would end
            return
        finished, complete = _sweep(store, file, prepared, simulators, timeout, reconnect_timeout)
    if report_path is not None and finished:
        write_report(finished, report_path, options, exhibits=file.exhibits, force=force)
    show(RunsFindings([findings(run, store_path, options, exhibits=file.exhibits) for run in finished]), output)
    if not complete:
        raise typer.Exit(IntercoreError.exit_status)
    check_sound(finished)
    check_energy(finished, store_path)


def _simulators(file: PlanFile, jobs: int | None, cluster: str | None) -> Workers:
    """Return the workers that run the simulated chips of a plan file."""
    if cluster is None:
        return SimulatorProcesses(jobs or usable_cores())
    if jobs is not None:
        raise UsageError(
            "--jobs applies to this machine only: on a cluster, each worker has its own number of simulated chips. "
            "Omit --jobs"
        )
    for entry in file.targets:
        if find(entry.name).runs_on != "process":
            raise file.refusal(
                entry.location,
                f"{entry} is not a simulated chip, and --cluster runs only those: remove it from the plan, or omit "
                "--cluster",
            )
    from intercore.campaign.cluster import Cluster  # noqa: PLC0415 - Dask takes a second to load

    return Cluster(cluster, lambda what: messages().print(what, markup=False))


def _sweep(
    store: Store,
    file: PlanFile,
    prepared: Sequence[TargetPreview],
    simulators: Workers,
    timeout: float | None,
    reconnect_timeout: float,
) -> tuple[list[Run], bool]:
    """Measure the missing settings; return the runs, and whether they are complete.

    If interrupted, print how to continue.
    """
    with contextlib.ExitStack() as stack:
        for one in prepared:
            if one.target is not None:
                stack.callback(one.target.close)
        runs = _runs_to_measure(store, file, prepared)
        if any(one.missing for one in prepared):
            say(_estimate(prepared, simulators))
        stack.pop_all()  # the workers close them from here on
    go_on = f"continue with: {command_to_go_on(store.path, runs[0][0].plan)}"
    campaigns: list[Campaign] = []
    try:
        with watch_several(messages()) as observe:
            for run, one in runs:
                name = str(one.entry)
                observer = observe(name, run.id)
                for text in one.messages:
                    observer.show_message(text)
                campaigns.append(Campaign(run, name, observer, one.entry.max_baud, one.entry.flashing, one.target))
            in_time = carry_out(
                store, campaigns, simulators, timeout=timeout, budget=file.budget, reconnect_timeout=reconnect_timeout
            )
    except (IntercoreError, KeyboardInterrupt) as error:
        done = ", ".join(f"{one.done} of {one.total} on {one.name}" for one in campaigns)
        say(f"the campaign was interrupted with {done} measured and stored in {store.path}; {go_on}")
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        raise
    for campaign in campaigns:
        if campaign.failures or campaign.set_aside is not None:
            lacking = f"{campaign.total - campaign.done} of {campaign.total} measurements are missing"
            say(f"{campaign.name}: {lacking}; {go_on}")
    if not in_time:
        say(f"the time budget is used up; {go_on}")
    missing = any(one.plan is None for one in prepared) or any(
        campaign.failures or campaign.set_aside is not None for campaign in campaigns
    )
    return [store.run(one.id) for one in campaigns], not missing


def _runs_to_measure(
    store: Store, file: PlanFile, prepared: Sequence[TargetPreview]
) -> list[tuple[Run, TargetPreview]]:
    """Return the run, stored or new, of each target that can be measured. Raises IntercoreError if there is none."""
    _report_set_aside(file, prepared)
    runs = []
    for one in prepared:
        if one.plan is None:
            continue
        if one.changed is not None:
            left = f"{one.changed.done} of {one.changed.total} measurements"
            say(
                f"{one.entry}: {file.name} has changed since run {one.changed.id} ({left}); that run is kept, and a "
                "new run starts"
            )
        number = store.create_run(one.plan, len(one.missing)) if one.run is None else one.run.id
        run = store.run(number)
        run = msgspec.structs.replace(run, plan=msgspec.structs.replace(run.plan, meter=one.plan.meter))
        runs.append((run, one))
    return runs


def _report_set_aside(file: PlanFile, prepared: Sequence[TargetPreview]) -> None:
    """Report the targets that cannot be measured, with the reasons. Raises IntercoreError if there are no others."""
    for one in prepared:
        if one.plan is None:
            say(f"{one.entry} is skipped: {one.trouble}")
    if all(one.plan is None for one in prepared):
        raise IntercoreError(f"no target of {file.name} can be measured; the reasons are above")


def _estimate(prepared: Sequence[TargetPreview], simulators: Workers) -> str:
    """Return the number of missing measurements and an estimate of their duration, as a sentence."""
    whole = sum(len(one.missing) for one in prepared)
    if not whole:
        where = " on the other targets" if any(one.plan is None for one in prepared) else ""
        return f"no measurement is missing{where}; to measure again, add --again"
    simulated = any(one.is_in_process and one.missing for one in prepared)
    where = f" on {simulators}" if simulated else ""
    known = "; ".join(f"{one.entry}: {one.pace.how}" for one in prepared if one.pace is not None and one.missing)
    rule = any(one.plan is not None and one.plan.stop is not None for one in prepared)
    least = "at least " if rule else "about "
    long = f", {least}{rough_time(total_duration(prepared, simulators.size))}{where} (from {known})" if known else ""
    return f"{whole} measurements{long}"
