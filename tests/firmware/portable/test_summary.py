"""What a benchmark without words of its own tells who types: a table, and with `show` nothing but that."""

from __future__ import annotations

import ctypes
import statistics
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.firmware.portable.conftest import SAMPLES_CAPACITY
from tests.firmware.portable.test_console import Target

UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
FEW = SAMPLES_CAPACITY - 2 * 32


@pytest.fixture(scope="module")
def target(core: ctypes.CDLL) -> Target:
    one = Target(core)
    one.say("series", b"taken")
    return one


def told(answer: list[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in answer if line["type"] == "log"]


def row(answer: list[dict[str, Any]], name: str) -> list[str]:
    (found,) = (text.split() for text in told(answer) if text.split()[0] == name)
    return found


def ns(number: str, unit: str) -> float:
    return float(number) * UNITS[unit]


def show(target: Target, samples: list[int], words: str = "") -> list[dict[str, Any]]:
    target.measure(samples)
    return target.talk(f"show trial samples={len(samples)} dither_us=0 {words}\n".encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(samples=st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=FEW))
@example([5])
@example([3, 1])
@example([7] * FEW)
@example([-(2**40), 2**40])
def test_least_median_and_greatest_are_those_of_the_samples(target: Target, samples: list[int]) -> None:
    answer = show(target, samples)
    hz = next(line["hz"] for line in answer if line["type"] == "hello")
    name, count, *times = row(answer, "taken")
    assert (name, int(count)) == ("taken", len(samples))
    expected = (min(samples), statistics.median_low(samples), max(samples))
    for number, unit, ticks in zip(times[::2], times[1::2], expected, strict=True):
        true = ticks * 1e9 / hz
        assert ns(number, unit) == pytest.approx(true, abs=max(1, abs(true) * 0.006)), "two places behind the point"


def test_show_answers_in_words_and_says_how_it_ended(target: Target) -> None:
    answer = show(target, [10, 20, 30])
    begun = next(place for place, line in enumerate(answer) if line["type"] == "end")  # of what it says at start
    after = answer[begun + 1 :]
    assert {line["type"] for line in after} <= {"log", "progress", "end"}
    assert (after[-1]["type"], after[-1]["status"], after[-1]["checks"]["done"]) == ("end", "ok", 3)


def test_the_first_line_names_what_is_not_the_default(target: Target) -> None:
    head, columns, *_ = told(show(target, [10, 20, 30, 40], "seed=9"))
    assert head.split() == ["trial", "samples=4", "dither_us=0", "seed=9"]
    assert columns.split() == ["series", "samples", "least", "median", "greatest"]


def test_who_types_run_has_the_samples_first_and_the_table_last(target: Target) -> None:
    target.measure([4, 5, 6])
    answer = target.talk(b"run trial samples=3 dither_us=0\n")
    kinds = [line["type"] for line in answer]
    assert "samples" in kinds
    assert kinds[-2:] == ["log", "end"]
    assert row(answer, "taken")


def test_a_tool_is_told_no_words(target: Target) -> None:
    target.measure([4, 5, 6])
    assert told(target.talk(b"run trial samples=3 dither_us=0 id=7\n")) == []


def test_help_names_it(target: Target) -> None:
    (line,) = (one for one in target.talk(b"help\n") if one.get("text", "").startswith("show "))
    assert "resend 0 0-" in line["detail"]
