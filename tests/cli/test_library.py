"""`intercore library arduino`, as a user types it."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.tool import Tool


def test_the_command_alone_writes_what_the_arduino_ide_can_add(tool: Tool) -> None:
    done = tool("library", "arduino").succeeded()
    assert done.out.startswith("Intercore.zip: add it with Sketch > Include Library > Add .ZIP Library")
    with zipfile.ZipFile(tool.directory / "Intercore.zip") as archive:
        assert "Intercore/library.properties" in archive.namelist()


def test_a_folder_is_for_the_sketchbook(tool: Tool) -> None:
    for _ in range(2):  # the second replaces the first
        done = tool("library", "arduino", "-o", "Intercore").succeeded()
        assert done.out.startswith("Intercore: move it into the folder libraries of the sketchbook")
    assert (tool.directory / "Intercore" / "src" / "Intercore.h").is_file()


def test_what_is_in_the_way_is_a_mistake_of_the_user(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    assert "is not an Intercore library" in tool("library", "arduino", "-o", tmp_path).failed(2).error
    assert (tmp_path / "precious").exists()


def test_what_cannot_be_written_is_said_in_a_sentence(tool: Tool, tmp_path: Path) -> None:
    for name, why in (
        ("missing/Intercore", "there is no folder"),
        ("missing/Intercore.zip", "there is no folder"),
    ):
        assert why in tool("library", "arduino", "-o", tmp_path / name).failed(1).error
