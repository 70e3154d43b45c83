"""The benchmark program with a FreeRTOS kernel on each core, on the simulated chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.rp2040.conftest import Board, built_amp

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def amp() -> Path:
    """The folder with the program, at the default level of optimisation."""
    return built_amp("O2")


@pytest.fixture
def board(amp: Path) -> Board:
    board = Board(amp / "intercore-target")
    assert board.run(0.65)[-1]["type"] == "end", "the unasked hello is not complete"
    return board
