"""Processes that use a store beside the test, and what permissions keep from somebody who is not root."""

from __future__ import annotations

import math
import multiprocessing
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

forks = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the child uses nothing that threads share


@contextmanager
def child(work: Callable[[Connection], None]) -> Iterator[tuple[BaseProcess, Connection]]:
    """Run `work` in a forked process; what it sends can be read at the other end, even after its death."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe()
    process = context.Process(target=work, args=(sender,), daemon=True)
    process.start()
    sender.close()
    try:
        yield process, receiver
    finally:
        process.kill()
        process.join()


def reported(reports: Connection, limit: float = math.inf) -> list[Any]:
    """What a child sends, up to `limit` messages or its end. A message that it died in the middle of does not count."""
    messages: list[Any] = []
    while len(messages) < limit:
        try:
            messages.append(reports.recv())
        except (EOFError, OSError):
            break
    return messages


def open_the_way_to(directory: Path) -> None:
    """If we are root, let others through to a directory. It stays so: tests beside this one go through the same."""
    for parent in directory.parents if os.geteuid() == 0 else ():
        if parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(0o755)


@contextmanager
def unprivileged(directory: Path) -> Iterator[None]:
    """Run as nobody if we are root, whom permissions do not stop; the path to `directory` is opened for that."""
    if os.geteuid() != 0:
        yield
        return
    open_the_way_to(directory)
    os.chown(directory, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
