"""Images of chips: what an ELF file holds, and the same as a UF2 file, which a board's boot drive takes.

UF2 is Microsoft's format: 512-byte blocks that say where their payload goes (https://github.com/microsoft/uf2).
"""

from __future__ import annotations

import io
import re
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from intercore.board.build import Image, variant
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RP2040 = 0xE48B_FF56
"""The chip's family in the list of the UF2 specification."""
PAYLOAD = 256
"""Bytes of a block that are used: the boot ROM takes no other size (RP2040 datasheet 2.8.4.2)."""
BLOCK = 512

_MAGIC = (0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30)
_FAMILY_PRESENT = 0x0000_2000
_HEAD = struct.Struct("<8I")


class Section(msgspec.Struct, frozen=True):
    """A section of a program that takes memory on the chip."""

    name: str
    address: int
    size: int
    """In bytes, at least 1."""
    stored: bool
    """Whether the image holds its contents; else it is cleared or left alone by the program."""


class ImageFiles(msgspec.Struct, frozen=True):
    """An image as it was written for its user."""

    elfs: tuple[Path, ...]
    """One for each core that has a program of its own, core 0's first."""
    uf2: Path | None
    """For a board with a boot drive."""
    whole_flash: Path | None
    """For a board that is flashed by esptool."""
    image: Image
    sections: tuple[list[Section], ...]
    """Of each of the ELF files."""


def write_image(image: Image, folder: Path) -> ImageFiles:
    """Write the image as ELF files, and as what its board is flashed with, into `folder`, which is made if need be.

    Raises IntercoreError or OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = _name(image)
    alone = len(image.elfs) == 1
    elfs = tuple(folder / (f"{name}.elf" if alone else f"{name}-core{core}.elf") for core in range(len(image.elfs)))
    for made, elf in zip(image.elfs, elfs, strict=True):
        shutil.copyfile(made, elf)
    uf2_file = folder / f"{name}.uf2" if image.board.flashed_by == "boot drive" else None
    if uf2_file is not None:
        uf2_file.write_bytes(uf2_of(elfs[0]))
    whole = folder / f"{name}.bin" if image.whole_flash is not None else None
    if whole is not None and image.whole_flash is not None:
        shutil.copyfile(image.whole_flash, whole)
    return ImageFiles(elfs, uf2_file, whole, image, tuple(sections(elf) for elf in elfs))


def _name(image: Image) -> str:
    """Return the name of its files, without suffix: `intercore-pico-O2`, `intercore-pico-O2-clock-mhz-48`."""
    words = variant(image.board, image.build).removeprefix("-")
    return f"intercore-{image.board.name}-{re.sub('[^0-9A-Za-z]+', '-', words)}"


def sections(elf: Path) -> list[Section]:
    """Return the sections that take memory, by rising address. Raises IntercoreError if the file is no ELF file."""
    found = [
        Section(section.name, section["sh_addr"], section["sh_size"], section["sh_type"] != "SHT_NOBITS")
        for section in _open(elf).iter_sections()
        if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
    ]
    return sorted(found, key=lambda section: section.address)


def uf2_of(elf: Path, family: int = RP2040) -> bytes:
    """Return the UF2 file with everything that the ELF file has to be loaded, where it is to be loaded.

    Raises IntercoreError if the file is no ELF file, holds nothing to load, or two things for one address.
    """
    try:
        return uf2(pages(loaded(elf)), family)
    except ValueError as error:
        raise IntercoreError(f"{elf}: {error}") from None


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


def uf2(pages: Mapping[int, bytes], family: int = RP2040) -> bytes:
    """Return the UF2 file of whole pages of PAYLOAD bytes by address, in the order of addresses."""
    blocks = (
        _HEAD.pack(*_MAGIC[:2], _FAMILY_PRESENT, address, PAYLOAD, number, len(pages), family)
        + page.ljust(BLOCK - _HEAD.size - 4, b"\0")
        + struct.pack("<I", _MAGIC[2])
        for number, (address, page) in enumerate(sorted(pages.items()))
    )
    return b"".join(blocks)


def pages(pieces: Iterable[tuple[int, bytes]]) -> dict[int, bytes]:
    """Cut pieces with their addresses into pages at multiples of PAYLOAD; what nothing fills is 0.

    Raises ValueError if two things are for one address.
    """
    cut: dict[int, bytearray] = {}
    end = 0
    for address, data in sorted(pieces):
        if address < end:
            raise ValueError(f"two segments are to be loaded to {address:#010x}")
        end = address + len(data)
        at = 0
        while at < len(data):
            offset = (address + at) % PAYLOAD
            part = data[at : at + PAYLOAD - offset]
            page = cut.setdefault(address + at - offset, bytearray(PAYLOAD))
            page[offset : offset + len(part)] = part
            at += len(part)
    return {address: bytes(page) for address, page in cut.items()}


def _open(elf: Path) -> ELFFile:
    try:
        return ELFFile(io.BytesIO(elf.read_bytes()))
    except OSError as error:
        raise IntercoreError(f"{elf}: {error.strerror or error}") from error
    except ELFError as error:
        raise IntercoreError(f"{elf} is not an ELF file: {error}") from error
