"""What has come of runs: told on the terminal, written as a page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.benchmarks.reports import reports
from intercore.benchmarks.speedup import analysis as speedup
from intercore.campaign import stop_rule
from intercore.campaign.levels import left_out
from intercore.cli.stored import command_to_go_on
from intercore.document.run import run_document
from intercore.errors import UsageError
from intercore.record import conditions
from intercore.terminal.console import messages
from intercore.terminal.run import RunFindings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.record.measurement import Run

DEFAULT_EFFICIENCY = speedup.DEFAULT_EFFICIENCY
Efficiency = Annotated[float, typer.Option(help="Parallel efficiency that counts as break-even, above 0, below 1.")]


def check_efficiency(efficiency: float) -> None:
    """Raise UsageError if the efficiency of --efficiency can be none."""
    if not 0 < efficiency < 1:
        raise UsageError(f"--efficiency={efficiency} is out of range: above 0 and below 1, e.g. 0.9")


def findings(run: Run, store_path: Path, efficiency: float) -> RunFindings:
    """Return what there is to tell of a run; `efficiency` is the one wanted at break-even."""
    return RunFindings(
        run,
        make_document=partial(run_document, run, efficiency),
        make_reports=partial(reports, run, efficiency),
        left_out=left_out(run.plan),
        warnings=(*conditions.warnings(run), *stop_rule.warnings(run)),
        go_on=command_to_go_on(store_path, run.plan.file),
    )


def write_report(runs: Sequence[Run], path: Path, efficiency: float) -> None:
    """Write the page of the runs and say where it is."""
    from intercore.page.page import write_page  # noqa: PLC0415 - plotly takes a second to load

    write_page(runs, path, efficiency)
    messages().print(f"wrote {path.absolute()}", markup=False, soft_wrap=True)
