"""A long run lets other threads work, and Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from intercore.sim import Reason, Simulator
from tests.signals import not_ignored

NEVER = 1 << 60
"""Cycles that no test lives to see."""
LOOP = 0x2000_0008
"""The one instruction that core 0 executes for ever, and core 1 never."""
AWAY = 0x2000_0100


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    with not_ignored():
        yield


def test_ctrl_c_ends_a_run_and_another_goes_on(forever: Simulator) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forever.run(NEVER)
    timer.join()
    interrupted = forever.now
    assert 0 < interrupted < NEVER
    assert forever.run(1000).cycle == interrupted + 1000
    whole = forever.state_hash()
    forever.reset()
    forever.run_to(interrupted + 1000)
    assert forever.state_hash() == whole


@pytest.mark.parametrize("wait", [{"text": "never"}, {"address": AWAY}, {"address": LOOP, "core": 1, "text": "never"}])
def test_ctrl_c_ends_every_kind_of_run(forever: Simulator, wait: dict[str, str | int]) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forever.run(NEVER, **wait)
    timer.join()
    assert forever.run(10, address=LOOP).reason is Reason.ADDRESS


def test_two_threads_run_two_simulators_and_find_what_one_finds(both_cores: Simulator) -> None:
    snapshot = both_cores.snapshot()
    both_cores.run(500_000)
    hashes = []

    def run() -> None:
        simulator = Simulator(b"\0" * 8, base=0x2000_0000)
        simulator.restore(snapshot)
        simulator.run(500_000)
        hashes.append(simulator.state_hash())

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes == [both_cores.state_hash()] * 3
