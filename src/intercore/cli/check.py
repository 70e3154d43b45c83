"""The command `check`: checks a run against a budget file, so that a build can fail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.budgets import report
from intercore.budgets.check import check as check_budgets
from intercore.budgets.check import check_profile
from intercore.campaign import budget_reader
from intercore.cli.checked import Measuring, measured, measured_against
from intercore.cli.number_options import whole_option
from intercore.cli.options import (
    DEFAULT_STORE,
    Baud,
    FirmwarePath,
    Force,
    KernelPath,
    Output,
    PortUrl,
    StorePath,
    Timeout,
)
from intercore.cli.planned import sources_of
from intercore.cli.stored import stored_run
from intercore.document.junit import junit
from intercore.document.markdown import markdown
from intercore.errors import UsageError
from intercore.files.replacement import JUNIT, MARKDOWN, Kind, check_replaceable, replacement
from intercore.profile.profile_file import is_profile, read
from intercore.record.plan import MAX_SETTINGS
from intercore.target.targets import DEFAULT_BAUD, Address, usual_builds
from intercore.terminal.console import messages
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show
from intercore.text import whole_number

if TYPE_CHECKING:
    from intercore.budgets.check import BudgetFile, Check
    from intercore.profile.summary import ProfileAnalysis

app = typer.Typer(add_completion=False)


@app.command(
    epilog="Exit status: 0 all budgets met, 1 a budget exceeded, 2 error in the file or the command, 3 undecided "
    "(too few repetitions to tell), 4 a budget could not be measured. "
    "A budget file lists its budgets: "
    'budgets = ["irq path=timer-handler: max <= 60 cycles", "speedup mode=pool n=1000: S median >= 1.8"]. '
    "Examples: intercore check budgets.toml pico-sim --junit budgets.xml; intercore check budgets.toml 3; "
    "intercore check budgets.toml --profile app.json; "
    "intercore check budgets.toml host --against HEAD~1 --kernel FreeRTOS-Kernel"
)
def check(
    file: Annotated[
        Path,
        typer.Argument(metavar="BUDGETS", help="Budget file (TOML), e.g. budgets.toml; see below, and docs/ci.md."),
    ],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET|RUN]",
            help="Target to measure on, e.g. pico-sim, or number of a stored run, e.g. 3. Default: the newest run.",
        ),
    ] = None,
    *,
    junit_path: Annotated[
        Path | None, typer.Option("--junit", help="Also write a JUnit XML report to this file, e.g. budgets.xml.")
    ] = None,
    markdown_path: Annotated[
        Path | None,
        typer.Option(
            "--markdown", help="Also write a Markdown summary to this file, e.g. summary.md, for a pull request."
        ),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(
            "--profile",
            metavar="FILE",
            help="Check the budgets of a profile, such as 'profile crc32 core=1: cycles <= 41000', against this file, "
            "which `intercore profile --format json` printed.",
        ),
    ] = None,
    force: Force = False,
    repetitions: Annotated[
        int | None,
        whole_option(
            "--repetitions",
            1,
            MAX_SETTINGS,
            "Repetitions of each setting, e.g. 10. Default: the value in the budget file, or 5.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REVISION",
            help="Take ratios ('median / baseline <= 1.05') to a revision of the git repository of --firmware or "
            "--kernel, e.g. HEAD~1: builds it, too, and measures both by turns.",
        ),
    ] = None,
    kernel: KernelPath = None,
    firmware: FirmwarePath = None,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    timeout: Timeout = None,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Check a run against the budgets in a file. The exit status is 0 if all budgets are met."""
    for path, kind in ((junit_path, JUNIT), (markdown_path, MARKDOWN)):
        if path is not None:
            check_replaceable(path, kind, force=force)  # before anything is measured
    if name is not None and not file.exists() and Path(name).is_file():
        raise UsageError(f"{file} is not a budget file; the budget file comes first: intercore check {name} {file}")
    budgets = budget_reader.read(file, against=against is not None)
    profiled = _profile(budgets, name, profile)
    found: Check | None
    if not budgets.budgets:
        found = None
    elif name is None or whole_number(name) is not None:
        given = {"--repetitions": repetitions, "--against": against, "--kernel": kernel, "--firmware": firmware}
        given |= {"--port": port}
        for option in (option for option, value in given.items() if value is not None):
            raise UsageError(
                f"{option} applies only when a target is measured: name a target, e.g. intercore check budgets.toml "
                "pico-sim"
            )
        number = None if name is None else whole_number(name)
        found = check_budgets(budgets, stored_run(store_path, number), usual_builds())
    else:
        address = Address(port, baud, sources=sources_of(kernel=kernel, firmware=firmware))
        how = Measuring(address, timeout, repetitions, store_path)
        found = measured(budgets, name, how) if against is None else measured_against(budgets, name, how, against)
    if found is None or budgets.of_profile:
        found = check_profile(budgets, profiled, found)
    if junit_path is not None:
        _write(junit_path, JUNIT, junit(found), force=force)
    if markdown_path is not None:
        _write(markdown_path, MARKDOWN, markdown(found).encode("utf-8", "replace"), force=force)
    show(
        OfSection(found, report.rows(found), report.section(found), found.warnings, found.first, answer_first=True),
        output,
    )
    if found.exit_status:
        raise typer.Exit(found.exit_status)


def _profile(file: BudgetFile, name: str | None, path: Path | None) -> ProfileAnalysis | None:
    """Read the profile that the budgets of a file are for."""
    if name is not None and is_profile(Path(name)):
        raise UsageError(f"{name} is a profile: intercore check {file.name} --profile {name}")
    if not file.budgets and name is not None:
        raise UsageError(f"all budgets of {file.name} are for a profile, so no target is measured: omit {name}")
    if path is None and not file.budgets:
        raise UsageError(
            f"all budgets of {file.name} are for a profile: make it (intercore profile app.elf --format json > "
            "app.json), and add --profile app.json"
        )
    if path is None:
        return None
    if not file.of_profile:
        raise UsageError(f"no budget of {file.name} is for a profile: omit --profile, or add a budget of a profile")
    return read(path)


def _write(path: Path, kind: Kind, content: bytes, *, force: bool) -> None:
    with replacement(path, kind, force=force) as file:
        file.write(content)
    messages().print(f"wrote {path.absolute()}", markup=False, soft_wrap=True)
