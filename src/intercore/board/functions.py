"""Which functions of two programs differ: what each does, wherever the linker has put it.

For Armv6-M, whose instructions are 16 bits long but for a few (Armv6-M Architecture Reference Manual, A5.1 and A5.3). A
call and a literal that is an address are known by what they refer to, so that code which was only moved is the same.
"""

from __future__ import annotations

import io
import struct
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HALF, _WORD = 2, 4
_OF_CORE_1 = ".core_1"  # firmware/board/rp2040_amp/ram.ld
_MOST_TEXT = 200  # bytes of a text that are compared
_BITS_OF_LONG = (0b11101, 0b11110, 0b11111)  # of the first half, above: an instruction of 32 bits follows (A5.1)


class _Symbol(NamedTuple):
    address: int
    size: int
    name: str


class Function(NamedTuple):
    """A function of a program."""

    name: str
    """As its source calls it; several static ones of a name are told apart by a number."""
    address: int
    size: int
    """In bytes, its literals included."""
    meaning: tuple[object, ...]
    """Its instructions and literals, without the address of anything."""


class Program(NamedTuple):
    """The functions of an image, and where its sections lie."""

    functions: dict[str, Function]
    sections: tuple[tuple[str, int, int], ...]
    """Name, address and size of each that takes memory on the chip."""

    @property
    def layout(self) -> tuple[object, ...]:
        """What is equal in two programs that have every function and every section at the same place."""
        return self.sections, tuple((one.name, one.address, one.size) for one in self.functions.values())


def program(elf: Path) -> Program:
    """Return what an ELF file of an Armv6-M core holds.

    Raises IntercoreError if it is none, has no symbols, or holds a second program, whose functions have none.
    """
    try:
        file = ELFFile(io.BytesIO(elf.read_bytes()))
        table = next((one for one in file.iter_sections() if isinstance(one, SymbolTableSection)), None)
        if table is None or file["e_machine"] != "EM_ARM":
            raise IntercoreError(f"{elf} has no symbols of an Arm program, so its functions are not known")
        placed = [
            section
            for section in file.iter_sections()
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
        ]
        sections = tuple((section.name, section["sh_addr"], section["sh_size"]) for section in placed)
        memory = [
            (section["sh_addr"], section.data() if section["sh_type"] != "SHT_NOBITS" else b"", section["sh_size"])
            for section in placed
        ]
        symbols, functions = [], []
        for entry in table.iter_symbols():
            kind, address, size = entry["st_info"]["type"], entry["st_value"], entry["st_size"]
            if not entry.name or entry.name.startswith("$") or entry["st_shndx"] == "SHN_UNDEF":
                continue  # of the file, of the assembler, or of nobody
            symbol = _Symbol(address & ~1 if kind == "STT_FUNC" else address, size, entry.name)
            if kind == "STT_FUNC" and size:
                functions.append(symbol)
            if kind in ("STT_FUNC", "STT_OBJECT", "STT_NOTYPE"):
                symbols.append(symbol)
        if any(name == _OF_CORE_1 for name, *_ in sections):
            raise IntercoreError(f"{elf} holds a second program, for core 1, whose functions are not known")
    except OSError as error:
        raise IntercoreError(f"{elf}: {error.strerror or error}") from error
    except (ELFError, struct.error, UnicodeDecodeError, KeyError) as error:
        raise IntercoreError(f"{elf} is not an ELF file: {error}") from error
    references = _References(symbols, memory)
    found: dict[str, Function] = {}
    seen: Counter[str] = Counter()
    for one in sorted(set(functions)):
        seen[one.name] += 1
        name = one.name if seen[one.name] == 1 else f"{one.name} ({seen[one.name]})"
        code = references.bytes_at(one.address, one.size)
        found[name] = Function(name, one.address, one.size, tuple(_meaning(one, code, references)))
    return Program(found, sections)


def differing(first: Program, second: Program) -> list[str]:
    """Return the names of the functions that only one of two programs has, or that do something else, sorted."""
    names = first.functions.keys() | second.functions.keys()
    return sorted(
        name
        for name in names
        if name not in first.functions
        or name not in second.functions
        or first.functions[name].meaning != second.functions[name].meaning
    )


class _References:
    """What lies at an address, by name."""

    def __init__(self, symbols: list[_Symbol], memory: list[tuple[int, bytes, int]]) -> None:
        self._symbols = sorted(symbols)
        self._addresses = [one.address for one in self._symbols]
        self._memory = memory

    def bytes_at(self, address: int, size: int) -> bytes:
        for begin, data, _ in self._memory:
            if begin <= address and address + size <= begin + len(data):
                return data[address - begin : address - begin + size]
        return b""

    def named(self, address: int) -> tuple[str, int] | None:
        """Return the symbol that an address of the program's memory lies in, and how far behind its beginning."""
        if not any(begin <= address <= begin + size for begin, _, size in self._memory):
            return None
        at = bisect_right(self._addresses, address)
        # Of several at one address the last by name; a linker's mark has no size, and stands for its address alone.
        for one in reversed(self._symbols[max(at - 8, 0) : at]):
            if one.address == address or address < one.address + one.size:
                return one.name, address - one.address
        return None

    def content(self, address: int, function: _Symbol) -> tuple[object, ...] | None:
        """Return what lies at an address that no symbol covers: where a function's switch goes, or else a text."""
        for begin, data, _ in self._memory:
            if begin <= address < begin + len(data):
                rest = data[address - begin :]
                goes = []
                for (word,) in struct.iter_unpack("<I", rest[: len(rest) // _WORD * _WORD]):
                    if not function.address <= word < function.address + function.size:
                        break
                    goes.append(word - function.address)
                return tuple(goes) or (rest[:_MOST_TEXT].split(b"\0")[0],)
        return None


def _meaning(function: _Symbol, code: bytes, references: _References) -> Iterator[object]:
    halves = struct.unpack(f"<{len(code) // _HALF}H", code[: len(code) // _HALF * _HALF])
    literals: set[int] = set()
    at = 0
    while at < len(halves):
        address = function.address + at * _HALF
        if address in literals and at + 1 < len(halves):
            word = halves[at] | halves[at + 1] << 16
            # A pointer to a function has bit 0 set (A2.3.1).
            named = references.named(word) or references.named(word & ~1) or references.content(word, function)
            yield ("address", *named) if named else word
            at += 2
            continue
        half = halves[at]
        if half >> 11 == 0b01001:  # LDR Rt, [PC, #imm8] (A6.7.27)
            literals.add((address + 4 & ~3) + (half & 0xFF) * _WORD)
        if half >> 11 in _BITS_OF_LONG and at + 1 < len(halves):
            second = halves[at + 1]
            if half >> 11 == 0b11110 and second & 0xD000 == 0xD000:  # BL (A6.7.13)
                target = address + 4 + _offset_of_call(half, second)
                yield ("call", references.named(target) or target - address)
            else:
                yield half, second
            at += 2
            continue
        yield half
        at += 1


def _offset_of_call(first: int, second: int) -> int:
    """Return how far a BL goes, from the address behind it."""
    sign = first >> 10 & 1
    i1, i2 = (~(second >> bit & 1 ^ sign) & 1 for bit in (13, 11))
    offset = sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3FF) << 12 | (second & 0x7FF) << 1
    return offset - (1 << 25) if sign else offset
