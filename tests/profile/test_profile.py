"""Profiles of programs whose costs are known: every cycle belongs somewhere, and to the right one."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.profile.callgrind import callgrind
from intercore.profile.report import rows, section
from intercore.profile.speedscope import speedscope
from intercore.profile.summary import analysed
from intercore.profile.sums import inclusive
from intercore.sim import Simulator, SimulatorError
from tests.profile.programs import CYCLES, profiled, read_callgrind, stripped
from tests.sim.firmware import FOREVER, LAST_WORDS, SRAM, example, raw
from tests.sim.outcome import outcome

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("both_cores", "bank_conflict", "spinlock", "fifo_interrupt", "alarm", "mix", "pio", "usb_echo")
MISSES = {"nobody", "eviction"}
IMAGES = [(name, memory) for name in NAMES for memory in ("sram", "flash")] + [
    ("xip", "flash"),
    ("reports/priority", "flash"),
    ("reports/shared_ram", "sram"),
]


@pytest.mark.parametrize(("name", "memory"), IMAGES)
def test_each_cycle_belongs_to_one_function_and_nothing_is_disturbed(name: str, memory: str) -> None:
    image = example(name, memory)
    plain = Simulator(image)
    plain.run(CYCLES)
    profile, watched = profiled(image)
    assert outcome(watched) == outcome(plain)
    for number, core in enumerate(profile.cores):
        counted = plain.statistics(number)
        assert core.cycles - (profile.ended - profile.begun) in range(2000)
        assert sum(node.costs.sums.cycles for node in core.nodes) + core.off == core.cycles
        assert sum(node.costs.instructions for node in core.nodes) == counted.instructions
        assert sum(node.costs.sums.asleep for node in core.nodes) == counted.asleep
        conflicts, waits = Counter[str](), Counter[str]()
        for node in core.nodes:
            conflicts.update(node.costs.sums.conflicts)
            waits.update(node.costs.sums.waits)
        assert dict(conflicts) == {port: lost for port, lost in counted.conflicts.items() if lost}
        assert dict(waits) == {port: lost for port, lost in counted.waits.items() if lost}
        lost = sum(
            loss.cycles for loss in profile.losses if loss.core == number and loss.to not in {"nobody", "eviction"}
        )
        assert lost == sum(conflicts.values())


def test_a_spinlock_that_is_handed_over_is_told_with_both_sides() -> None:
    profile, _ = profiled(example("spinlock"))
    claims = {(use.lock, use.core, use.function): use.claims for use in profile.locks}
    assert claims[0, 1, "pong"] == claims[1, 0, "ping"] == 100
    waits = {(wait.lock, wait.core, wait.function, wait.holder) for wait in profile.lock_waits}
    assert (0, 1, "pong", 0) in waits
    assert (1, 0, "ping", 1) not in waits, "core 0 has claimed lock 1 itself at first"
    text = " ".join(section(analysed(profile)).sentences)
    assert "for spinlock 0" in text


def test_the_bank_that_two_cores_read_is_named_with_both_functions() -> None:
    profile, _ = profiled(example("bank_conflict"))
    readers = {0: "read_from_sram4", 1: "read_from_sram5"}
    between = [loss for loss in profile.losses if loss.function == readers[loss.core] and loss.to == "core"]
    assert {loss.core for loss in between} == {0, 1}
    assert {loss.other_function for loss in between if loss.cycles > 20} <= set(readers.values())
    assert {loss.port for loss in between if loss.cycles > 20} == {"SRAM0"}
    # Each of the two runs over one bank makes 32 LDMs of 8 cycles, and not of 5.
    assert sum(loss.cycles for loss in between if loss.core == 0) in range(32 * 3, 4 * 32 * 3)


def test_the_core_that_handles_the_alarms_of_the_other_one_is_told() -> None:
    profile, simulator = profiled(example("alarm"))
    analysis = analysed(profile)
    handlers = {(one.core, one.name): one.entered for one in analysis.roots if one.entered}
    assert handlers == {(0, "IRQ 0 TIMER_IRQ_0"): 100}
    calls = {(one.core, one.function): one.calls for one in analysis.functions}
    assert calls[0, "on_alarm"] == 100
    assert (1, "on_alarm") not in calls
    # Entry and exit take 12 and 13 cycles, the last of which fetch the next instruction (docs/simulator.md).
    (root,) = (node for node in profile.cores[0].nodes if node.kind == "handler" and node.costs.calls)
    assert root.costs.sums.switching in range(100 * 20, 100 * 26)
    assert simulator.take_uart().startswith(b"edges: ")


def test_callers_have_the_cycles_of_what_they_call() -> None:
    profile, simulator = profiled(example("both_cores"))
    core = profile.cores[0]
    whole = inclusive(core)
    by_name = {node.name: at for at, node in enumerate(core.nodes)}
    example_function, work = by_name["example"], by_name["work_in_sram4"]
    assert core.nodes[work].costs.calls == 3
    assert whole[example_function] > whole[work] >= 3 * 4002
    assert core.nodes[core.nodes[work].parent or 0].name == "example"
    frames = profile.sources[simulator.address("example")]
    assert frames[0].function == "example"
    assert frames[0].file is not None
    assert frames[0].file.endswith("both_cores.c")


def test_a_stripped_image_has_the_same_cycles(tmp_path: Path) -> None:
    whole, _ = profiled(example("both_cores"))
    bare, _ = profiled(stripped(example("both_cores"), tmp_path))
    for ours, theirs in zip(whole.cores, bare.cores, strict=True):
        assert ours.lines == theirs.lines
        assert ours.cycles == theirs.cycles
        assert {node.name for node in theirs.nodes if node.kind == "function"} <= {
            "boot ROM",
            *(node.name for node in theirs.nodes if node.name.startswith("0x")),
        }
    assert bare.sources == {}


def test_a_program_that_locks_up_is_told_up_to_there() -> None:
    simulator = Simulator(raw(*LAST_WORDS), base=SRAM)
    simulator.start_profile()
    simulator.run(CYCLES)
    _, ended, cores, *_ = simulator.take_profile()
    assert ended < CYCLES
    assert sum(node[4][0][2] for node in cores[0][3]) + cores[0][1] == ended


def test_a_profile_must_have_been_started() -> None:
    simulator = Simulator(raw(*FOREVER), base=SRAM)
    with pytest.raises(SimulatorError, match="no profile is being recorded"):
        simulator.take_profile()
    simulator.start_profile()
    simulator.run(1000)
    simulator.take_profile()
    with pytest.raises(SimulatorError, match="no profile is being recorded"):
        simulator.take_profile()


@pytest.mark.parametrize("name", ["both_cores", "fifo_interrupt", "mix"])
def test_callgrind_files_have_every_cycle(name: str, tmp_path: Path) -> None:
    profile, _ = profiled(example(name))
    text = callgrind(profile)
    found = read_callgrind(text)
    cycles = sum(node.costs.sums.cycles for core in profile.cores for node in core.nodes)
    assert sum(found.own.values()) == found.summary[0] == cycles
    for number, core in enumerate(profile.cores):
        own = Counter[str]()
        for node in core.nodes:
            own[f"core {number}:{node.name}"] += node.costs.sums.cycles
        assert {name: cost for name, cost in (+found.own).items() if name.startswith(f"core {number}:")} == +own
    reader = shutil.which("callgrind_annotate")
    assert reader is not None, "there is no callgrind_annotate here: apt-get install valgrind"
    (file := tmp_path / "callgrind.out").write_text(text)
    printed = subprocess.run([reader, "--threshold=100", file], capture_output=True, text=True, check=True).stdout
    assert f"{cycles:,} (100.0%)" in printed
    top = max(found.own, key=lambda function: found.own[function])
    assert top.partition(":")[2] in printed


@pytest.mark.parametrize("name", ["both_cores", "fifo_interrupt"])
def test_speedscope_files_have_every_cycle(name: str) -> None:
    profile, _ = profiled(example(name))
    document = msgspec.json.decode(speedscope(profile))
    frames = document["shared"]["frames"]
    assert all(set(frame) <= {"name", "file", "line"} and frame["name"] for frame in frames)
    for core, found in zip(profile.cores, document["profiles"], strict=True):
        assert (found["type"], found["unit"], found["startValue"]) == ("sampled", "none", 0)
        assert sum(found["weights"]) == found["endValue"] == core.cycles
        assert len(found["weights"]) == len(found["samples"])
        assert all(0 <= frame < len(frames) for stack in found["samples"] for frame in stack)


def test_rows_add_up_to_the_time_of_each_core() -> None:
    profile, _ = profiled(example("fifo_interrupt"))
    analysis = analysed(profile)
    for core in analysis.cores:
        functions = sum(row["cycles"] for row in rows(analysis) if row["core"] == core.core)
        roots = sum(node.costs.sums.cycles for node in profile.cores[core.core].nodes if node.parent is None)
        assert functions + roots == core.sums.cycles
        assert sum(one.sums.cycles for one in analysis.roots if one.core == core.core) == core.sums.cycles
        sums = core.sums
        parts = sums.executing + sums.asleep + sums.switching + sums.conflicted + sums.waited
        assert parts == sums.cycles == core.cycles - core.off
        assert sums.executing >= 0


def test_times_go_by_the_clock_of_the_end_and_not_by_that_of_the_start() -> None:
    profile, _ = profiled(example("both_cores"))
    assert analysed(profile).cycle_us == 1 / 125
    assert 1e6 * profile.seconds / profile.ended > 1.1 / 125
