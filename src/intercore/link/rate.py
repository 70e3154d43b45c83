"""The bit rate of a serial console: raised once both ends can, lowered when lines get damaged; see docs/protocol.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.link.exchange import TargetRestartedError, TargetSilentError
from intercore.link.port import ProtocolError
from intercore.link.protocol import Error, Rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.link.link import Link
    from intercore.link.protocol import Hello

ANSWER_TIME = 0.5
"""Seconds for a target to answer, at the old rate before the change and at the new rate after it."""
FALL_BACK_TIME = 1.2
"""Seconds after the change by which a target that receives nothing has returned: 1 s of its clock, and a margin."""
LAST_WORDS_TIME = 0.05
"""Seconds for the answer that a target sends before it changes."""
TRIES = 2
"""Rates that are tried before the present one is kept."""
DAMAGED_SHARE = 0.03
"""Fraction of damaged lines above which the rate is too high for the cable."""
DAMAGED_LINES = 4
"""Least number of damaged lines for that conclusion."""
_OF_GARBAGE = frozenset({"bad-crc", "too-long"})
"""Error codes with which a target answers input at a wrong rate."""


class RateControl:
    """The rate of one link. `hear_hello` queries the target within a number of seconds."""

    def __init__(self, link: Link, hear_hello: Callable[[float], Hello]) -> None:
        """Begin at the rate of the port, which is that of a target after a reset."""
        self._link = link
        self._hear_hello = hear_hello
        self._rates: tuple[int, ...] = ()

    def raise_to(self, limit: int | None, hello: Hello) -> None:
        """Switch to the highest rate of both ends, at most `limit`; keep the present rate if that fails."""
        present = self._link.port.rate
        if present is None or self._link.start_rate is None:
            return
        self._rates = tuple(sorted({*hello.rates, self._link.start_rate}))
        higher = [rate for rate in self._rates if rate > present and (limit is None or rate <= limit)]
        for rate in [rate for rate in reversed(higher) if self._port_can(rate)][:TRIES]:
            if self._change(rate):
                return

    def after(self, lines: int, bad_lines: int) -> None:
        """Note the recent numbers of good and damaged lines; lower the rate if too many were damaged."""
        present = self._link.port.rate
        if not self._link.is_raised or bad_lines < DAMAGED_LINES or bad_lines <= DAMAGED_SHARE * (lines + bad_lines):
            return
        lower = [rate for rate in self._rates if present is not None and rate < present]
        if lower:
            self._change(lower[-1])

    def restore(self) -> None:
        """Return both ends to the rate after a reset, where the next session expects the target."""
        if self._link.is_raised and self._link.start_rate is not None:
            self._change(self._link.start_rate)

    def _port_can(self, rate: int) -> bool:
        """Test whether the port supports a rate, without the target."""
        before = self._link.port.rate
        can = self._link.port.set_rate(rate)
        if can and before is not None:
            self._link.port.set_rate(before)
        return can

    def _change(self, rate: int) -> bool:
        """Change both ends; if the target does not answer, return both to the old rate and return False."""
        before = self._link.port.rate
        self._link.send(["rate", str(rate)])
        if not self._agreed(rate):
            return False
        changed = self._link.now()
        bad_lines = self._link.statistics.bad_lines
        self._link.visited.add(rate)
        self._link.set_rate(rate)
        if self._is_there() and self._link.statistics.bad_lines - bad_lines < DAMAGED_LINES:
            return True
        self._call_back(before, changed + FALL_BACK_TIME)
        return False

    def _is_there(self) -> bool:
        try:
            self._hear_hello(ANSWER_TIME)
        except (TargetSilentError, TargetRestartedError, ProtocolError):
            return False
        return True

    def _call_back(self, before: int | None, gone_back: float) -> None:
        """Return both ends to `before`; the target returns by itself at `gone_back` if it receives nothing."""
        self._link.send(["rate", str(before)])  # it may receive, although its answers are lost
        self._wait(self._link.now() + LAST_WORDS_TIME)
        self._link.set_rate(before)
        if not self._is_there():
            self._wait(gone_back)
            self._link.end_line()

    def _agreed(self, rate: int) -> bool:
        """Wait for the answer to `rate`; without one, wait until a target whose answer was lost has returned."""
        asked = self._link.now()
        while (wait := asked + ANSWER_TIME - self._link.now()) > 0:
            for message in self._link.receive(wait):
                if isinstance(message, Rate):
                    return message.rate == rate
                if isinstance(message, Error) and message.code not in _OF_GARBAGE:
                    return False
        self._wait(asked + FALL_BACK_TIME)
        self._link.end_line()
        return False

    def _wait(self, until: float) -> None:
        while (wait := until - self._link.now()) > 0:
            self._link.receive(wait)
