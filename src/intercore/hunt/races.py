"""Data races in words: what two cores, tasks or handlers do to each other's data without an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.hunt.finding import Code, Finding
from intercore.hunt.memory import object_name
from intercore.text import capitalised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore import _native
    from intercore.hunt.calls import Calls, Place
    from intercore.sim import Simulator

_CODES: Mapping[str, Code] = {
    "unordered": "data-race",
    "lost update": "lost-update",
    "torn": "torn-read",
    "may tear": "torn-read",
    "early": "data-race",
}
_PERIPHERALS = 0x40000000
_PINS = {0xD0000010: "GPIO_OUT", 0xD0000020: "GPIO_OE"}
_WORST = ("lost update", "torn", "early", "unordered", "may tear")
"""Of an object, the first of these is told."""


def races(simulator: Simulator, calls: Calls, found: Sequence[_native.Race]) -> Iterator[Finding]:
    """Yield a finding for each object that is raced for."""
    by_object: dict[str, list[_native.Race]] = {}
    for race in found:
        name = _object(simulator, calls, race[1])
        if race[0] not in {"torn", "may tear"} or _belongs_together(simulator, race):
            by_object.setdefault(name, []).append(race)
    for name, all_of_it in by_object.items():
        worst = min(all_of_it, key=lambda race: (_WORST.index(race[0]), not race[6], race[5][1]))
        times = sum(race[7] for race in all_of_it if race[0] == worst[0])
        yield _finding(simulator, calls, name, worst, times)


def _object(simulator: Simulator, calls: Calls, address: int) -> str:
    return _at(simulator, calls, address).split(" + ", maxsplit=1)[0]


def _belongs_together(simulator: Simulator, race: _native.Race) -> bool:
    """Return whether two words are of one object; that they may be torn is said of an object of two words only."""
    _, address, size, *_ = race
    for _, symbol in simulator.all_symbols():
        if symbol.address <= address < symbol.address + symbol.size and not symbol.is_function:
            whole = address + size <= symbol.address + symbol.size
            return whole and (race[0] == "torn" or symbol.size == size)
    return race[0] == "torn"


def _at(simulator: Simulator, calls: Calls, address: int) -> str:
    if address >= _PERIPHERALS:
        return _PINS.get(address) or simulator.register_name(address)
    return object_name(simulator, calls, address)


def _finding(simulator: Simulator, calls: Calls, name: str, race: _native.Race, times: int) -> Finding:
    kind, address, _, before, other, last, happened, _ = race
    at = _at(simulator, calls, address)
    first, second = calls.done(other), calls.done(last)
    who, whom = _who(second, first), _who(first, second)
    if before is None:
        text = (
            f"{whom} stores {other[3]:#x} to {at} {_where(first)}, and {who} stores {last[3]:#x} {_where(second)}, "
            "with nothing that orders them: next time it may be the other way round, or what one has stored is lost"
        )
    elif kind == "lost update":
        text = (
            f"{who} loads {at} ({before[3]:#x}) in cycle {before[1]:,}, {whom} stores {other[3]:#x} {_where(first)}, "
            f"and {who} stores {last[3]:#x} {_where(second)}: what {whom} has stored is lost"
        )
    elif kind == "early":
        text = (
            f"core {second.core} loads {at} ({last[3]:#x}) {_where(second)}, before the DMA transfer that was started "
            f"{_where(first)} stores {before[3]:#x} there (cycle {before[1]:,})"
        )
    elif kind == "may tear":
        text = (
            f"{who} loads both words of {name} (in cycle {before[1]:,}, and {_where(second)}), and {whom} stores both "
            f"({_where(first)}), with nothing that orders them: one word may be from before and one from after"
        )
    else:
        text = (
            f"{who} {'has read' if happened else 'may read'} a half-written {name}: of its two words, loaded in cycle "
            f"{before[1]:,}, and {_where(second)}, one is from before and one from after {whom} stores both "
            f"({_where(first)})"
        )
    count = f" ({times:,} times)" if times > 1 else ""
    return Finding(_CODES[kind], f"{capitalised(text)}{count}.", [first, second], second.cycle)


def _where(place: Place) -> str:
    return f"in cycle {place.cycle:,} {place.text}"


def _who(one: Place, other: Place) -> str:
    """Return a core, or a handler if both are of the same core."""
    if one.core != other.core:
        return f"core {one.core}"
    return f"the handler of {one.handler} on core {one.core}" if one.handler else f"core {one.core}"
