"""Measures batches on a unique target: a board, or this machine."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from intercore.campaign.batch import close, keep, measure_batch
from intercore.campaign.workers import CLOSE_TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.campaign.batch import Batch, Result
    from intercore.campaign.kept_target import KeptTarget


class TargetThread:
    """One thread that keeps its target open."""

    size = most = 1

    def __init__(self, say: Callable[[str], None] = lambda _: None, target: KeptTarget | None = None) -> None:
        """Begin without work; `say` is called by the thread and reports progress before the target is open.

        `target` is an already open target, which the thread closes.
        """
        self._say = say
        self._target = target
        self._batches: queue.SimpleQueue[tuple[Batch, Future[Result]] | None] = queue.SimpleQueue()
        self._halted = threading.Event()
        # A daemon thread: a silent target must not keep the tool from ending.
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> Future[Result]:
        """See Workers."""
        future: Future[Result] = Future()
        self._batches.put((batch, future))
        return future

    def close(self) -> None:
        """See Workers."""
        self._halted.set()
        self._batches.put(None)
        self._thread.join(CLOSE_TIMEOUT)

    def _work(self) -> None:
        if self._target is not None:
            keep(self._target)
        while (work := self._batches.get()) is not None:
            batch, future = work
            if self._halted.is_set() or not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(measure_batch(batch, self._halted.is_set, self._say))
            except BaseException as error:
                future.set_exception(error)
        close()
