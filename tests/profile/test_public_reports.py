"""Public reports of programs that two cores made slower, rebuilt: the profile names the cause first (docs/profile.md).

The numbers are those of one compiler: others are near to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.profile.report import section
from intercore.profile.summary import ProfileAnalysis
from tests.profile.programs import part
from tests.sim.firmware import example

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.profile.recorded import Loss

PARTS = {
    "idle_loop": ("work", "print_number"),
    "kernel_lock": ("control_loop", "print_number"),
    "shared_ram": ("log_on_core_0", "print_number"),
    "launch": ("start_core_1", "first"),
    "priority": ("sum_up", "print_number"),
}


def report(name: str, memory: str, *options: str) -> ProfileAnalysis:
    """Return the profile of what a report is about."""
    return part(example(f"reports/{name}", memory, *options), *PARTS[name])


def cycles(analysis: ProfileAnalysis) -> int:
    """Return what the part took."""
    return analysis.ended - analysis.begun


def lost(analysis: ProfileAnalysis, core: int = 0) -> int:
    """Return the cycles that a core lost to other masters."""
    return analysis.cores[core].sums.conflicted


def worst(analysis: ProfileAnalysis, core: int = 0) -> Loss:
    """Return the largest loss of a core."""
    return next(loss for loss in analysis.losses if loss.core == core)


def sentences(analysis: ProfileAnalysis) -> str:
    """Return what people read first."""
    return " ".join(section(analysis).sentences)


def test_an_idle_loop_in_flash_takes_the_port_of_the_cache_and_evicts_nothing() -> None:
    slow, cured = report("idle_loop", "flash"), report("idle_loop", "flash", "-DCURED")
    found = worst(slow)
    assert (found.port, found.function, found.object, found.to) == ("XIP", "crc32", "crc32", "core")
    assert (found.other_function, found.other_object) == ("idle", "idle")
    assert found.cycles == 8 * 64 * 100, "one cycle for each bit of 100 messages"
    assert {loss.to for loss in slow.losses} == {"core", "nobody"}, "the thread had suspected evictions"
    assert lost(cured) == 0
    assert cycles(slow) - cycles(cured) == lost(slow)
    assert "crc32 or idle would not need flash" in sentences(slow)


def test_one_lock_around_a_kernel_is_told_by_who_holds_it() -> None:
    slow, cured = report("kernel_lock", "sram"), report("kernel_lock", "sram", "-DCURED")
    waits: list[Mapping[str, int]] = []
    for analysis in slow, cured:
        (use,) = (one for one in analysis.locks if one.core == 0)
        assert (use.lock, use.function, use.claims) == (8, "wait_in_control_loop", 800)
        (wait,) = (one for one in analysis.lock_waits if one.core == 0)
        assert (wait.lock, wait.holder, wait.holder_function) == (8, 1, "wait_in_thread")
        assert wait.cycles == use.waited
        waits.append({"times": wait.times, "cycles": wait.cycles})
        assert lost(analysis) == 0, "the cores share no bank that both want at once: it is the lock alone"
    assert waits[0]["cycles"] > 2 * waits[1]["cycles"]
    # What the main loop of core 0 gains is what it no longer waits for.
    gain, waited = cycles(slow) - cycles(cured), waits[0]["cycles"] - waits[1]["cycles"]
    assert gain == pytest.approx(waited, abs=waited / 20)
    assert "for spinlock 8" in sentences(slow)


def test_code_in_the_banks_of_data_is_what_dma_and_the_other_core_slow() -> None:
    slow, cured = report("shared_ram", "sram"), report("shared_ram", "sram", "-DCURED")
    assert (worst(slow).function, worst(slow).object, worst(slow).to) == ("log_on_core_0", "log_on_core_0", "DMA")
    code = sum(loss.cycles for loss in slow.losses if loss.core == 0 and loss.object == loss.function)
    assert code > lost(slow) / 2, "the rest are writes of the log, which lose to the same DMA"
    assert not any(loss.object == loss.function == "log_on_core_0" for loss in cured.losses)
    assert lost(cured) < lost(slow) / 3
    assert "log_on_core_0 would have a bank of its own" in sentences(slow)


def test_the_launch_of_core_1_waits_for_flash_and_not_for_core_1() -> None:
    slow, cured = report("launch", "flash"), report("launch", "sram")
    found = worst(slow)
    assert (found.port, found.function, found.to) == ("XIP", "start_core_1", "nobody")
    assert found.cycles == 84 * found.times, "a word of flash takes 80 cycles and 4 (docs/simulator.md)"
    assert slow.cores[0].sums.waits["XIP"] > 0.85 * cycles(slow)
    assert cured.cores[0].sums.waits == {}
    assert cycles(slow) > 9 * cycles(cured)
    assert "start_core_1 would not need flash" in sentences(slow)


def test_a_core_with_priority_slows_the_other_one_but_does_not_stop_it() -> None:
    slow, equal = report("priority", "flash"), report("priority", "flash", "-DEQUAL")
    cured = report("priority", "flash", "-DCURED")
    assert slow.first_on_bus == ["core 1"]
    assert equal.first_on_bus == []
    assert (worst(slow).port, worst(slow).function, worst(slow).other_function) == ("XIP", "sum_up", "sample_pins")
    assert worst(slow).other_object == "sample_pins", "and not SIO, which it reads meanwhile"
    assert lost(slow, 1) < lost(equal, 1) < lost(equal) < lost(slow) < 0.25 * cycles(slow)
    assert 1.02 < cycles(slow) / cycles(equal) < 1.15, "priority is the smaller part of it"
    assert lost(cured) < 0.03 * cycles(cured)
    assert "Core 1 always comes first" in sentences(slow)
    assert "always comes first" not in sentences(equal)
