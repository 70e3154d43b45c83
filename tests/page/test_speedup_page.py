"""What the page says of speed-ups: the answer in sentences, and why there is none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.speedup.analysis import analyse
from intercore.benchmarks.speedup.answers import break_even_findings
from intercore.benchmarks.speedup.findings import SpeedupFailedCheck, SpeedupLeftOut, Start
from intercore.statistics.intervals import Interval
from tests.page.test_page import both_modes, measurement, page, run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_answer_is_in_sentences(tmp_path: Path) -> None:
    (told,) = break_even_findings(analyse(both_modes()), 0.9)
    create, pool = told.ways
    assert (create.tasks, pool.tasks) == ("create", "pool")
    assert create.break_even == Start(create.break_even.t1_us, "exactly")
    assert create.break_even.t1_us.value == pytest.approx(160, rel=0.01)
    assert create.efficient is not None
    assert create.efficient.t1_us.value == pytest.approx(1440, rel=0.01)
    assert pool.break_even == Start(Interval(pytest.approx(20.1, abs=0.05)), "or less")
    assert pool.efficient is not None
    assert pool.efficient.t1_us.value == pytest.approx(91.5, rel=0.01)
    text = page(tmp_path, run(*both_modes())).text
    assert f"{told.sentence} Two cores did" in text
    assert "Two cores did the work up to 2.00 times as fast as one" in text
    assert "woken tasks at n = 1,000,000, which takes one core 20.0 ms" in text
    assert re.search(
        r"created tasks: starting and joining takes 80\.\d µs \([\d.]+ – [\d.]+ µs\); "
        r"break-even \(S = 1\) at 160 µs \([\d.]+ – [\d.]+ µs\) of sequential work, n ≈ 8,0\d0: for less work one "
        r"core is faster; 90 % of both cores from 1\.44 ms \([\d.]+ – [\d.]+ ms\), n ≈ 72,\d00\.",
        text,
    )
    assert "At break-even all cores together are as fast as one (S = 1)" in text


def test_a_run_without_any_ratio_says_so_and_why(tmp_path: Path) -> None:
    shown = page(tmp_path, run(measurement(1000, factors={"cores": "many"})))
    assert "None of the 1 measurements of run 7 gives a speed-up; see the warnings." in shown.text
    assert SpeedupLeftOut(why="factors", names=("cores",)).sentence in shown.text


def test_disturbed_measurements_are_marked_in_the_table_and_warned_of(tmp_path: Path) -> None:
    shown = page(
        tmp_path, run(measurement(1000), measurement(10_000, checks={"preempted": 3, "recovered_doorbells": 1}))
    )
    assert shown.row("1,000")[-1] == "9"
    assert shown.row("10,000")[-1] == "9 ⚠ recovered_doorbells 1, preempted 3"
    assert SpeedupFailedCheck.wording["preempted"].format(count=3).partition(". ")[0] in shown.text
