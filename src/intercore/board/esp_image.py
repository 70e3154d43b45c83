"""Whole flash images of Espressif's chips: merged from parts, and validated.

Formats: esp_image_header_t (ESP-IDF, components/bootloader_support/include/esp_app_format.h) and partition tables
(ESP-IDF programming guide, "Partition Tables"). The input is not trusted.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import msgspec

from intercore.board.digest import image_digest
from intercore.errors import IntercoreError
from intercore.files import bounds
from intercore.files.bounds import contents

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST = bounds.WHOLE_FLASH.most
"""Size of the largest flash that these chips map by default."""
PARTITION_TABLE = 0x8000
"""Offset of the partition table (the default of CONFIG_PARTITION_TABLE_OFFSET)."""
MEGABYTE = 1 << 20

_MAGIC = 0xE9
_HEADER = struct.Struct("<BBBBIB3sH")
"""Magic, segments, SPI mode, SPI speed and flash size, entry point, WP pin, pin drive, chip."""
_PARTITION = struct.Struct("<HBBII16sI")
"""Magic, type, subtype, offset, size, label, flags."""
_PARTITION_MAGIC = 0x50AA
_PARTITIONS = 0xC00 // _PARTITION.size
_APP = 0x00
_FLASH_SIZES = {code: MEGABYTE << code for code in range(8)}
"""Size of the flash by the upper half of the header's byte 3."""


class Chip(msgspec.Struct, frozen=True):
    """An Espressif chip, as its tools know it."""

    name: str
    """Name for esptool and ESP-IDF."""
    title: str
    """Name in esptool's output."""
    id: int
    """Number in the header of its images (esp_chip_id_t)."""
    bootloader: int
    """Offset in flash of the second-stage bootloader."""


ESP32 = Chip("esp32", "ESP32", 0x0000, 0x1000)
ESP32S3 = Chip("esp32s3", "ESP32-S3", 0x0009, 0x0)
ESP32P4 = Chip("esp32p4", "ESP32-P4", 0x0012, 0x2000)
CHIPS = (ESP32, ESP32S3, ESP32P4)


class WholeFlash(msgspec.Struct, frozen=True):
    """The properties of a whole flash image."""

    flash_size: int
    """Size of the flash in the bootloader's header."""
    app: int
    """Offset of the program."""


def merge(pieces: Mapping[int, bytes]) -> bytes:
    """Return the flash from 0 on with each piece at its offset, and 0xFF, as in erased flash, between them.

    Raises ValueError if there is no piece, if two overlap, or if one is outside of the largest flash.
    """
    if not pieces:
        raise ValueError("the flash image has no parts")
    whole = bytearray()
    for offset, data in sorted(pieces.items()):
        if offset < 0 or offset + len(data) > MOST:
            raise ValueError(f"{len(data)} bytes at {offset:#x} do not fit into a flash of {MOST // MEGABYTE} MB")
        if offset < len(whole):
            raise ValueError(f"two parts of the flash image overlap at {offset:#x}")
        whole += b"\xff" * (offset - len(whole)) + data
    return bytes(whole)


def read(path: Path) -> bytes:
    """Return the content of an image file. Raises IntercoreError if it cannot be read, or is too large."""
    try:
        return contents(path, bounds.WHOLE_FLASH)
    except OSError as error:
        raise IntercoreError(f"cannot read {path}: {error.strerror or error}") from error


def check(data: bytes, chip: Chip) -> WholeFlash:
    """Check that this is the whole flash of a chip: a bootloader, a partition table, and the program that it names.

    Raises ValueError with the error.
    """
    size = _flash_size(data, chip)
    if len(data) > size:
        raise ValueError(f"the file has {len(data):,} bytes, but was built for a flash of {size // MEGABYTE} MB")
    app = _app(data, size)
    found = _chip_id(data, app)
    if found is None:
        raise ValueError(
            f"there is no program at {app:#x}, where the partition table places the program (its magic number 0xE9 is "
            "missing)"
        )
    if found != chip.id:
        raise ValueError(f"the program in the image is for {_title(found)}, not for {chip.title}")
    return WholeFlash(size, app)


def digest(data: bytes) -> str:
    """Return the digest of the whole flash, without erased bytes at its end."""
    return image_digest([(0, data.rstrip(b"\xff"))])


def padded(data: bytes, size: int) -> bytes:
    """Return the flash padded with erased bytes, because QEMU supports only sizes of 2, 4, 8 and 16 MB."""
    whole = min(max(size, 2 * MEGABYTE), MOST)
    return data.ljust(whole, b"\xff")


def _flash_size(data: bytes, chip: Chip) -> int:
    found = _chip_id(data, chip.bootloader)
    if found is None:
        for other in CHIPS:
            if other != chip and _chip_id(data, other.bootloader) == other.id and _has_table(data):
                raise ValueError(f"the image is for {other.title}, not for {chip.title}")
        alone = ". The file is a program without a bootloader" if _chip_id(data, 0) is not None else ""
        raise ValueError(f"there is no bootloader at {chip.bootloader:#x} (its magic number 0xE9 is missing){alone}")
    if found != chip.id:
        raise ValueError(f"the bootloader in the image is for {_title(found)}, not for {chip.title}")
    code = _HEADER.unpack_from(data, chip.bootloader)[3] >> 4
    if code not in _FLASH_SIZES:
        raise ValueError(f"the bootloader in the image states an unknown flash size (code {code})")
    return _FLASH_SIZES[code]


def _chip_id(data: bytes, offset: int) -> int | None:
    """Return the chip of an image at an offset; None if there is no image."""
    if len(data) < offset + _HEADER.size or data[offset] != _MAGIC:
        return None
    return int(_HEADER.unpack_from(data, offset)[-1])


def _has_table(data: bytes) -> bool:
    return data[PARTITION_TABLE : PARTITION_TABLE + 2] == _PARTITION_MAGIC.to_bytes(2, "little")


def _app(data: bytes, flash_size: int) -> int:
    """Return the offset of the first program in the partition table."""
    if not _has_table(data):
        raise ValueError(f"there is no partition table at {PARTITION_TABLE:#x} (its magic number 0x50AA is missing)")
    apps = []
    for number in range(_PARTITIONS):
        at = PARTITION_TABLE + number * _PARTITION.size
        if at + _PARTITION.size > len(data):
            break
        magic, kind, _, offset, size, _, _ = _PARTITION.unpack_from(data, at)
        if magic != _PARTITION_MAGIC:
            break
        if offset + size > flash_size:
            raise ValueError(
                f"partition {number} of the partition table ends at {offset + size:#x}, beyond a flash of "
                f"{flash_size // MEGABYTE} MB"
            )
        if kind == _APP:
            apps.append(int(offset))
    if not apps:
        raise ValueError("the partition table has no partition for a program")
    return min(apps)


def _title(chip_id: int) -> str:
    return next((chip.title for chip in CHIPS if chip.id == chip_id), f"another chip (number {chip_id})")
