"""A target that stays open from one measurement to the next: opening one takes as long as many short measurements."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, TypeAlias

from intercore.campaign.open_target import opened
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from intercore.campaign.open_target import OpenTarget
    from intercore.record.measurement import Level, Plan
    from intercore.target.connection import Connection

    Say: TypeAlias = Callable[[str], None]
    Connect: TypeAlias = Callable[[Mapping[str, Level], Say], Connection]

_MOST_TOLD = 100
"""Texts of a target that a person gets to see at most: a target may say anything, as often as it likes."""


def ignore(_: str) -> None:
    """Do nothing with a text."""


class KeptTarget:
    """The target of a plan, open in one build at a time, from its first use until it is closed."""

    def __init__(self, plan: Plan, connect: Connect, timeout: float, max_rate: int | None = None) -> None:
        """Open nothing yet.

        `connect` opens the target, built with these levels of its own factors (`intercore.record.factors`), and calls
        its second argument with what takes time. `timeout` is the longest silence, in seconds, that is taken for work,
        and `max_rate` the most bits per second that a serial line is raised to.
        """
        self._plan = plan
        self._connect = connect
        self._timeout = timeout
        self._max_rate = max_rate
        self._build: Mapping[str, Level] = {}
        self._target: OpenTarget | None = None
        self._stack = contextlib.ExitStack()
        self._tell: Say = ignore

    def __enter__(self) -> Self:
        """Return the target."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Close the target; after an error, without a further word to it."""
        self._stack.__exit__(kind, error, where)

    def opened(self, build: Mapping[str, Level], say: Say = ignore) -> OpenTarget:
        """Return the target, open in this build; one that is open in another build is closed. Raises IntercoreError."""
        if self._target is None or build != self._build:
            self.close()
            connection = self._connect(build, say)
            ready = opened(connection, self._plan, self._timeout, self._max_rate, self._pass_on)
            self._target = self._stack.enter_context(ready)
            self._build = build
        return self._target

    @contextlib.contextmanager
    def telling(self, tell: Say) -> Iterator[None]:
        """Call `tell` with what the target wants a person to know while the context lasts, with each text once."""
        told: set[str] = set()

        def tell_once(text: str) -> None:
            if text not in told and len(told) < _MOST_TOLD:
                told.add(text)
                tell(text)

        self._tell = tell_once
        try:
            yield
        finally:
            self._tell = ignore

    def _pass_on(self, text: str) -> None:
        self._tell(text)

    def close(self) -> None:
        """Close the target if it is open."""
        self._target = None
        stack, self._stack = self._stack, contextlib.ExitStack()
        with contextlib.suppress(IntercoreError):
            stack.close()
