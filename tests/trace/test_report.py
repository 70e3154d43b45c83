"""What people read of a recording: shares that add up, the recorder's own cost apart, and what is missing."""

from __future__ import annotations

import re

import msgspec
import numpy as np
import pytest

from intercore.record.measurement import Series
from intercore.record.trace_recording import Cause, Event, Kind, Recording, Ring
from intercore.trace.history import History, RecordCount
from intercore.trace.path import Part, Segment
from intercore.trace.report import analysed, rows, section
from intercore.trace.shares import shares, traced
from tests.trace.machine import COST, HZ, IDLE, LEADER, WOKEN, Machine


def machine(count: int = 3) -> Machine:
    made = Machine()
    for n in range(count):
        made.wake(range(10 + n, 30 + n), across=True, disturbed=False)
    return made


def told(recording: Recording, series: list[Series]) -> str:
    history = History(recording)
    found = traced(history, series, {one.name: one for one in series})
    return " ".join(section(analysed(history, found, "pico-sim", "simulated", "wake", "x.pftrace")).sentences)


def test_the_shares_of_a_time_add_up_and_the_recorder_has_its_part_of_each() -> None:
    made = machine()
    history = History(made.recording())
    (one,) = traced(history, made.series, {})
    mean = sum(length for truth in made.truth for _, length in truth.parts) / 3
    assert sum(share.us for share in one.shares) == pytest.approx(mean * 1e6 / HZ)
    events = sum(share.recorder_us for share in one.shares) / (COST * 1e6 / HZ)
    assert events == pytest.approx(8), "two readings less one, given, ready, rung, in, out, out, in"
    assert (one.samples, one.found, one.plain_us) == (3, 3, None)
    listed = rows(analysed(history, [one], "pico-sim", "simulated", "wake", "x"))
    assert sum(float(str(row["share"])) for row in listed) == pytest.approx(1)


def test_the_longest_sample_has_its_steps_in_order_with_who_ran() -> None:
    made = machine()
    history = History(made.recording())
    (one,) = traced(history, made.series, {})
    assert one.longest.number == 2
    truth = [(part, length * 1e6 / HZ) for part, length in made.truth[2].parts]
    assert [(step.part, pytest.approx(step.us)) for step in one.longest.steps] == truth
    assert sum(step.us for step in one.longest.steps) == pytest.approx(one.longest.us)
    first, last = one.longest.steps[0], one.longest.steps[-1]
    assert (first.core, first.task) == (0, history.recording.task(LEADER))
    assert (last.core, last.task) == (1, history.recording.task(WOKEN))
    text = told(made.recording(), made.series)
    assert "The longest of these 3 samples of wake took" in text


def test_document_has_time_per_part_and_losses_per_core() -> None:
    made = machine(8)
    history = History(made.recording((40, 1000)))
    series = traced(history, made.series, {one.name: one for one in made.series})
    found = msgspec.json.decode(msgspec.json.encode(analysed(history, series, "pico-sim", "simulated", "wake", "x")))
    assert (found["target"], found["origin"], found["series"][0]["series"]) == ("pico-sim", "simulated", "wake")
    assert found["series"][0]["shares"][0]["part"] == "signal"
    assert [core["missing"] for core in found["cores"]] == [len(made.events[0]) - 40, 0]


def test_a_part_that_is_shorter_than_its_events_cost_is_all_the_recorders() -> None:
    history = History(machine().recording())
    (share,) = shares(history, [[Segment(Part.RING, 0, 0, COST - 1, RecordCount(1, 0), None)]])
    assert (share.own_us, share.recorder_us) == (0.0, share.us)


def test_a_whole_recording_is_told_with_its_medians_its_parts_and_its_cost() -> None:
    made = machine()
    text = told(made.recording(), made.series)
    assert re.search(r"wake: \S+ µs with the recorder on, and \S+ µs with the recorder off \(medians\)", text)
    assert "parts are known of 3 of 3" in text
    assert "3.00 µs on core 0 and 3.00 µs on core 1" in text
    assert "missing" not in text


def test_a_ring_that_overflowed_is_told_with_how_much_is_missing_of_which_core() -> None:
    made = machine()
    text = told(made.recording((12, 1000)), made.series)
    recorded = len(made.events[0])
    assert f"The ring of core 0 has overflowed: the first {recorded - 12} of its {recorded} events are missing" in text
    assert "of core 1 has overflowed" not in text


def test_what_no_reading_was_kept_of_is_told_as_nothing() -> None:
    made = machine()
    assert told(made.recording((0, 0)), made.series).startswith("No kept event is a timestamp")


