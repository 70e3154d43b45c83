"""Call paths of a hunt in words."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.names import Names, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore import _native
    from intercore.sim import Simulator

_SHOWN = 4
"""Functions of a path that are named, the innermost ones."""
_STARTERS = frozenset({"boot ROM", "_reset_handler", "_entry_point", "platform_entry", "core1_wrapper"})
"""What comes before each program's own functions, and says nothing of it."""


class Place(msgspec.Struct, frozen=True):
    """Where a core was, with the functions that led there."""

    core: int
    handler: str
    """The exception whose handler it was in; empty for thread mode."""
    functions: Sequence[str]
    """From the innermost one to the outermost one."""
    cycle: int | None = None

    @property
    def function(self) -> str:
        """The innermost function."""
        return self.functions[0] if self.functions else "unknown code"

    @property
    def text(self) -> str:
        """The place in words, without the core: `in pop ← serve ← main`, the caller behind each function."""
        own = [name for name in self.functions if name not in _STARTERS] or list(self.functions)
        shown = " ← ".join(own[:_SHOWN]) or "unknown code"
        return f"in {shown}{f' (handler of {self.handler})' if self.handler else ''}"


class Calls:
    """Makes places of what the simulator recorded."""

    def __init__(self, simulator: Simulator) -> None:
        """Use the names of the simulator's image."""
        self.names = Names(simulator)

    def function(self, address: int) -> str:
        """Return the short name of the function that begins at an address."""
        return short(self.names.function(address))

    def place(self, core: int, path: Sequence[_native.Step], cycle: int | None = None) -> Place:
        """Return the place that a path from a task or handler to a function stands for."""
        named = [self.function(value) for kind, value, _ in reversed(path) if kind == "function"]
        functions = [name for name, _ in groupby(named)]
        handlers = [name for kind, _, name in path if kind == "handler" and name]
        return Place(core, handlers[0] if handlers else "", functions, cycle)

    def done(self, what: _native.Done) -> Place:
        """Return where something was done."""
        core, cycle, _, _, path = what
        return self.place(core, path, cycle)
