"""Searches for a silent target at other bit rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.link.link import Link

SEARCHED_RATES = (921600, 460800, 230400, 1_000_000, 1_500_000, 2_000_000, 3_000_000)
"""Bit rates that a target may still have after an interrupted session."""


class RateSearch:
    """The search of one exchange. Does nothing if the line has no bit rate."""

    def __init__(self, link: Link, *, search_rates: bool) -> None:
        """Begin; only with `search_rates` are other rates tried."""
        self._link = link
        self._rates = link.likely_rates(SEARCHED_RATES) if search_rates else []
        """Rates to try, the next one first."""
        self._over = False
        """Whether the timeout is over and only the rate after a reset is left to try."""
        self.searching = False
        """Whether the last attempt was at a raised rate, before any line of an answer."""

    def try_next_rate(self, *, begun: bool) -> None:
        """Switch to the next rate that the target may have: that after a reset, or that of an earlier session.

        `begun`: whether any line of its answer has arrived.
        """
        if self._over:
            return
        for _ in self._rates:
            rate = self._rates.pop(0)
            self._rates.append(rate)
            if rate != self._link.port.rate and self._link.set_rate(rate):
                break
        self.searching = self._link.is_raised and not begun

    def try_initial_rate(self) -> bool:
        """Switch to the rate after a reset for a last attempt; return False if that is pointless or was done."""
        if self._over or not self._rates or not self._link.is_raised:
            return False
        self._over = True
        self._link.set_rate(self._link.start_rate)
        return True
