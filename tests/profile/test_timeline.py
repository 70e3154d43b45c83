"""Timelines of a profile: the same run again, with each task, interrupt and call at its cycle."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from intercore.files.replacement import PERFETTO
from intercore.profile import timeline as module
from intercore.profile.perfetto import perfetto
from intercore.profile.recorded import Profile, take
from intercore.profile.timeline import Clock, Interrupts, Run, Timeline, timeline
from intercore.sim import Simulator
from tests.profile.programs import CYCLES, variant
from tests.sim.firmware import example

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TASKS = """
struct block { char before[0x40]; char name[16]; } first = {.name = "first"}, second = {.name = "second"};
struct block *volatile pxCurrentTCBs[2];
void example(void) {
    pxCurrentTCBs[0] = &first;
    start_line();
    work_in_sram4(TURNS);
    pxCurrentTCBs[0] = &second;
    start_line();
    work_in_sram4(TURNS);
    pxCurrentTCBs[0] = &first;
"""


def recorded(image: Path) -> tuple[Profile, Timeline, Simulator]:
    simulator = Simulator(image)
    start = simulator.snapshot()
    simulator.start_profile()
    simulator.run(CYCLES)
    profile = take(simulator, "image", "the end", simulator.seconds)
    return profile, timeline(simulator, start, profile, lambda _: None), simulator


def test_calls_and_interrupts_are_as_many_as_in_the_profile() -> None:
    profile, found, simulator = recorded(example("alarm"))
    assert simulator.now == profile.ended
    (handler,) = (node for node in profile.cores[0].nodes if node.kind == "handler" and node.costs.calls)
    runs = found.cores[0].interrupts
    assert Counter(run.name for run in runs) == {"IRQ 0 TIMER_IRQ_0": 100} == {handler.name: handler.costs.calls}
    assert all(before.end <= after.begin for before, after in itertools.pairwise(runs))
    assert Counter(name for _, name in found.cores[0].calls)["on_alarm"] == 100
    _, found, _ = recorded(example("both_cores"))
    assert Counter(name for _, name in found.cores[0].calls)["work_in_sram4"] == 3
    assert Counter(name for _, name in found.cores[1].calls)["work_in_sram5"] == 1


def test_losses_of_all_slices_add_up_to_those_of_the_profile() -> None:
    profile, found, _ = recorded(example("fifo_interrupt", "flash"))
    for number, (core, recorded_core) in enumerate(zip(found.cores, profile.cores, strict=True)):
        sums = [node.costs.sums for node in recorded_core.nodes]
        assert sum(loss.conflicts for loss in core.losses) == sum(one.conflicted for one in sums)
        assert sum(loss.flash + loss.peripherals for loss in core.losses) == sum(one.waited for one in sums)
        missed = sum(one.times for one in profile.losses if one.core == number and one.to in {"nobody", "eviction"})
        assert sum(loss.misses for loss in core.losses) == missed
        assert core.losses[0].begin == profile.begun
        assert core.losses[-1].end == profile.ended
        assert all(loss.begin < loss.end for loss in core.losses)


def test_tasks_have_their_names_and_follow_each_other(tmp_path: Path) -> None:
    image = variant("both_cores", "void example(void) {", TASKS, tmp_path)
    profile, found, _ = recorded(image)
    runs = found.cores[0].tasks
    assert [run.name for run in runs] == ["task first", "task second", "task first"]
    assert runs[0].end == runs[1].begin
    assert runs[1].end == runs[2].begin
    assert runs[2].end == profile.ended
    calls = [cycle for cycle, name in found.cores[0].calls if name == "work_in_sram4"]
    for run in runs[:2]:
        assert len([cycle for cycle in calls if run.begin < cycle < run.end - 4000]) == 1
    assert found.cores[1].tasks == []


def test_a_task_has_the_name_that_it_had_when_it_began_also_if_its_block_is_that_of_another_one(tmp_path: Path) -> None:
    again = TASKS.replace("= &second;", "= &second, first.name[0] = 'F';")
    profile, found, simulator = recorded(variant("both_cores", "void example(void) {", again, tmp_path))
    first, second = (simulator.address(name) for name in ("first", "second"))
    names = [(0, "thread mode"), (first, "task first"), (second, "task second"), (first, "task First")]
    assert profile.tasks == names
    names_of_first = "task first or task First"
    assert [run.name for run in found.cores[0].tasks] == [names_of_first, "task second", names_of_first]


def test_a_spinlock_is_held_as_often_and_as_long_as_in_the_profile() -> None:
    profile, found, _ = recorded(example("spinlock"))
    for lock, holds in found.locks.items():
        used = [use for use in profile.locks if use.lock == lock]
        assert len(holds) == sum(use.claims for use in used)
        for before, after in itertools.pairwise(holds):
            assert before.begin < before.end <= after.begin
        known = sum(hold.end - hold.begin for hold in holds if hold.end < profile.ended)
        assert known == sum(use.held for use in used)
    assert {(hold.core, hold.function) for hold in found.locks[0]} == {(0, "example"), (1, "pong")}


def test_interrupts_are_within_those_that_they_interrupt() -> None:
    found = Interrupts(["A", "B"])
    found.leave(5, "C")  # entered before
    for cycle, name in ((10, "A"), (20, "B"), (25, "not shown")):
        found.enter(cycle, name)
    for cycle, left in ((30, "not shown"), (35, "B"), (40, "A")):
        found.leave(cycle, left)
    found.enter(50, "A")
    found.enter(60, "B")
    found.leave(70, "A")  # a fault while a frame is read back ends both
    found.enter(80, "A")
    expected = [(20, 35, "B"), (10, 40, "A"), (60, 70, "B"), (50, 70, "A"), (80, 99, "A")]
    assert found.runs(99) == [Run(*one) for one in expected]


def test_functions_with_too_many_calls_are_left_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CALLS", 2)
    _, found, _ = recorded(example("both_cores"))
    assert "work_in_sram4" in found.left_out
    assert "work_in_sram4" not in {name for _, name in found.cores[0].calls}


def test_time_goes_on_through_changes_of_the_clock() -> None:
    clock = Clock()
    for moment in ((100, 1.0), (200, 1.1), (300, 1.11)):
        clock.add(*moment)
    assert [clock.ns(cycle) for cycle in (100, 150, 200, 250, 300)] == [
        0,
        50_000_000,
        100_000_000,
        105_000_000,
        110_000_000,
    ]
    assert clock.ns(310) == 111_000_000


def test_perfetto_reads_the_file() -> None:
    profile, found, _ = recorded(example("fifo_interrupt", "flash"))
    content = perfetto(found, "app.elf")
    assert PERFETTO.beginning.match(content)
    trace = Trace()
    assert trace.ParseFromString(content) == len(content)
    tracks = {
        one.track_descriptor.uuid: one.track_descriptor for one in trace.packet if one.HasField("track_descriptor")
    }
    events: defaultdict[str, list[TrackEvent]] = defaultdict(list)
    moments = [packet.timestamp for packet in trace.packet if packet.HasField("track_event")]
    assert moments == sorted(moments)
    assert moments[-1] <= 1e9 * profile.seconds
    for packet in trace.packet:
        if packet.HasField("track_event"):
            events[tracks[packet.track_event.track_uuid].name].append(packet.track_event)
    assert {one.type for one in events["calls"]} == {TrackEvent.TYPE_INSTANT}
    assert [one.type for one in events["interrupts"]][:2] == [TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END]
    assert {one.name for one in events["interrupts"]} == {"IRQ 15 SIO_IRQ_PROC0", "IRQ 16 SIO_IRQ_PROC1", ""}
    assert max(one.double_counter_value for one in events["misses of the flash cache"]) > 1
    values = [one.double_counter_value for one in events["instructions"]]
    assert values
    assert all(0 <= value <= 110 for value in values)
    groups = {one.process.process_name for one in tracks.values() if one.HasField("process")}
    assert groups == {f"core {core} of app.elf, SIMULATED" for core in (0, 1)}
