"""The speed-up benchmark of the real program: what it measures is whole and checked. How fast is bench/'s subject."""

from __future__ import annotations

import itertools
import os
import time
from typing import TYPE_CHECKING

import pytest

from intercore.board.build import SANITIZE_VARIABLE
from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal


OTHER_WORK = ["integer", "hanoi", "memory", "double", "flash", "fir", "dense", "aes", "records"]
WAYS = [
    *itertools.product(["notify", "poll-tick"], ["create", "pool", "spin"], ["fp"]),
    *itertools.product(["notify"], ["create"], OTHER_WORK),
]
"""Joins, modes and workloads; how work is begun and ended does not depend on what it is."""


@pytest.mark.parametrize(("join", "mode", "workload"), WAYS)
def test_every_way_of_forking_and_joining_checks_every_result(
    terminal: Terminal, workload: str, mode: str, join: str
) -> None:
    answer = terminal.ask(f"run speedup workload={workload} mode={mode} join={join} n=101 samples=5 dither_us=10")
    hello = terminal.ask("info")[0]
    checks = answer[-1]["checks"]
    assert answer[-1]["status"] == "ok"
    assert checks["repetitions"] == checks["done"] == 5
    # The whole on one core and each part on P, for five repetitions and the warm-up.
    assert checks["checked"] == (5 + 1) * (1 + hello["cores"])
    assert checks["wrong"] == checks["migrated"] == checks["lost"] == 0
    taken = series(answer)
    assert len(taken["t1"]) == len(taken["tp"]) == 5
    assert all(ticks > 0 for ticks in taken["t1"] + taken["tp"])


@pytest.mark.parametrize("mode", ["create", "pool", "spin"])
def test_more_cores_than_work_still_joins(terminal: Terminal, mode: str) -> None:
    assert terminal.ask(f"run speedup n=1 mode={mode} samples=3 dither_us=0")[-1]["status"] == "ok"


@pytest.mark.parametrize("mode", ["create", "pool", "spin"])
def test_one_core_is_a_team_of_one(terminal: Terminal, mode: str) -> None:
    answer = terminal.ask(f"run speedup n=1000 cores=1 mode={mode} samples=3")
    assert answer[-1]["status"] == "ok"
    assert answer[-1]["checks"]["checked"] == (3 + 1) * 2


def test_memory_streams_past_the_end_of_its_buffer(terminal: Terminal) -> None:
    facts = terminal.conditions()
    lines = int(facts["memory.ram_bytes"]) // 64
    around = (lines - 1, lines, lines + 1, 2 * lines + 7)
    for n in around[-1:] if os.environ.get(SANITIZE_VARIABLE) == "thread" else around:  # which takes 30 times as long
        answer = terminal.ask(f"run speedup workload=memory n={n} samples=1 dither_us=0")
        assert answer[-1]["status"] == "ok"


def test_the_timestamp_overhead_is_measured_on_each_core(terminal: Terminal) -> None:
    cores = terminal.ask("info")[0]["cores"]
    taken = series(terminal.ask("run speedup n=10 samples=1"))
    for core in range(cores):
        assert len(taken[f"timestamp_overhead.{core}"]) == 32
        assert min(taken[f"timestamp_overhead.{core}"]) >= 0


def test_one_run_after_another_leaves_nothing_behind(terminal: Terminal) -> None:
    for _ in range(20):
        for mode in ("create", "pool", "spin"):
            assert terminal.ask(f"run speedup n=50 mode={mode} samples=2 dither_us=0")[-1]["status"] == "ok"


def test_rest_is_taken_between_repetitions_and_between_the_two_times(terminal: Terminal) -> None:
    started = time.monotonic()
    answer = terminal.ask("run speedup n=10 samples=3 rest_ms=50 dither_us=0")
    assert answer[-1]["status"] == "ok"
    within = 4 * 0.050  # also in the repetition that warms up
    assert time.monotonic() - started >= 2 * 0.050 + within


def test_polling_starts_on_the_tick_and_ends_after_it(terminal: Terminal) -> None:
    """Whole ticks at least, however small the work: the artefact that this mode exists to show."""
    hello = terminal.ask("info")[0]
    tick = hello["hz"] // hello["tick_hz"]
    polled = series(terminal.ask("run speedup n=1 mode=spin join=poll-tick samples=20"))["tp"]
    # It starts one late wake-up after an edge and ends after the next; on a loaded machine that is all one can say.
    assert sum(polled) / len(polled) > 0.5 * tick
