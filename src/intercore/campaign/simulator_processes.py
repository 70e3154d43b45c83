"""Measures batches on simulated chips in processes of this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import traceback
from concurrent.futures import BrokenExecutor, Future
from typing import TYPE_CHECKING, cast

from intercore.campaign.batch import measure_batch
from intercore.campaign.workers import BATCH_MOST, CLOSE_TIMEOUT

if TYPE_CHECKING:
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection as Connection
    else:
        from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from intercore.campaign.batch import Batch, Result


class SimulatorProcesses:
    """Processes of this machine, each with its own simulated chip."""

    most = BATCH_MOST

    def __init__(self, size: int) -> None:
        """Use up to `size` processes, at least 1; they start when there is work."""
        self.size = size
        self._batches: queue.SimpleQueue[tuple[Batch, Future[Result]] | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._processes: list[_Process] = []

    def __str__(self) -> str:
        """See Workers."""
        return f"{self.size} process{'es' * (self.size != 1)}"

    def submit(self, batch: Batch) -> Future[Result]:
        """See Workers."""
        future: Future[Result] = Future()
        self._batches.put((batch, future))
        if len(self._processes) < self.size:
            process = _Process()
            self._processes.append(process)
            threading.Thread(target=self._work, args=(process,), daemon=True).start()
        return future

    def close(self) -> None:
        """See Workers."""
        self._closed.set()
        for process in self._processes:
            self._batches.put(None)
            process.end()
        for process in self._processes:
            process.join()

    def _work(self, process: _Process) -> None:
        """Let one process measure batches, one after the other."""
        while (work := self._batches.get()) is not None:
            batch, future = work
            if self._closed.is_set() or not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(process.measure(batch))
            except BaseException as error:
                future.set_exception(error)


class _Process:
    """A process that measures batches; it starts with the first batch, and again after a kill."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended = False
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None

    def measure(self, batch: Batch) -> Result:
        """Let the process measure a batch. Raises BrokenExecutor if it dies or was ended."""
        connection = self._running()
        try:
            connection.send(batch)
            result, error = connection.recv()
        except (EOFError, OSError) as lost:  # it was killed, perhaps out of memory
            with self._lock:
                connection.close()
                self._connection = None
            raise BrokenExecutor("the process that ran the measurement was killed") from lost
        if error is not None:
            raise error
        return cast("Result", result)

    def end(self) -> None:
        """End the process, permanently."""
        with self._lock:
            self._ended = True
        if self._process is not None:
            self._process.terminate()

    def join(self) -> None:
        """Wait briefly until it has ended."""
        if self._process is not None:
            self._process.join(CLOSE_TIMEOUT)

    def _running(self) -> Connection:
        with self._lock:
            if self._ended:
                raise BrokenExecutor("the processes of the simulated chips have been ended")
            if self._connection is None:
                # Not forked: other threads of this process may hold locks.
                context = multiprocessing.get_context("spawn")
                mine, theirs = context.Pipe()
                process = context.Process(target=_measure_batches, args=(theirs,), daemon=True)
                process.start()
                theirs.close()  # if it stayed open here, a kill of the process would go unnoticed
                self._process, self._connection = process, mine
            return self._connection


def _measure_batches(connection: Connection) -> None:
    """Measure batches as they arrive, and send back each result or error; runs in a separate process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the tool handles Ctrl-C; it ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # the tool has closed the connection, or is gone
        while True:
            connection.send(_answer(connection.recv()))


def _answer(batch: Batch) -> tuple[Result | None, BaseException | None]:
    try:
        return measure_batch(batch), None
    except BaseException as error:
        error.add_note("".join(traceback.format_exception(error)))  # which is not sent otherwise
        return None, error


def _end_with_parent() -> None:
    """End this process when the tool is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
