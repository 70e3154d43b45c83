"""Faults that need an interleaving are found by variation, the same by a seed; right programs stay silent."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

import pytest

from intercore.hunt.analysis import HuntAnalysis, analysed
from intercore.hunt.hunting import Wanted
from intercore.hunt.variation.deviations import FlashCache, Hold, Phase, PowerOn, parsed, written
from intercore.hunt.variation.places import recorded
from intercore.hunt.variation.reduction import reduced
from intercore.hunt.variation.trial import Trial, undisturbed
from intercore.hunt.variation.varied import Search, fails, replayed, varied
from intercore.sim import Simulator
from tests.sim.firmware import example

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.hunt.variation.deviations import Deviation

WANTED = Wanted(2.0, None, b"PASS")
RUNS = 1000
MENDED_RUNS = 200

# What must fall where, as far as that is one thing: the other core's access, and the two that it falls between.
FAULTS = {
    "LOST_WAKE_UP": ("core 1's store to the FIFO in push", "WFE in core_0"),
    "EVENT_CONSUMED": ("core 1's store to flag in set", "WFE in wait_for"),
    "CHECK_THEN_ACT": ("load of flag in acquire", "and the store to flag in acquire"),
    "INITIALISED_TWICE": ("core 1's load of data + 12 in core_1", "two of core 0", "store to data + 12 in initialise"),
    "COUNTER": ("of count in add", "the load of count in add", "and the store to count in add"),
    "LOCK_ORDER": ("claim of spinlock 4", "claim of spinlock 5"),
    "FIFO_DRAINED": ("FIFO in push",),
    "TIME_CARRY": ("core 0 takes", "TIMER offset 0x024 in now", "TIMER offset 0x028 in now"),
    "ALARM_PAST": ("TIMER offset 0x028 in core_0",),
    "CLEARED_AFTER_LAUNCH": ("core 0",),
    "RING_INDEX": ("store to count in core_0",),
    "TORN": ("core 1's store to data", "load of data in core_0", "load of data + 4 in core_0"),
    "REQUEST_CLEARED": ("core 1's store to flag in set", "store to flag in core_0"),
    "STALE_ANSWER": ("core 1", "FIFO"),
}

MENDED = FAULTS if "INTERCORE_SLOW" in os.environ else ("LOST_WAKE_UP", "COUNTER", "LOCK_ORDER", "ALARM_PAST", "TORN")
"""Faults whose mended programs are varied, which takes longer than to find the fault."""


def program(which: str, *options: str) -> Path:
    """Return an example that fails in some interleavings."""
    return example("faults/interleavings", "sram", f"-D{which}", *options)


def search(image: Path, runs: int, seed: int = 0, jobs: int = 1) -> HuntAnalysis:
    """Return what variation finds in a program that is right undisturbed."""
    before = analysed(image, image.name, WANTED, lambda _: None)
    assert not fails(before)
    return varied(image, before, WANTED, Search(runs, seed, jobs), lambda _: None)


@cache
def found(which: str) -> HuntAnalysis:
    """Return what is found in a fault."""
    return search(program(which), RUNS)


@pytest.mark.parametrize("which", FAULTS)
def test_a_fault_that_needs_an_interleaving_is_found_with_what_must_fall_where(which: str) -> None:
    analysis = found(which)
    assert analysis.findings
    assert analysis.variation is not None
    assert analysis.variation.runs < RUNS // 2
    text = " ".join(analysis.variation.sentences)
    assert [words for words in FAULTS[which] if words not in text] == []


@pytest.mark.parametrize("which", MENDED)
def test_the_same_program_without_the_fault_is_silent(which: str) -> None:
    analysis = search(program(which, "-DMENDED"), MENDED_RUNS)
    assert not fails(analysis)
    assert analysis.variation is not None
    assert (analysis.variation.runs, analysis.variation.replay) == (MENDED_RUNS, "")


@pytest.mark.parametrize("which", ["COUNTER", "LOCK_ORDER", "ALARM_PAST"])
def test_what_fails_is_the_least_that_fails_and_repeats_to_the_bit(which: str) -> None:
    first = found(which)
    assert first.variation is not None
    deviations = parsed(first.variation.replay)
    again = replayed(program(which), first.image, WANTED, deviations, lambda _: None)
    assert again.variation is not None
    assert (again.cycles, again.findings, again.stop) == (first.cycles, first.findings, first.stop)
    assert again.variation.sentences == first.variation.sentences
    setting, _ = undisturbed(program(which), WANTED)
    trial = Trial(setting)
    for number, one in enumerate(deviations):
        assert trial.failure([*deviations[:number], *deviations[number + 1 :]]) is None
        assert isinstance(one, Hold)
        shorter = Hold(one.core, one.pc, one.cycles - 1, one.cycle)
        attempt = [*deviations[:number], shorter, *deviations[number + 1 :]]
        assert trial.failure(attempt) is None


def test_the_same_is_found_with_more_processes_and_another_seed_varies_otherwise() -> None:
    one, two = found("FIFO_DRAINED"), search(program("FIFO_DRAINED"), RUNS, jobs=2)
    assert one == two
    other = search(program("FIFO_DRAINED"), RUNS, seed=1)
    assert one.variation is not None
    assert other.variation is not None
    assert one.variation.runs != other.variation.runs


def test_a_run_from_the_snapshot_is_the_one_from_power_on() -> None:
    image = program("COUNTER")
    setting, launch = undisturbed(image, WANTED)
    assert launch is not None
    hold = Hold(1, launch[1], 777, launch[0])
    trial = Trial(setting)
    from_snapshot, state = trial.outcome([hold]), trial.state_hash
    # Seed 0 leaves the ring oscillator as it is; an image in SRAM stays, so nothing changes but where the run begins.
    assert trial.outcome([PowerOn(0), hold]) == from_snapshot
    assert trial.state_hash == state
    assert trial.outcome([hold]) == from_snapshot
    assert trial.state_hash == state


def test_places_are_accesses_to_what_both_cores_use() -> None:
    image = program("COUNTER")
    setting, launch = undisturbed(image, WANTED)
    assert launch is not None
    accesses = recorded(image, launch[0], setting.undisturbed.cycles, lambda _: None)
    count, finished = (Simulator(image).symbols[name].address for name in ("count", "finished"))
    counted = accesses[accesses["word"] == count]
    # Each core adds eight times, by a load and a store; then core 0 looks at the sum.
    assert [int((counted["core"] == core).sum()) for core in (0, 1)] == [17, 16]
    assert int((counted["writes"] & (counted["core"] == 1)).sum()) == 8
    assert finished in accesses["word"]


def test_reduction_leaves_the_fewest_and_the_shortest() -> None:
    needed = Hold(0, 0x20000100, 900, 5), Phase(700, 6)

    def fails_with(attempt: Sequence[Deviation]) -> bool:
        lengths = {type(one): one.cycles for one in attempt if isinstance(one, Hold | Phase) and one.cycle < 10}
        return lengths.get(Hold, 0) >= 123 and lengths.get(Phase, 0) >= 1

    others = PowerOn(1), FlashCache(8), Hold(1, 0x20000200, 50, 11)
    least = reduced([others[0], needed[0], others[1], needed[1], others[2]], fails_with)
    assert least.deviations == [Hold(0, 0x20000100, 123, 5), Phase(1, 6)]


def test_deviations_are_read_as_they_are_written() -> None:
    every: list[Deviation] = [Hold(1, 0x20000304, 5000, 2_000_000), Phase(3, 4), FlashCache(7), PowerOn(8)]
    assert parsed(written(every)) == every
