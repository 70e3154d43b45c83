"""Stored runs: how users name them, and the commands that continue them."""

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
from intercore.comparison.baseline import Baseline
from intercore.errors import UsageError, unknown
from intercore.record import identity
from intercore.record.plan import command_to_go_on as plan_command_to_go_on
from intercore.record.store import Store, StoreReader
from intercore.target.targets import TARGETS, find
from intercore.terminal.console import say
from intercore.text import listed, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.record.measurement import Plan, Run
    from intercore.record.store import RunSummary

RunId = Annotated[
    int | None,
    typer.Argument(metavar="[RUN]", parser=run_number, help="Number of a stored run, e.g. 3. Default: the newest run."),
]


@contextlib.contextmanager
def open_existing(path: Path) -> Iterator[StoreReader]:
    """Open an existing store for reading."""
    _check_exists(path)
    with StoreReader(path) as store:
        yield store


@contextlib.contextmanager
def open_to_add(path: Path) -> Iterator[Store]:
    """Open an existing store for writing. Raises UsageError if there is none."""
    _check_exists(path)
    with Store(path) as store:
        yield store


def _check_exists(path: Path) -> None:
    if not path.exists():
        raise UsageError(
            f"there is no store {path}: measure something first, e.g. intercore run host speedup, or name the "
            "store with --store"
        )


def stored_run(path: Path, run_id: int | None) -> Run:
    """Return a run of a store, the newest if `run_id` is None."""
    return stored_runs(path, [run_id])[0]


def stored_runs(path: Path, run_ids: Iterable[int | None]) -> list[Run]:
    """Return runs of a store, each once; None is the newest."""
    with open_existing(path) as store:
        return [store.run(run_id) for run_id in dict.fromkeys(run_ids)]


def select_benchmarks(run: Run, benchmarks: Sequence[str]) -> Run:
    """Return a run with the measurements of some benchmarks only, of all if none is named.

    Raises UsageError if it lacks one.
    """
    if not benchmarks:
        return run
    for name in benchmarks:
        if name not in run.plan.benchmarks:
            raise UsageError(unknown("benchmark", name, run.plan.benchmarks, f"run {run.id} has"))
    plan = msgspec.structs.replace(
        run.plan,
        parts=tuple(part for part in run.plan.parts if part.benchmark in benchmarks),
        excluded=tuple(one for one in run.plan.excluded if one.benchmark in benchmarks),
    )
    measured = tuple(one for one in run.measurements if one.benchmark in benchmarks)
    missing = run.total - len(run.measurements)
    return msgspec.structs.replace(run, plan=plan, measurements=measured, total=len(measured) + missing)


def named_runs(store: StoreReader, names: Iterable[str]) -> list[Run]:
    """Return the runs that are named by number, several numbers (`3,4,5`) or by target, each once."""
    return [store.run(number) for number in dict.fromkeys(one for name in names for one in _run_ids(store, name))]


def is_baseline(name: str) -> bool:
    """Whether a name is that of a baseline file, not the number of a run or a target."""
    if _numbers(name) or any(name == target.name for target in TARGETS):
        return False
    with contextlib.suppress(OSError):  # too long for a file's name
        return "." in name or "/" in name or Path(name).is_file()
    return False


def sides_of_comparison(names: Iterable[str], path: Path) -> list[Sequence[Run]]:
    """Return one side for each name: a baseline by its file, runs of the store at `path` by number or target."""
    with contextlib.ExitStack() as stack:
        store: StoreReader | None = None
        sides: list[Sequence[Run]] = []
        for name in names:
            if is_baseline(name):
                sides.append([baseline_file.read(Path(name))])
            else:
                store = store or stack.enter_context(open_existing(path))
                sides.append(named_runs(store, [name]))
        return sides if store is None else _with_runs_of_the_same_programs(store, sides)


def _with_runs_of_the_same_programs(store: StoreReader, sides: list[Sequence[Run]]) -> list[Sequence[Run]]:
    """Add to each single run of a real target those that are known to be of the same program; a message names them.

    How much runs of one program differ is what a verdict about a change of the program takes.
    """
    known = [_images(side) for side in sides]
    if any(isinstance(side[0], Baseline) for side in sides):
        return sides  # the runs of a baseline may be in the store, too
    if len({side[0].plan.target for side in sides}) > 1 or len(sides) != len({str(one) for one in known}):
        return sides
    found: list[Sequence[Run]] = []
    for side, images in zip(sides, known, strict=True):
        named = {run.id for run in side}
        others = [
            one.id
            for one in store.runs()
            if images and one.id not in named and _is_like(side[0].plan, one)
            if store.read_in_parts(one.id, lambda run: identity.images(run.headers())) == images
        ]
        if others:
            runs = f"run{'s' * (len(others) > 1)} {listed([*map(str, others)])}"
            say(f"{runs} of the same program counted with {side[0].title}")
        found.append(sorted((*side, *map(store.run, others)), key=lambda run: run.id))
    return found


