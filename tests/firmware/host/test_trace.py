"""The recorder on this machine: the program's own events, of threads that come between each other on every core.

With INTERCORE_SANITIZE and INTERCORE_SLOW=1, with a sanitizer, which builds a program of its own. Nothing rests on how
long anything takes.
"""

from __future__ import annotations

import os
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from intercore.record.trace_recording import Class, Kind
from intercore.target.targets import Address, find
from intercore.trace.history import History
from intercore.trace.path import Part, path_of
from intercore.trace.window import windows
from tests.built_once import ROOT, alone_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.link.session import Session
    from intercore.record.trace_recording import Event, Recording

pytestmark = pytest.mark.skipif(
    "INTERCORE_SANITIZE" in os.environ and "INTERCORE_SLOW" not in os.environ,
    reason="a sanitizer builds a program of its own: set INTERCORE_SLOW=1",
)

EVENTS = 1024


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with (
        alone_in(ROOT / "build" / "test-host-trace"),
        find("host").open(Address(build={"trace": EVENTS}), lambda _: None).session() as session,
    ):
        yield session


def in_order(recording: Recording) -> list[tuple[int, Event]]:
    """Return the events of all cores by the clock, each with its core, from when on nothing is missing of any.

    Where the scheduler is seen, a busy machine fills a ring with other programs' switches.
    """
    since = History(recording).whole_since or 0
    events = [(event.time, ring.core, n, event) for ring in recording.rings for n, event in enumerate(ring.events)]
    return [(core, event) for time, core, _, event in sorted(events, key=lambda one: one[:3]) if time >= since]


@pytest.mark.measures("switch", "jitter", "irq", "message", "api")
@pytest.mark.parametrize(
    ("benchmark", "factors", "series"),
    [
        ("switch", {"primitive": "notification"}, "switch"),
        ("switch", {"primitive": "counting-semaphore"}, "switch"),
        ("switch", {"primitive": "queue"}, "switch"),
        ("switch", {"primitive": "event-group"}, "switch"),
        ("switch", {"primitive": "stream-buffer"}, "switch"),
        ("switch", {"primitive": "mutex"}, "switch"),
        ("switch", {"time": "raw-counter"}, "switch"),
        ("jitter", {"period_us": 2000}, "late"),
        ("irq", {}, "latency"),
        ("message", {"transport": "ring"}, "latency"),
    ],
    ids=lambda one: "-".join(map(str, one.values())) if isinstance(one, dict) else str(one),
)
def test_what_is_measured_consists_of_parts_to_the_tick(
    session: Session, benchmark: str, factors: dict[str, str | int], series: str
) -> None:
    answer, recording = session.record(benchmark, {"samples": 4, **factors})
    history = History(recording)
    found = [window for window in windows(history, answer.series) if window.series == series]
    if benchmark != "irq":  # whom a handler comes between is up to the system, where there are no priorities
        assert len(found) == 4 or history.whole_since is not None
    for window in found:
        way = path_of(history, window)
        assert (way[0].begin, way[-1].end) == (window.begin, window.end)
        assert all(one.end == after.begin for one, after in pairwise(way))


@pytest.mark.measures("switch")
def test_who_is_woken_comes_in_after_who_woke_it(session: Session) -> None:
    answer, recording = session.record("switch", {"samples": 8})
    history = History(recording)
    parts = {segment.part for window in windows(history, answer.series) for segment in path_of(history, window)}
    assert Part.WAKE in parts
    made_ready: dict[int, int] = {}
    waits: set[int] = set()
    for _, event in in_order(recording):
        if event.kind is Kind.READY:
            made_ready[event.object] = event.time
        elif event.kind is Kind.OUT:
            waits.add(event.object)
            made_ready.pop(event.object, None)
        elif event.kind is Kind.TAKEN and event.object in waits:
            assert event.time >= made_ready.get(event.object, event.time)


@pytest.mark.measures("lock")
def test_a_mutex_is_taken_and_given_in_turns_whatever_core_it_is_on(session: Session) -> None:
    _, recording = session.record("lock", {"lock": "mutex", "samples": 8})
    events: defaultdict[int, list[Kind]] = defaultdict(list)
    cores: defaultdict[int, set[int]] = defaultdict(set)
    for core, event in in_order(recording):
        if event.kind in (Kind.TAKEN, Kind.GIVEN) and event.detail == Class.MUTEX:
            events[event.object].append(event.kind)
            cores[event.object].add(core)
    if History(recording).whole_since is None:
        assert any(len(one) > 8 for one in events.values())
        assert any(len(one) > 1 for one in cores.values())
    for kinds in events.values():
        assert all(one is not after for one, after in pairwise(kinds))


@pytest.mark.measures("message")
def test_a_message_is_sent_before_it_is_received(session: Session) -> None:
    _, recording = session.record("message", {"transport": "ring", "size": 64, "samples": 8})
    history = History(recording)
    pairs = [(sent, received) for received, sent in history.messages.items()]
    assert len(pairs) >= 8
    for sent, received in pairs:
        assert (history.event(sent).object, history.event(sent).detail) == (history.event(received).object, 64)
        assert history.event(sent).time <= history.event(received).time


@pytest.mark.measures("jitter")
def test_a_task_that_sleeps_has_said_until_when(session: Session) -> None:
    answer, recording = session.record("jitter", {"samples": 4, "period_us": 2000})
    history = History(recording)
    late = [window for window in windows(history, answer.series) if window.series == "late"]
    for window in late:
        first = path_of(history, window)[0]
        # Where the scheduler is seen, a timer's interrupt wakes it; a core that a sanitizer kept too long never slept.
        assert first.part in (Part.WAKE, Part.TIMER, Part.UNKNOWN)
    dues = [event for _, event in in_order(recording) if event.kind is Kind.DUE]
    assert len(dues) >= 4 or history.whole_since is not None
    assert {(event.object - event.time) % 2**32 < 10**9 for event in dues} == {True}


@pytest.mark.measures("switch")
def test_a_ring_that_overflows_keeps_the_last_events(session: Session) -> None:
    _, recording = session.record("switch", {"samples": 400, "dither_us": 10})
    ring = recording.rings[0]
    assert ring.recorded > EVENTS
    assert (len(ring.events), ring.missing) == (EVENTS, ring.recorded - EVENTS)


@pytest.mark.measures("switch")
def test_every_task_has_its_name(session: Session) -> None:
    _, recording = session.record("switch", {"samples": 2})
    ran = {
        recording.task(event.object).partition(" ")[0]
        for ring in recording.rings
        for event in ring.events
        if event.kind is Kind.IN
    }
    assert {"console", "switch"} <= ran
