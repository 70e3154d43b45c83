"""Who measures the batches of a campaign: this thread, one for each board, processes, or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future

    from intercore.campaign.batch import Batch, Result

AHEAD = 2
"""Batches that each process has, one of them waiting."""
BATCH_MOST = 50
"""Settings in a batch for a simulated chip."""
CLOSE_TIMEOUT = 2.0
"""Seconds for a target to be let go of at the end."""


class Workers(Protocol):
    """Measures batches, some of them at a time."""

    size: int
    """How many at a time."""
    most: int
    """How many settings a batch may have."""

    def __str__(self) -> str:
        """Return what it is: `2 processes`."""

    def submit(self, batch: Batch) -> Future[Result]:
        """Have a batch measured. The future raises BrokenExecutor if that was lost with its process."""

    def close(self) -> None:
        """Drop what is not done, whatever it is; may take a moment, but no longer."""
