"""Makes a function of an image slower by a known time: a benchmark that measures it must find exactly that."""

from __future__ import annotations

import re
import struct
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.sim import Simulator

SRAM4 = 0x20040000
"""A bank with which no code, data or stack shares a bus port, so that the delay takes the same time always."""
SRAM5 = 0x20041000
"""The other such bank."""
SIO_IRQ_PROC1 = 16 + 16
"""Exception by which core 1 is told that there is something for it (DS 2.3.2)."""
TURN = 3
"""Cycles of a turn of the delay's loop: SUBS and a branch that is taken (Cortex-M0+ TRM r0p1, 3.3)."""


class Delay:
    """A detour on the way to a function, for all calls of it by BL."""

    def __init__(self, chip: Simulator, elf: Path, function: str, at: int = SRAM4, within: str | None = None) -> None:
        """Lead all calls, or those `within` another function, through code at `at`; at first, a delay of one turn."""
        self._chip, self._at = chip, at
        target = chip.address(function) & ~1
        calls = calls_of(elf, target)
        if within is not None:
            begin = chip.symbols[within].address & ~1
            calls = [call for call in calls if begin <= call < begin + chip.symbols[within].size]
        assert calls, f"nothing calls {function}"
        # push {r0, r1}; ldr r0, turns; 1: subs r0, #1; bne 1b; ldr r0, target; mov r12, r0; pop {r0, r1}; bx r12
        detour = struct.pack("<8H", 0xB403, 0x4803, 0x3801, 0xD1FD, 0x4802, 0x4684, 0xBC03, 0x4760)
        chip.write(at, detour + struct.pack("<2L", 1, target | 1))
        for call in calls:
            chip.write(call, bl(call, at))

    def set(self, turns: int) -> None:
        """Have each call take so many turns: TURN cycles each, at least one."""
        self._chip.write_word(self._at + 16, turns)

    def is_under_way(self, core: int) -> bool:
        """Whether a core is inside the loop now."""
        return self._at + 4 <= self._chip.registers(core).pc < self._at + 8


def slow_down_handler(chip: Simulator, core: int, exception: int, turns: int, at: int = SRAM5) -> None:
    """Have a core's handler of an exception begin so many turns later, by code at `at`."""
    tables = chip.symbols["vector_tables"]
    vector = tables.address + core * tables.size // 2 + 4 * exception
    handler = chip.read_word(vector)
    # ldr r0, turns; 1: subs r0, #1; bne 1b; ldr r0, handler; bx r0; nop
    detour = struct.pack("<6H", 0x4802, 0x3801, 0xD1FD, 0x4802, 0x4700, 0x46C0)
    chip.write(at, detour + struct.pack("<2L", turns, handler))
    chip.write_word(vector, at | 1)


def calls_of(elf: Path, target: int) -> list[int]:
    """Return where BL calls the function at `target`."""
    shown = subprocess.run(["arm-none-eabi-objdump", "-d", elf], capture_output=True, text=True, check=True).stdout
    return [int(at, 16) for at in re.findall(rf"^ *([0-9a-f]+):\t[0-9a-f ]+\tbl\t{target:x} ", shown, re.MULTILINE)]


def bl(at: int, target: int) -> bytes:
    """Encode BL (ARMv6-M Architecture Reference Manual, A6.7.13)."""
    offset = target - (at + 4)
    sign, i1, i2 = (offset >> 31) & 1, (offset >> 23) & 1, (offset >> 22) & 1
    first = 0xF000 | sign << 10 | (offset >> 12) & 0x3FF
    return struct.pack("<2H", first, 0xD000 | (1 ^ i1 ^ sign) << 13 | (1 ^ i2 ^ sign) << 11 | (offset >> 1) & 0x7FF)
