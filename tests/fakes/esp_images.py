"""What ESP-IDF makes, as small as it can be: bootloader, partition table, program, and ELF file."""

from __future__ import annotations

import struct

CHIP_IDS = {"esp32": 0x0000, "esp32s3": 0x0009, "esp32p4": 0x0012}
BOOTLOADERS = {"esp32": 0x1000, "esp32s3": 0x0, "esp32p4": 0x2000}
TABLE, APP = 0x8000, 0x10000


def header(chip: str, flash_mb: int = 4) -> bytes:
    """The 24 bytes at the beginning of an image (esp_image_header_t)."""
    size = {1: 0, 2: 1, 4: 2, 8: 3, 16: 4}[flash_mb]
    return struct.pack(
        "<BBBBIB3sHB2H4sB", 0xE9, 1, 2, size << 4, 0x40080000, 0xEE, b"", CHIP_IDS[chip], 0, 0, 399, b"", 0
    )


def table(*entries: tuple[int, int, int, str]) -> bytes:
    """A partition table of (type, offset, size, label), closed by what stands for its MD5."""
    rows = [
        struct.pack("<HBBII16sI", 0x50AA, kind, 0, offset, size, label.encode(), 0)
        for kind, offset, size, label in entries
    ]
    return b"".join(rows) + b"\xeb\xeb" + b"\xff" * 14 + bytes(16)


def parts(chip: str, flash_mb: int = 4, program: bytes = b"program") -> dict[int, bytes]:
    """The parts of a whole flash, by offset."""
    return {
        BOOTLOADERS[chip]: header(chip, flash_mb) + b"bootloader",
        TABLE: table((1, 0x9000, 0x6000, "nvs"), (0, APP, 0x100000, "factory")),
        APP: header(chip, flash_mb) + program,
    }


def whole(chip: str, flash_mb: int = 4, program: bytes = b"program") -> bytes:
    """A whole flash in one file."""
    found = bytearray()
    for offset, data in sorted(parts(chip, flash_mb, program).items()):
        found += b"\xff" * (offset - len(found)) + data
    return bytes(found)


def elf() -> bytes:
    """An ELF file for Xtensa (machine 94) with two sections that take memory, and their names."""
    names = b"\0.iram0.text\0.bss\0.shstrtab\0"
    code = b"code"
    at_names, at_code = 52, 52 + len(names)
    sections = [
        (0, 0, 0, 0, 0, 0),
        (1, 1, 6, 0x40080000, at_code, len(code)),
        (13, 8, 3, 0x3FFB0000, at_code, 256),
        (18, 3, 0, 0, at_names, len(names)),
    ]
    rows = b"".join(struct.pack("<10I", *section, 0, 0, 4, 0) for section in sections)
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    head = struct.pack("<16sHHIIIIIHHHHHH", ident, 2, 94, 1, 0x40080000, 0, at_code + len(code), 0, 52, 32, 0, 40, 4, 3)
    return head + names + code + rows
