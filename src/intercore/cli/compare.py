"""The command `compare`: compares two runs, targets or baselines, or measures two builds in alternation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.campaign.phases import SHIFTS, find_change
from intercore.cli import by_turns
from intercore.cli.compared_profiles import are_profiles, compared_profiles
from intercore.cli.number_options import Share, percent_option, whole_option
from intercore.cli.options import DEFAULT_STORE, Force, Output, StorePath, Timeout
from intercore.cli.outcome import check_page, check_sound, write_comparison
from intercore.cli.stored import is_baseline, sides_of_comparison
from intercore.comparison.analysis import Sides
from intercore.comparison.analysis import compare as compare_runs
from intercore.comparison.report import comparison_rows, comparison_section
from intercore.comparison.verdicts import WITHIN
from intercore.errors import UsageError
from intercore.record.plan import MAX_SETTINGS
from intercore.statistics.phases import LEAST_PHASES
from intercore.target.targets import usual_builds
from intercore.terminal.console import messages
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.progress import watch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.comparison.analysis import Comparison
    from intercore.record.measurement import Run

app = typer.Typer(add_completion=False)

_SIDES = 2


@app.command(
    epilog="Examples: intercore compare 3 4; intercore compare baselines/pico-sim.jsonl 4; "
    "intercore compare pico-sim pico-amp-sim --within 2% -o page.html; "
    "intercore compare before.json after.json, of two profiles; "
    "intercore compare --alternate host switch --firmware before/firmware --firmware after/firmware"
)
def compare(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A B",
            help=(
                "What to compare: two numbers of stored runs, e.g. 3 4 (before and after a change), or several for "
                "each side, e.g. 1,2,3 4,5,6; two targets (their newest complete runs); or baseline files. More than "
                "two runs are grouped by target, and the targets are compared. Or two files that `intercore profile "
                "--format json` printed. "
                "With --alternate: TARGET BENCHMARK [NAME=VALUE,…]."
            ),
        ),
    ] = None,
    *,
    within: Annotated[
        float, percent_option("--within", "Treat differences up to this size as no difference, e.g. 2%.")
    ] = Share(WITHIN),
    in_full: Annotated[bool, typer.Option("--all", help="Show every quantity of every setting.")] = False,
    page: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Also write an HTML page with all ratios in one plot, e.g. page.html."),
    ] = None,
    alternate: Annotated[
        bool,
        typer.Option(
            "--alternate",
            help=(
                "Measure two builds of a target alternately, and compare them. This shows differences of a few "
                "per cent even on a noisy machine."
            ),
        ),
    ] = False,
    kernels: Annotated[
        list[Path] | None,
        typer.Option(
            "--kernel",
            help=(
                "With --alternate: folder of a FreeRTOS kernel, e.g. before/FreeRTOS-Kernel. Give the option twice, "
                "once for each build."
            ),
        ),
    ] = None,
    firmwares: Annotated[
        list[Path] | None,
        typer.Option(
            "--firmware",
            help=(
                "With --alternate: folder of firmware sources, e.g. before/firmware. Give the option twice, once for "
                "each build."
            ),
        ),
    ] = None,
    builds: Annotated[
        list[str] | None,
        typer.Option(
            "--build",
            metavar="NAME=VALUE",
            help="With --alternate: build factors, e.g. opt=O3. Give the option twice, once for each build.",
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        whole_option(
            "--repetitions",
            1,
            MAX_SETTINGS,
            "With --alternate: repetitions of each setting of each build, e.g. 10. Default: 6, or 1 on a simulated "
            "target.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        whole_option(
            "--seed",
            0,
            2**32 - 1,
            "With --alternate: seed for the random order of the settings and the random delays, e.g. 7. Default: 1.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="With --alternate: continue the two newest unfinished runs.")
    ] = False,
    phases: Annotated[
        int,
        whole_option(
            "--phases",
            0,
            len(SHIFTS),
            "Simulated targets only: to separate real changes from those that come only from the placement of code and "
            "data in memory (bank conflicts), measure each setting whose result differs this many times again, with "
            f"code and data moved by a few bytes: {LEAST_PHASES - 1} to {len(SHIFTS)}, or 0 for none.",
            metavar=f"<0, {LEAST_PHASES - 1} to {len(SHIFTS)}>",
        ),
    ] = len(SHIFTS),
    force: Force = False,
    timeout: Timeout = None,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Compare two runs, targets or baselines: show what is faster, slower or the same, and which conditions differ."""
    request = by_turns.ByTurnsRequest(
        tuple(names or ()), tuple(kernels or ()), tuple(firmwares or ()), tuple(builds or ()), repetitions, seed
    )
    check_page(page, force=force)
    if 0 < phases < LEAST_PHASES - 1:
        raise UsageError(
            f"--phases={phases} is too few for a conclusion: give 0, or {LEAST_PHASES - 1} to {len(SHIFTS)}"
        )
    if alternate:
        first, second = (by_turns.resume if resume else by_turns.measure)(request, store_path, timeout)
        found = _compared([first], [second], within, phases)
        measured = [first, second]
    else:
        for name in [*request.options(), *(["--resume"] if resume else [])]:
            raise UsageError(f"{name} applies only with --alternate: add --alternate, or omit {name}")
        if are_profiles(request.words):
            if page is not None:
                raise UsageError("-o applies only to runs: profiles have no page of ratios, so omit it")
            show(compared_profiles(request.words, in_full=in_full), output)
            return
        if len(request.words) < _SIDES:
            given = " ".join(request.words)
            named = f"run {given}" if given.isdigit() else given
            lacking = f"there is nothing to compare {named} with" if given else "there is nothing to compare"
            raise UsageError(
                f"{lacking}: name two runs or targets, e.g. intercore compare 3 4 (intercore runs lists them)"
            )
        if len(request.words) != _SIDES and (files := [name for name in request.words if is_baseline(name)]):
            raise UsageError(
                f"{files[0]} is a baseline, and a baseline can only be compared with one run, target or baseline: "
                "give exactly two names"
            )
        sides = sides_of_comparison(request.words, store_path)
        measured = []
        if len(sides) == _SIDES:
            found = _compared(sides[0], sides[1], within, phases)
        else:
            runs = {run.id: run for side in sides for run in side}
            found = compare_runs([*runs.values()], usual_builds(), within=within)
    if page is not None:
        write_comparison(found, page, force=force)
    section = comparison_section(found, in_full=in_full)
    warnings, first_said = found.warnings, (*found.identities, *found.deciding)
    show(OfSection(found, comparison_rows(found), section, warnings, first_said, answer_first=True), output)
    check_sound(measured)


def _compared(first: Sequence[Run], second: Sequence[Run], within: float, phases: int) -> Comparison:
    """Compare two sides.

    Settings that changed between two runs of a simulated target are repeated in `phases` phases.
    """
    sides = Sides(first, second, usual_builds())
    moved = sides.moved() if sides.are_before_and_after and not sides.are_of_one_program else []
    if not moved:
        return sides.compare(within=within)
    change = find_change(
        (first, second), moved, phases, lambda what: messages().print(what, markup=False), lambda: watch(messages())
    )
    return sides.compare(within=within, change=change)
