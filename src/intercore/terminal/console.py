"""The tool's output: results go to standard output, everything else to standard error.

rich takes a tenth of a second to load, so it is loaded when something is printed with it.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING

from intercore.text import shortened

if TYPE_CHECKING:
    from rich.console import Console

FILE_WIDTH = 100
"""Columns of what goes to a file or a pipe if COLUMNS does not say, where rich would assume 80; no table is wider."""
_LEAST_WIDTH = 20
"""Fewest columns used, even if COLUMNS is less: with fewer, numbers do not fit."""


@functools.cache
def results() -> Console:
    """Return the console of what was asked for."""
    from intercore.terminal.printable_console import PrintableConsole  # noqa: PLC0415 - see above

    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return PrintableConsole(width=max(int(columns), _LEAST_WIDTH))
    return PrintableConsole(width=None if sys.stdout.isatty() else FILE_WIDTH)


@functools.cache
def messages() -> Console:
    """Return the console of progress, advice and errors."""
    from intercore.terminal.printable_console import PrintableConsole  # noqa: PLC0415 - see above

    return PrintableConsole(stderr=True)


def say(text: str) -> None:
    """Print a sentence on standard error as it is: on one line, so that a command or a path in it can be copied."""
    messages().print(text, markup=False, highlight=False, soft_wrap=True)


@functools.cache
def say_once(text: str) -> None:
    """Print a sentence as `say` does, the first time that it is to be printed."""
    say(text)


def say_error(sentence: str) -> None:
    """Print what ended a command: no more than a screen of it, whatever was typed or found."""
    from rich.markup import escape  # noqa: PLC0415 - see above

    messages().print(f"[red]error:[/] {escape(shortened(sentence))}", soft_wrap=True)
