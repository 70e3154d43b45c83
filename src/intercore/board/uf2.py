"""Makes UF2 files, for a board's boot drive, from ELF files.

UF2 is Microsoft's format: 512-byte blocks with the address of their payload (https://github.com/microsoft/uf2).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from intercore.board.boot_drive import RP2040
from intercore.board.elf import loaded
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PAYLOAD = 256
"""Payload bytes of a block: the boot ROM accepts no other size (RP2040 datasheet 2.8.4.2)."""
BLOCK = 512

_MAGIC = (0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30)
_FAMILY_PRESENT = 0x0000_2000
_HEAD = struct.Struct("<8I")


def uf2_of(elf: Path, family: int = RP2040) -> bytes:
    """Return the UF2 file with the loaded contents of an ELF file, for a family of chips.

    Raises IntercoreError if it is not an ELF file, has nothing to load, or overlapping contents.
    """
    try:
        return uf2(pages(loaded(elf)), family)
    except ValueError as error:
        raise IntercoreError(f"cannot make a UF2 file from {elf}: {error}") from None


def uf2(pages: Mapping[int, bytes], family: int = RP2040) -> bytes:
    """Return the UF2 file of complete pages of PAYLOAD bytes by address, in the order of addresses."""
    blocks = (
        _HEAD.pack(*_MAGIC[:2], _FAMILY_PRESENT, address, PAYLOAD, number, len(pages), family)
        + page.ljust(BLOCK - _HEAD.size - 4, b"\0")
        + struct.pack("<I", _MAGIC[2])
        for number, (address, page) in enumerate(sorted(pages.items()))
    )
    return b"".join(blocks)


def contents(data: bytes) -> dict[int, bytes]:
    """Return the payloads of a UF2 file's blocks for an RP2040, by address. ValueError if it is damaged."""
    if not data or len(data) % BLOCK:
        raise ValueError("the UF2 file is truncated")
    found = {}
    for at in range(0, len(data), BLOCK):
        first, second, flags, address, size, _, _, family = _HEAD.unpack_from(data, at)
        if (first, second) != _MAGIC[:2]:
            raise ValueError(f"UF2 block {at // BLOCK} of the file has no valid magic numbers")
        if flags & _FAMILY_PRESENT and family == RP2040 and size == PAYLOAD and address % PAYLOAD == 0:
            found[address] = data[at + _HEAD.size : at + _HEAD.size + PAYLOAD]
    return found


def pages(pieces: Iterable[tuple[int, bytes]]) -> dict[int, bytes]:
    """Cut pieces with their addresses into pages at multiples of PAYLOAD; gaps are 0.

    Raises ValueError if two pieces overlap.
    """
    cut: dict[int, bytearray] = {}
    end = 0
    for address, data in sorted(pieces):
        if address < end:
            raise ValueError(f"two segments of the program overlap at address {address:#010x}")
        end = address + len(data)
        at = 0
        while at < len(data):
            offset = (address + at) % PAYLOAD
            part = data[at : at + PAYLOAD - offset]
            page = cut.setdefault(address + at - offset, bytearray(PAYLOAD))
            page[offset : offset + len(part)] = part
            at += len(part)
    return {address: bytes(page) for address, page in cut.items()}
