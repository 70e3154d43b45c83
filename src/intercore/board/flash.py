"""Flashes the benchmark program to a board."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board import esp_image
from intercore.board.boot_drive import check_drive, flash_drive
from intercore.board.build import board_image
from intercore.board.debug_probe import check_probe, flash_probe
from intercore.board.esp_flash import flash_serial, no_port
from intercore.board.image_files import write_image
from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.board.boards import Board, Flashing
    from intercore.board.image_files import ImageFiles
    from intercore.record.measurement import Level


class FlashResult(msgspec.Struct, frozen=True):
    """The result of flashing a board."""

    words: str
    """What was written where, in a few words."""
    image: str
    """Digest of the image."""
    kernel: str = ""
    """The kernel that it was built with, and its origin; empty for an existing image."""


def flash(board: Board, build: Mapping[str, Level], way: Flashing, say: Callable[[str], None]) -> FlashResult:
    """Build the firmware for a board and flash it; the board starts it immediately.

    `say` reports progress. Raises UsageError if `way` does not apply to this board, and IntercoreError if building or
    flashing fails. Wrong requests are refused before the build, which takes minutes.
    """
    board.check(way)
    check_probe(way.probe, way.tool)
    check_drive(way.drive, board.drive)
    if board.flashed_by == "esptool" and way.port is None:
        raise no_port()
    if way.image is not None:
        return _flash_whole_image(board, way.image, way, say)
    for factor in board.factors:
        if (caution := factor.cautions.get(build.get(factor.name, factor.default))) is not None:
            say(caution)
    image = board_image(board, build, say)
    with tempfile.TemporaryDirectory() as scratch:
        flashed = _flash_files(write_image(image, Path(scratch)), way, say)
    return msgspec.structs.replace(flashed, kernel=str(image.kernel))


def _flash_files(files: ImageFiles, way: Flashing, say: Callable[[str], None]) -> FlashResult:
    """Flash the files of an image to its board; see `flash`."""
    if files.whole_flash is not None:
        return _flash_whole_image(files.image.board, files.whole_flash, way, say)
    if files.uf2 is not None:
        return FlashResult(
            f"{files.uf2.name} {flash_drive(files.uf2, way.drive, say, files.image.board.drive)}", files.image.digest
        )
    return FlashResult(flash_probe(files.elfs, way.probe, way.tool, say), files.image.digest)


def _flash_whole_image(board: Board, path: Path, way: Flashing, say: Callable[[str], None]) -> FlashResult:
    """Flash a whole flash image by esptool, after validating it for the board."""
    if board.chip is None:
        raise UsageError(
            f"--image does not apply to {board.name}, because that board is not flashed with one image: omit --image"
        )
    data = esp_image.read(path)
    try:
        esp_image.check(data, board.chip)
    except ValueError as error:
        raise IntercoreError(f"{path} was not flashed, because the image is not valid: {error}") from None
    return FlashResult(f"{path.name} {flash_serial(path, board.chip, way.port, say)}", esp_image.digest(data))
