"""The benchmark `contention` of the real program: all compete, and what they did is checked and recorded.

How much each gets is up to this machine and what else it does, so it is never asserted tightly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.contention_answers import told, towers
from tests.firmware.host.conftest import cores, series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

SHORT = "yield=none discs=12 window_ms=60"


def need_two_cores(terminal: Terminal) -> None:
    if cores(terminal) < 2:
        pytest.skip("needs two cores")


def test_every_tower_is_checked_and_recorded_within_its_window(terminal: Terminal) -> None:
    need_two_cores(terminal)
    answer = terminal.ask(f"run contention {SHORT} samples=2")
    checks = answer[-1]["checks"]
    assert answer[-1]["status"] == "ok"
    assert (checks["repetitions"], checks["done"], checks["wrong"], checks["lost"]) == (2, 2, 0, 0)
    assert towers(answer).keys() == {"task0.0", "task1.1", "main.1"}
    taken = series(answer)
    recorded = [ends for name, ends in taken.items() if name in towers(answer)]
    # Two cores alone five times; a tower under way at the end of each window, for each of three.
    assert 10 + sum(map(len, recorded)) <= checks["checked"] <= 10 + sum(map(len, recorded)) + 6
    for ends in recorded:  # those of one may be missing: a turn on Linux is longer than these windows
        assert ends == sorted(ends)
        assert all(0 < end < 2 * 60_000_000 for end in ends)
    assert any(recorded)
    assert all(len(taken[f"alone.{core}"]) == 5 for core in (0, 1))


def test_the_preset_runs_the_rows_of_the_published_table_in_one_command(terminal: Terminal) -> None:
    need_two_cores(terminal)
    window = 60_000_000
    published = {"task0.0": {1, 2, 3, 6}, "task1.1": {1, 3, 4, 7}, "main.1": {1, 2, 4, 5}}
    alone = {"task0.0": 2, "main.1": 5}
    rows: dict[str, set[int]] = {name: set() for name in published}
    # A loaded machine may keep one from its turn for a whole window: so they are measured until each has had one where
    # no other competes for its core; who never gets one meets the limit of time of all tests. Nobody works where it has
    # no work.
    while any(row not in rows[name] for name, row in alone.items()):
        answer = terminal.ask(f"run contention preset=qiita-table {SHORT}")
        assert answer[-1]["checks"]["done"] == 7
        assert towers(answer).keys() == published.keys()
        taken = series(answer)
        for name, worked in published.items():
            rows[name] |= {end // window + 1 for end in taken.get(name, ())}
            assert rows[name] <= worked, name


def test_a_person_is_told_the_published_table(terminal: Terminal) -> None:
    need_two_cores(terminal)
    answer = terminal.ask(f"run contention preset=qiita-table {SHORT} samples=2")
    head, *rows = told(answer)
    assert head.split() == ["towers", "of", "12", "discs", "in", "60", "ms", "task0", "task1", "main", "total"]
    names = [row[:35].strip() for row in rows]
    assert names == [
        "task0, task1, main",
        "task0, main",
        "task0, task1 (main spins)",
        "task1, main",
        "main",
        "task0 (main spins)",
        "task1 (main spins)",
    ]
    window = 60_000_000
    taken = series(answer)
    for number, row in enumerate(rows):
        counted = [
            sum(end // window % 7 == number for end in taken.get(name, ())) for name in ("task0.0", "task1.1", "main.1")
        ]
        assert row[35:].split() == [*map(str, counted), str(sum(counted)), "in", "2", "windows"]
    kinds = [line["type"] for line in answer]
    assert kinds[-9:] == ["log"] * 8 + ["end"], "what a person sees last"
    shown = terminal.ask(f"show contention preset=qiita-table {SHORT} samples=2")
    assert [told([line]) != [] for line in shown if line["type"] != "progress"] == [True] * 8 + [False]
    again = terminal.ask("resend 0 3-")
    assert told(again) == [], "what is asked for again is for a tool"
    assert again[-1] == shown[-1]


def test_of_a_table_that_was_stopped_the_rows_are_told_that_were_measured(terminal: Terminal) -> None:
    need_two_cores(terminal)
    terminal.type("run contention preset=qiita-table yield=none discs=12 window_ms=100\nabort\n")
    answer = terminal.answer()
    assert len(told(answer)) == 1 + answer[-1]["checks"]["done"]


def test_free_tasks_are_told_together_in_a_column_of_their_own(terminal: Terminal) -> None:
    need_two_cores(terminal)
    answer = terminal.ask(f"run contention task0=work task1=delay main=spin free=2 {SHORT}")
    head, row = told(answer)
    assert head.split()[-5:] == ["task0", "task1", "main", "free", "total"]
    assert row.startswith("task0, free (task1 delays) (main spins) ")
    counts = towers(answer)
    free = sum(count for name, count in counts.items() if name.startswith("free"))
    assert row.split(")")[-1].split() == [
        str(count) for count in (counts["task0.0"], 0, 0, free, counts["task0.0"] + free)
    ]


def test_free_tasks_have_a_series_on_every_core(terminal: Terminal) -> None:
    answer = terminal.ask(f"run contention task0=off task1=off main=off free=2 {SHORT}")
    assert answer[-1]["status"] == "ok"
    assert towers(answer).keys() == {f"free{task}.{core}" for task in (0, 1) for core in range(cores(terminal))}
    assert sum(towers(answer).values()) > 0
    taken = series(answer)
    for task in (0, 1):
        done = sum(towers(answer)[f"free{task}.{core}"] for core in range(cores(terminal)))
        parts = [taken[f"ran{task}.{core}"] for core in range(cores(terminal))]
        assert all(len(each) == 1 for each in parts), "one for the window"
        assert sum(each[0] for each in parts) + taken[f"moved{task}"][0] == 2 ** (12 - 6) * done


def test_a_task_alone_is_timed_with_the_sleep_that_competitors_make(terminal: Terminal) -> None:
    answer = terminal.ask("run contention task0=work task1=off main=off yield=tick discs=12 window_ms=60")
    taken = series(answer)
    assert len(taken["alone.0"]) == len(taken["tower.0"]) == 5
    assert all(alone > tower for alone, tower in zip(taken["alone.0"], taken["tower.0"], strict=True))
    assert sum(taken["alone.0"]) > 4 * 1_000_000, "five ticks of a millisecond, the first of which may have begun"
    assert "tower.0" not in series(terminal.ask(f"run contention task0=work task1=off main=off {SHORT}"))


@pytest.mark.parametrize("main", ["spin", "delay", "block", "off"])
def test_a_main_loop_without_work_does_no_towers(terminal: Terminal, main: str) -> None:
    need_two_cores(terminal)
    answer = terminal.ask(f"run contention task0=off task1=work main={main} {SHORT}")
    assert towers(answer).keys() == {"task1.1"}


def test_a_preset_can_be_stopped_between_its_windows(terminal: Terminal) -> None:
    need_two_cores(terminal)
    terminal.type("run contention preset=qiita-table yield=none discs=12 window_ms=100\nabort\n")
    answer = terminal.answer()
    assert answer[-1]["status"] == "aborted"
    assert answer[-1]["checks"]["done"] < 7


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("task0=off task1=off main=off", "bad-value"),
        ("task0=spin task1=block main=delay", "bad-value"),
        ("task0=wrok", "bad-value"),
        ("discs=0", "out-of-range"),
        ("discs=23", "out-of-range"),
        ("free=5", "out-of-range"),
        ("discs=1 window_ms=20000 yield=none", "out-of-range"),
    ],
)
def test_what_cannot_be_measured_is_refused(terminal: Terminal, words: str, code: str) -> None:
    refused = terminal.ask(f"run contention {words}")[-1]
    assert (refused["type"], refused["code"]) == ("error", code)
