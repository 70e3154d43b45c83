"""The benchmark `switch` of the real program: every primitive wakes a task that waits, on its own core and others."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from tests.firmware.host.conftest import series

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

ACROSS = ("binary-semaphore", "counting-semaphore", "mutex", "queue", "notification", "event-group", "stream-buffer")


def run(terminal: Terminal, words: str) -> list[dict[str, Any]]:
    answer = terminal.ask(f"run switch {words} samples=10 dither_us=50")
    checks = answer[-1].get("checks")
    assert answer[-1]["type"] == "end", answer[-1]
    assert answer[-1]["status"] == "ok", checks
    assert [checks[name] for name in ("done", "wrong", "migrated", "lost")] == [10, 0, 0, 0]
    return answer


@pytest.mark.parametrize("primitive", ACROSS)
def test_every_primitive_wakes_a_task_on_every_core(terminal: Terminal, primitive: str) -> None:
    cores = range(min(terminal.ask("info")[0]["cores"], 2))
    for (first, second), target in itertools.product(itertools.product(cores, cores), ("idle", "busy")):
        answer = run(terminal, f"primitive={primitive} from={first} to={second} target={target}")
        for name in ("switch", "call"):
            taken = series(answer)[name]
            assert len(taken) == 10
            assert all(ticks > 0 for ticks in taken)
        assert answer[-1]["checks"]["checked"] == (22 if first == second else 11), "on one core, each call as well"
        assert {line["clock"] for line in answer if line["type"] == "series"} == {"common"}


def test_a_yield_is_between_tasks_of_one_core(terminal: Terminal) -> None:
    terminal.need_realtime()
    assert all(ticks > 0 for ticks in series(run(terminal, "primitive=yield from=0 to=0"))["switch"])
    if terminal.ask("info")[0]["cores"] > 1:
        refused = terminal.ask("run switch primitive=yield from=0 to=1")[-1]
        assert refused["code"] == "unsupported"
        assert "with from and to the same" in refused["text"]


@pytest.mark.parametrize("time", ["aligned", "raw-counter"])
def test_counters_are_read_and_aligned_where_that_is_asked_for(terminal: Terminal, time: str) -> None:
    if terminal.ask("info")[0]["cores"] < 2:
        pytest.skip("this machine has one core")
    answer = run(terminal, f"from=0 to=1 time={time}")
    taken = series(answer)
    assert {line["clock"] for line in answer if line["type"] == "series"} == {"counter"}
    exchanged = {f"{when}.{name}" for when in ("before", "after") for name in ("at", "there", "back")}
    if time == "raw-counter":
        assert not exchanged & set(taken)
        return
    assert exchanged | {"moment"} <= set(taken)
    for when in ("before", "after"):
        trips = [a + b for a, b in zip(taken[f"{when}.there"], taken[f"{when}.back"], strict=True)]
        assert len(trips) == 64
        assert all(trip > 0 for trip in trips), "a reading lies between two others"
    assert taken["before.at"][0] == 0
    assert max(taken["before.at"]) < min(taken["moment"]) <= max(taken["moment"]) < min(taken["after.at"])


def test_on_one_core_there_is_nothing_to_align(terminal: Terminal) -> None:
    taken = series(run(terminal, "from=0 to=0 time=aligned"))
    assert "before.there" not in taken
    assert all(ticks > 0 for ticks in taken["switch"])


def test_more_samples_than_there_is_memory_for_are_refused(terminal: Terminal) -> None:
    most = next(
        line["max"] for line in terminal.ask("list")
        if line["type"] == "parameter" and (line["benchmark"], line["name"]) == ("switch", "samples")
    )  # fmt: skip
    assert terminal.ask(f"run switch samples={most + 1}")[-1]["code"] == "out-of-range"
    if terminal.ask("info")[0]["cores"] > 1:
        refused = terminal.ask(f"run switch from=0 to=1 samples={most} time=aligned")[-1]
        assert refused["code"] == "out-of-range", "the exchanges need some of it"
        assert "fewer" in refused["text"]


def test_values_that_make_no_sense_are_refused(terminal: Terminal) -> None:
    assert terminal.ask("run switch primitive=telepathy")[-1]["code"] == "bad-value"
    assert terminal.ask("run switch to=65")[-1]["code"] == "out-of-range"
    assert terminal.ask("run switch time=gmt")[-1]["code"] == "bad-value"
