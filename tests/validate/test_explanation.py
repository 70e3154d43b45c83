"""Which costs are suspected, from differences that are made up."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.validate.costs import BY_NAME, COSTS, MOST_ALTERED, hidden
from intercore.validate.explanation import suspects
from intercore.validate.quantities import QUANTITIES

NAMES = [quantity.name for quantity in QUANTITIES]
EFFECTS = {
    "line": {"timer-asleep": 2, "timer-busy": 2, "doorbell-asleep": 2, "doorbell-busy": 1.3},
    "decision": {
        "timer-asleep": 2,
        "timer-busy": 2,
        "doorbell-asleep": 2,
        "doorbell-busy": 1.2,
        "switch": 2,
        "tick": 2,
    },
    "exception_return": {"handler-task": 2, "switch": 2, "tick": 2},
    "tail_chain": {"handler-task": 2, "tick": 2},
    "fifo": {"doorbell-asleep": 2, "doorbell-busy": 1.3},
    "flash_miss": {"timer-asleep": 4, "handler-task": 32, "switch": 6, "flash": 31640, "launch": 122},
    "flash_erase": {"erase": 124869},
    "flash_program": {"program": 2380},
}
ROWS = [[float(EFFECTS[cost.name].get(name, 0)) for name in NAMES] for cost in COSTS]


def differences(altered: dict[str, int]) -> list[float]:
    """Return what a board with these costs would differ by if all effects simply add up."""
    steps = [(altered.get(cost.name, cost.assumed) - cost.assumed) / cost.step for cost in COSTS]
    return [sum(step * row[i] for step, row in zip(steps, ROWS, strict=True)) for i in range(len(NAMES))]


def test_without_a_difference_nobody_is_needed() -> None:
    found = suspects([0.0] * len(NAMES), ROWS)
    assert not any(one.needed for one in found)
    assert sorted(one.name for one in found) == sorted(cost.name for cost in COSTS)


@pytest.mark.parametrize(
    "altered", [chosen for size in (1, 2, 3) for chosen in itertools.combinations(EFFECTS, size)], ids="-".join
)
def test_costs_that_are_clearly_altered_are_the_ones_needed(altered: tuple[str, ...]) -> None:
    values = {name: BY_NAME[name].assumed + 4 * BY_NAME[name].step for name in altered}
    found = suspects(differences(values), ROWS)
    assert {one.name for one in found if one.needed} == set(altered)
    for one in found[: len(altered)]:
        assert one.instead == pytest.approx(values[one.name])


@given(st.lists(st.floats(-1e9, 1e9), min_size=len(NAMES), max_size=len(NAMES)))
def test_whatever_differs_each_cost_has_one_place(differences: list[float]) -> None:
    found = suspects(differences, ROWS)
    assert len({one.name for one in found}) == len(found) == len(COSTS)
    assert sum(one.needed for one in found) <= MOST_ALTERED
    assert all(0 <= one.explains <= 1 for one in found)


@given(st.integers(0, 2**32 - 1))
def test_a_hidden_set_differs_from_what_is_assumed_and_is_in_its_range(seed: int) -> None:
    found = hidden(seed)
    assert 1 <= len(found) <= MOST_ALTERED
    assert found == hidden(seed)
    for name, value in found.items():
        least, most = BY_NAME[name].hidden
        assert least <= value <= most
        assert value != BY_NAME[name].assumed
