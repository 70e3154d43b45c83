"""Signals as they are at a login, whatever the tests were started by."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def not_ignored() -> Iterator[None]:
    """Let SIGINT and SIGHUP interrupt this process, and what it starts meanwhile, though it inherits them ignored.

    A shell without job control ignores SIGINT for what it starts in the background, and `nohup` SIGHUP.
    """
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
