"""The interface of workers, which measure batches: this thread, one thread for each board, processes, or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future

    from intercore.campaign.batch import Batch, Result

AHEAD = 2
"""Batches assigned to each process, one of them waiting."""
BATCH_MOST = 50
"""Most settings in a batch for a simulated chip."""
CLOSE_TIMEOUT = 2.0
"""Seconds to close a target at the end."""


class Workers(Protocol):
    """Measures batches, several at the same time."""

    size: int
    """Number of batches at the same time."""
    most: int
    """Most settings in a batch."""

    def __str__(self) -> str:
        """Return a description: `2 processes`."""

    def submit(self, batch: Batch) -> Future[Result]:
        """Submit a batch. The future raises BrokenExecutor if the batch was lost with its process."""

    def close(self) -> None:
        """Drop all pending batches; returns after a moment at most."""
