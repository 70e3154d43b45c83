"""How far a run has come: a bar on a terminal, lines in a log. Always on standard error."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.progress import MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from intercore.text import printable
from intercore.view.quantity import rough_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console
    from rich.progress import Task

    from intercore.record.plan import Setting
    from intercore.statistics.precision import Precision


@contextlib.contextmanager
def watch(console: Console, *, verbose: bool = False, still: bool = False) -> Iterator[_Observer]:
    """Show the progress of a run while the context lasts; `verbose`, in a log by a line for each measurement.

    `still` shows a log on a terminal, too: a moving bar would overwrite the user's typing.
    """
    if still or not console.is_terminal:
        yield _Log(console) if verbose else _ShortLog(console)
        return
    with _progress(console) as progress:
        yield _Bar(progress)


@contextlib.contextmanager
def watch_several(console: Console) -> Iterator[Callable[[str, int], _Observer]]:
    """Show the progress of several runs at once while the context lasts.

    Returns what makes the observer of one, by the name of its target in messages and the number of the run.
    """
    if not console.is_terminal:
        yield lambda name, _: _LogOfSeveral(console, name)
        return
    with _progress(console) as progress:
        yield lambda name, run: _BarOfSeveral(progress, name, run)


def _progress(console: Console) -> Progress:
    """Return progress on one line: how far it is and how long it takes, then as much of what it does as has room."""
    columns = (
        _Share(),
        MofNCompleteColumn(),
        _TimeLeft(),
        TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
    )
    # Settings differ in what they take: an estimate from the last few would jump about.
    return Progress(*columns, console=console, transient=True, expand=True, speed_estimate_period=120)


_SILENCE_S = 60.0
_BAR = 16
"""Columns of a bar: beside it, count and time, a terminal of 60 columns has room for a word or two."""


class _Share(ProgressColumn):
    """A bar that shows without colours, too: rich's own is drawn by them."""

    def render(self, task: Task) -> Text:
        """Return the bar."""
        done = round(_BAR * task.percentage / 100)
        return Text("█" * done + "░" * (_BAR - done), style="bar.complete")


class _TimeLeft(TimeRemainingColumn):
    """How long it will take, if known."""

    def render(self, task: Task) -> Text:
        """Return the time, or dashes."""
        return Text.assemble(super().render(task) or "-:--:--", " left", style="progress.remaining")


class _Observer:
    """Shows how far a run has come (`intercore.campaign.observer`): of each event nothing, unless a subclass does."""

    def begin(self, done: int, total: int) -> None:
        """See Observer."""

    def measuring(self, setting: Setting, known: Precision | str | None) -> None:
        """See Observer."""

    def progress(self, done: int, of: int) -> None:
        """See Observer."""

    def chip_time(self, seconds: float) -> None:
        """See Observer."""

    def show_message(self, text: str) -> None:
        """See Observer."""

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:
        """See Observer."""


class _BarOfSeveral(_Observer):
    def __init__(self, progress: Progress, name: str, run: int) -> None:
        self._progress = progress
        self._name = name
        self._task = progress.add_task(escape(printable(f"{name} (run {run})")), visible=False)

    def begin(self, done: int, total: int) -> None:
        self._progress.update(self._task, total=total, completed=done, visible=True)

    def show_message(self, text: str) -> None:
        self._progress.console.print(f"{self._name}: {text}", markup=False, highlight=False)

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:  # noqa: ARG002
        self._progress.update(self._task, advance=1, total=total)


class _LogOfSeveral(_Observer):
    """A line for each measurement, with the name of its target."""

    def __init__(self, console: Console, name: str) -> None:
        self._console = console
        self._name = name
        self._before = self._done = 0
        self._begun: float | None = None

    def begin(self, done: int, total: int) -> None:  # noqa: ARG002 - each line says the total known then
        self._before = self._done = done

    def show_message(self, text: str) -> None:
        self._print(f"{self._name}: {text}")

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:  # noqa: ARG002
        self._done += 1
        now = time.monotonic()
        if self._begun is None:
            self._begun = now - seconds
        left = (total - self._done) * (now - self._begun) / (self._done - self._before)
        counts = f"{self._name} {self._done}/{total}"
        self._print(f"{counts} {_words(setting)} {seconds:.1f} s, {rough_time(left)} left")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class _Bar(_Observer):
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", visible=False)
        self._whole = 0
        self._words = ""

    def begin(self, done: int, total: int) -> None:
        self._whole = done
        self._progress.update(self._task, total=total, completed=done, visible=True)

    def measuring(self, setting: Setting, known: Precision | str | None) -> None:
        self._words = escape(_words(setting) + (f"  {known}" if known else ""))
        self._progress.update(self._task, description=self._words)

    def progress(self, done: int, of: int) -> None:
        self._progress.update(self._task, completed=self._whole + done / max(of, 1))

    def chip_time(self, seconds: float) -> None:
        self._progress.update(self._task, description=f"{self._words}  simulated {seconds:.2f} s")

    def show_message(self, text: str) -> None:
        self._progress.console.print(text, markup=False)

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:  # noqa: ARG002
        self._whole += 1
        self._progress.update(self._task, completed=self._whole, total=total)


class _Log(_Observer):
    """A line for each measurement."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._position = 0
        self._chip = ""

    def begin(self, done: int, total: int) -> None:  # noqa: ARG002 - each line says the total known then
        self._position = done

    def chip_time(self, seconds: float) -> None:
        self._chip = f", simulated time {seconds:.2f} s"

    def show_message(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:
        self._position += 1
        precision = f", {known}" if known else ""
        text = f"{self._position}/{total} {_words(setting)} {seconds:.1f} s{self._chip}{precision}"
        self._console.print(text, markup=False, soft_wrap=True)


class _ShortLog(_Observer):
    """A line where a benchmark is over for the first time, then where a repetition of all is, and one a minute."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._before = self._position = self._total = 0
        self._begun: float | None = None
        """When the first measurement began: the start of a target does not count."""
        self._said = time.monotonic()
        self._said_at = 0
        self._under_way = ""

    def begin(self, done: int, total: int) -> None:
        self._before = self._position = self._said_at = done
        self._total = total
        self._said = time.monotonic()

    def measuring(self, setting: Setting, known: Precision | str | None) -> None:  # noqa: ARG002 - of one measurement
        if self._begun is None:
            self._begun = time.monotonic()
        now = f"repetition {setting.repetition + 1}" if setting.repetition else printable(setting.benchmark)
        if self._under_way not in {"", now}:
            self._say()
        self._under_way = now

    def show_message(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:  # noqa: ARG002
        self._position += 1
        self._total = total
        if self._position == total or time.monotonic() - self._said >= _SILENCE_S:
            self._say()

    def _say(self) -> None:
        if self._begun is None or self._position == self._said_at:
            return
        self._said, self._said_at = time.monotonic(), self._position
        left = (self._said - self._begun) / (self._position - self._before) * (self._total - self._position)
        text = f"{self._position}/{self._total} {self._under_way}, {rough_time(left)} left"
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _words(setting: Setting) -> str:
    levels = (f"{name}={level}" for name, level in setting.factors.items() if name != "seed")
    return printable(" ".join((setting.benchmark, *levels)))
