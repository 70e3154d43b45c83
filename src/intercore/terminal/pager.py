"""A pager for what is longer than the terminal, as people have it from git: $PAGER, else less."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

_LESS = "FRX"
"""Its options where LESS names none, as git has them: leave what fits, keep colours, stay on the screen."""


@contextlib.contextmanager
def paging(console: Console) -> Iterator[None]:
    """Pass the output to a pager, on a terminal that has one and is too low for it."""
    command = _command() if console.is_terminal and sys.stdin is not None and sys.stdin.isatty() else []
    if not command:
        yield
        return
    with console.capture() as captured:
        yield
    text = captured.get()
    if text.count("\n") < console.height or not _paged(text, command, console.encoding):
        console.file.write(text)


def _command() -> Sequence[str]:
    """Return the pager that the user names, or the one there is; empty where nothing is to be paged."""
    named = os.environ.get("PAGER")
    if named is None:
        found = shutil.which("less") or shutil.which("more")
        return [] if found is None or os.environ.get("TERM") == "dumb" else [found]
    try:
        return [] if named.strip() in {"", "cat"} else shlex.split(named)
    except ValueError:  # a quotation mark is missing
        return []


def _paged(text: str, command: Sequence[str], encoding: str) -> bool:
    """Show a text in a pager until that ends; return False if there is no such program."""
    try:
        process = subprocess.Popen(  # noqa: S603 - what the user has chosen as pager, without a shell
            command,
            stdin=subprocess.PIPE,
            env={"LESS": _LESS, **os.environ},
            text=True,
            encoding=encoding,
            errors="replace",
        )
    except OSError:
        return False
    with process:
        while True:
            try:
                process.communicate(text)
            except KeyboardInterrupt:  # is the pager's, too
                continue
            return True
