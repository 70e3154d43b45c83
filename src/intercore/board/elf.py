"""ELF files of chips: their memory sections and loaded contents."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from intercore.board.digest import image_digest
from intercore.errors import IntercoreError
from intercore.files import bounds
from intercore.files.bounds import contents

if TYPE_CHECKING:
    from collections.abc import Iterable


class Section(msgspec.Struct, frozen=True):
    """A section of a program that occupies memory on the chip."""

    name: str
    address: int
    size: int
    """In bytes, at least 1."""
    stored: bool
    """Whether the image has its contents; else the program clears it or leaves it uninitialised."""


def sections(elf: Path) -> list[Section]:
    """Return the sections that occupy memory, by ascending address. Raises IntercoreError if it is not an ELF file."""
    found = [
        Section(section.name, section["sh_addr"], section["sh_size"], section["sh_type"] != "SHT_NOBITS")
        for section in _open(elf).iter_sections()
        if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
    ]
    return sorted(found, key=lambda section: section.address)


def loaded(elf: Path) -> list[tuple[int, bytes]]:
    """Return the loaded contents of an ELF file with their addresses: at least one piece.

    Raises IntercoreError if it is not an ELF file or has nothing to load.
    """
    found = [
        (segment["p_paddr"], segment.data()) for segment in _open(elf).iter_segments("PT_LOAD") if segment["p_filesz"]
    ]
    if not found:
        raise IntercoreError(f"{elf} has nothing to load into a chip: choose an ELF file that was linked for a chip")
    return found


def digest(elfs: Iterable[Path]) -> str:
    """Return the digest of an image of these ELF files. Raises IntercoreError as `loaded` does."""
    return image_digest(piece for elf in elfs for piece in _contents(elf))


def _contents(elf: Path) -> list[tuple[int, bytes]]:
    """Return the loaded contents without the file's headers, which Linux loads and debugging information changes."""
    found = [
        (section["sh_addr"], section.data())
        for section in _open(elf).iter_sections()
        if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_type"] != "SHT_NOBITS"
    ]
    return found or loaded(elf)


def _open(elf: Path) -> ELFFile:
    try:
        return ELFFile(io.BytesIO(contents(elf, bounds.ELF)))
    except OSError as error:
        raise IntercoreError(f"cannot read {elf}: {error.strerror or error}") from error
    except ELFError as error:
        raise IntercoreError(f"{elf} is not a valid ELF file: {error}") from error
