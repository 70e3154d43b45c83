"""The boards' files: whose a header is, its name says, so that no include depends on the order of folders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BOARDS = ROOT / "firmware" / "board"
PUBLIC = ("include", "arduino", "main")
"""Folders of a board whose names are for programs of others."""
ASKED_FOR = {"kernel_config.h", "chip.h"}
"""What FreeRTOSConfig.h asks of whatever board there is, and board/rp2 of the chip."""


def own_headers(board: str) -> list[Path]:
    """Return a board's headers, but for those that somebody else has named: the Pico's SDK, ESP-IDF's programs."""
    folder = BOARDS / board
    found = (path for path in folder.rglob("*.h") if not {*PUBLIC, "sdk"} & set(path.relative_to(folder).parts))
    return sorted(path for path in found if path.name not in ASKED_FOR)


@pytest.mark.parametrize("board", sorted(path.name for path in BOARDS.iterdir() if path.is_dir()))
def test_the_name_of_a_header_begins_with_the_boards(board: str) -> None:
    for path in own_headers(board):
        assert path.name.startswith(f"{board}_"), path
        guard = path.name.upper().replace(".", "_")
        assert re.search(rf"^#ifndef {guard}\n#define {guard}$", path.read_text(), re.MULTILINE), path


def test_no_two_headers_of_boards_have_one_name() -> None:
    names = [path.name for board in BOARDS.iterdir() for path in own_headers(board.name)]
    assert len(names) > 40
    assert len(set(names)) == len(names)
