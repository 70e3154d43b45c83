"""How far a run has come: a bar on a terminal, lines in a log. Always on standard error."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Protocol

from rich.markup import escape
from rich.progress import MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from intercore.text import printable
from intercore.view.quantity import rough_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Task, TaskID

    from intercore.record.plan import Setting
    from intercore.statistics.precision import Precision


class Campaign(Protocol):
    """A run that is being carried out beside others."""

    @property
    def id(self) -> int:
        """Number of the run."""

    @property
    def name(self) -> str:
        """What its target is called in messages."""

    @property
    def done(self) -> int:
        """How many measurements are in the store."""

    @property
    def total(self) -> int:
        """How many there will be, as far as is known."""


@contextlib.contextmanager
def watch(console: Console, *, verbose: bool = False, still: bool = False) -> Iterator[_Bar | _Log | _ShortLog]:
    """Show the progress of a run while the context lasts; `verbose`, in a log by a line for each measurement.

    `still` shows a log on a terminal, too: what moves there would write over what somebody types meanwhile.
    """
    if still or not console.is_terminal:
        yield _Log(console) if verbose else _ShortLog(console)
        return
    with _progress(console) as progress:
        yield _Bar(progress)


@contextlib.contextmanager
def watch_campaigns(console: Console) -> Iterator[_Bars | _Logs]:
    """Show the progress of several runs at once while the context lasts."""
    if not console.is_terminal:
        yield _Logs(console)
        return
    with _progress(console) as progress:
        yield _Bars(progress)


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
    """How long it will take, as far as is known."""

    def render(self, task: Task) -> Text:
        """Return the time, or dashes."""
        return Text.assemble(super().render(task) or "-:--:--", " left", style="progress.remaining")


class _Bars:
    """A bar for each campaign."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[int, TaskID] = {}

    def begin(self, campaign: Campaign) -> None:
        name = escape(printable(f"{campaign.name} (run {campaign.id})"))
        self._tasks[campaign.id] = self._progress.add_task(name, total=campaign.total, completed=campaign.done)

    def stored(self, campaign: Campaign, setting: Setting, seconds: float) -> None:  # noqa: ARG002 - bars have no room
        self._progress.update(self._tasks[campaign.id], completed=campaign.done, total=campaign.total)

    def say(self, campaign: Campaign, text: str) -> None:
        self._progress.console.print(f"{campaign.name}: {text}", markup=False, highlight=False)


class _Logs:
    """A line for each measurement."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._before: dict[int, int] = {}
        self._begun: dict[int, float] = {}

    def begin(self, campaign: Campaign) -> None:
        self._before[campaign.id] = campaign.done

    def stored(self, campaign: Campaign, setting: Setting, seconds: float) -> None:
        done = campaign.done - self._before[campaign.id]
        now = time.monotonic()
        left = (campaign.total - campaign.done) * (now - self._begun.setdefault(campaign.id, now - seconds)) / done
        counts = f"{campaign.name} {campaign.done}/{campaign.total}"
        self._print(f"{counts} {_words(setting)} {seconds:.1f} s, {rough_time(left)} left")

    def say(self, campaign: Campaign, text: str) -> None:
        self._print(f"{campaign.name}: {text}")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class _Bar:
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
        self._progress.update(self._task, description=f"{self._words}  chip at {seconds:.2f} s")

    def told(self, text: str) -> None:
        self._progress.console.print(text, markup=False)

    def stored(self, total: int, known: Precision | str | None) -> None:  # noqa: ARG002 - said when it is measured again
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

    def measuring(self, setting: Setting, known: Precision | str | None) -> None:  # noqa: ARG002 - said when it is stored
        self._setting = setting
        self._since = time.monotonic()

    def progress(self, done: int, of: int) -> None:
        """Say nothing: a log has no use for a bar."""

    def chip_time(self, seconds: float) -> None:
        self._chip = f", chip at {seconds:.2f} s of its own time"

    def told(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def stored(self, total: int, known: Precision | str | None) -> None:
        self._position += 1
        if self._setting is not None:
            took = time.monotonic() - self._since
            precision = f", {known}" if known else ""
            text = f"{self._position}/{total} {_words(self._setting)} {took:.1f} s{self._chip}{precision}"
            self._console.print(text, markup=False, soft_wrap=True)


class _ShortLog:
    """A line where a benchmark is over for the first time, then where a repetition of all is, and one a minute."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._before = self._position = self._total = 0
        self._begun: float | None = None
        """When the first measurement began: how long a target takes to start says nothing of how long they take."""
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

    def progress(self, done: int, of: int) -> None:
        """Say nothing: a log has no use for a bar."""

    def chip_time(self, seconds: float) -> None:
        """Say nothing: it is of one measurement."""

    def told(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def stored(self, total: int, known: Precision | str | None) -> None:  # noqa: ARG002 - of one measurement
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
