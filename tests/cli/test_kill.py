"""kill -9 at random moments of real runs: the store is whole each time, and the run goes on where it was.

With INTERCORE_SLOW=1 200 times, otherwise 60.
"""

from __future__ import annotations

import os
import random
import re
import signal
from collections import Counter
from typing import TYPE_CHECKING

from intercore.record.measurement import Plan
from intercore.record.plan import canonical, settings
from intercore.record.store import Store
from tests.cli.inspection import contents_of

if TYPE_CHECKING:
    from intercore.record.store import RunSummary
    from tests.cli.inspection import Content, Key
    from tests.cli.tool import Result, Tool

KILLS = 200 if "INTERCORE_SLOW" in os.environ else 60
LONGEST = 0.4
"""Seconds until a kill, at most."""
LEVELS = ("from=0", "to=0", "longest_us=10,20,30,40,50,60", "samples=5", "dither_us=100", "--repetitions", "20")
TOTAL = 6 * 20
SEED = 20_260_101


def reported_complete(result: Result, done_before: int) -> int:
    """How many measurements the tool has reported to be complete, in the run that it was in."""
    numbers = [int(number) for number in re.findall(rf"^(\d+)/{TOTAL} ", result.err, re.MULTILINE)]
    assert numbers == list(range(done_before + 1, done_before + 1 + len(numbers)))
    return done_before + len(numbers)


def unfinished(tool: Tool) -> int | None:
    """Number of the newest unfinished run."""
    return max((summary.id for summary in runs_of(tool) if not summary.complete), default=None)


def runs_of(tool: Tool) -> list[RunSummary]:
    if not tool.store.exists():
        return []
    with Store(tool.store) as store:
        return store.runs()


def test_kills_at_random_moments_lose_and_double_nothing(tool: Tool) -> None:
    chance = random.Random(SEED)  # noqa: S311 - repeatable, not secret
    kills: Counter[str] = Counter()
    while not are_enough(kills):
        kill_until_complete(tool, chance, kills)
        tool.store.rename(tool.directory / f"complete after {kills.total()}.db")
    tool.wait_for_no_target()


def are_enough(kills: Counter[str]) -> bool:
    """Whether there were enough, and enough of them while measuring: on a busy machine, that takes more of them."""
    return kills.total() >= KILLS and kills["while measuring"] >= KILLS / 10


def kill_until_complete(tool: Tool, chance: random.Random, kills: Counter[str]) -> None:
    """Kill runs into one store until there were enough kills, or two runs are complete all the same."""
    begin = ("run", "host", "clock", *LEVELS, "-v")
    held: dict[Key, Content] = {}
    longest = LONGEST
    in_vain = 0
    while not are_enough(kills) and (unfinished(tool) is not None or len(held) < 2 * TOTAL):
        run = unfinished(tool)
        before = sum(key.campaign == run for key in held)
        seed = str(chance.randrange(2**32))
        words = ("run", "--resume", "-v") if run is not None else (*begin, "--seed", seed)
        result = tool(*words, kill_after=chance.uniform(0, longest))

        now = contents_of(tool.store)
        assert now.items() >= held.items(), "a measurement is lost or changed"
        grown = {key.campaign for key in now.keys() - held.keys()}
        assert len(grown) <= 1
        assert run is None or grown <= {run}
        at_hand = run or next(iter(grown), 0)
        complete = sum(key.campaign == at_hand for key in now)
        assert reported_complete(result, before) <= complete, "reported complete, and not in the store"
        held = now

        if result.status == 0:
            assert complete == TOTAL
        else:
            assert result.status == -signal.SIGKILL, result
            kills["while measuring" if complete > before else "before the first measurement"] += 1
        # A slow machine may not get anywhere in so little time.
        in_vain = 0 if complete > before else in_vain + 1
        if in_vain == 10:
            longest, in_vain = 2 * longest, 0

    if not runs_of(tool):  # no kill came late enough: on a busy machine, loading the tool may take as long
        tool(*begin).succeeded()
    while unfinished(tool) is not None:
        tool("run", "--resume").succeeded()
    finished = contents_of(tool.store)
    assert finished.items() >= held.items()
    check_that_every_run_is_exactly_its_plan(tool, finished)


def check_that_every_run_is_exactly_its_plan(tool: Tool, finished: dict[Key, Content]) -> None:
    with Store(tool.store) as store:
        summaries = store.runs()
    assert summaries
    for summary in summaries:
        assert isinstance(summary.plan, Plan)
        measured = [(key.setting, key.repetition) for key in finished if key.campaign == summary.id]
        assert summary.total == len(measured) == TOTAL
        # In the order of the plan, too, as if nothing had happened.
        assert measured == [(canonical(setting.factors), setting.repetition) for setting in settings(summary.plan)]
