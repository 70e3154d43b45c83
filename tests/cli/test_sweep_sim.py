"""Campaigns on the simulated chip: whatever order, process, kill or build, a setting has the same samples.

INTERCORE_SLOW=1 takes 528 settings, killed ten times, instead of a few dozen.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import time
from typing import TYPE_CHECKING

import pytest

from intercore.campaign.batch import Batch, close, measure_batch
from intercore.record.measurement import Measurement, Part, Plan
from intercore.record.plan import settings
from intercore.record.store import Store
from tests.cli.inspection import contents_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.tool import Tool

SLOW = "INTERCORE_SLOW" in os.environ
PLAN = """
[[target]]
name = "pico-sim"

[[experiment]]
benchmark = "switch"
skip_impossible = true
[experiment.factors]
primitive = {primitives}
from = [0, 1]
to = [0, 1]
samples = {samples}
dither_us = {dithers}

[[experiment]]
benchmark = "lock"
[experiment.factors]
lock = {locks}
measure = "hand-off"
from = 0
to = 1
samples = {samples}
dither_us = {dithers}
"""
FEW = {"primitives": ["queue", "yield"], "locks": ["mutex"], "samples": [1, 2], "dithers": [20]}
MANY = {
    "primitives": [
        *("binary-semaphore", "counting-semaphore", "mutex", "queue", "notification", "event-group", "stream-buffer"),
    ],
    "locks": ["mutex", "spinlock", "critical-section", "atomic-add", "atomic-swap"],
    "samples": [1, 2, 3, 4],
    "dithers": [5, 10, 15, 20],
}


def samples_of(path: Path) -> dict[tuple[str, str, int], list[tuple[str, list[int]]]]:
    """All samples in the one run of a store, by benchmark, setting and repetition."""
    with Store(path) as store:
        run = store.run()
    found = {}
    for one in run.measurements:
        key = one.benchmark, str(sorted(one.factors.items())), one.repetition
        assert key not in found
        found[key] = [(series.name, series.ticks.tolist()) for series in one.series]
    return found


def stored(tool: Tool) -> int:
    """How many measurements the store holds, while the tool may be writing to it."""
    if not tool.store.exists():
        return 0
    with contextlib.closing(sqlite3.connect(tool.store)) as database, contextlib.suppress(sqlite3.OperationalError):
        return int(database.execute("SELECT count(*) FROM measurements").fetchone()[0])
    return 0  # it is just being made


def complete(tool: Tool, *words: str) -> None:
    """Run a campaign to its end, however long that takes."""
    with tool.started(*words) as process:
        _, err = process.communicate(timeout=900)
    assert process.returncode == 0, err


def killed_beyond(point: int, tool: Tool, words: tuple[str, ...], chance: random.Random) -> bool:
    """Kill -9 a campaign when the store holds more than so many measurements; return whether that ended it."""
    before = stored(tool)
    with tool.started(*words, "--jobs", str(chance.randrange(1, 4))) as process:
        while stored(tool) <= max(point, before) and process.poll() is None:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.1))
        process.kill()
        status = process.wait()
    assert status in {0, -signal.SIGKILL}
    assert stored(tool) > point
    return status == -signal.SIGKILL


def check_that_kills_make_no_difference(tool: Tool, what: dict[str, object], kills: int) -> int:
    """Kill -9 a campaign so many times, each time at another point; return how many measurements it has."""
    (tool.directory / "plan.toml").write_text(PLAN.format(**what).replace("'", '"'))
    words = ("sweep", "plan.toml", "--no-estimate", "--format", "json")
    complete(tool, *words, "--jobs", "2", "--store", "whole.db")
    whole = samples_of(tool.directory / "whole.db")
    chance = random.Random(4)  # noqa: S311 - repeatable
    while True:
        points = sorted(chance.sample(range(1, len(whole) - 2), kills))
        if all(killed_beyond(point, tool, words, chance) for point in points) and stored(tool) < len(whole):
            break
        tool.store.unlink()  # on a busy machine it may be over before it is killed
    complete(tool, *words)
    assert samples_of(tool.store) == whole
    assert len(contents_of(tool.store)) == len(whole)
    return len(whole)


def test_a_campaign_killed_and_resumed_equals_the_uninterrupted_one(tool: Tool) -> None:
    assert check_that_kills_make_no_difference(tool, FEW, 2) == 14


@pytest.mark.timeout(1800)
@pytest.mark.skipif(not SLOW, reason="takes minutes: set INTERCORE_SLOW=1")
def test_a_campaign_of_hundreds_killed_ten_times_equals_the_uninterrupted_one(tool: Tool) -> None:
    assert check_that_kills_make_no_difference(tool, MANY, 10) == (7 * 4 + 5) * 4 * 4


def test_order_and_split_make_no_difference_to_a_simulated_setting() -> None:
    levels: dict[str, list[int | str]] = {"primitive": ["queue", "mutex"], "from": [0], "to": [0, 1], "samples": [2]}
    plan = Plan("pico-sim", None, "x", (Part("switch", {**levels, "seed": [1], "opt": ["O2"]}),), 2, simulated=True)
    whole = settings(plan)

    def measured(*batches: tuple[int, ...]) -> dict[int, list[tuple[str, list[int]]]]:
        found = {}
        for batch in batches:
            close()
            result = measure_batch(Batch(plan, tuple(whole[at] for at in batch)))
            for at, one in zip(batch, result.outcomes, strict=True):
                assert isinstance(one, Measurement), one
                found[at] = [(series.name, series.ticks.tolist()) for series in one.series]
        return found

    in_order = measured(tuple(range(8)))
    assert measured((7, 2, 5), (0,), (6, 1, 4, 3)) == in_order
    assert len({str(samples) for samples in in_order.values()}) >= 4, "settings differ"
    close()
