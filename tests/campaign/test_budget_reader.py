"""Files of budgets: what is read, and what is refused with file and line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from intercore.campaign.budget_reader import read
from intercore.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

BASELINE = (
    '{"kind":"intercore baseline","version":2,"tool":"0.1.0","target":"pico-sim","origin":"simulated"}\n'
    '{"kind":"series","benchmark":"switch","factors":{"to":1},"series":"switch","unit":"us",'
    '"n":10,"median":12.5,"min":12.0,"max":13.0}\n'
)


def written(folder: Path, text: str) -> Path:
    (folder / "kept.txt").write_text(BASELINE)
    path = folder / "budgets.toml"
    path.write_text(text)
    return path


def test_a_file_has_budgets_with_their_lines_and_a_baseline_beside_it(tmp_path: Path) -> None:
    text = """\
repetitions = 3
baseline = "kept.txt"

budgets = [
  # waking a task
  "switch to=1: p99 <= 20 us",

  "switch: median / baseline <= 1.05", "irq: max <= 60 cycles",
]
"""
    found = read(written(tmp_path, text))
    assert [(one.line, one.what) for one in found.budgets] == [(6, "p99"), (8, "median / baseline"), (8, "max")]
    assert found.repetitions == 3
    assert found.baseline is not None
    assert found.baseline.plan.target == "pico-sim"
    only = read(written(tmp_path, 'budgets = ["switch: p99 <= 20 us"]'))
    assert (only.baseline, only.repetitions, only.budgets[0].line) == (None, None, 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ":1: budgets must be a list"),
        ("budgets = []", ":1: budgets must be a list"),
        ('\nbudgets = "switch: p99 <= 20 us"', ":2: budgets must be a list"),
        ("budgets = [\n1\n]", ":2: a budget must be a string"),
        ('budgets = ["a\\nb"]', ":1: a budget must be a string"),
        ('budgets = [\n"switch: p99 <= 20 us",\n"irq: p98 <= 20 us"\n]', ":3: there is no statistic 'p98'"),
        (
            'budgets = [\n"switch: p99 <= 20 us",\n"switch:  p99 <= 20 us"\n]',
            ":3: this budget repeats the budget in line 2",
        ),
        (
            'budgets = [\n"switch: p99 <= 20 us",\n"switch to=1: median >= 30 us"\n]',
            ":3: this budget (median >= 30 us) contradicts the budget in line 2 (p99 <= 20 us)",
        ),
        ('budget = ["switch: p99 <= 20 us"]', ":1: unknown key 'budget'; did you mean 'budgets'?"),
        ('repetitions = 0\nbudgets = ["switch: p99 <= 20 us"]', ":1: repetitions=0 is out of range"),
        ('repetitions = "5"\nbudgets = ["switch: p99 <= 20 us"]', ":1: repetitions must be a whole number"),
        ('budgets = ["switch: p99 / baseline <= 2"]', ":1: this budget is a ratio to a baseline"),
        ('baseline = "not.txt"\nbudgets = ["switch: p99 <= 2 us"]', ":1: cannot read "),
        ("budgets = [", ":1: TOML syntax error"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError, match=re.escape(f"{path}{says}")):
        read(path)


@pytest.mark.measures("message", "switch")
def test_everything_that_is_wrong_in_a_file_is_named_at_once(tmp_path: Path) -> None:
    forms = ["switch: p98 <= 20 us", "switch: p99 <= 20 us", "switch: p99 < 20 us"]
    known = ["message measure=latency: throughput median >= 1 MB/s", "message: latncy p99 <= 1 ms",
             "switch: p99 <= 20 us", "message measure=throughput: median <= 20 us", "message: median <= 1 us",
             "switch time=aligned: median <= 1 us"]  # fmt: skip
    for texts, lines in ((forms, (2, 4)), (known, (2, 3, 5, 6, 7))):
        path = written(tmp_path, "budgets = [\n" + ",\n".join(f'"{text}"' for text in texts) + "]")
        with pytest.raises(UsageError) as caught:
            read(path)
        complaints = str(caught.value).splitlines()
        assert all(one.startswith(f"{path}:{line}: ") for one, line in zip(complaints, lines, strict=True))


@pytest.mark.measures("clock")
def test_a_benchmark_without_a_median_has_nothing_that_a_budget_could_limit(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=":1: clock cannot have a budget"):
        read(written(tmp_path, 'budgets = ["clock: median <= 1 us"]'))


def test_a_baseline_that_was_edited_is_refused_with_its_own_line(tmp_path: Path) -> None:
    path = written(tmp_path, 'baseline = "kept.txt"\nbudgets = ["switch: median / baseline <= 1"]')
    (tmp_path / "kept.txt").write_text(BASELINE.replace("12.5", "125"))
    with pytest.raises(UsageError, match=r"kept\.txt:2: median=125 is above max=13: one of these two numbers is wrong"):
        read(path)


def test_hundreds_of_budgets_are_read_with_their_lines_and_thousands_refused(tmp_path: Path) -> None:
    lines = [f'"switch size={number}: median <= 20 us",' for number in range(501)]
    path = written(tmp_path, "budgets = [\n" + "\n".join(lines[:200]) + "\n]")
    assert [one.line for one in read(path).budgets] == list(range(2, 202))
    with pytest.raises(UsageError, match=r"budgets has 501 entries.*500"):
        read(written(tmp_path, "budgets = [" + "".join(lines) + "]"))
