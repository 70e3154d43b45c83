"""Firmware for the simulated chip: the examples in sim/examples, compiled, and programs written by hand."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SIM = Path(__file__).parents[2] / "sim"
SRAM = 0x2000_0000
CODE = SRAM + 8
"""Where the code of `raw` is, behind its vector table."""

FOREVER = (0xE7FE,)  # b .
SLEEP = (0xBF30, 0xE7FD)  # wfi; b back to it
UNDEFINED = (0xDE00,)  # udf #0
LAST_WORDS = (
    *(0x4808, 0x2101, 0x0589, 0x6001),  # UART0 out of reset
    *(0x4807, 0x2143, 0x6241, 0x2134, 0x6281, 0x2170, 0x62C1, 0x4905, 0x6301),  # 115200 baud of 125 MHz
    *(0x2178, 0x6001, 0x6001),  # "xx"
    *(0xDE00, 0xBF00),  # udf #0
    *(0xF000, 0x4000, 0x4000, 0x4003, 0x0301, 0x0000),
)
"""Sends two characters and locks up before they are out."""
EXIT_42 = (0x2020, 0xA101, 0xBEAB, 0xBF00, 0x0026, 0x0002, 42, 0)  # SYS_EXIT_EXTENDED with {0x20026, 42}

_COMPILE = ("-mcpu=cortex-m0plus", "-mthumb", "-O2", "-std=c11", "-ffreestanding", "-g")
_LINK = ("-nostartfiles", "-static", "-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings", "-L.")


@cache
def _build_folder() -> Path:
    return Path(mkdtemp(prefix="intercore-firmware-"))


@cache
def example(name: str, memory: str = "sram", *options: str) -> Path:
    """Return an ELF image of sim/examples/<name>.c for `sram` or `flash`, as sim/tests/examples.rs builds it.

    Options of the compiler come after its own.
    """
    compiler = shutil.which("arm-none-eabi-gcc")
    if compiler is None:
        assert "INTERCORE_NO_SKIP" not in os.environ, "there is no arm-none-eabi-gcc here"
        pytest.skip("no arm-none-eabi-gcc here: apt-get install gcc-arm-none-eabi")
    elf = _build_folder() / f"{name.replace('/', '-')}-{memory}{''.join(options).replace('/', '-')}.elf"
    sources = ("chip.c", f"{name}.c", "-lgcc")
    command = [compiler, *_COMPILE, *options, "-I.", *_LINK, "-T", f"{memory}.ld", *sources, "-o", elf]
    subprocess.run(command, cwd=SIM / "examples", check=True, timeout=120)
    return elf


def raw(*code: int) -> bytes:
    """Return an image for the beginning of SRAM: a vector table whose reset vector is the code behind it."""
    return struct.pack("<II", 0x2004_0000, CODE | 1) + struct.pack(f"<{len(code)}H", *code)


def uf2(image: bytes, address: int, family: int = 0xE48B_FF56) -> bytes:
    """Return an image as a UF2 file."""
    parts = [image[at : at + 256].ljust(256, b"\0") for at in range(0, len(image), 256)]
    blocks = []
    for number, part in enumerate(parts):
        head = (0x0A32_4655, 0x9E5D_5157, 0x2000, address + 256 * number, 256, number, len(parts), family)
        blocks.append(struct.pack("<8I", *head) + part.ljust(476, b"\0") + struct.pack("<I", 0x0AB1_6F30))
    return b"".join(blocks)
