"""Errors that end a command with one sentence for the person who typed it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


class IntercoreError(Exception):
    """Something failed: the message says what, where, and what to do. The command ends with exit status 1."""

    exit_status = 1


class UsageError(IntercoreError):
    """The command was asked for something that does not exist or is out of range. Exit status 2."""

    exit_status = 2


class SimulatorError(IntercoreError):
    """The simulated chip cannot do what it was asked for. Exit status 1."""


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence that says a name is unknown, with the nearest right one or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"there is no {kind} '{name}'; did you mean '{near[0]}'?"
    return f"there is no {kind} '{name}'; there is: {', '.join(names)}"
