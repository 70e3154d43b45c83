"""The interface that shows the progress of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from intercore.record.plan import Setting
    from intercore.statistics.precision import Precision


class Observer(Protocol):
    """Shows the progress of a run, or of two alternating runs."""

    def begin(self, done: int, total: int) -> None:
        """Begin with this many measurements done of this total."""

    def measuring(self, setting: Setting, known: Precision | str | None) -> None:
        """Begin a measurement, if one is measured at a time. `known`, as text, is shown with it; None for nothing.

        It is the precision of its setting so far, if there is a stop rule, or names one of two runs.
        """

    def progress(self, done: int, of: int) -> None:
        """Note the repetitions of the present measurement."""

    def chip_time(self, seconds: float) -> None:
        """Note the simulated time of a simulated chip."""

    def show_message(self, text: str) -> None:
        """Show a message of the target or about it."""

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:
        """Note that a measurement of this duration is stored, and the precision of its setting with it."""
