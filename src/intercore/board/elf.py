"""ELF files of chips: what takes memory there, and what has to be loaded."""

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
    """A section of a program that takes memory on the chip."""

    name: str
    address: int
    size: int
    """In bytes, at least 1."""
    stored: bool
    """Whether the image holds its contents; else it is cleared or left alone by the program."""


def sections(elf: Path) -> list[Section]:
    """Return the sections that take memory, by rising address. Raises IntercoreError if the file is no ELF file."""
    found = [
        Section(section.name, section["sh_addr"], section["sh_size"], section["sh_type"] != "SHT_NOBITS")
        for section in _open(elf).iter_sections()
        if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
    ]
    return sorted(found, key=lambda section: section.address)


def loaded(elf: Path) -> list[tuple[int, bytes]]:
    """Return what the ELF file has to be loaded, with the address where: at least one piece.

    Raises IntercoreError if the file is no ELF file or holds nothing to load.
    """
    found = [
        (segment["p_paddr"], segment.data()) for segment in _open(elf).iter_segments("PT_LOAD") if segment["p_filesz"]
    ]
    if not found:
        raise IntercoreError(f"{elf} holds nothing to load: it was not linked for a chip")
    return found


def digest(elfs: Iterable[Path]) -> str:
    """Return the digest of an image of these ELF files. Raises IntercoreError as `loaded` does."""
    return image_digest(piece for elf in elfs for piece in _contents(elf))


def _contents(elf: Path) -> list[tuple[int, bytes]]:
    """Return what is loaded, less the file's own headers: on Linux these are, and debugging information moves them."""
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
        raise IntercoreError(f"{elf}: {error.strerror or error}") from error
    except ELFError as error:
        raise IntercoreError(f"{elf} is not an ELF file: {error}") from error
