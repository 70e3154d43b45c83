"""Who measures the batches of a campaign: a thread for a target that there is once, processes for simulated chips."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import TYPE_CHECKING, Protocol

from intercore.campaign.batch import close, measure_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.campaign.batch import Batch, Result

PATIENCE = 2.0
"""Seconds for a target to be let go of at the end."""


class Crew(Protocol):
    """Measures batches, some of them at a time."""

    size: int
    """How many at a time."""

    def __str__(self) -> str:
        """Return what it is: `2 processes`."""

    def submit(self, batch: Batch) -> Future[Result]:
        """Have a batch measured. The future raises BrokenExecutor if that was lost with its process."""

    def close(self) -> None:
        """Drop what is not done, whatever it is; may take a moment, but no longer."""


class Lane:
    """One thread that keeps its target open: for a board, or the host, which there is once."""

    size = 1

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Begin without work; `say` is told, by the thread, what takes time before the target is open."""
        self._say = say
        self._batches: queue.SimpleQueue[tuple[Batch, Future[Result]] | None] = queue.SimpleQueue()
        # A daemon: a target that never answers must not keep the tool from ending.
        self._halted = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> Future[Result]:
        """See Crew."""
        future: Future[Result] = Future()
        self._batches.put((batch, future))
        return future

    def close(self) -> None:
        """See Crew."""
        self._halted.set()
        self._batches.put(None)
        self._thread.join(PATIENCE)

    def _work(self) -> None:
        while (work := self._batches.get()) is not None:
            batch, future = work
            if self._halted.is_set() or not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(measure_batch(batch, self._halted.is_set, self._say))
            except BaseException as error:
                future.set_exception(error)
        close()


class Processes:
    """Processes of this machine, each with a simulated chip of its own."""

    def __init__(self, size: int) -> None:
        """Begin with `size` processes, at least 1; they are started when there is work."""
        self.size = size
        self._pool: ProcessPoolExecutor | None = None

    def __str__(self) -> str:
        """See Crew."""
        return f"{self.size} process{'es' * (self.size != 1)}"

    def submit(self, batch: Batch) -> Future[Result]:
        """See Crew."""
        try:
            return self._running().submit(measure_batch, batch)
        except BrokenExecutor:  # a process of it was killed, perhaps for want of memory
            self._pool = None
            return self._running().submit(measure_batch, batch)

    def close(self) -> None:
        """See Crew."""
        if self._pool is not None:
            mine = list(self._pool._processes.values()) if self._pool._processes else []
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in mine:
                process.terminate()
            for process in mine:
                process.join(PATIENCE)

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Not forked: other threads of this process may hold locks.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.size, mp_context=context, initializer=_begin)
        return self._pool


def cores() -> int:
    """Return how many cores of this machine we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin() -> None:
    """Prepare a process of the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tool, which then ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End when the tool is gone, however that came: nobody would wait for our results."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
