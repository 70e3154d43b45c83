"""Names for the addresses in a profile."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.sim import Chip

ROM_BYTES = 0x4000
"""Bytes of the boot ROM, from address 0 on (RP2040 datasheet 2.6.1)."""
_LONGEST_SHORT = 40


_MANGLED = ("_Z", "__Z")


def readable(name: str) -> str:
    """Return the name of a symbol as its source has it: of C++ with parameters, which tell overloads apart."""
    if not name.startswith(_MANGLED):
        return printable(name)
    import demangle  # noqa: PLC0415 - 40 ms, which programs in C do not need

    try:
        found = demangle.signature(name, language="itanium")
    except demangle.DemanglingError:
        return printable(name)
    return printable(found.demangled.removeprefix(f"{found.return_type} ") if found.return_type else found.demangled)


def short(name: str) -> str:
    """Return a name of C++ without its parameters, and cut if it is still long; a name of C as it is."""
    if name.isidentifier():
        return name
    hidden = name.replace("(anonymous namespace)", "{anonymous}")
    found = hidden.partition("(")[0].rstrip() or hidden
    return found if len(found) <= _LONGEST_SHORT else f"{found[: _LONGEST_SHORT - 1]}…"


class Names:
    """Names of functions and data of a program on a chip."""

    def __init__(self, simulator: Chip) -> None:
        """Take the symbols of the chip's image."""
        self._readable: dict[int, str] = {}
        # Of several at an address, the longest: that is the one whose extent the profile goes by.
        found: dict[int, tuple[int, str]] = {}
        for name, symbol in simulator.all_symbols():
            this = (-symbol.size, name)
            if this < found.get(symbol.address, (1, "")):
                found[symbol.address] = this
        self._names = {address: name for address, (_, name) in found.items()}
        # A profile may ask a hundred thousand times, of a few functions and objects.
        self.function: Callable[[int], str] = cache(self._function)
        """The name of the function that begins at an address."""
        self.object: Callable[[int], str] = cache(self._object)
        """The name of the data or code that begins at an address, or the 256 bytes that are there."""

    def _function(self, address: int) -> str:
        if address < ROM_BYTES:
            return "boot ROM"
        return self._at(address) or f"{address:#010x}"

    def _object(self, address: int) -> str:
        if address < ROM_BYTES:
            return "boot ROM"
        return self._at(address) or f"{address:#010x}-{address | 0xFF:#010x}"

    def _at(self, address: int) -> str:
        """Return the name of what begins at an address; empty if it has none."""
        if address in self._names and address not in self._readable:
            self._readable[address] = readable(self._names[address])
        return self._readable.get(address, "")


def task(block: int, name: str) -> str:
    """Return what a task is called by the address of its control block, which is 0 without a task, and its name."""
    if block == 0:
        return "thread mode"
    return f"task {printable(name)}" if name else f"task {block:#010x}"
