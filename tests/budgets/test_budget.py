"""What a budget says, and what is none."""

from __future__ import annotations

import re

import pytest

from intercore.budgets.budget import contradiction, parsed
from intercore.errors import UsageError


def test_a_budget_names_a_setting_a_statistic_and_a_limit() -> None:
    found = parsed("switch  from=0 to=1 primitive=notification: p99 <= 20 us", 7)
    assert (found.benchmark, found.series, found.statistic, found.sense) == ("switch", None, "p99", "<=")
    assert (found.limit, found.unit, found.line, found.to_baseline) == (20, "us", 7, False)
    assert found.levels == {"from": ("0",), "to": ("1",), "primitive": ("notification",)}
    assert found.has({"from": 0, "to": 1, "primitive": "notification", "opt": "O2"})
    assert not found.has({"from": 0, "to": 0, "primitive": "notification"})
    assert not found.has({"from": 0, "to": 1})
    assert found.text == "switch from=0 to=1 primitive=notification: p99 <= 20 us"


@pytest.mark.parametrize(
    ("text", "what", "bound"),
    [
        ("lock: there median / baseline <= 1.05", "there median / baseline", "<= 1.05"),
        ("speedup mode=pool,spin: S median >= 1.5", "S median", ">= 1.5"),
        ("switch: max ≤ 20µs", "max", "<= 20 µs"),
        ("message transport=rpmsg-char:/dev/rpmsg0: median >= 1e3 kB/s", "median", ">= 1000 kB/s"),
        ("irq: p99.9<=60 cycles", "p99.9", "<= 60 cycles"),
        ("threadmetric: median>=100", "median", ">= 100"),
    ],
)
def test_the_ways_to_write_one(text: str, what: str, bound: str) -> None:
    found = parsed(text, 1)
    assert (found.what, found.bound) == (what, bound)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("switch p99 <= 20 us", "a budget is 'switch from=0 to=1: p99 <= 20 us' or"),
        ("switch: p99", "a budget is 'switch from=0 to=1: p99 <= 20 us' or"),
        ("switch: p99 < 20 us", "cannot have '<': use <= or >="),
        ("switch: p99 == 20 us", "cannot have '==': use <= or >="),
        ("switch: p98 <= 20 us", "there is no statistic 'p98'; did you mean 'p99'?"),
        ("switch: mean <= 20 us", "there is no statistic 'mean'"),
        ("switch: call back p99 <= 20 us", "'call back' is not the name of a series: name one series"),
        (
            "switch: p99 <= twenty us",
            "the limit must be a number, with a unit if it has one, such as '20 us' or '1.05', not 'twenty",
        ),
        ("switch: p99 <= 20,5 us", "the limit must be a number, with a unit"),
        ("switch: p99 <= 1_000 us", "the limit must be a number, with a unit"),
        ("switch: p99 <= nan us", "the limit must be a number, with a unit"),
        ("switch: p99 <= -1 us", "the limit -1 is out of range"),
        ("switch: p99 <= 0 us", "the limit 0 is out of range"),
        ("switch: p99 <= 1e999 us", "the limit 1e999 is out of range"),
        ("switch: p99 <= 1e308 s", "the limit 1e308 s is out of range"),
        ("switch: p99 >= 5e-324 ns", "the limit 5e-324 ns is out of range"),
        ("switch: p99 / baseline <= 1e308", "the limit 1e308 is out of range"),
        ("switch: p99 <= 20 usec", "there is no unit 'usec'; did you mean 'us'?"),
        ("switch: median / baseline <= 5%", "a ratio to the baseline has no unit: write 1.05"),
        ("switch: median / before <= 1.05", "a ratio can only be to the baseline"),
        ("switch from: median <= 2 us", "'from' is not a level of a factor"),
        ("switch from=0 from=1: median <= 2 us", "from is given twice"),
    ],
)
def test_what_is_no_budget_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        parsed(text, 1)


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        ("switch: p99 <= 20 us", "switch: p99 >= 30 us", True),
        ("switch: p99 <= 20 us", "switch: p99 >= 0.03 ms", True),
        ("switch from=0: p99 <= 20 us", "switch to=1: median >= 30 us", True),
        ("switch: max / baseline <= 1", "switch: max / baseline >= 1.1", True),
        ("switch: p99 <= 20 us", "switch: p99 >= 20 us", False),
        ("switch: median <= 20 us", "switch: p99 >= 30 us", False),
        ("switch from=0: p99 <= 20 us", "switch from=1: p99 >= 30 us", False),
        ("switch: call p99 <= 20 us", "switch: switch p99 >= 30 us", False),
        ("switch: p99 <= 20 us", "switch: p99 / baseline >= 30", False),
        ("switch: p99 <= 20 us", "switch from=0: p99 <= 10 us", False),
        ("switch: p99 / baseline <= 1", "switch: median / baseline >= 1.1", False),
        ("switch: p99 <= 20 us", "irq: p99 >= 30 us", False),
    ],
)
def test_two_budgets_contradict_if_nothing_could_keep_both(one: str, other: str, *, contradict: bool) -> None:
    budgets = [parsed(one, 1), parsed(other, 2)]
    assert (contradiction(budgets) is not None) == contradict
    assert (contradiction(budgets[::-1]) is not None) == contradict
