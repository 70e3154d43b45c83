"""The image to profile, and where the names of its functions come from: a UF2 file has none, but its ELF file has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.board.elf import loaded
from intercore.board.uf2 import contents
from intercore.errors import IntercoreError
from intercore.files import bounds

if TYPE_CHECKING:
    from pathlib import Path

_COMPRESSED = 1 << 11
"""SHF_COMPRESSED among the flags of a section; what is loaded into memory is never compressed."""


class NamedImage(NamedTuple):
    """A program, and what is known of its names."""

    image: Path
    """The file to simulate: that which the user named, or an ELF file with the same contents."""
    names: str
    """The other file that the names are from; empty if there is none."""
    doubt: str
    """Why a file beside the image gives no names, a sentence; empty if there is none."""


def named(image: Path) -> NamedImage:
    """Return the ELF file beside a UF2 file if their contents are the same, else the image itself."""
    if image.suffix.lower() != ".uf2":
        return NamedImage(image, "", "")
    elf = image.with_suffix(".elf")
    if not elf.exists():
        return NamedImage(image, "", "")
    try:
        difference = _difference(image, elf)
    except (IntercoreError, OSError, ValueError) as error:
        return NamedImage(image, "", f"The names of {elf.name} are not used: {error}.")
    if difference is None:
        return NamedImage(elf, elf.name, "")
    return NamedImage(
        image,
        "",
        f"{elf.name} is of another build than {image.name} (their contents differ at {difference:#010x}), so its names "
        "are not used.",
    )


def hidden_lines(image: Path) -> str:
    """Return why an image has debug information that is not read, a sentence; empty if it has none.

    The image is an ELF file that the simulator has taken, or no ELF file.
    """
    data = bounds.contents(image, bounds.ELF)
    if not data.startswith(b"\x7fELF"):
        return ""
    table, size, count = (int.from_bytes(data[at : at + width], "little") for at, width in ((32, 4), (46, 2), (48, 2)))
    flags = (int.from_bytes(data[at + 8 : at + 12], "little") for at in range(table, table + size * count, size or 1))
    if b"\0.zdebug_line\0" not in data and not any(each & _COMPRESSED for each in flags):
        return ""
    return (
        f"The debug information of {image.name} is compressed, so source lines and inlined functions are not told: "
        "link without -gz, or use arm-none-eabi-objcopy --decompress-debug-sections."
    )


def _difference(uf2: Path, elf: Path) -> int | None:
    """Return the first address at which the contents differ. What a UF2 file has to fill its pages is 0."""
    pages = {address: bytearray(page) for address, page in contents(bounds.contents(uf2, bounds.UF2)).items()}
    size = len(next(iter(pages.values()), b""))
    for address, data in loaded(elf):
        at = address
        while at < address + len(data):
            page = pages.get(at - at % size) if size else None
            if page is None:
                return at
            begin = at % size
            part = data[at - address : at - address + size - begin]
            if page[begin : begin + len(part)] != part:
                return at + next(number for number, byte in enumerate(part) if page[begin + number] != byte)
            page[begin : begin + len(part)] = bytes(len(part))  # the rest must be 0
            at += len(part)
    left = (address + at for address, page in sorted(pages.items()) for at, byte in enumerate(page) if byte)
    return next(left, None)
