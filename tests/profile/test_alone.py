"""A core beside the other one and alone: what the difference is made of, and where it means nothing."""

from __future__ import annotations

import pytest

from intercore.errors import IntercoreError
from intercore.profile.alone import Alone, FunctionAlone, compared, sentences
from intercore.profile.recording import Recording
from intercore.sim import Simulator
from tests.sim.firmware import FOREVER, SRAM, example, raw


def silent(_text: str) -> None:
    """Tell nothing."""


def alone(name: str, core: int, seconds: float = 0.01, memory: str = "sram") -> Alone:
    simulator = Simulator(example(name, memory))
    recording = Recording(simulator, seconds, silent)
    recording.reach_start(1)
    start = simulator.snapshot()
    beside, _ = recording.record("image", None, None)
    return compared(core, beside, recording.record_alone(core, start, "image", None))


def by_name(found: Alone) -> dict[str, FunctionAlone]:
    return {one.function: one for one in found.functions}


def test_the_function_that_waits_for_a_bank_is_slower_beside_the_other_core() -> None:
    found = by_name(alone("bank_conflict", 0))
    # Core 1 is held before the first of two runs: alone, there is one read, which waits for nobody.
    assert found["read_from_sram4"].alone_calls >= 1
    slower = found["read_from_sram4"].slower
    assert slower is not None
    assert slower > 1.1


def test_interrupts_that_the_other_core_asks_for_are_gone_alone() -> None:
    found = alone("alarm", 0, memory="flash")
    assert found.interrupts > 0
    assert found.alone_interrupts <= 40
    assert by_name(found)["on_alarm"].calls > 50 > by_name(found)["on_alarm"].alone_calls
    assert any("interrupts" in sentence for sentence in sentences(found))


def test_a_core_that_waits_for_the_other_one_waits_for_ever_alone() -> None:
    found = alone("alarm", 1)
    assert found.alone_sums.asleep > 0.99 * found.alone_cycles, "nobody handles its alarm"
    assert found.alone_cycles < found.cycles / 50, "the run is at a dead end"
    assert any(found.stop in sentence for sentence in sentences(found))


def test_a_core_that_is_disturbed_by_nobody_is_as_fast_alone() -> None:
    simulator = Simulator(example("both_cores"))
    recording = Recording(simulator, 0.0005, silent)
    recording.reach_start(1)
    simulator.set_faults([f"stuck:core=1@{simulator.now}"])
    start = simulator.snapshot()
    beside, _ = recording.record("image", None, None)
    found = compared(0, beside, recording.record_alone(0, start, "image", None))
    assert found.sums == found.alone_sums
    assert {one.slower for one in found.functions} == {1.0}


def test_a_program_that_never_starts_core_1_has_nothing_to_compare() -> None:
    recording = Recording(Simulator(raw(*FOREVER), base=SRAM), 0.01, silent)
    with pytest.raises(IntercoreError, match="core 1 was not started"):
        recording.reach_start(1)
