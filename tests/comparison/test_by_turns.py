"""Two runs that were measured by turns: ratios are those of repetitions next to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.comparison.analysis import compare_sides
from intercore.comparison.report import comparison_section
from tests.comparison.compared_runs import measured, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.comparison.analysis import Comparison
    from intercore.record.measurement import Run

pytestmark = pytest.mark.measures("switch")
DRIFT = (1.0, 1.4, 1.1, 1.9, 1.3, 1.6)
"""By what a busy machine multiplies the times of six repetitions."""


def repeated(times: Sequence[float], missing: int | None = None) -> Run:
    """A run of the host whose repetitions take so long, in µs, with a spread of their own."""
    rng = np.random.default_rng(1)
    made = [
        msgspec.structs.replace(
            measured([round(time * (1 + 0.01 * one)) for one in rng.normal(size=50)]), repetition=at
        )
        for at, time in enumerate(times)
        if at != missing
    ]
    return run("host", *made, simulated=False)


def by_turns(first: Run, second: Run) -> tuple[Run, Run]:
    """The same as partners of each other."""
    return (
        msgspec.structs.replace(first, plan=msgspec.structs.replace(first.plan, partner=second.id)),
        msgspec.structs.replace(second, plan=msgspec.structs.replace(second.plan, partner=first.id)),
    )


def compared(first: Run, second: Run) -> Comparison:
    return compare_sides([first], [second], within=0.02)


BEFORE = repeated([10_000 * drift for drift in DRIFT])
AFTER = repeated([10_500 * drift for drift in DRIFT])


def test_five_percent_are_found_where_the_machine_changes_by_ten_times_as_much() -> None:
    (pair,) = compared(*by_turns(BEFORE, AFTER)).pairs
    assert pair.verdict == "slower"
    assert pair.ratio is not None
    assert pair.ratio.low is not None
    assert pair.ratio.high is not None
    assert 1.03 < pair.ratio.low < 1.05 < pair.ratio.high < 1.07
    assert compared(BEFORE, AFTER).pairs[0].verdict == "cannot tell"  # by themselves, nobody could know


def test_runs_are_by_turns_only_if_each_is_the_partner_of_the_other() -> None:
    first, second = by_turns(BEFORE, AFTER)
    assert compared(first, second).by_turns
    assert not compared(first, AFTER).by_turns
    assert not compared(BEFORE, second).by_turns
    assert not compare_sides([first, BEFORE], [second]).by_turns


def test_a_repetition_without_its_counterpart_is_left_out_and_the_others_stay_together() -> None:
    cut = repeated([10_500 * drift for drift in DRIFT], missing=1)
    (pair,) = compared(*by_turns(BEFORE, cut)).pairs
    assert pair.verdict == "slower"
    assert pair.ratio is not None
    assert pair.ratio.value == pytest.approx(1.05, rel=0.01)  # and not that of turns that were not next to each other


def test_what_would_tell_is_asked_for_of_pairs_and_not_of_each_side() -> None:
    noisy = repeated(
        [10_000 * drift * extra for drift, extra in zip(DRIFT, (0.99, 1.03, 1, 0.97, 1.02, 1), strict=True)]
    )
    (pair,) = compared(*by_turns(BEFORE, noisy)).pairs
    (apart,) = compared(BEFORE, noisy).pairs
    assert pair.verdict == apart.verdict == "cannot tell"
    assert pair.more_repetitions is not None
    assert pair.more_repetitions < 10
    assert apart.more_repetitions is None  # more than anybody waits for


def test_of_a_single_pair_nothing_is_told_but_how_often_to_repeat() -> None:
    (pair,) = compared(*by_turns(repeated([10_000]), repeated([10_500]))).pairs
    assert (pair.verdict, pair.more_repetitions) == ("cannot tell", 4)


def test_what_was_built_from_is_said_and_so_is_the_way_of_measuring() -> None:
    first, second = by_turns(BEFORE, AFTER)
    second = msgspec.structs.replace(second, plan=msgspec.structs.replace(second.plan, kernel="/k", firmware="/f"))
    found = compared(first, second)
    assert f"run {second.id} of host was built with the firmware /f and the kernel /k." in found.sentences
    assert any(sentence.startswith("The two were measured alternately:") for sentence in found.sentences)
    assert "Student's t" in comparison_section(found).notes[0]
