"""The benchmark program for a board, as it was built."""

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
    """One for each core that has a program of its own, core 0's first. In the cache: to be read, not changed."""
    build: Mapping[str, Level]
    """What it was built with: a level of each factor of the target, `opt` among them."""
    compiler: str
    """What the compiler calls itself."""
    kernel: Kernel
    whole_flash: Path | None = None
    """For a board that is flashed by esptool: all of its flash, from 0 on, in one file. In the cache, too."""

    @property
    def digest(self) -> str:
        """What tells it from other images, wherever and whenever it was built.

        Raises IntercoreError if one of its files is gone or no image.
        """
        if self.whole_flash is not None:
            return esp_image.digest(esp_image.read(self.whole_flash))
        return elf_digest(self.elfs)

    @property
    def elf(self) -> Path:
        """What core 0 starts with."""
        return self.elfs[0]


def variant(board: Board, levels: Mapping[str, Level]) -> str:
    """Return what a program was built with in a few words: `-O2, clock_mhz=48`, without what is at its default."""
    usual = board.whole({})
    others = [f"{name}={level}" for name, level in levels.items() if name != OPT.name and level != usual[name]]
    return ", ".join([f"-{levels[OPT.name]}", *others])
