"""What budgets need to have measured, and how often."""

from __future__ import annotations

import msgspec
import pytest

from intercore.campaign.budget_plan import repetitions_for
from intercore.comparison.baseline_file import parse
from tests.budgets.budget_files import budgets

TWICE = parse(
    "intercore baseline 1\ntool = 0.1.0\ntarget = pico-sim\norigin = simulated\n"
    "switch to=1: switch us n=10 median=12.5 each=12.4,12.6 min=12.0 max=13.0\n",
    "b.txt",
)


@pytest.mark.parametrize(
    ("text", "origin", "given", "repetitions"),
    [
        ("switch: median / baseline <= 1", "simulated", None, 2),
        ("switch: median / baseline <= 1", "simulated", 3, 3),
        ("switch: median <= 1 us", "simulated", None, 1),
        ("switch: median / baseline <= 1", "measured", None, 5),
    ],
)
def test_a_simulated_chip_is_measured_as_often_as_for_the_baseline(
    text: str, origin: str, given: int | None, repetitions: int
) -> None:
    file = msgspec.structs.replace(budgets(text, baseline=TWICE), repetitions=given)
    assert repetitions_for(file, origin) == repetitions  # type: ignore[arg-type]
