"""An image that was built: where it is, what it was built with, and what it takes of the chip's memory."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.board.image import variant
from intercore.terminal.findings import Line
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from intercore.board.elf import Section
    from intercore.board.image_files import ImageFiles
    from intercore.terminal.findings import Part


@dataclass(frozen=True)
class ImageFindings:
    """What is told of an image."""

    files: ImageFiles

    def document(self) -> object:
        """Return the files, the versions and the sections."""
        return {**self._facts(), "sections": self.rows()}

    def rows(self) -> list[dict[str, object]]:
        """Return the sections."""
        return [
            {
                **({"core": core} if len(self.files.sections) > 1 else {}),
                "section": part.name,
                "address": part.address,
                "bytes": part.size,
                "stored": part.stored,
            }
            for core, parts in enumerate(self.files.sections)
            for part in parts
        ]

    def text(self) -> Iterator[Part]:
        """Yield the sections of each core, the files and the versions, and how to flash the image elsewhere."""
        for core in range(len(self.files.sections)):
            yield _table(self.files, core)
        for name, fact in self._facts().items():
            yield Line(f"{name.replace('_', ' '):14}{fact}")
        if self.files.whole_flash is not None:
            path, board = self.files.whole_flash, self.files.image.board.name
            yield Line(f"Flash it anywhere by: intercore flash {board} --port PORT --image {shlex.quote(str(path))}")
            yield Line(f"                  or: esptool --chip {board} write-flash 0x0 {shlex.quote(path.name)}")

    def _facts(self) -> dict[str, object]:
        image = self.files.image
        version = image.kernel.version
        return {
            **{name: str(path.absolute()) for name, path in _named(self.files)},
            **image.build,
            "image_digest": image.digest,
            "compiler": image.compiler,
            "kernel": f"FreeRTOS {version}" if version.startswith("of ") else version,  # of ESP-IDF
            **({} if image.kernel.folder is None else {"kernel_folder": str(image.kernel.folder)}),
            "kernel_from": image.kernel.origin,
        }


def _named(files: ImageFiles) -> Iterator[tuple[str, Path]]:
    """Return the files with what they are: `elf`, further cores' as `elf_core1`, `uf2`."""
    for core, elf in enumerate(files.elfs):
        yield (f"elf_core{core}" if core else "elf"), elf
    if files.uf2 is not None:
        yield "uf2", files.uf2
    if files.whole_flash is not None:
        yield "whole_flash", files.whole_flash


def _table(files: ImageFiles, core: int) -> Table[Section]:
    parts = files.sections[core]
    stored = sum(part.size for part in parts if part.stored)
    total = sum(part.size for part in parts)
    whose = "" if len(files.sections) == 1 else f", core {core}"
    what = f"Program for {files.image.board.title}{whose}, {variant(files.image.board, files.image.build)}"
    return Table(
        title=f"{what}: {stored:,} bytes in the image, {total:,} in memory",
        rows=parts,
        columns=[
            Column("section", lambda part: part.name),
            Column("address", lambda part: f"{part.address:#010x}"),
            Column("bytes", lambda part: f"{part.size:,}", right=True),
            Column("in the image", lambda part: "yes" if part.stored else "no"),
        ],
    )
