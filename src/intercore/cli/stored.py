"""Runs that are in a store already: how users name them, and the commands that go on with them."""

from __future__ import annotations

import contextlib
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.cli.number_options import run_number
from intercore.cli.options import DEFAULT_STORE
from intercore.errors import UsageError
from intercore.numeral import whole_number
from intercore.record.store import Store
from intercore.target.targets import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from intercore.record.measurement import Run

RunId = Annotated[
    int | None,
    typer.Argument(metavar="[RUN]", parser=run_number, help="Number of a stored run; the newest if left out."),
]


@contextlib.contextmanager
def existing(path: Path) -> Iterator[Store]:
    """Open a store for reading: one that is not there is an error, not a new one."""
    if not path.exists():
        raise UsageError(
            f"there is no store {path}; measure something first (intercore run host speedup) or use --store"
        )
    with Store(path) as store:
        yield store


def stored(path: Path, run_id: int | None) -> Run:
    """Return a run of a store, the newest if `run_id` is None."""
    with existing(path) as store:
        return store.run(run_id)


def named(store: Store, names: Iterable[str]) -> list[Run]:
    """Return the runs that are named by their numbers or by targets, each once."""
    return [store.run(number) for number in dict.fromkeys(one for name in names for one in _run_ids(store, name))]


def _run_ids(store: Store, name: str) -> list[int]:
    """Return the number of the run that is named by it, or the newest of each benchmark on the target named.

    A run is left out if newer ones measured all that it did.
    """
    number = whole_number(name)
    if number is not None:
        return [number]
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


def command_to_go_on(path: Path, file: str | None = None) -> str:
    """Return the command that goes on with the unfinished run of a store, or with that of a plan file."""
    command = "run --resume" if file is None else f"sweep {shlex.quote(file)}"
    return f"intercore {command}{_store_option(path)}"


def _store_option(path: Path) -> str:
    return "" if path.absolute() == DEFAULT_STORE.absolute() else f" --store {shlex.quote(str(path))}"
