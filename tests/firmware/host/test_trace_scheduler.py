"""What Linux' scheduler tells, among the recorder's events: where its trace points may be read.

That is for root, in a mount namespace with a tracefs; elsewhere these tests are left out. Nothing rests on how long
anything takes.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.record.trace_recording import Cause, Kind
from intercore.trace.history import History
from intercore.trace.path import Part, path_of
from intercore.trace.window import windows
from tests.built_once import ROOT, alone_in

if TYPE_CHECKING:
    from pathlib import Path

    from tests.firmware.host.record_scheduled import Asked, Scheduled, Taken

pytestmark = [
    pytest.mark.skipif(
        "INTERCORE_SANITIZE" in os.environ and "INTERCORE_SLOW" not in os.environ,
        reason="a sanitizer builds a program of its own: set INTERCORE_SLOW=1",
    ),
    pytest.mark.measures("switch", "jitter", "message", "lock"),
]

EVENTS = 1024
RECORDER = "from tests.firmware.host.record_scheduled import main; main()"
TRACING = "/sys/kernel/tracing"
MOUNT = f"mount -t tracefs tracefs {TRACING}"
PATIENCE = 20
"""Recordings until one is whole; most are."""
MOST_UNEXPLAINED = 4
"""Recordings that are not whole though nothing shows that a record was lost."""
ASKED: dict[str, Asked] = {
    "notification": ("switch", {"samples": 4, "primitive": "notification"}),
    "queue": ("switch", {"samples": 4, "primitive": "queue"}),
    "same core": ("switch", {"samples": 4, "from": 0, "to": 0}),
    "jitter": ("jitter", {"samples": 4, "period_us": 2000}),
    "message": ("message", {"samples": 4, "transport": "ring", "size": 64}),
    "mutex": ("lock", {"samples": 4, "lock": "mutex"}),
    "overflow": ("switch", {"samples": 400, "dither_us": 10}),
}


def recorded_in(mount: str, file: Path, asked: list[Asked], *namespaces: str) -> Scheduled:
    """What is recorded in a mount namespace of its own, behind a mount; left out where there can be none."""
    inside = f'{mount} && exec "$@"'
    program = [sys.executable, "-c", RECORDER, str(file), str(EVENTS)]
    with alone_in(ROOT / "build" / "test-host-trace"):
        done = subprocess.run(
            ["unshare", "--mount", *namespaces, "--propagation", "private", "sh", "-c", inside, "sh", *program],
            cwd=ROOT,
            input=msgspec.json.encode(asked),
            capture_output=True,
            timeout=500,
            check=False,
        )
    if done.returncode and not done.stderr.count(b"Traceback"):
        pytest.skip(f"no mount of its own here: {done.stderr.decode().strip()}")
    assert done.returncode == 0, done.stderr.decode()
    found: Scheduled = pickle.loads(file.read_bytes())  # noqa: S301 - written above
    return found


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Taken]:
    file = tmp_path_factory.mktemp("scheduled") / "taken.json"
    found = recorded_in(MOUNT, file, [*ASKED.values()])
    if found.scheduler != "seen":
        pytest.skip(f"the trace points of Linux' scheduler may not be read here: {found.scheduler}")
    return dict(zip(ASKED, found.taken, strict=True))


@pytest.mark.parametrize("name", ASKED)
def test_who_leaves_a_core_is_who_came_last_and_nobody_comes_before_another_has_left(
    taken: dict[str, Taken], name: str
) -> None:
    cores = [
        [event for event in ring.events if event.kind in (Kind.IN, Kind.OUT)] for ring in taken[name].recording.rings
    ]
    assert max(map(len, cores)) > 2, "a core that the benchmark does not use may have one task all along"
    for switches in cores:
        for one, after in pairwise(switches):
            if after.kind is Kind.OUT:
                assert (one.kind, one.object) == (Kind.IN, after.object)
            else:
                seen_late = after.detail == 1
                assert one.kind is Kind.OUT or seen_late, "Linux loses a record now and then"


@pytest.mark.parametrize("name", ASKED)
def test_what_is_measured_consists_of_parts_to_the_tick(taken: dict[str, Taken], name: str) -> None:
    history = History(taken[name].recording)
    found = windows(history, taken[name].series)
    assert found
    for window in found:
        way = path_of(history, window)
        assert (way[0].begin, way[-1].end) == (window.begin, window.end)
        assert all(one.end == after.begin for one, after in pairwise(way))


def loses_records(history: History) -> bool:
    """Whether a task was there that had not been seen to come, save the first of a core."""
    return any(
        event.kind is Kind.IN
        and event.detail == 1
        and core.last(index, lambda event: event.kind is Kind.IN) is not None
        for core in history.cores
        for index, event in enumerate(core.events)
    )


@pytest.mark.parametrize("name", ["notification", "queue", "same core"])
def test_of_each_wake_up_it_is_known_when_the_task_had_its_core_again(taken: dict[str, Taken], name: str) -> None:
    history = History(taken[name].recording)
    found = [window for window in windows(history, taken[name].series) if window.series == "switch"]
    assert len(found) == 4 or history.whole_since is not None
    for window in found:
        way = path_of(history, window)
        assert way[-1].part is Part.RETURN
        if Part.UNKNOWN in {segment.part for segment in way}:
            assert loses_records(history), "all is known where nothing is lost"
            continue
        come = history.cores[way[-1].core].at(way[-1].begin)
        there = history.cores[way[-1].core].events[come : come + 4]
        assert Kind.IN in {event.kind for event in there}, "where the return begins, the scheduler has switched"


def test_wake_ups_are_known_whole_where_nothing_is_lost(tmp_path: Path) -> None:
    """Linux may lose records for a while, the last ones of a task without a trace: so recordings are made until one is
    whole. Where it loses some of each, as some virtual machines do for minutes, nothing can be said."""
    unexplained = 0
    for _ in range(PATIENCE):
        found = recorded_in(MOUNT, tmp_path / "taken.json", [ASKED["notification"]])
        if found.scheduler != "seen":
            pytest.skip(found.scheduler)
        (taken,) = found.taken
        history = History(taken.recording)
        ways = [path_of(history, one) for one in windows(history, taken.series) if one.series == "switch"]
        parts = [{segment.part for segment in way} for way in ways]
        if loses_records(history):
            continue
        if parts and all({Part.SIGNAL, Part.RETURN} <= one and Part.UNKNOWN not in one for one in parts):
            return
        unexplained += 1
        assert unexplained < MOST_UNEXPLAINED, "recordings without a sign of a lost record should be whole"
    pytest.skip(f"Linux lost records in each of {PATIENCE} recordings")


def test_what_a_record_costs_was_measured_on_each_core(taken: dict[str, Taken]) -> None:
    costs = [[ring.scheduler_cost for ring in one.recording.rings] for one in taken.values()]
    assert all(any(found) for found in zip(*costs, strict=True)), "now and then it cannot be told on a busy machine"


def test_who_sleeps_is_made_ready_in_an_interrupt_of_a_timer(taken: dict[str, Taken]) -> None:
    history = History(taken["jitter"].recording)
    found = [window for window in windows(history, taken["jitter"].series) if window.series == "late"]
    parts = [path_of(history, window)[0].part for window in found]
    # A core that was kept too long never slept, the first time.
    assert Part.TIMER in parts
    assert parts.count(Part.TIMER) >= len(parts) - 1 or loses_records(history)
    for core in history.cores:
        woken = [core.enclosing[index] for index, event in enumerate(core.events) if event.kind is Kind.READY]
        begun = [core.events[index] for index in woken if index is not None]
        assert all(event.detail == Cause.TIMER for event in begun)


def test_tasks_have_their_names_and_are_created_made_ready_and_come_in_that_order(taken: dict[str, Taken]) -> None:
    recording = taken["notification"].recording
    events = sorted(((event.time, event) for ring in recording.rings for event in ring.events), key=lambda one: one[0])
    assert {"console", "switch"} <= {
        recording.task(event.object).partition(" ")[0] for _, event in events if event.kind is Kind.IN
    }
    created = [event.object for _, event in events if event.kind is Kind.CREATED]
    assert created
    for task in created:
        life = [event.kind for _, event in events if event.object == task and event.kind <= Kind.READY]
        assert life[:2] == [Kind.CREATED, Kind.READY]
        assert life[2:3] == [Kind.IN] or loses_records(History(recording))


def test_a_ring_that_overflows_says_how_many_are_missing_and_keeps_the_last_of_both(taken: dict[str, Taken]) -> None:
    rings = taken["overflow"].recording.rings
    for ring in rings:
        assert ring.missing > 0
        assert len(ring.events) <= EVENTS
        kinds = {event.kind for event in ring.events}
        assert kinds >= {Kind.IN, Kind.OUT}
    history = History(taken["overflow"].recording)
    since = history.whole_since
    assert since is not None
    assert all(window.begin >= since for window in windows(history, taken["overflow"].series))


def test_where_there_is_no_tracefs_the_programs_own_events_stand_in_and_it_says_why(tmp_path: Path) -> None:
    asked = [ASKED["notification"]]
    found = recorded_in(f"mount -t tmpfs tmpfs {TRACING}", tmp_path / "taken.json", asked)
    assert found.scheduler == (f"not seen: {TRACING}/events/sched/sched_switch/id: No such file or directory")
    history = History(found.taken[0].recording)
    assert len(windows(history, found.taken[0].series)) >= 4


def test_where_threads_have_other_numbers_than_the_scheduler_tells_it_is_not_asked(tmp_path: Path) -> None:
    mounts = f"mount -t proc proc /proc && {MOUNT}"
    asked = [ASKED["notification"]]
    found = recorded_in(mounts, tmp_path / "taken.json", asked, "--pid", "--fork")
    if "perf_event_open" in found.scheduler or "sched_switch" in found.scheduler:
        pytest.skip(f"the trace points of Linux' scheduler may not be read here: {found.scheduler}")
    assert found.scheduler == "not seen: the program is in a PID namespace, where threads have other numbers than there"
    history = History(found.taken[0].recording)
    assert len(windows(history, found.taken[0].series)) >= 4
