"""Durations as people write and read them."""

from __future__ import annotations

import pytest

from intercore.campaign.duration import parse_duration
from intercore.errors import UsageError
from intercore.view.quantity import rough_time


@pytest.mark.parametrize(
    ("text", "seconds"), [("90 s", 90), ("1.5h", 5400), ("1 h 30 min", 5400), (".5 min", 30), ("2d", 172800)]
)
def test_a_time_has_units(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "5", "5 m", "-1 s", "0 min", "1 s later", "1e9 s", "9999999 d", "sin 1 s", "1 sh", "१२ s", "1_0 s", "nan s"],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89.4, "89 s"), (90, "1.5 min"), (3600, "60 min"), (9000, "2.5 h"), (259200, "3.0 days")],
)
def test_an_estimate_claims_no_more_than_two_digits(seconds: float, words: str) -> None:
    assert rough_time(seconds) == words
