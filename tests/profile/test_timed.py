"""Calls of one function: all of them, their times to the cycle, and what the longest one was made of."""

from __future__ import annotations

import msgspec
import pytest

from intercore.profile.timed import CallsOf, calls_of, sentences
from tests.profile.programs import profiled
from tests.sim.firmware import example


def calls_in(name: str, function: str) -> CallsOf:
    profile, _ = profiled(example(name), timed=function)
    calls = calls_of(profile)
    assert calls is not None
    return calls


@pytest.mark.parametrize(
    ("name", "function", "count"),
    [("both_cores", "work_in_sram4", 4), ("both_cores", "work_in_sram5", 1), ("alarm", "on_alarm", 100)],
)
def test_each_call_is_timed_and_all_its_cycles_are_told(name: str, function: str, count: int) -> None:
    calls = calls_in(name, function)
    assert (calls.count, calls.unfinished) == (count, 0)
    assert calls.shortest <= calls.median <= calls.p99 <= calls.longest
    assert sum(part.longest.cycles for part in calls.parts) + calls.longest_away == calls.longest
    assert sum(part.mean_cycles for part in calls.parts) + calls.mean_away == pytest.approx(calls.mean)
    longer = sum(cycles for part in calls.parts for cycles in part.longer.values())
    assert longer == pytest.approx(calls.longest - calls.mean - (calls.longest_away - calls.mean_away))


def test_a_call_that_is_interrupted_has_the_cycles_of_the_interrupts() -> None:
    calls = calls_in("alarm", "example")
    assert calls.count == 1
    entered = {part.path[-1]: part.calls for part in calls.parts if "TIMER_IRQ_0" in part.path[0]}
    assert entered["on_alarm"] == 100
    assert sorted(entered.values()) == [100, 100]


def test_a_call_that_does_not_return_is_told() -> None:
    calls = calls_in("both_cores", "serve")
    assert (calls.count, calls.unfinished) == (0, 1)
    (sentence,) = sentences(calls, 1.0)
    assert "serve" in sentence


def test_the_causes_of_the_longest_call_are_those_that_others_lack() -> None:
    # A call executes the same on each core, and first sleeps until SysTick wakes it: what differs is that.
    _, longest = sentences(calls_in("both_cores", "work_in_sram4"), 1.0)
    assert longest.endswith("asleep in work_in_sram4.")


def test_calls_beyond_those_that_are_kept_count_in_the_mean() -> None:
    profile, _ = profiled(example("alarm"), timed="on_alarm")
    assert profile.timed is not None
    kept = msgspec.structs.replace(profile.timed, cycles=profile.timed.cycles[:10], more=90)
    all_calls, some = calls_of(profile), calls_of(msgspec.structs.replace(profile, timed=kept))
    assert all_calls is not None
    assert some is not None
    assert (some.count, some.mean, some.longest) == (all_calls.count, all_calls.mean, all_calls.longest)
    assert (all_calls.kept, some.kept) == (100, 10)
