"""Errors that end a command with a message to the user."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


INTERRUPTED = 130
"""Exit status after Ctrl-C, as in shells."""


class IntercoreError(Exception):
    """A failure: the message states what failed, where, and what to do. Exit status 1."""

    exit_status = 1


class UsageError(IntercoreError):
    """The user named something that does not exist or is out of range. Exit status 2."""

    exit_status = 2


class SimulatorError(IntercoreError):
    """The simulated chip cannot do what was requested. Exit status 1."""


def unknown(kind: str, name: str, known: Iterable[str], subject: str = "there is") -> str:
    """Return the error for an unknown name, with the nearest known one or all of them.

    `subject` begins the sentence, with its verb: "there is" or "speedup has".
    """
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"{subject} no {kind} '{name}'; did you mean '{near[0]}'?"
    return f"{subject} no {kind} '{name}'; known: {', '.join(names)}"
