"""Processes that measure batches: what comes of a batch, of one that is killed, and of all of them at the end."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import BrokenExecutor
from contextlib import closing

import pytest

from intercore.campaign.batch import Batch, Failure
from intercore.campaign.simulator_processes import SimulatorProcesses
from intercore.record.measurement import Part, Plan
from intercore.record.plan import Setting

ENDLESS = 600.0
"""Seconds: longer than any test may take."""


def batch(target: str, url: str | None = None, pauses: tuple[float, ...] = ()) -> Batch:
    plan = Plan(target, url, "speedup", (Part("speedup", {"n": [1]}),))
    return Batch(plan, (Setting("speedup", {"n": 1}, 0),), pauses=pauses)


def why(of: object) -> str:
    assert isinstance(of, Failure)
    return of.why


def test_a_process_sends_back_what_came_of_each_batch() -> None:
    with closing(SimulatorProcesses(2)) as processes:
        assert str(processes) == "2 processes"
        futures = [processes.submit(batch(f"picos{number}")) for number in range(5)]
        outcomes = [future.result().outcomes for future in futures]
    assert [why(of) for (of,) in outcomes] == [
        f"there is no target 'picos{number}'; did you mean 'pico'?" for number in range(5)
    ]
    assert not multiprocessing.active_children()


def test_an_error_of_the_tool_itself_says_where_it_arose() -> None:
    with closing(SimulatorProcesses(1)) as processes:
        error = processes.submit(Batch(None, (Setting("b", {}, 0),))).exception()  # type: ignore[arg-type]
    assert isinstance(error, AttributeError)
    assert any("in measure_batch" in note for note in error.__notes__)


def test_a_batch_that_is_lost_with_its_process_says_so_and_the_next_has_another_process() -> None:
    with closing(SimulatorProcesses(1)) as processes:
        processes.submit(batch("pico-0")).result()
        (child,) = multiprocessing.active_children()
        child.kill()
        child.join()
        with pytest.raises(BrokenExecutor):
            processes.submit(batch("pico-0")).result()
        assert processes.submit(batch("pico-0")).result().outcomes
        (other,) = multiprocessing.active_children()
        assert other.pid != child.pid


def test_closing_ends_processes_at_once_whatever_they_do() -> None:
    processes = SimulatorProcesses(1)
    processes.submit(batch("pico-0")).result()
    nobody = batch("serial", "socket://127.0.0.1:1", pauses=(ENDLESS,))
    futures = [processes.submit(nobody) for _ in range(3)]
    while not futures[0].running():
        time.sleep(0.01)
    processes.close()  # ENDLESS is longer than a test may take
    assert not multiprocessing.active_children()
