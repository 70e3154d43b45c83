"""The order of two runs that are measured by turns."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from intercore.campaign.by_turns import turns
from intercore.errors import IntercoreError
from intercore.record.measurement import Part, Plan

if TYPE_CHECKING:
    from intercore.record.measurement import Level


def plan(opt: str, repetitions: int = 4, **levels: list[Level]) -> Plan:
    of = {"from": [0, 1], "to": [0, 1], "opt": [opt], **levels}
    return Plan("host", None, "switch", (Part("switch", of),), repetitions)


def test_repetitions_pair_with_counterparts_in_swapped_order() -> None:
    found = turns(plan("O2"), plan("O3"))
    both = list(zip(found[::2], found[1::2], strict=True))
    assert len(both) == 4 * 4
    firsts: dict[tuple[object, object], list[int]] = {}
    for one, other in both:
        assert {one.side, other.side} == {0, 1}
        assert one.setting.repetition == other.setting.repetition
        assert [side.setting.factors["opt"] for side in sorted((one, other))] == ["O2", "O3"]
        assert {**one.setting.factors, "opt": ""} == {**other.setting.factors, "opt": ""}
        firsts.setdefault((one.setting.factors["from"], one.setting.factors["to"]), []).append(one.side)
    for order in firsts.values():  # of each setting, A B and B A by turns
        assert all(one != next_one for one, next_one in pairwise(order))
    assert sum(one.side for one, _ in both[:4]) == 2  # half of the settings of a repetition begin with either
    assert [one.setting.repetition for one, _ in both] == sorted(one.setting.repetition for one, _ in both)


def test_two_plans_that_do_not_measure_the_same_are_refused() -> None:
    with pytest.raises(IntercoreError, match=r"the same settings.*differ"):
        turns(plan("O2"), plan("O2", to=[0]))
