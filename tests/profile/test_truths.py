"""Programs with one known cost: the profile names it first, and with the right number of cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.profile.report import section
from intercore.profile.summary import analysed
from tests.profile.programs import part, profiled, stripped
from tests.sim.firmware import example

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.profile.recorded import Node
    from intercore.profile.summary import ProfileAnalysis

HERE = "../../tests/profile/"


def truth(name: str, begin: str = "begin") -> ProfileAnalysis:
    """Return the profile of a program of truths.c."""
    return part(example(f"{HERE}truths", "sram", f"-DTRUTH={name}"), begin, "end")


def sentences(analysis: ProfileAnalysis, core: int) -> list[str]:
    """Return what is said of a core: its classes of cycles first, and then what is worth a word."""
    return [sentence for sentence in section(analysis).sentences if sentence.startswith(f"Core {core}")]


def test_a_hot_spot_is_the_first_function() -> None:
    analysis = truth("HOT_SPOT")
    hot = analysis.functions[0]
    assert (hot.core, hot.function, hot.calls, hot.instructions) == (0, "hot", 1, 2 * 20_000 + 1)
    assert hot.own.executing == hot.own.cycles == hot.inclusive == 3 * 20_000 - 1 + 2
    assert "Most of the time awake: 100 % in hot" in sentences(analysis, 0)[0]


def test_the_wait_for_a_lock_is_as_long_as_it_was_held() -> None:
    analysis = truth("A_LOCK", "holding")
    (wait,) = analysis.lock_waits
    assert (wait.lock, wait.core, wait.function, wait.holder, wait.holder_function) == (0, 1, "want", 0, "")
    assert (wait.times, wait.cycles) == (1, 3 * 1000), "in turns of 4 cycles"
    (use,) = analysis.locks
    assert (use.claims, use.waits, use.waited, use.longest_wait) == (1, 1, wait.cycles, wait.cycles)
    assert "for spinlock 0: 99 % in want while core 0 holds it." in sentences(analysis, 1)[1]


def test_the_core_that_claimed_a_lock_before_the_profile_began_is_told_with_its_function_if_that_is_known() -> None:
    (wait,) = truth("A_LOCK", "example").lock_waits
    assert (wait.holder, wait.holder_function) == (0, "example")


def test_a_bank_that_both_cores_read_is_told_with_each_cycle() -> None:
    analysis = truth("A_BANK", "reading_on_core_0")
    reads = [loss for loss in analysis.losses if loss.object.startswith("0x210") and loss.other_object]
    assert {(loss.core, loss.port, loss.function, loss.other_function) for loss in reads} == {
        (0, "SRAM0", "read_on_core_0", "read_on_core_1"),
        (1, "SRAM0", "read_on_core_1", "read_on_core_0"),
    }
    # 32 LDMs of 8 cycles and not of 5; the core that does not get the first cycle needs one more.
    assert sorted(sum(loss.cycles for loss in reads if loss.core == core) for core in (0, 1)) == [96, 97]
    assert analysis.losses[: len(reads)] == reads
    for core in (0, 1):
        assert "at SRAM0" in sentences(analysis, core)[1]


def test_cores_that_evict_each_other_from_the_flash_cache_are_told_with_each_miss() -> None:
    analysis = truth("AN_EVICTION")
    mine = [loss for loss in analysis.losses if loss.core == 0 and loss.port == "XIP"]
    evicted, cold = mine
    assert (evicted.to, evicted.function, evicted.other_function, evicted.times) == ("eviction", "mine", "theirs", 49)
    assert (cold.to, cold.times) == ("nobody", 1)
    cost = cold.cycles
    assert evicted.cycles == 49 * cost
    assert analysis.cores[0].sums.waits == {"XIP": 50 * cost}
    theirs = {(loss.to, loss.object[:10]): loss.times for loss in analysis.losses if loss.core == 1}
    assert theirs == {
        ("nobody", "0x10102000"): 1,
        ("eviction", "0x10102000"): 49,
        ("nobody", "0x10104000"): 50,  # it has replaced this itself, with the other word
    }
    text = sentences(analysis, 0)[1]
    assert "50 misses" in text
    assert "replaced by core 1 in theirs" in text
    assert "define it with __not_in_flash" in text, "it is data"


def test_a_storm_of_interrupts_is_counted() -> None:
    analysis = truth("A_STORM")
    (handler,) = (root for root in analysis.roots if root.entered)
    assert (handler.core, handler.name, handler.entered) == (0, "IRQ 0 TIMER_IRQ_0", 1000)
    (function,) = (one for one in analysis.functions if one.function == "on_storm")
    assert function.calls == 1000
    assert handler.sums.executing == function.own.cycles
    # An entry takes 12 cycles, an exit 13, and from one handler to the next are 6 (docs/simulator.md); the instruction
    # that ends a handler has one of its exit.
    assert handler.sums.switching == 12 + 999 * (6 - 1) + (13 - 1)
    assert "100 % in IRQ 0 TIMER_IRQ_0 (1,000 times" in sentences(analysis, 0)[1]


def test_a_core_that_sleeps_is_told_from_one_that_was_never_started() -> None:
    sleeps, waits = truth("A_SLEEPER"), truth("HOT_SPOT")
    for analysis in sleeps, waits:
        core = analysis.cores[1]
        assert core.sums.asleep == core.cycles == analysis.ended - analysis.begun
    assert sentences(sleeps, 1) == ["Core 1 slept all the time."]
    assert sentences(waits, 1) == ["Core 1 was never started: it waits in the boot ROM."]


def test_functions_are_told_however_they_are_called() -> None:
    profile, simulator = profiled(example(f"{HERE}reach", "sram"))
    assert simulator.take_uart() == b"sum: 1\n"
    nodes = profile.cores[0].nodes

    def caller(node: Node) -> str:
        return "" if node.parent is None else nodes[node.parent].name

    found = {node.name: (caller(node), node.costs.calls, node.costs.sums.cycles) for node in nodes}
    for name in "outer", "called_last", "assembled", "buffer":
        whence, calls, cycles = found[name]
        assert whence == "example", "a function that is jumped to replaces the one that jumps"
        assert calls == 1
        assert cycles in range(2999, 3010), name
    assert "inlined" not in found
    assert "copied" not in found
    assert found["boot ROM"][0] == "call_rom"
    assert found["boot ROM"][2] > 1000, "memset and an addition"
    lines = {(line.function, line.inlined_into): line.cycles for line in analysed(profile).lines}
    assert lines["inlined", "outer"] == 2 + 3 * 1000 - 1


def test_without_symbols_functions_are_told_by_the_addresses_at_which_they_are_called(tmp_path: Path) -> None:
    image = example(f"{HERE}reach", "sram")
    whole, simulator = profiled(image)
    bare, _ = profiled(stripped(image, tmp_path))
    found = {node.name: node.costs.sums.cycles for node in bare.cores[0].nodes}
    named = {node.name: node.costs.sums.cycles for node in whole.cores[0].nodes}

    def at(name: str) -> str:
        return f"{simulator.address(name) & ~1:#010x}"

    for name in "outer", "assembled", "buffer", "call_rom":
        assert found[at(name)] == named[name]
    assert at("called_last") not in found, "nothing tells that another function begins there"
    assert found[at("jumping")] == named["jumping"] + named["called_last"]
