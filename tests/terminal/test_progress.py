"""Progress, as a terminal shows it: the bar, how many and how long are there whatever its width."""

from __future__ import annotations

import io
import re
import threading
from typing import Literal

import pyte
import pytest
from rich.console import Console

from intercore.record.plan import Setting
from intercore.terminal import progress
from intercore.terminal.progress import watch, watch_several

TOTAL = 340
WORDS = {"primitive": "counting-semaphore", "from": 0, "to": 1, "target": "idle", "time": "common", "opt": "O2"}
LINE = re.compile(r"[█░]{16} +(\d+)/(\d+) +(\d+:\d\d:\d\d|-:--:--) left")


class Terminal(io.StringIO):
    """A terminal whose screen is kept after each write."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self._screen = pyte.Screen(columns, 24)
        self._stream = pyte.Stream(self._screen)
        self._drawn = threading.Condition()
        self.screens: list[list[str]] = []

    def write(self, text: str) -> int:
        with self._drawn:
            self._stream.feed(text.replace("\n", "\r\n"))
            self.screens.append([line.rstrip() for line in self._screen.display if line.strip()])
            self._drawn.notify_all()
        return len(text)

    def wait_until_drawn(self, lines: int) -> None:
        """Wait until as many lines as that have been drawn once more."""
        with self._drawn:
            known = len(self.screens)
            assert self._drawn.wait_for(lambda: any(len(screen) == lines for screen in self.screens[known:]), 300)

    def isatty(self) -> bool:
        return True


def console(terminal: Terminal, columns: int, colour: Literal["standard", "truecolor"] | None) -> Console:
    plain = colour is None
    return Console(file=terminal, width=columns, force_terminal=True, color_system=colour, no_color=plain)


@pytest.mark.parametrize("columns", [60, 80, 100])
@pytest.mark.parametrize("colour", [None, "standard", "truecolor"])
def test_bar_count_and_time_left_are_there_at_every_moment(
    columns: int, colour: Literal["standard", "truecolor"] | None
) -> None:
    terminal = Terminal(columns)
    with watch(console(terminal, columns, colour)) as observer:
        observer.begin(0, TOTAL)
        for done in range(TOTAL):
            observer.measuring(Setting("switch", {**WORDS, "samples": done}, 0), "±1.2 %" if done % 3 else None)
            observer.progress(1, 2)
            observer.chip_time(1.5 * done)
            observer.stored(Setting("switch", WORDS, 0), TOTAL, 0.1, None)
            if done % 60 == 0:
                terminal.wait_until_drawn(lines=1)
    seen = [screen for screen in terminal.screens if screen]
    assert len(seen) >= TOTAL / 60
    counts = []
    for screen in seen:
        (line,) = screen
        found = LINE.match(line)
        assert found, line
        assert len(line) <= columns
        counts.append(int(found[1]))
        assert int(found[2]) == TOTAL
    assert counts == sorted(counts)
    assert counts[-1] > TOTAL / 2
    assert any("switch" in line for (line,) in seen)
    assert any(re.search(r"\d:\d\d:\d\d left", line) for (line,) in seen)


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_each_of_several_campaigns_has_its_line(columns: int) -> None:
    terminal = Terminal(columns)
    with watch_several(console(terminal, columns, None)) as observe:
        first, second = (observe("a-board-with-a-rather-long-name-in-a-laboratory-far-away", run) for run in (3, 4))
        for one in (first, second):
            one.begin(0, 12)
        for _ in range(6):
            first.stored(Setting("switch", WORDS, 0), 12, 0.1, None)
            terminal.wait_until_drawn(lines=2)
    both = [screen for screen in terminal.screens if len(screen) == 2]
    assert len(both) >= 4
    assert all(LINE.match(line) and len(line) <= columns for screen in both for line in screen)


def log(settings: list[Setting], *, verbose: bool) -> list[str]:
    written = io.StringIO()
    with watch(Console(file=written, width=60), verbose=verbose) as observer:
        observer.begin(0, len(settings))
        for setting in settings:
            observer.measuring(setting, None)
            observer.progress(1, 2)
            observer.chip_time(0.5)
            observer.stored(setting, len(settings), 0.1, None)
    return written.getvalue().splitlines()


def test_a_log_has_a_line_for_each_benchmark_and_then_for_each_repetition() -> None:
    settings = [
        Setting(benchmark, {**WORDS, "samples": number}, repetition)
        for repetition in range(3)
        for benchmark in ("switch", "lock")
        for number in range(20)
    ]
    assert [line.rpartition(",")[0] for line in log(settings, verbose=False)] == [
        "20/120 switch",
        "40/120 lock",
        "80/120 repetition 2",
        "120/120 repetition 3",
    ]
    lines = log(settings, verbose=True)
    assert len(lines) == 120
    assert lines[0].startswith("1/120 switch primitive=counting-semaphore from=0 ")
    assert all(line.endswith("simulated time 0.50 s") for line in lines)


class _Clock:
    """Stands in the place of `time`."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def resumed(monkeypatch: pytest.MonkeyPatch, *, boots: float, each: float, benchmarks: list[str]) -> list[str]:
    """Return the lines of a run of 394 that goes on at 200, on a target that takes so many seconds to start."""
    clock = _Clock()
    monkeypatch.setattr(progress, "time", clock)
    written = io.StringIO()
    with watch(Console(file=written, width=80)) as observer:
        observer.begin(200, 394)
        clock.now += boots
        for benchmark in benchmarks:
            observer.measuring(Setting(benchmark, {}, 0), None)
            clock.now += each
            observer.stored(Setting(benchmark, {}, 0), 394, each, None)
    return written.getvalue().splitlines()


def test_after_a_resume_the_time_left_is_that_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = resumed(monkeypatch, boots=30, each=0.1, benchmarks=["irq"] * 4 + ["lock"])
    assert lines == ["204/394 irq, 19 s left"]


def test_no_line_of_a_log_comes_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = resumed(monkeypatch, boots=0, each=61, benchmarks=["irq", "irq", "lock"])
    assert [line.partition(",")[0] for line in lines] == ["201/394 irq", "202/394 irq", "203/394 lock"]


def test_a_log_goes_on_where_a_setting_could_not_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "time", _Clock())
    written = io.StringIO()
    with watch(Console(file=written, width=80)) as observer:
        observer.begin(200, 394)
        observer.measuring(Setting("irq", {}, 0), None)
        observer.measuring(Setting("lock", {}, 0), None)
    assert written.getvalue() == ""
