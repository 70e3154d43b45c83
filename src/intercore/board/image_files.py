"""The files of an image for the user: ELF files, and the file that the board is flashed with."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec

from intercore.board.elf import Section, sections
from intercore.board.image import Image, variant
from intercore.board.uf2 import uf2_of
from intercore.errors import UsageError
from intercore.files.replacement import ELF, UF2, WHOLE_FLASH, Kind, replacement


class ImageFiles(msgspec.Struct, frozen=True):
    """The written files of an image."""

    elfs: tuple[Path, ...]
    """One for each separate program, core 0's first."""
    uf2: Path | None
    """UF2 file, for a board with a boot drive."""
    whole_flash: Path | None
    """For a board that is flashed by esptool."""
    image: Image
    sections: tuple[list[Section], ...]
    """Sections of each ELF file."""


def check_folder(folder: Path) -> None:
    """Raise UsageError if a path cannot be a folder for the files. Called before anything is built."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder: choose a folder with --output")


def write_image(image: Image, folder: Path, *, force: bool = False) -> ImageFiles:
    """Write the image as ELF files, and as the file for flashing, into `folder`, which is created if necessary.

    Older images are replaced, other files only with `force`. Raises IntercoreError or OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = _name(image)
    alone = len(image.elfs) == 1
    elfs = tuple(folder / (f"{name}.elf" if alone else f"{name}-core{core}.elf") for core in range(len(image.elfs)))
    for made, elf in zip(image.elfs, elfs, strict=True):
        _copy(made, elf, ELF, force=force)
    uf2_file = folder / f"{name}.uf2" if image.board.flashed_by == "boot drive" else None
    if uf2_file is not None:
        with replacement(uf2_file, UF2, force=force) as file:
            file.write(uf2_of(elfs[0], image.board.drive.family))
    whole = folder / f"{name}.bin" if image.whole_flash is not None else None
    if whole is not None and image.whole_flash is not None:
        _copy(image.whole_flash, whole, WHOLE_FLASH, force=force)
    return ImageFiles(elfs, uf2_file, whole, image, tuple(sections(elf) for elf in elfs))


def _copy(made: Path, to: Path, kind: Kind, *, force: bool) -> None:
    with made.open("rb") as source, replacement(to, kind, force=force) as file:
        shutil.copyfileobj(source, file)


def _name(image: Image) -> str:
    """Return the name of the files without suffix: `intercore-pico-O2`, `intercore-pico-O2-clock-mhz-48`."""
    words = variant(image.board, image.build).removeprefix("-")
    return f"intercore-{image.board.name}-{re.sub('[^0-9A-Za-z]+', '-', words)}"
