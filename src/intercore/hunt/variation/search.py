"""Searches for the first run that fails, in as many processes as wanted; which one that is does not depend on them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from intercore.hunt.variation.trial import Setting, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.hunt.finding import Code
    from intercore.hunt.variation.deviations import Deviation

_AT_A_TIME = 8
"""Runs that a process is given at once."""

_trial: Trial | None = None


def failures(
    setting: Setting, runs: Sequence[Sequence[Deviation]] | Iterator[Sequence[Deviation]], jobs: int
) -> Iterator[Code | None]:
    """Yield what goes wrong in each run, in their order."""
    if jobs == 1:
        trial = Trial(setting)
        yield from (trial.failure(one) for one in runs)
        return
    batches = iter(runs)
    # Not forked: other threads of this process may hold locks.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin, (setting,))
    waiting: deque[Future[list[Code | None]]] = deque()
    try:
        while True:
            while len(waiting) < 2 * jobs and (batch := list(islice(batches, _AT_A_TIME))):
                waiting.append(pool.submit(_failures, batch))
            if not waiting:
                return
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


def _begin(setting: Setting) -> None:
    global _trial  # noqa: PLW0603 - of this process, which is for this alone
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the tool handles Ctrl-C; it ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _trial = Trial(setting)


def _failures(batch: Sequence[Sequence[Deviation]]) -> list[Code | None]:
    return [_trial.failure(one) for one in batch] if _trial else []


def _end_with_parent() -> None:
    """End this process when the tool is gone."""
    parent = multiprocessing.parent_process()
    with contextlib.suppress(OSError):
        if parent is not None:
            parent.join()
    os._exit(1)
