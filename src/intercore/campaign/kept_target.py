"""A target that stays open between measurements, because opening takes as long as many short measurements."""

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
"""Most messages of a target that are shown."""


def address_of(plan: Plan, given: Address) -> Address:
    """Return how to reach the target of a plan; `given` overrides the plan. Raises UsageError."""
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
    """Opens the target of a plan. A board is flashed once for each build, even if it is opened several times."""

    def __init__(self, plan: Plan, given: Address) -> None:
        """Open it according to the plan; `given` overrides it."""
        self._plan = plan
        self._given = given
        self._flashed: tuple[Mapping[str, Level], str] | None = None  # the build and the image

    def __call__(self, build: Mapping[str, Level], say: Say) -> Connection:
        """Open the target in this build; `say` reports progress.

        Raises UsageError for an impossible build, as a plan in a store may have, and IntercoreError.
        """
        target = find(self._plan.target)
        address = address_of(self._plan, msgspec.structs.replace(self._given, build=build))
        if not isinstance(target, BoardTarget):
            return target.open(address, say)
        if self._flashed is not None and self._flashed[0] == build:
            connection = target.open(msgspec.structs.replace(address, build={}), say)
            return dataclasses.replace(connection, image=self._flashed[1])
        self._flashed = None  # unknown if flashing fails
        connection = target.open(address, say)
        self._flashed = build, connection.image
        return connection


def ignore(_: str) -> None:
    """Ignore a text."""


class KeptTarget:
    """The target of a plan, open in one build at a time, from its first use until it is closed."""

    def __init__(self, plan: Plan, connect: Connect, timeout: float, max_rate: int | None = None) -> None:
        """Create it closed.

        `connect` opens the target in a build, given by levels of its factors (`intercore.record.factors`), and reports
        progress by its second argument. `timeout` is the longest permitted silence in seconds, and `max_rate` the limit
        of the bit rate of a serial line.
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
        """Close the target; after an error, without another command to it."""
        self._stack.__exit__(kind, error, where)

    def opened(self, build: Mapping[str, Level], say: Say = ignore) -> OpenTarget:
        """Return the target, open in this build; closes it first if it is open in another. Raises IntercoreError."""
        if self._target is None or build != self._build:
            self.close()
            connection = self._connect(build, say)
            ready = opened(connection, self._plan, self._timeout, self._max_rate, self._pass_on)
            self._target = self._stack.enter_context(ready)
            self._build = build
        return self._target

    @contextlib.contextmanager
    def showing_messages(self, tell: Say) -> Iterator[None]:
        """Pass the target's messages to `tell` for the duration of the context, each text once."""
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
