"""A built benchmark program for a board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board import esp_image
from intercore.board.elf import digest as elf_digest
from intercore.board.factors import OPT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.board.boards import Board
    from intercore.board.kernel import Kernel
    from intercore.record.measurement import Level


class Image(msgspec.Struct, frozen=True):
    """The benchmark program for a board."""

    board: Board
    elfs: tuple[Path, ...]
    """One for each separate program, core 0's first. They are in the cache and must not be changed."""
    build: Mapping[str, Level]
    """A level of each factor of the target, including `opt`."""
    compiler: str
    """Name and version of the compiler."""
    kernel: Kernel
    whole_flash: Path | None = None
    """For a board that is flashed by esptool: its whole flash image, in the cache."""

    @property
    def digest(self) -> str:
        """Its digest, independent of where and when it was built.

        Raises IntercoreError if one of its files is missing or not an image.
        """
        if self.whole_flash is not None:
            return esp_image.digest(esp_image.read(self.whole_flash))
        return elf_digest(self.elfs)

    @property
    def elf(self) -> Path:
        """The program of core 0."""
        return self.elfs[0]


def variant(board: Board, levels: Mapping[str, Level]) -> str:
    """Return the levels of a build in a few words: `-O2, clock_mhz=48`, without defaults."""
    usual = board.whole({})
    others = [f"{name}={level}" for name, level in levels.items() if name != OPT.name and level != usual[name]]
    return ", ".join([f"-{levels[OPT.name]}", *others])