def test_two_counters_are_told_beside_the_common_clock() -> None:
    made = Machine()
    made.put(0, Kind.COUNTED, 1000)
    made.pass_time(50)
    made.put(0, Kind.COUNTED, 91000)
    made.put(0, Kind.SAMPLE, 90000)
    made.put(0, Kind.OUT, LEADER)
    text = told(made.recording(), [Series("switch", "counter", HZ, np.array([90000]))])
    assert "own counters: 90.0 ms" in text
    assert "common clock 50.0 µs" in text


@pytest.mark.parametrize(
    ("scheduler", "says", "not_says"),
    [
        (None, (), ("scheduler",)),
        ("seen", ("from Linux' scheduler", "could not be measured on each core"), ("from the program",)),
        (
            "not seen: /a/id: Permission denied",
            ("not from Linux' scheduler", "as root", "here /a/id: Permission denied."),
            (),
        ),
        ("not seen", ("not from Linux' scheduler", "here the reason is unknown."), ()),
    ],
)
def test_it_says_whether_the_scheduler_of_linux_was_seen_and_why_not(
    scheduler: str | None, says: tuple[str, ...], not_says: tuple[str, ...]
) -> None:
    made = machine()
    history = History(made.recording())
    series = traced(history, made.series, {})
    text = " ".join(section(analysed(history, series, "host", "measured", "wake", "x", scheduler=scheduler)).sentences)
    assert all(one in text for one in says)
    assert not [one for one in not_says if one in text]


def of_linux(scheduler_cost: int) -> tuple[History, list[Series]]:
    """A wake-up from core 0 to core 1 as Linux tells it, an own event at 10 ns each; a timer wakes another task."""
    events = [
        [(1000, Kind.READ, 0, 0), (1500, Kind.READY, 0, WOKEN), (4000, Kind.OUT, 0, LEADER)],
        [
            *((1200, kind, Cause.TIMER, 0) for kind in (Kind.INTERRUPT_IN,)),
            (1200, Kind.READY, 0, IDLE[0]),
            (1200, Kind.INTERRUPT_OUT, Cause.TIMER, 0),
            (2500, Kind.OUT, 1, IDLE[1]),
            (2500, Kind.IN, 0, WOKEN),
            (3000, Kind.TAKEN, 0, WOKEN),
            (3500, Kind.READ, 0, 0),
            (3600, Kind.SAMPLE, 0, 2500),
            (3700, Kind.IN, 1, IDLE[1]),
        ],
    ]
    rings = tuple(
        Ring(core, len(one), tuple(Event(time, kind, detail, number) for time, kind, detail, number in one), (10,),
             scheduler_cost)
        for core, one in enumerate(events)
    )  # fmt: skip
    return History(Recording(10**9, rings, {})), [Series("switch", "common", 10**9, np.array([2500]))]


def test_overhead_of_a_linux_scheduler_record_counts_once() -> None:
    history, series = of_linux(200)
    (one,) = traced(history, series, {})
    recorder_ns = {share.part.value: share.recorder_us * 1000 for share in one.shares}
    assert recorder_ns == pytest.approx({
        "signal": 10,  # the reading
        "wake-up": 200,  # that the task is made ready
        "return": 200 + 10,  # that it comes, and what it takes
    })  # fmt: skip
    made = [history.cores[core].records_between(0, len(history.cores[core].events)) for core in (0, 1)]
    assert made == [RecordCount(1, 2), RecordCount(3, 2)], "a lone OUT is a record; that one is seen late is made up"


def test_what_a_record_of_the_scheduler_costs_is_told_for_each_core() -> None:
    history, series = of_linux(200)
    found = analysed(history, traced(history, series, {}), "host", "measured", "switch", "x", scheduler="seen")
    assert [core.scheduler_cost_us for core in found.cores] == [pytest.approx(0.2)] * 2
    assert "200 ns on core 0 and 200 ns on core 1, measured" in " ".join(section(found).sentences)


def test_events_belong_to_the_program_when_record_cost_is_unknown() -> None:
    history, series = of_linux(0)
    (one,) = traced(history, series, {})
    recorder_ns = {share.part.value: share.recorder_us * 1000 for share in one.shares}
    assert recorder_ns == pytest.approx({"signal": 10, "wake-up": 0, "return": 30})
    found = analysed(history, [one], "host", "measured", "switch", "x", scheduler="seen")
    assert [core.scheduler_cost_us for core in found.cores] == [None, None]
