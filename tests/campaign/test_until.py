"""The stop rule as it is asked for: a percentage and a cap."""

from __future__ import annotations

import pytest

from intercore.campaign.until import DEFAULT_CAP, parse_rule
from intercore.errors import UsageError
from intercore.record.measurement import Part, Plan, StopRule
from intercore.record.plan import settings


@pytest.mark.parametrize(
    ("text", "until"), [("1%", 0.01), ("0.5%", 0.005), ("5 %", 0.05), (" 100% ", 1), (".25%", 0.0025)]
)
def test_a_percentage_is_read(text: str, until: float) -> None:
    assert parse_rule(text, None, 1) == StopRule(until, DEFAULT_CAP)


@pytest.mark.parametrize("text", ["", "%", "1", "0.01", "one%", "-1%", "1,5%", "nan%", "inf%", "1e1%", "1%%", "٣%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="such as 1%"):
        parse_rule(text, None, 1)


@pytest.mark.parametrize("text", ["0%", "0.0%", "100.1%", "999%"])
def test_a_percentage_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="above 0% and at most 100%"):
        parse_rule(text, None, 1)


def test_a_cap_goes_with_a_rule_and_is_at_least_the_repetitions() -> None:
    assert parse_rule(None, None, 5) is None
    assert parse_rule("1%", 7, 5) == StopRule(0.01, 7)
    assert parse_rule("1%", None, 50) == StopRule(0.01, 50)
    with pytest.raises(UsageError, match="--until"):
        parse_rule(None, 7, 1)
    with pytest.raises(UsageError, match="at least 5"):
        settings(Plan("host", None, "b", (Part("b", {}),), 5, stop=StopRule(0.01, 4)))


def test_messages_name_options_or_the_keys_of_a_file() -> None:
    with pytest.raises(UsageError, match=r"^--until=0% is out of range"):
        parse_rule("0%", None, 1)
    with pytest.raises(UsageError, match=r"^until=0% is out of range"):
        parse_rule("0%", None, 1, prefix="")
