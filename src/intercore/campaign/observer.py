"""Shows how far a run has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from intercore.record.plan import Setting
    from intercore.statistics.precision import Precision


class Observer(Protocol):
    """Shows how far a run has come, or two by turns."""

    def begin(self, done: int, total: int) -> None:
        """Begin with this many measurements complete already, and this many in the whole plan."""

    def measuring(self, setting: Setting, known: Precision | str | None) -> None:
        """Begin a measurement, where one is measured at a time. `known`, as text, is shown beside it; None for nothing.

        It says how well its setting is known so far, where a stop rule asks for that, or which of two runs it is for.
        """

    def progress(self, done: int, of: int) -> None:
        """Note the repetitions of the measurement under way."""

    def chip_time(self, seconds: float) -> None:
        """Note how long a simulated chip has been running, in its own time."""

    def show_message(self, text: str) -> None:
        """Show a sentence for people: of the target, or of what became of it."""

    def stored(self, setting: Setting, total: int, seconds: float, known: Precision | str | None) -> None:
        """Note that a measurement, which took so long, is in the store, and what is known of its setting with it."""
