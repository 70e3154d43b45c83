"""Errors that end a command with one sentence for the person who typed it."""


class IntercoreError(Exception):
    """Something failed: the message says what, where, and what to do. The command ends with exit status 1."""

    exit_status = 1


class UsageError(IntercoreError):
    """The command was asked for something that does not exist or is out of range. Exit status 2."""

    exit_status = 2


class SimulatorError(IntercoreError):
    """The simulated chip cannot do what it was asked for. Exit status 1."""
