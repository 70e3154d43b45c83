"""Looks for a target that does not answer at other bit rates than that of this end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.link.link import Link

SEARCHED_RATES = (921600, 460800, 230400, 1_000_000, 1_500_000, 2_000_000, 3_000_000)
"""Bit rates at which a target may still be that a tool has left in the middle of a conversation."""


class RateSearch:
    """The search of one exchange. It comes to nothing where the line has no bit rate."""

    def __init__(self, link: Link, *, search_rates: bool) -> None:
        """Begin without having looked; only with `search_rates` is anything looked for."""
        self._link = link
        self._rates = link.likely_rates(SEARCHED_RATES) if search_rates else []
        """Where to look, what comes next first."""
        self._over = False
        """Whether, all patience being gone, it is only looked if the target was reset."""
        self.searching = False
        """Whether the last look was at another rate than that after a reset, before anything of an answer was heard."""

    def try_next_rate(self, *, begun: bool) -> None:
        """Go on at the next rate that the target may have: that after a reset, or that of an earlier conversation.

        `begun` says whether anything of its answer was heard.
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
        """Go to the rate after a reset for one last look; return False if there is no use, or that was done."""
        if self._over or not self._rates or not self._link.is_raised:
            return False
        self._over = True
        self._link.set_rate(self._link.start_rate)
        return True
