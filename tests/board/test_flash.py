"""Flashing a board: what is asked for wrongly is refused before a build, which takes minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercore.board import flash
from intercore.board.boards import Flashing, find
from intercore.errors import UsageError


@pytest.mark.parametrize(
    ("board", "way", "says"),
    [
        ("stm32h745", Flashing(tool="opencod"), "did you mean 'openocd'"),
        ("stm32h745", Flashing(probe="; rm"), "the serial number"),
        ("pico", Flashing(drive=Path("/nowhere")), "/nowhere is not the boot drive of a Pico"),
        ("pico", Flashing(port="/dev/ttyUSB0"), "--port does not apply"),
        ("esp32", Flashing(), "port is needed"),
    ],
)
def test_a_wrong_way_to_the_flash_is_refused_before_anything_is_built(
    board: str, way: Flashing, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flash, "board_image", lambda *_: pytest.fail("it was built"))
    with pytest.raises(UsageError, match=says):
        flash.flash(find(board), {}, way, lambda _: None)
