"""The command `shell`: an interactive console on a target."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer

from intercore.cli.connection import open_target, timeout_of
from intercore.cli.options import Baud, ImagePath, PortUrl, TargetName, Timeout
from intercore.errors import UsageError
from intercore.link.shell import converse
from intercore.record.origin import LABELS
from intercore.target.targets import DEFAULT_BAUD, Address, find
from intercore.terminal.console import say
from intercore.terminal.console_text import in_words

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore shell host, then type: run speedup workload=fp n=1000")
def shell(
    target: TargetName,
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    image: ImagePath = None,
    timeout: Timeout = None,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Show the protocol's raw lines. Always on if the output is not a terminal."),
    ] = False,
) -> None:
    """Open an interactive console on a target. `help` lists its commands; Ctrl-D (end of input) exits."""
    chosen = find(target)
    if sys.stdin is None:
        raise UsageError(
            "standard input is closed: run the shell in a terminal, or pipe commands to it, e.g. echo info | intercore "
            "shell host"
        )
    with contextlib.closing(open_target(chosen, Address(port, baud, image=image))) as opened:
        if chosen.origin == "emulated":
            say(LABELS[chosen.origin])
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as typed:
            person = not raw and sys.stdin.isatty() and sys.stdout.isatty()
            prompt, words = (f"{target}> ", in_words) if person else ("", None)
            converse(opened.port, typed, sys.stdout, timeout_of(chosen, timeout), prompt=prompt, in_words=words)
