"""A target that stays open from one measurement to the next: opening one takes as long as many short measurements."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from intercore.board.sources import sources_of_plan
from intercore.campaign.open_target import opened
from intercore.errors import IntercoreError
from intercore.target.targets import Address, BoardTarget, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from intercore.campaign.open_target import OpenTarget
    from intercore.record.measurement import Level, Plan
    from intercore.target.connection import Connection

    Say: TypeAlias = Callable[[str], None]
    Connect: TypeAlias = Callable[[Mapping[str, Level], Say], Connection]

_MAX_MESSAGES = 100
"""Texts of a target that a person gets to see at most: a target may say anything, as often as it likes."""


def address_of(plan: Plan, given: Address) -> Address:
    """Return how to reach the target of a plan: as the plan says, but for what is `given`. Raises UsageError."""
    target = find(plan.target)
    if given.port is None:
        given = msgspec.structs.replace(given, port=plan.url, baud=plan.baud)
    if given.image is None and plan.image is not None:
        given = msgspec.structs.replace(given, image=Path(plan.image))
    emulated = given.emulated or (plan.emulated and target.origin != "emulated")
    address = msgspec.structs.replace(given, emulated=emulated, sources=sources_of_plan(plan))
    target.check(address)
    return address


class Opening:
    """Opens the target of a plan. A board is flashed once for a build, however often it has to be opened."""

    def __init__(self, plan: Plan, given: Address) -> None:
        """Open it as the plan says, but for what is `given`."""
        self._plan = plan
        self._given = given
        self._flashed: tuple[Mapping[str, Level], str] | None = None  # with which build, and what its image is

    def __call__(self, build: Mapping[str, Level], say: Say) -> Connection:
        """Open the target in this build; `say` is called with what takes time.

        Raises UsageError for a build that there cannot be: the plan may be of a store from anyone. Else IntercoreError.
        """
        target = find(self._plan.target)
        address = address_of(self._plan, msgspec.structs.replace(self._given, build=build))
        if not isinstance(target, BoardTarget):
            return target.open(address, say)
        if self._flashed is not None and self._flashed[0] == build:
            connection = target.open(msgspec.structs.replace(address, build={}), say)
            return dataclasses.replace(connection, image=self._flashed[1])
        self._flashed = None  # unknown, should flashing fail
        connection = target.open(address, say)
        self._flashed = build, connection.image
        return connection


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
    def showing_messages(self, tell: Say) -> Iterator[None]:
        """Call `tell` with what the target wants a person to know while the context lasts, with each text once."""
        shown: set[str] = set()

        def tell_once(text: str) -> None:
            if text not in shown and len(shown) < _MAX_MESSAGES:
                shown.add(text)
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
