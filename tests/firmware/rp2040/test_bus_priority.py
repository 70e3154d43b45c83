"""The factor `bus_priority`: the core that has priority waits for no bank, and only the other one loses."""

from __future__ import annotations

import pytest

from tests.firmware.rp2040.conftest import Board, built_with, series

SPREAD = 2
"""Cycles by which passes alone differ, too."""


def lost(board: Board, core: int) -> int:
    """Return the cycles that slow passes over a bank take longer while the other core reads the same bank.

    Passes alone have two lengths, 62 cycles apart, so that means and quick passes say little. The two slowest of each
    kind do not count: the kernel's tick may fall in them.
    """
    answer = board.ask(f"run memory core={core} region=sram4 other=read other_region=sram4 bytes=1024 samples=20")
    alone, contended = (sorted(series(answer, name))[-3] for name in ("alone", "contended"))
    return contended - alone


def test_without_priority_both_cores_lose(board: Board) -> None:
    assert min(lost(board, 0), lost(board, 1)) > 20


@pytest.mark.parametrize("first", [0, 1])
def test_the_core_with_priority_loses_nothing_and_the_other_one_does(first: int) -> None:
    board = Board(built_with(bus_priority=f"core{first}"))
    said = board.run(0.65)
    assert f"core{first}" in str(next(line for line in said if "bus.priority" in str(line)))
    assert lost(board, first) <= SPREAD
    assert lost(board, 1 - first) > 20
