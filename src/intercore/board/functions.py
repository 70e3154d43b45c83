"""Compares the functions of two programs by their code, regardless of their addresses.

For Armv6-M, with 16-bit instructions except for a few (Armv6-M Architecture Reference Manual, A5.1 and A5.3). Calls and
literals with addresses are identified by what they refer to, so that moved code counts as equal.
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
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_HALF, _WORD = 2, 4
_OF_CORE_1 = ".core_1"  # firmware/board/rp2040_amp/ram.ld
_MOST_TEXT = 200  # bytes of a string that are compared
_BITS_OF_LONG = (0b11101, 0b11110, 0b11111)  # first halfwords from this value on begin a 32-bit instruction (A5.1)


class _Symbol(NamedTuple):
    address: int
    size: int
    name: str


class Function(NamedTuple):
    """A function of a program."""

    name: str
    """Its name in the source; static functions of the same name have a number."""
    address: int
    size: int
    """In bytes, its literals included."""
    meaning: tuple[object, ...]
    """Its instructions and literals, without addresses."""


class Program(NamedTuple):
    """The contents of an image and their addresses."""

    functions: dict[str, Function]
    places: tuple[tuple[str, int, int], ...]
    """Name, address and size of all sections and variables."""
    memory: tuple[tuple[int, bytes], ...]
    """The loaded contents with their addresses."""


def program(elf: Path) -> Program:
    """Return the contents of an ELF file of an Armv6-M core.

    Raises IntercoreError if it is not one, has no symbols, or contains a second program, whose functions have none.
    """
    try:
        file = ELFFile(io.BytesIO(elf.read_bytes()))
        table = next((one for one in file.iter_sections() if isinstance(one, SymbolTableSection)), None)
        if table is None or file["e_machine"] != "EM_ARM":
            raise IntercoreError(f"{elf} has no symbols of an Arm program, so its functions are unknown")
        placed = [
            section
            for section in file.iter_sections()
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
        ]
        sections = [_Symbol(section["sh_addr"], section["sh_size"], section.name) for section in placed]
        memory = tuple((section["sh_addr"], section.data()) for section in placed if section["sh_type"] != "SHT_NOBITS")
        functions, objects, marks = [], [], []
        for entry in table.iter_symbols():
            kind, address, size = entry["st_info"]["type"], entry["st_value"], entry["st_size"]
            if entry.name.startswith(("$t", "$d")):
                marks.append((address, entry.name.startswith("$d")))
            elif kind == "STT_FUNC" and size:
                functions.append(_Symbol(address & ~1, size, entry.name))
            elif kind == "STT_OBJECT" and size:
                objects.append(_Symbol(address, size, entry.name))
        if any(one.name == _OF_CORE_1 for one in sections):
            raise IntercoreError(f"{elf} contains a second program, for core 1, whose functions are unknown")
    except OSError as error:
        raise IntercoreError(f"cannot read {elf}: {error.strerror or error}") from error
    except (ELFError, struct.error, UnicodeDecodeError, KeyError) as error:
        raise IntercoreError(f"{elf} is not a valid ELF file: {error}") from error
    references = _References([*functions, *objects], sections, memory, marks)
    found: dict[str, Function] = {}
    seen: Counter[str] = Counter()
    for one in sorted(set(functions)):
        seen[one.name] += 1
        name = one.name if seen[one.name] == 1 else f"{one.name} ({seen[one.name]})"
        found[name] = Function(name, one.address, one.size, tuple(_meaning(one, references)))
    places = tuple(sorted((one.name, one.address, one.size) for one in (*sections, *objects)))
    return Program(found, places, memory)


def differing(first: Program, second: Program) -> list[str]:
    """Return the sorted names of the functions that differ or that only one of two programs has."""
    names = first.functions.keys() | second.functions.keys()
    return sorted(
        name
        for name in names
        if name not in first.functions
        or name not in second.functions
        or first.functions[name].meaning != second.functions[name].meaning
    )


def differs_in_place(first: Program, second: Program) -> bool:
    """Whether two programs differ only in the instructions of some functions, with all addresses equal."""
    names = differing(first, second)
    if not names or first.places != second.places or first.functions.keys() != second.functions.keys():
        return False
    if any((one.address, one.size) != second.functions[name][1:3] for name, one in first.functions.items()):
        return False
    changed = [first.functions[name] for name in names]
    return _without(first.memory, changed) == _without(second.memory, changed)


def _without(memory: Sequence[tuple[int, bytes]], functions: Sequence[Function]) -> list[tuple[int, bytes]]:
    """Return memory in which some functions are cleared."""
    found = []
    for begin, data in memory:
        cleared = bytearray(data)
        for one in functions:
            if begin <= one.address < begin + len(data):
                at = one.address - begin
                cleared[at : at + one.size] = bytes(len(cleared[at : at + one.size]))
        found.append((begin, bytes(cleared)))
    return found


class _References:
    """Resolves addresses to names or contents."""

    def __init__(
        self,
        symbols: Sequence[_Symbol],
        sections: Sequence[_Symbol],
        memory: Sequence[tuple[int, bytes]],
        marks: Sequence[tuple[int, bool]],
    ) -> None:
        self._symbols = sorted(symbols)
        self._addresses = [one.address for one in self._symbols]
        self._sections = sections
        self._memory = memory
        self._marks = sorted(marks)  # where code ($t) and data ($d) begin (AAELF32, "Mapping symbols")

    def is_data(self, address: int) -> bool:
        """Whether an address within a function has data: literals and tables."""
        at = bisect_right(self._marks, (address, True))
        return at > 0 and self._marks[at - 1][1]

    def bytes_at(self, address: int, size: int) -> bytes:
        """Return at most `size` loaded bytes at an address."""
        for begin, data in self._memory:
            if begin <= address < begin + len(data):
                return data[address - begin : address - begin + size]
        return b""

    def word(self, word: int, function: _Symbol) -> object:
        """Return the meaning of a word of data: a number, or its referent."""
        for address in (word, word & ~1):  # a pointer to a function has bit 0 set (Armv6-M ARM A2.3.1)
            if found := self._named(address):
                return "address", *found
        if section := next((one for one in self._sections if one.address <= word <= one.address + one.size), None):
            return "address", section.name, *self._content(word, function)
        return word

    def call(self, address: int, target: int) -> object:
        """Return the name of a call's target."""
        return "call", self._named(target) or target - address

    def _named(self, address: int) -> tuple[str, int] | None:
        at = bisect_right(self._addresses, address)
        for one in reversed(self._symbols[max(at - 8, 0) : at]):
            if one.address <= address < one.address + one.size:
                return one.name, address - one.address
        return None

    def _content(self, address: int, function: _Symbol) -> tuple[object, ...]:
        """Return the content at an address without a symbol: targets of a jump table, or a string; else nothing."""
        data = self.bytes_at(address, _MOST_TEXT)
        goes = []
        for (word,) in struct.iter_unpack("<I", data[: len(data) // _WORD * _WORD]):
            if not function.address <= word < function.address + function.size:
                break
            goes.append(word - function.address)
        text = data.split(b"\0")[0]
        return tuple(goes) or ((text,) if text.isascii() and text.decode("ascii").isprintable() else ())


def _meaning(function: _Symbol, references: _References) -> Iterator[object]:
    code = references.bytes_at(function.address, function.size)
    halves = struct.unpack(f"<{len(code) // _HALF}H", code[: len(code) // _HALF * _HALF])
    at = 0
    while at < len(halves):
        address, half = function.address + at * _HALF, halves[at]
        second = halves[at + 1] if at + 1 < len(halves) else None
        if references.is_data(address):
            if second is not None and address % _WORD == 0:
                yield references.word(half | second << 16, function)
                at += 2
                continue
        elif half >> 11 in _BITS_OF_LONG and second is not None:
            if half >> 11 == 0b11110 and second & 0xD000 == 0xD000:  # BL (A6.7.13)
                yield references.call(address, address + 4 + _offset_of_call(half, second))
            else:
                yield half, second
            at += 2
            continue
        yield half
        at += 1


def _offset_of_call(first: int, second: int) -> int:
    """Return the offset of a BL from the next instruction."""
    sign = first >> 10 & 1
    i1, i2 = (~(second >> bit & 1 ^ sign) & 1 for bit in (13, 11))
    offset = sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3FF) << 12 | (second & 0x7FF) << 1
    return offset - (1 << 25) if sign else offset
