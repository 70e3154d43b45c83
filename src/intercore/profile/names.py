"""Names for the addresses in a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.errors import SimulatorError
from intercore.text import printable

if TYPE_CHECKING:
    from intercore.sim import Chip

ROM_BYTES = 0x4000
"""Bytes of the boot ROM, from address 0 on (RP2040 datasheet 2.6.1)."""
TASKS = {"pxCurrentTCBs": (0x3C, 0x40), "pxCurrentTCB": (0x34,)}
"""Where a kernel of FreeRTOS with this variable has the name of a task in its control block (`tskTaskControlBlock`,
tasks.c): behind the top of the stack, two list items of 20 bytes, the priority and the stack's address; with several
cores also behind two words that are never text, and perhaps the mask of the task's cores."""
_LONGEST_NAME = 24
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
    """Names of functions, data, tasks and exceptions of a program on a chip."""

    def __init__(self, simulator: Chip) -> None:
        """Take the symbols of the chip's image."""
        self._simulator = simulator
        self._readable: dict[int, str] = {}
        # Of several at an address, the longest: that is the one whose extent the profile goes by.
        found: dict[int, tuple[int, str]] = {}
        for name, symbol in simulator.all_symbols():
            this = (-symbol.size, name)
            if this < found.get(symbol.address, (1, "")):
                found[symbol.address] = this
        self._names = {address: name for address, (_, name) in found.items()}

    def function(self, address: int) -> str:
        """Return the name of the function that begins at an address."""
        if address < ROM_BYTES:
            return "boot ROM"
        return self._at(address) or f"{address:#010x}"

    def object(self, address: int) -> str:
        """Return the name of the data or code that begins at an address, or the 256 bytes that are there."""
        if address < ROM_BYTES:
            return "boot ROM"
        return self._at(address) or f"{address:#010x}-{address | 0xFF:#010x}"

    def _at(self, address: int) -> str:
        """Return the name of what begins at an address; empty if it has none."""
        if address in self._names and address not in self._readable:
            self._readable[address] = readable(self._names[address])
        return self._readable.get(address, "")

    def task(self, block: int) -> str:
        """Return the name of a task of FreeRTOS by the address of its control block, which is 0 without a task."""
        if block == 0:
            return "thread mode"
        offsets = next((them for kernel, them in TASKS.items() if kernel in self._simulator.symbols), ())
        for offset in offsets:
            try:
                data = self._simulator.read(block + offset, _LONGEST_NAME)
            except (SimulatorError, ValueError):
                break
            name = data.partition(b"\0")[0]
            if name and name.isascii() and name.decode("ascii").isprintable():
                return f"task {name.decode('ascii')}"
        return f"task {block:#010x}"
