"""Whether a core is slower by itself, and when that cannot be told."""

from __future__ import annotations

import pytest

from intercore.benchmarks.contention.findings import ContentionCoreSpeed
from intercore.benchmarks.contention.report import report
from tests.benchmarks.test_contention import TOWER, own, run, with_series


@pytest.mark.parametrize(("again", "shows"), [(1.0, True), (1.03, True), (1.06, False)])
def test_cores_do_not_differ_by_less_than_what_one_of_them_takes_varies(again: float, *, shows: bool) -> None:
    """Core 1 takes 1.04 times as long as core 0, which takes so many times as long in another contest."""
    both = with_series(
        own({"task0.0": 0.5, "task1.1": 0.5}, task0="work", task1="work"), alone_1=[round(1.04 * TOWER)] * 5
    )
    alone = with_series(own({"task0.0": 0.5}, task0="work"), alone_0=[round(again * TOWER)] * 5)
    shown = report(run(both, both, alone, own({"task0.0": 0.5}, task0="work", main="block")))
    (told,) = (each for each in shown.answers if each.question == "core 1 against core 0")
    assert told.number == "1.04 ×"
    assert told.headline == ("1.04 ×" if shows else "no difference (1.04 ×)")
    (speed,) = (each for each in shown.findings if isinstance(each, ContentionCoreSpeed))
    assert (speed.core, speed.first, speed.times) == (1, 0, pytest.approx(1.04))
    assert speed.varied_percent == (None if shows else pytest.approx(6, abs=0.01))
