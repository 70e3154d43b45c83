"""The picture of one repetition: each block is where the machine was at it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from intercore.trace.history import History, RecordCount
from intercore.trace.path import Part, Segment, path_of
from intercore.trace.timeline import WIDTH, Timeline, timeline, typical
from intercore.trace.window import windows
from tests.trace.machine import Machine


def drawn(steps: range, *, across: bool) -> tuple[Machine, Timeline]:
    machine = Machine()
    machine.wake(steps, across=across, disturbed=False)
    history = History(machine.recording())
    (window,) = windows(history, machine.series)
    return machine, timeline(history, window, path_of(history, window))


def test_parts_fill_the_measured_time_in_proportion_to_their_lengths() -> None:
    machine, picture = drawn(range(20, 40), across=True)
    parts = picture.lanes[0].blocks
    assert parts[0].left == pytest.approx(picture.begin)
    assert parts[-1].left + parts[-1].width == pytest.approx(picture.end)
    assert all(one.left + one.width == pytest.approx(after.left) for one, after in pairwise(parts))
    truth = machine.truth[0].parts
    assert [one.title.partition(":")[0] for one in parts] == [part.value for part, _ in truth]
    scale = (picture.end - picture.begin) / sum(length for _, length in truth)
    assert [one.width for one in parts] == pytest.approx([length * scale for _, length in truth])


def test_who_ran_where_and_who_was_woken_is_drawn_on_its_core() -> None:
    _, picture = drawn(range(20, 40), across=True)
    assert [lane.name for lane in picture.lanes] == [
        "measured", "core 0", "its interrupts", "core 1", "its interrupts",
    ]  # fmt: skip
    assert [one.look for one in picture.lanes[1].blocks] == ["task"]
    assert [one.look for one in picture.lanes[3].blocks][:2] == ["idle", "task"]
    assert [one.title.partition(":")[0] for one in picture.lanes[4].blocks] == ["inter-core interrupt"]
    woken = picture.lanes[3].blocks[1]
    arrow = next(one for one in picture.arrows if one.last == pytest.approx(woken.left))
    assert (arrow.first_lane, arrow.last_lane) == (1, 3)
    assert picture.begin < arrow.first < arrow.last < picture.end
    assert any(mark.title.startswith("makes ready woken") for mark in picture.lanes[1].marks)


def test_the_time_axis_counts_from_the_beginning_of_the_measured_time() -> None:
    machine, picture = drawn(range(20, 40), across=True)
    zero = next(tick for tick in picture.ticks if tick.label == "0")
    assert zero.at * WIDTH == pytest.approx(picture.begin)
    assert len([tick for tick in picture.ticks if tick.label]) >= 3
    took = sum(length for _, length in machine.truth[0].parts) / machine.recording().hz
    other = picture.ticks[-1]
    number, unit = other.label.split()
    seconds = float(number) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit]
    assert (other.at * WIDTH - picture.begin) / (picture.end - picture.begin) == pytest.approx(seconds / took)


def test_nothing_is_drawn_outside_and_no_text_where_there_is_no_room() -> None:
    _, picture = drawn(range(1, 30), across=False)
    for lane in picture.lanes:
        for block in lane.blocks:
            assert 0 <= block.left <= block.left + block.width <= WIDTH + 1e-9
            assert not block.text or len(block.text) * 7 < block.width


def test_the_typical_sample_is_the_middle_one_of_those_of_which_all_parts_are_known() -> None:
    machine = Machine()
    for n in (1, 30, 10):
        machine.wake(range(n, n + 10), across=True, disturbed=False)
    history = History(machine.recording())
    found = windows(history, machine.series)
    ways = [path_of(history, window) for window in found]
    chosen = typical(found, ways)
    assert chosen is not None
    assert chosen[0].number == 2
    unknown = [[Segment(Part.UNKNOWN, 0, 0, 1, RecordCount(0, 0), None)]] * 3
    assert typical(found, unknown) is None
