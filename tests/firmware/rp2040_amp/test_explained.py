"""What the longest sample's time went to where each core has a kernel of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.rp2040.test_explained import Repeated

if TYPE_CHECKING:
    from tests.firmware.rp2040.conftest import Board


@pytest.mark.parametrize(("path", "cores"), [("timer-task", {0, 1}), ("doorbell-round-trip", {0, 1})])
def test_a_way_that_leads_over_both_cores_is_told_of_both(board: Board, path: str, cores: set[int]) -> None:
    found = Repeated(board, f"irq path={path} from=1 to=0 interrupted=kernel samples=20").longest()
    assert sum(part.cycles for part in found.parts) == found.cycles
    assert {part.core for part in found.parts if part.cause == "way"} == cores


def test_a_handler_waits_for_the_kernel_of_its_core_and_for_no_lock(board: Board) -> None:
    found = Repeated(board, "irq path=timer-handler from=0 interrupted=kernel samples=40").longest()
    first = next(part for part in found.parts if part.cause != "way")
    assert first.cause in {"interrupt", "masked"}
    assert all(part.cause != "lock" for part in found.parts)
