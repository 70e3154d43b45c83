"""The results of runs: printed on the terminal, written as a page."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from intercore.benchmarks import failed
from intercore.benchmarks.grouping import overhead_us
from intercore.benchmarks.plausibility import is_possible
from intercore.benchmarks.reports import reports, run_caveats
from intercore.cli.stored import command_to_go_on, command_to_show
from intercore.document.run import run_document
from intercore.errors import IntercoreError
from intercore.files.replacement import PAGE, check_replaceable
from intercore.record import identity
from intercore.record.measurement import SPOILING_CHECKS
from intercore.record.plan import left_out
from intercore.target.targets import usual_builds
from intercore.terminal.console import messages
from intercore.terminal.run import RunFindings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.benchmarks.options import Options
    from intercore.benchmarks.reports import ReportedRun
    from intercore.comparison.analysis import Comparison
    from intercore.record.measurement import Run


@cache
def _reported(run: Run, options: Options) -> ReportedRun:
    """Return the reports of a run's benchmarks, cached because the terminal and the page both need them."""
    with messages().status("analysing"):
        return reports(run, options)


def findings(
    run: Run,
    store_path: Path,
    options: Options,
    *,
    part: Run | None = None,
    brief: bool = False,
    published: bool = False,
    exhibits: Sequence[str] = (),
) -> RunFindings:
    """Return the findings of a run that the user selected.

    `part` has the measurements of the selected benchmarks. `brief` limits the output to one screen, `published` adds
    the tables of papers, and `exhibits` are the tables and figures of papers to begin with.
    """
    shown = run if part is None else part
    named = () if shown is run else shown.plan.benchmarks
    first = list(identity.caveats(shown))
    return RunFindings(
        run,
        make_document=lambda: run_document(_reported(shown, options)),
        make_reports=lambda: _reported(shown, options).reports,
        headline=failed.headline(shown),
        first=first,
        left_out=left_out(shown.plan),
        caveats=tuple(one for one in run_caveats(shown) if one not in first),
        published="" if published else f"{command_to_show(store_path, run.id, named)} --published",
        go_on=command_to_go_on(store_path, run.plan),
        overhead_us=overhead_us(failed.analysable(shown).measurements),
        details=command_to_show(store_path, run.id) if brief else "",
        exhibits=exhibits,
    )


def check_page(path: Path | None, *, force: bool) -> None:
    """Raise UsageError if a page cannot be written to this path; called before anything is measured."""
    if path is not None:
        check_replaceable(path, PAGE, force=force)


def write_report(
    runs: Sequence[Run], path: Path, options: Options, *, exhibits: Sequence[str] = (), force: bool = False
) -> None:
    """Write the page of the runs and print its path; it begins with these tables and figures of publications."""
    found = [_reported(run, options) for run in runs]
    with messages().status(f"writing {path}"):
        from intercore.page.page import write_page  # noqa: PLC0415 - templates take a moment to load

        write_page(found, path, usual_builds(), exhibits=exhibits, force=force)
    messages().print(f"wrote {path.absolute()}", markup=False, soft_wrap=True)


def write_comparison(found: Comparison, path: Path, *, force: bool = False) -> None:
    """Write the page of a comparison and print its path."""
    from intercore.page.comparison_page import write_comparison_page  # noqa: PLC0415 - jinja takes a moment to load

    write_comparison_page(found, path, force=force)
    messages().print(f"wrote {path.absolute()}", markup=False, soft_wrap=True)


def check_sound(runs: Sequence[Run]) -> None:
    """Raise IntercoreError if measurements of runs failed; the runs' warnings name them.

    Causes are impossible samples and checks of the target: wrong results, pinned tasks on another core, lost samples or
    interrupts.
    """
    measured = [one for run in runs for one in run.measurements]
    found = {
        "impossible samples": sum(not is_possible(one) for one in measured),
        "checks on the target": sum(any(one.checks.get(name) for name in SPOILING_CHECKS) for one in measured),
    }
    why = " and ".join(f"{count} because of {cause}" for cause, count in found.items() if count)
    if why:
        raise IntercoreError(f"some of the {len(measured)} measurements failed: {why}. See the warnings above")


def check_energy(runs: Sequence[Run], store_path: Path) -> None:
    """Raise IntercoreError, with the reason and how to continue, if a meter missed the energy of measurements."""
    for run in runs:
        if run.lacking_energy:
            why = next(one.recording.missing for one in run.measurements if one.recording and one.recording.missing)
            raise IntercoreError(
                f"the energy of {run.lacking_energy} of {len(run.measurements)} measurements is missing: {why}. Their "
                f"times are stored; to measure the energy, continue with: {command_to_go_on(store_path, run.plan)}"
            )
