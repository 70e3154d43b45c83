"""What the benchmark program takes of an RP2040, by section and optimisation level, against the goal of docs/rp2040.md.

python bench/footprint.py [LEVEL...]

Code is what is executed or constant: .text, .rodata, and what .data is loaded with. RAM is what else the program takes:
.data, the copy of it for a restart, and .bss, without buffers (samples, heap) and stacks, which are told by the names
of their variables. The image lies in SRAM as a whole, so code counts as code only.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.board.elf import sections
from intercore.board.factors import OPT_LEVELS

if TYPE_CHECKING:
    from pathlib import Path

CODE_GOAL = 140 * 1024
"""Bytes of code, with the kernel and the C library, of which the functions of double precision are 8 KiB. With it RAM,
buffers and stacks take 240 KiB of the 256 KiB of striped SRAM; the rest is a region for the benchmarks, and room to
spare. The larger code of other levels leaves room for fewer samples."""
RAM_GOAL = 16 * 1024
"""Bytes of RAM, without buffers and stacks."""

BUFFERS = ("arena", "ucHeap")
STACKS = re.compile(r"console_stack|uxIdleTaskStacks?(\.\d+)?")
"""Those in .bss; the main stacks have a section of their own."""
CODE = (".text", ".rodata", ".data")
RAM = (".data", ".saved", ".bss")
SHOWN = (".text", ".rodata", ".data", ".saved", ".bss", ".stacks")


class Footprint(NamedTuple):
    """What an image takes, in bytes."""

    sections: dict[str, int]
    buffers: int
    stacks: int
    """In .bss."""

    @property
    def code(self) -> int:
        """All that is executed or constant, and the initial values of variables."""
        return sum(self.sections.get(name, 0) for name in CODE)

    @property
    def ram(self) -> int:
        """All variables but buffers and stacks."""
        return sum(self.sections.get(name, 0) for name in RAM) - self.buffers - self.stacks

    @property
    def meets_goal(self) -> bool:
        """Whether both are below their goals."""
        return self.code < CODE_GOAL and self.ram < RAM_GOAL


def footprint(elf: Path) -> Footprint:
    """Measure an image. Raises ValueError if it lacks a buffer or stack: then it has another name now."""
    taken = {section.name: section.size for section in sections(elf)}
    buffers = stacks = 0
    missing = {*BUFFERS, "console_stack", "uxIdleTaskStack"}
    with elf.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(symbols, SymbolTableSection):
            raise ValueError(f"{elf} has no symbols")  # noqa: TRY004 - the file is at fault, not the caller
        for symbol in symbols.iter_symbols():
            if symbol.name in BUFFERS:
                buffers += symbol["st_size"]
            elif STACKS.fullmatch(symbol.name):
                stacks += symbol["st_size"]
            missing.discard(symbol.name.partition(".")[0])
    if missing:
        raise ValueError(f"{elf} has no {', '.join(sorted(missing))}")
    return Footprint(taken, buffers, stacks)


def main() -> None:
    """Print the table."""
    levels = sys.argv[1:] or OPT_LEVELS
    table = Table(title="intercore-target for the RP2040, bytes", box=SIMPLE, padding=(0, 0, 0, 1))
    for heading in ("level", *SHOWN, "buffers", "stacks", f"code,\n< {CODE_GOAL:,}", f"RAM,\n< {RAM_GOAL:,}", "goal"):
        table.add_column(heading, justify="right")
    found = {
        level: footprint(board_image(PICO, {"opt": level}, lambda text: print(text, file=sys.stderr)).elf)
        for level in levels
    }
    for level, one in found.items():
        numbers = [*(one.sections.get(name, 0) for name in SHOWN), one.buffers, one.stacks, one.code, one.ram]
        table.add_row(level, *(f"{number:,}" for number in numbers), "yes" if one.meets_goal else "no")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
