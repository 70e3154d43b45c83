"""Mistakes that are planted in core 0's image as it was built: what a program with them would be."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from elftools.elf.elffile import ELFFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DSB = bytes.fromhex("bff3 4f8f")
ISB = bytes.fromhex("bff3 6f8f")
NOP = bytes.fromhex("aff3 0080")
GIVING = ("stm32h745_lock_give", "board_unlock")
"""Functions that give a semaphore back (stm32h745_lock.c), by themselves or by a call, as the compiler sees fit."""
RESTORES, RESTORES_ONE_LESS = bytes.fromhex("b0ec 108a"), bytes.fromhex("b0ec 0f8a")
"""VLDMIA r0!, {s16-s31}, with which PendSV brings a task's registers back; and without s31."""
WINDOW_OF_D3 = struct.pack("<III", 0x38000000, 0x10000, 2)
"""An entry of the table of memory protection (stm32h745_mpu_table.c): base, bytes, not cached."""


def with_window(images: Sequence[Path], **changes: int) -> list[bytes]:
    """Return the images, in the first of which the memory that both cores share is protected otherwise."""
    entry = {"base": 0x38000000, "bytes": 0x10000, "kind": 2} | changes
    return _changed(images, WINDOW_OF_D3, struct.pack("<III", *entry.values()))


def with_unaligned_frames(images: Sequence[Path]) -> list[bytes]:
    """Return the images, in the first of which a switch to a task brings one floating-point register less back."""
    return _changed(images, RESTORES, RESTORES_ONE_LESS)


def without_barrier(images: Sequence[Path]) -> list[bytes]:
    """Return the images, in the first of which no DSB stands before a semaphore is given back."""
    return _without(images, GIVING, (DSB,))


def with_protection_at_once(images: Sequence[Path]) -> list[bytes]:
    """Return the images, in the first of which neither DSB nor ISB follows the set-up of memory protection."""
    return _without(images, ("stm32h745_mpu_start",), (DSB, ISB))


def _without(images: Sequence[Path], functions: Sequence[str], barriers: Sequence[bytes]) -> list[bytes]:
    intact = images[0].read_bytes()
    first = bytearray(intact)
    with images[0].open("rb") as file:
        elf = ELFFile(file)
        code = elf.get_section_by_name(".text")
        symbols = elf.get_section_by_name(".symtab")
        for name in functions:
            symbol = symbols.get_symbol_by_name(name)[0]
            begin = (symbol["st_value"] & ~1) - code["sh_addr"] + code["sh_offset"]
            body = slice(begin, begin + symbol["st_size"])
            for barrier in barriers:
                first[body] = first[body].replace(barrier, NOP)
    assert first != intact
    return [bytes(first), images[1].read_bytes()]


def _changed(images: Sequence[Path], found: bytes, put: bytes) -> list[bytes]:
    first, second = (image.read_bytes() for image in images)
    assert first.count(found) == 1
    return [first.replace(found, put), second]