def _images(side: Sequence[Run]) -> identity.Images:
    """Return the images of a single stored run of a real target that was not measured by turns; else none."""
    plan = side[0].plan
    if len(side) > 1 or plan.origin != "measured" or plan.partner is not None:
        return {}
    return identity.images(side[0].measurements)


def _is_like(plan: Plan, other: RunSummary) -> bool:
    return other.plan.target == plan.target and other.plan.url == plan.url and other.complete and not other.plan.partner


def _run_ids(store: StoreReader, name: str) -> list[int]:
    """Return the number of the named run, or the newest run of each benchmark on the named target.

    Complete runs take precedence over unfinished ones; runs without a measurement are ignored. A run is skipped if
    those before it cover its benchmarks; a message reports it if the user may have meant it. Alternating runs are
    skipped, because one of their two builds is an experiment.
    """
    if numbers := _numbers(name):
        return numbers
    target = find(name).name
    of_target = [one for one in reversed(store.runs()) if one.plan.target == target]
    if not of_target:
        raise UsageError(
            f"{store.path} has no run of the target {target}. To measure one: intercore run {target} suite"
        )
    newest_first = [one for one in of_target if one.plan.partner is None]
    if not newest_first:
        raise UsageError(
            f"all runs of {target} in {store.path} alternate between two builds, so the target's name is ambiguous: "
            f"name a run by its number, e.g. {of_target[0].id}"
        )
    seen: set[str] = set()
    chosen: list[RunSummary] = []
    for summary in sorted(newest_first, key=lambda one: not one.complete):
        if summary.done and not seen.issuperset(summary.plan.benchmarks):
            seen.update(summary.plan.benchmarks)
            chosen.append(summary)
    if not chosen:
        raise UsageError(
            f"run {newest_first[0].id} of {target} has no measurement yet, and there is no older run. To continue the "
            f"run: {command_to_go_on(store.path, newest_first[0].plan)}"
        )
    for summary in newest_first:
        instead = [one.id for one in chosen if one.id < summary.id and _share_a_benchmark(one, summary)]
        if summary not in chosen and not summary.complete and instead:
            have = f"{summary.done} of {summary.total} measurements"
            say(
                f"run {summary.id} of {target} is newer than run {max(instead)} but unfinished ({have}), and is ignored"
            )
    return sorted(summary.id for summary in chosen)


def _numbers(name: str) -> list[int]:
    """Return the numbers of runs in a name such as `3` or `3,4,5`; none of anything else."""
    found = [whole_number(one) for one in name.split(",")]
    numbers = [one for one in found if one is not None]
    return numbers if len(numbers) == len(found) else []


def _share_a_benchmark(one: RunSummary, other: RunSummary) -> bool:
    return not set(one.plan.benchmarks).isdisjoint(other.plan.benchmarks)


def run_to_resume(store: StoreReader) -> int:
    """Return the number of the newest unfinished run that `intercore run` started.

    Runs of plan files are excluded, because only the plan file knows the bit rate and how to flash the target, and so
    are alternating runs. Messages report excluded runs that are newer. Raises UsageError if there is no run to resume.
    """
    runs = store.runs()
    if not runs:
        raise UsageError(
            f"there is nothing to resume: {store.path} has no run. To start one: intercore run TARGET BENCHMARK"
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
        kind = "belongs to a plan file" if summary.plan.partner is None else "alternates with another run"
        newer.append(
            f"run {summary.id} {kind}. To continue run {summary.id}: {command_to_go_on(store.path, summary.plan)}"
        )
    raise UsageError(f"there is no run that this --resume can continue: {newer[0]}")


def pair_to_resume(store: Store) -> tuple[int, int]:
    """Return the numbers of the newest pair of alternating runs that is unfinished.

    Raises UsageError if there is none.
    """
    for summary in reversed(store.runs()):
        if summary.plan.partner is not None and not summary.complete:
            first, second = sorted((summary.id, summary.plan.partner))
            return first, second
    raise UsageError(
        f"there is nothing to resume: {store.path} has no unfinished alternating runs. To start a pair: intercore "
        "compare --alternate TARGET BENCHMARK …"
    )


def command_to_go_on(path: Path, plan: Plan) -> str:
    """Return the command that continues an unfinished run of a plan in a store."""
    return f"{plan_command_to_go_on(plan)}{_store_option(path)}"


def command_to_show(path: Path, run_id: int, benchmarks: Sequence[str] = ()) -> str:
    """Return the command that shows a stored run, or some of its benchmarks."""
    return f"intercore show {shlex.join([str(run_id), *benchmarks])}{_store_option(path)}"


def _store_option(path: Path) -> str:
    return "" if path.absolute() == DEFAULT_STORE.absolute() else f" --store {shlex.quote(str(path))}"
