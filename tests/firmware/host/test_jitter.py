"""The benchmark `jitter` of the real program: activations on the grid, migrations that happen, bad values refused."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from intercore.statistics.histogram import bin_bounds
from tests.firmware.host.conftest import cores, series
from tests.firmware.host.units import check

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal


def test_releases_are_recorded_in_stretches_and_never_early(terminal: Terminal) -> None:
    answer = terminal.ask("run jitter core=0 period_us=1000 samples=600")
    assert answer[-1]["status"] == "ok"
    checks = answer[-1]["checks"]
    assert (checks["done"], checks["checked"], checks["wrong"], checks["migrated"]) == (600, 602, 0, 0)
    taken = series(answer)
    assert taken["begins"] == [0, 500]
    assert len(taken["late"]) == 600
    assert min(taken["late"]) >= 0
    soon = 300 if terminal.has_realtime() else 1  # elsewhere a busy machine decides who runs
    assert sorted(taken["late"])[soon - 1] < 1_000_000, "so many activations are late by less than a period"
    assert "core" not in taken
    assert "migrations_requested" not in checks


@pytest.mark.parametrize("how", ["affinity", "blockers", "published"])
def test_migrations_asked_for_happen(terminal: Terminal, how: str) -> None:
    if cores(terminal) < 2:
        assert terminal.ask(f"run jitter migrate={how} samples=1")[-1]["code"] == "unsupported"
        return
    if how != "affinity":
        terminal.need_realtime()
    answer = terminal.ask(f"run jitter migrate={how} period_us=5000 samples=100")
    checks = answer[-1]["checks"]
    assert (checks["done"], checks["wrong"], checks["migrated"], checks["lost"]) == (100, 0, 0, 0)
    if not terminal.has_realtime():
        return  # nobody's priority sees to it that a mover is done before the next one is asked
    assert answer[-1]["status"] == "ok"
    assert checks["migrations_done"] == checks["migrations_requested"]
    assert 90 <= checks["migrations_requested"] <= 100, "a loaded machine may be late with a few"
    where = series(answer)["core"]
    changes = sum(a != b for a, b in pairwise(where))
    assert changes >= checks["migrations_requested"] - 10


@pytest.mark.parametrize(
    ("load", "work"),
    [
        *((load, "loop") for load in ("core0", "core1", "both", "same-priority")),
        *(("both", work) for work in ("queue", "memory", "uart")),
    ],
)
def test_load_ends_with_the_measurement(terminal: Terminal, load: str, work: str) -> None:
    if cores(terminal) < 2 and load == "core1":
        return
    answer = terminal.ask(f"run jitter load={load} load_work={work} period_us=2000 samples=20")
    assert answer[-1]["status"] == "ok"
    assert len(series(answer)["late"]) == 20
    assert terminal.ask("run jitter samples=1 period_us=1000")[-1]["status"] == "ok"


def test_a_task_without_a_core_tells_where_it_was(terminal: Terminal) -> None:
    known = cores(terminal)
    answer = terminal.ask("run jitter core=any period_us=1000 samples=20")
    assert answer[-1]["status"] == "ok"
    where = series(answer)["core"]
    assert len(where) == 20
    assert all(0 <= core < known for core in where)


def test_a_period_is_told_where_the_wake_time_is_set_anew(terminal: Terminal) -> None:
    answer = terminal.ask("run jitter core=0 period_us=2000 samples=20 wake=reset work_us=1500")
    assert answer[-1]["status"] == "ok"
    taken = series(answer)
    assert len(taken["period"]) == 20
    assert all(
        period >= 2_000_000 - late for period, late in zip(taken["period"], [max(taken["late"])] * 20, strict=True)
    )
    assert "period" not in series(terminal.ask("run jitter core=0 period_us=1000 samples=2"))


def test_raw_counters_of_one_core_tell_the_period(terminal: Terminal) -> None:
    answer = terminal.ask("run jitter core=0 period_us=2000 samples=20 time=raw-counter")
    told = {line["key"]: line["value"] for line in terminal.ask("info") if line["type"] == "condition"}
    if told["clock.counter_bits"] == "0":
        assert (answer[-1]["code"], "take time=common" in answer[-1]["text"]) == ("unsupported", True)
        return
    (raw,) = (line for line in answer if line["type"] == "series" and line["name"] == "raw")
    assert raw["clock"] == "counter"
    taken = series(answer)
    late = [b - a for a, b in pairwise(taken["late"])]
    pairs = zip(taken["raw"][1:], late, strict=True)
    agree = [counts / raw["hz"] == pytest.approx(0.002 + longer / 1e9, rel=0.01, abs=2e-6) for counts, longer in pairs]
    # Others may take the core between the reading of the clock and that of the counter.
    assert agree.count(True) > len(agree) / 2


@pytest.mark.parametrize("bits", [16, 24, 32])
def test_raw_counters_are_read_with_as_many_bits_as_asked_for(terminal: Terminal, bits: int) -> None:
    """Of a counter that never steps back, the differences lie on the circle of so many bits."""
    answer = terminal.ask(f"run jitter core=0 period_us=2000 samples=20 time=raw-counter counter_bits={bits}")
    if answer[-1].get("code") == "unsupported":
        return
    (hz,) = {line["hz"] for line in answer if line["type"] == "series" and line["name"] == "raw"}
    circle = 2**bits
    taken = series(answer)
    assert all(0 <= counts < circle for counts in taken["raw"])
    late = [b - a for a, b in pairwise(taken["late"])]
    expected = [(0.002 + longer / 1e9) * hz for longer in late]
    leeway = 0.01 * 0.002 * hz
    off = [
        (counts - true + circle / 2) % circle - circle / 2
        for counts, true in zip(taken["raw"][1:], expected, strict=True)
    ]
    # Others may take the core between the reading of the clock and that of the counter.
    assert sum(abs(one) < leeway for one in off) > len(off) / 2


def test_a_run_can_be_stopped(terminal: Terminal) -> None:
    terminal.type("run jitter core=0 period_us=100000 samples=1000 load=both\n")
    for message in iter(terminal.message, None):
        if message["type"] == "progress":
            break
    terminal.type("abort\n")
    answer = terminal.answer()
    assert answer[-1]["status"] == "aborted"
    assert len(series(answer)["late"]) == answer[-1]["checks"]["done"] < 1000


def test_what_is_counted_is_not_kept(terminal: Terminal) -> None:
    answer = terminal.ask("run jitter core=0 period_us=1000 samples=10 counted=600")
    taken = series(answer)
    assert answer[-1]["status"] == "ok"
    assert answer[-1]["checks"]["done"] == 610
    assert len(taken["late"]) == 10
    assert sum(taken["late.counts"]) == 600
    assert sum(taken["longer.counts"]) + sum(taken["shorter.counts"]) == 600
    low, high, shortest, longest = taken["extremes"]
    assert 0 <= low <= high
    assert shortest <= 0 <= longest <= high
    # By how much the first activation of a stretch is late is not recorded, but the period behind it is.
    for name, at, value in (
        ("late.counts", 0, low),
        ("late.counts", -1, high),
        ("longer.counts", -1, longest),
        ("shorter.counts", -1, -shortest),
    ):
        used = [number for number, count in enumerate(taken[name]) if count][at]
        lows, highs = bin_bounds(used + 1)
        assert lows[used] <= value <= highs[used], name


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("period_us=1500", "bad-value"),
        ("period_us=0", "out-of-range"),
        ("period_us=1000 work_us=1000", "bad-value"),
        ("core=2", "bad-value"),
        ("priority=2", "out-of-range"),
        ("priority=8", "out-of-range"),
        ("load=same-priority migrate=affinity", "bad-value"),
        ("migrate=often", "bad-value"),
        ("wake=never", "bad-value"),
        ("time=aligned", "bad-value"),
    ],
)
def test_what_cannot_be_is_refused(terminal: Terminal, words: str, code: str) -> None:
    assert terminal.ask(f"run jitter {words}")[-1]["code"] == code


def test_its_series_come_in_their_units(terminal: Terminal) -> None:
    counts = dict.fromkeys(("late.counts", "longer.counts", "shorter.counts"), "count")
    units = {"late": "tick", "core": "core", "begins": "count", "extremes": "tick", **counts}
    check(terminal, "jitter migrate=unsynchronised samples=50 counted=50", units)
    more = {"period": "tick", "raw": "tick", "late": "tick", "core": "core", "begins": "count"}
    check(terminal, "jitter core=any wake=reset time=raw-counter samples=20 period_us=1000", more)
