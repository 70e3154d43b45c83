"""Runs that are in a store already: how users name them, and the commands that go on with them."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from intercore.cli.number_options import run_number
from intercore.cli.options import DEFAULT_STORE
from intercore.comparison import baseline_file
from intercore.errors import UsageError, unknown
from intercore.record.plan import command_to_go_on as plan_command_to_go_on
from intercore.record.store import Store, StoreReader
from intercore.target.targets import TARGETS, find
from intercore.terminal.console import say
from intercore.text import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.record.measurement import Plan, Run
    from intercore.record.store import RunSummary

RunId = Annotated[
    int | None,
    typer.Argument(metavar="[RUN]", parser=run_number, help="Number of a stored run; the newest if left out."),
]


@contextlib.contextmanager
def open_existing(path: Path) -> Iterator[StoreReader]:
    """Open a store that is there, for reading."""
    _check_exists(path)
    with StoreReader(path) as store:
        yield store


@contextlib.contextmanager
def open_to_add(path: Path) -> Iterator[Store]:
    """Open a store for writing: one that is not there is an error, not a new one."""
    _check_exists(path)
    with Store(path) as store:
        yield store


def _check_exists(path: Path) -> None:
    if not path.exists():
        raise UsageError(
            f"there is no store {path}; measure something first (intercore run host speedup) or use --store"
        )


def stored_run(path: Path, run_id: int | None) -> Run:
    """Return a run of a store, the newest if `run_id` is None."""
    with open_existing(path) as store:
        return store.run(run_id)


def select_benchmarks(run: Run, benchmarks: Sequence[str]) -> Run:
    """Return what a run has of some benchmarks; of all if none is named. UsageError for one that it does not have."""
    if not benchmarks:
        return run
    for name in benchmarks:
        if name not in run.plan.benchmarks:
            raise UsageError(unknown(f"benchmark of run {run.id}", name, run.plan.benchmarks))
    plan = msgspec.structs.replace(
        run.plan,
        parts=tuple(part for part in run.plan.parts if part.benchmark in benchmarks),
        excluded=tuple(one for one in run.plan.excluded if one.benchmark in benchmarks),
    )
    measured = tuple(one for one in run.measurements if one.benchmark in benchmarks)
    missing = run.total - len(run.measurements)
    return msgspec.structs.replace(run, plan=plan, measurements=measured, total=len(measured) + missing)


def named_runs(store: StoreReader, names: Iterable[str]) -> list[Run]:
    """Return the runs that are named by their numbers or by targets, each once."""
    return [store.run(number) for number in dict.fromkeys(one for name in names for one in _run_ids(store, name))]


def is_baseline(name: str) -> bool:
    """Whether a user means a file by a name that may also be the number of a run or a target."""
    if whole_number(name) is not None or any(name == target.name for target in TARGETS):
        return False
    with contextlib.suppress(OSError):  # no file has so long a name
        return "." in name or "/" in name or Path(name).is_file()
    return False


def sides_of_comparison(names: Iterable[str], path: Path) -> list[Sequence[Run]]:
    """Return what is named, one by one: a baseline by its file, runs of the store at `path` by number or target."""
    with contextlib.ExitStack() as stack:
        store: StoreReader | None = None
        sides: list[Sequence[Run]] = []
        for name in names:
            if is_baseline(name):
                sides.append([baseline_file.read(Path(name))])
            else:
                store = store or stack.enter_context(open_existing(path))
                sides.append(named_runs(store, [name]))
    return sides


def _run_ids(store: StoreReader, name: str) -> list[int]:
    """Return the number of the run that is named by it, or the newest of each benchmark on the target named.

    Unfinished runs come after all complete ones, and those without a measurement not at all. A run is left out if those
    before it measured all that it did; that is told where somebody may have meant it. Runs by turns are left out, as
    one of the two builds is what somebody tries.
    """
    number = whole_number(name)
    if number is not None:
        return [number]
    target = find(name).name
    of_target = [one for one in reversed(store.runs()) if one.plan.target == target]
    if not of_target:
        raise UsageError(f"{store.path} holds no run of the target {target}; measure: intercore run {target} suite")
    newest_first = [one for one in of_target if one.plan.partner is None]
    if not newest_first:
        raise UsageError(
            f"all runs of {target} in {store.path} measure two builds by turns, so the target's name does not say "
            f"which one: give a run, e.g. {of_target[0].id}"
        )
    seen: set[str] = set()
    chosen: list[RunSummary] = []
    for summary in sorted(newest_first, key=lambda one: not one.complete):
        if summary.done and not seen.issuperset(summary.plan.benchmarks):
            seen.update(summary.plan.benchmarks)
            chosen.append(summary)
    if not chosen:
        raise UsageError(
            f"run {newest_first[0].id} of {target} has no measurement yet, nor has an older one; "
            f"go on with: {command_to_go_on(store.path, newest_first[0].plan)}"
        )
    for summary in newest_first:
        instead = [one.id for one in chosen if one.id < summary.id and _share_a_benchmark(one, summary)]
        if summary not in chosen and not summary.complete and instead:
            have = f"{summary.done} of {summary.total} measurements"
            say(f"run {summary.id} of {target} is newer than run {max(instead)} and unfinished ({have}): left out")
    return sorted(summary.id for summary in chosen)


def _share_a_benchmark(one: RunSummary, other: RunSummary) -> bool:
    return not set(one.plan.benchmarks).isdisjoint(other.plan.benchmarks)


def run_to_resume(store: StoreReader) -> int:
    """Return the number of the newest unfinished run that `intercore run` began.

    A run of a plan file is not one: only its plan file knows at which rate and how to flash its target. Nor is one of
    two that are measured by turns. Those that are newer are told. UsageError if there is no run to resume.
    """
    runs = store.runs()
    if not runs:
        raise UsageError(
            f"there is nothing to resume: {store.path} holds no run. If one was killed before its first measurement, "
            "begin it again: intercore run TARGET BENCHMARK"
        )
    unfinished = [summary for summary in reversed(runs) if not summary.complete]
    if not unfinished:
        raise UsageError(f"there is nothing to resume: every run in {store.path} is complete")
    newer: list[str] = []
    for summary in unfinished:
        if summary.plan.file is None and summary.plan.partner is None:
            for sentence in newer:
                say(sentence)
            return summary.id
        what = "is of a plan file, with which it" if summary.plan.partner is None else "is measured by turns, and"
        newer.append(f"run {summary.id} {what} goes on: {command_to_go_on(store.path, summary.plan)}")
    alone = "without a plan file" if all(one.plan.partner is None for one in unfinished) else "by itself"
    raise UsageError(f"there is nothing to resume {alone}; {newer[0]}")


def pair_to_resume(store: Store) -> tuple[int, int]:
    """Return the numbers of the newest two runs that are measured by turns and of which one is unfinished.

    UsageError if there are none.
    """
    for summary in reversed(store.runs()):
        if summary.plan.partner is not None and not summary.complete:
            first, second = sorted((summary.id, summary.plan.partner))
            return first, second
    raise UsageError(f"there is nothing to resume: {store.path} holds no unfinished runs that are measured by turns")


def command_to_go_on(path: Path, plan: Plan) -> str:
    """Return the command that goes on with an unfinished run of a plan that is in a store."""
    return f"{plan_command_to_go_on(plan)}{_store_option(path)}"


def command_to_show(path: Path, run_id: int, benchmarks: Sequence[str] = ()) -> str:
    """Return the command that shows all of a stored run, or of some of its benchmarks."""
    return f"intercore show {shlex.join([str(run_id), *benchmarks])}{_store_option(path)}"


def _store_option(path: Path) -> str:
    return "" if path.absolute() == DEFAULT_STORE.absolute() else f" --store {shlex.quote(str(path))}"
