"""Words of a program's memory, and the names of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.profile.names import short

if TYPE_CHECKING:
    from intercore.hunt.calls import Calls
    from intercore.sim import Simulator

_SRAM = range(0x20000000, 0x20042000)


def is_sram(address: int) -> bool:
    """Return whether there may be a word in RAM at an address."""
    return address in _SRAM and address % 4 == 0


def word(simulator: Simulator, address: int) -> int:
    """Return a word of RAM; 0 where there is none."""
    return int.from_bytes(simulator.read(address, 4), "little") if is_sram(address & ~3) else 0


def object_name(simulator: Simulator, calls: Calls, address: int) -> str:
    """Return the name of the data at an address, with the offset; the address if it has none."""
    for name, symbol in simulator.all_symbols():
        if symbol.address <= address < symbol.address + symbol.size and not symbol.is_function:
            offset = address - symbol.address
            known = short(calls.names.object(symbol.address))
            return (known if not known.startswith("0x") else name) + (f" + {offset}" if offset else "")
    return f"{address:#010x}"
