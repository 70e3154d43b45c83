"""What it would bring to move functions and data: the estimate against programs in which they were moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.cli.profiled import addresses
from intercore.profile.recording import Recording
from intercore.profile.tried import sentences, tried
from intercore.sim import Simulator
from tests.profile.test_public_reports import PARTS, cycles, report
from tests.sim.firmware import example

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from intercore.profile.recorded import Profile


def both(image: Path, part: tuple[str, str], moves: Sequence[str]) -> tuple[Profile, Profile]:
    """Return the profiles of a part of a run before something is moved, and after."""
    simulator = Simulator(image)
    recording = Recording(simulator, 0.1, lambda _: None)
    begin, end = (simulator.address(name) for name in part)
    recording.reach(begin, part[0])
    start = simulator.snapshot()
    before, _ = recording.record("image", end, None)
    ranges = [addresses(simulator, name) for name in moves]
    return before, recording.record_apart(ranges, start, "image", end)


@pytest.mark.parametrize(
    ("name", "memory", "moves"),
    [
        ("idle_loop", "flash", ["idle"]),
        ("priority", "flash", ["sum_up"]),
        ("shared_ram", "sram", ["log_on_core_0", "log_on_core_1"]),
    ],
)
def test_the_estimate_is_near_to_what_the_cure_brings(name: str, memory: str, moves: list[str]) -> None:
    before, after = both(example(f"reports/{name}", memory), PARTS[name], moves)
    found = tried(moves, before, after)
    assert found.same_end
    assert found.cycles == cycles(report(name, memory))
    assert found.tried_cycles == pytest.approx(cycles(report(name, memory, "-DCURED")), rel=1e-3)
    assert f"takes {found.tried_cycles:,} cycles instead of {found.cycles:,}" in next(sentences(found))


def test_without_anything_moved_the_run_is_the_same() -> None:
    before, after = both(example("reports/priority", "flash"), PARTS["priority"], [])
    assert before == after


def test_what_is_moved_misses_no_cache_and_meets_nobody() -> None:
    image = example("../../tests/profile/truths", "sram", "-DTRUTH=AN_EVICTION")
    before, after = both(image, ("begin", "end"), ["0x10100000-0x10100003"])
    assert any(loss.core == 0 and loss.port == "XIP" for loss in before.losses)
    assert not any(loss.core == 0 and loss.port == "XIP" for loss in after.losses)
    assert not any(loss.to == "eviction" for loss in after.losses), "nor does it replace what the other core had"


def test_parts_up_to_a_limit_of_time_are_compared_by_the_time_of_the_same_instructions() -> None:
    profiles = both(example("reports/priority", "flash"), PARTS["priority"], ["sum_up"])
    endless = (msgspec.structs.replace(one, stop="the limit of 1 s is reached") for one in profiles)
    found = tried(["sum_up"], *endless)
    assert not found.same_end
    assert found.pace[0] == pytest.approx(found.cycles / found.tried_cycles, rel=0.02)
    assert "times the cycles on core 0" in next(sentences(found))
