"""How far a run has come: a bar on a terminal, a line per measurement in a log. Always on standard error."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from intercore.plan import Setting
    from intercore.runner import Observer
    from intercore.stop import Precision


@contextlib.contextmanager
def watch(console: Console) -> Iterator[Observer]:
    """Show the progress of a run while the context lasts."""
    if not console.is_terminal:
        yield _Log(console)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("starting", total=None)
        self._whole = 0
        self._words = ""

    def begin(self, done: int, total: int) -> None:
        self._whole = done
        self._progress.update(self._task, total=total, completed=done)

    def measuring(self, setting: Setting, known: Precision | None) -> None:
        self._words = escape(_words(setting) + (f"  {known}" if known else ""))
        self._progress.update(self._task, description=self._words)

    def progress(self, done: int, of: int) -> None:
        self._progress.update(self._task, completed=self._whole + done / max(of, 1))

    def chip_time(self, seconds: float) -> None:
        self._progress.update(self._task, description=f"{self._words}  chip at {seconds:.2f} s")

    def told(self, text: str) -> None:
        self._progress.console.print(text, markup=False)

    def stored(self, total: int, known: Precision | None) -> None:  # noqa: ARG002 - said when it is measured again
        self._whole += 1
        self._progress.update(self._task, completed=self._whole, total=total)


class _Log:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._position = 0
        self._setting: Setting | None = None
        self._since = 0.0
        self._chip = ""

    def begin(self, done: int, total: int) -> None:  # noqa: ARG002 - each line says the total known then
        self._position = done

    def measuring(self, setting: Setting, known: Precision | None) -> None:  # noqa: ARG002 - said when it is stored
        self._setting = setting
        self._since = time.monotonic()

    def progress(self, done: int, of: int) -> None:
        """Say nothing: a log has no use for a bar."""

    def chip_time(self, seconds: float) -> None:
        self._chip = f", chip at {seconds:.2f} s of its own time"

    def told(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def stored(self, total: int, known: Precision | None) -> None:
        self._position += 1
        if self._setting is not None:
            took = time.monotonic() - self._since
            precision = f", {known}" if known else ""
            text = f"{self._position}/{total} {_words(self._setting)} {took:.1f} s{self._chip}{precision}"
            self._console.print(text, markup=False, soft_wrap=True)


def _words(setting: Setting) -> str:
    levels = (f"{name}={level}" for name, level in setting.factors.items() if name != "seed")
    return " ".join((setting.benchmark, *levels))
