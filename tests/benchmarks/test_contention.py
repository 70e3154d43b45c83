"""The analysis and the report of `contention`: known answers, any input, and what people are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.contention.analysis import analyse, warnings
from intercore.benchmarks.contention.report import report
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Bars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.contention.contest import Contest
    from intercore.record.measurement import Unit

HZ = 1_000_000
WINDOW_MS = 100
WINDOW, TOWER = 100_000, 1000  # ticks; of a tower alone, a hundred of which are in a window
OWN = {"preset": "none", "task0": "off", "task1": "off", "main": "off", "free": 0}
SPEED = "By itself, core 1 takes 1.00 times as long as core 0 for the same work."
WORK = f" The work is recursion; other work can gain more or less. {SPEED}"
DEFAULT = {"yield": "none", "discs": 14, "window_ms": WINDOW_MS, "samples": 1, "seed": 1}
PRESET_ROWS: Sequence[Mapping[str, float]] = (
    {"task0.0": 1.0, "task1.1": 0.5, "main.1": 0.5},
    {"task0.0": 1.0, "main.1": 1.0},
    {"task0.0": 1.0, "task1.1": 0.5},
    {"task1.1": 0.5, "main.1": 0.5},
    {"main.1": 1.0},
    {"task0.0": 1.0},
    {"task1.1": 0.5},
)
"""Parts of a core that each series shows in each window of the preset if it all comes out as published."""


def measurement(
    windows: Sequence[Mapping[str, float]],
    factors: Mapping[str, int | str],
    conditions: Mapping[str, str] | None = None,
    **checks: int,
) -> Measurement:
    """Return a measurement in whose windows towers end evenly, so many parts of a core of each series."""
    names = dict.fromkeys(name for window in windows for name in window)
    ends: dict[str, list[int]] = {name: [] for name in names}
    for number, window in enumerate(windows):
        for name, part in window.items():
            if part:
                every = TOWER / part
                ends[name] += [number * WINDOW + round(every * (1 + i)) - 1 for i in range(int(WINDOW / every))]
    found = {"looking.0": [40], "alone.0": [TOWER] * 5, "alone.1": [TOWER] * 5, **ends}
    return Measurement(
        benchmark="contention",
        factors={**DEFAULT, **factors},
        repetition=0,
        series=tuple(Series(name, "common", HZ, np.array(ticks, np.int64)) for name, ticks in found.items()),
        conditions=conditions or {},
        checks={"done": len(windows), "wrong": 0, "migrated": 0, "lost": 0, "preempted": 0, **checks},
        started="2026-01-01T00:00:00+00:00",
    )


def own(parts: Mapping[str, float], **factors: int | str) -> Measurement:
    return measurement([parts], {**OWN, **factors})


def with_series(one: Measurement, unit: Unit = "tick", **series: Sequence[int]) -> Measurement:
    """Return the measurement with more series, or others; `_` in their names stands for the point."""
    found = [Series(name.replace("_", "."), "common", HZ, np.array(ticks), unit) for name, ticks in series.items()]
    names = {each.name for each in found}
    return msgspec.structs.replace(one, series=(*(each for each in one.series if each.name not in names), *found))


def free_tasks() -> Measurement:
    """Two tasks whose towers of 64 parts ended on other cores than they were done on."""
    ended = own({"free0.0": 0.01, "free0.1": 0.99, "free1.0": 0.02, "free1.1": 0.98}, free=2)
    assert [len(one.ticks) for one in ended.series if one.name.startswith("free")] == [1, 99, 2, 98]
    parts = {"ran0_0": [3100], "ran0_1": [3200], "moved0": [100], "ran1_0": [3200], "ran1_1": [3200], "moved1": [0]}
    return with_series(ended, "count", **parts)


def preset() -> Measurement:
    return measurement(PRESET_ROWS, {"preset": "qiita-table"})


def run(*measurements: Measurement, simulated: bool = False) -> Run:
    plan = Plan(target="pico-sim", url=None, name="contention", parts=(Part("contention", {}),), simulated=simulated)
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


def one(*measurements: Measurement) -> Contest:
    (found,) = analyse(measurements).contests
    return found


# Known answers


def test_towers_become_parts_of_a_core_and_shares() -> None:
    found = one(own({"task0.0": 1.0, "task1.1": 0.5, "main.1": 0.25}, task0="work", task1="work", main="work"))
    assert found.label == "task0, task1, main"
    assert {each.name: each.towers for each in found.competitors} == {"task0": (100,), "task1": (50,), "main": (25,)}
    assert [each.of_a_core for each in found.competitors] == pytest.approx([1.0, 0.5, 0.25])
    assert [each.of_a_core_at_most for each in found.competitors] == pytest.approx([1.01, 0.51, 0.26])
    assert [each.share for each in found.competitors] == pytest.approx([100 / 175, 50 / 175, 25 / 175])
    assert [each.by_core for each in found.competitors] == [(100, 0), (0, 50), (0, 25)]
    assert [(use.core, use.alone_us, use.towers, use.used) for use in found.cores] == [
        (0, 1000.0, 100, pytest.approx(1.0)),
        (1, 1000.0, 75, pytest.approx(0.75)),
    ]
    assert (found.total, found.of_a_core) == (175, pytest.approx(1.75))
    assert found.published == ()
    assert [each.longest_wait_us for each in found.competitors] == [1000.0, 2000.0, 4000.0]


def test_windows_and_measurements_of_one_setting_are_pooled() -> None:
    twice = measurement([{"task0.0": 1.0}, {"task0.0": 0.5}], {**OWN, "task0": "work", "samples": 2})
    found = one(twice, own({"task0.0": 0.6}, task0="work", seed=2))
    assert found.windows == 3
    (task,) = found.competitors
    assert task.towers == (100, 50, 60)
    assert task.of_a_core == pytest.approx(0.7)
    assert task.of_a_core_at_most == pytest.approx(0.71)


def test_the_work_of_free_tasks_counts_where_it_ran_and_not_where_towers_ended() -> None:
    found = one(free_tasks())
    assert found.label == "2 free"
    placed = [(each.core, each.by_core, each.unplaced) for each in found.competitors]
    assert placed == [(None, (48.4375, 50.0), pytest.approx(1.5625)), (None, (50.0, 50.0), 0.0)]
    assert [(use.used, use.used_at_most) for use in found.cores] == [
        (pytest.approx(0.984375), pytest.approx(1.0)),
        (pytest.approx(1.0), pytest.approx(1.0)),
    ]
    shown = report(run(free_tasks()))
    assert cells(shown, "Towers")[0][-2:] == ["200 2.00", "98–100% 100%"]
    assert [row[2] for row in cells(shown, "Shares")] == ["0: 48% 1: 50% ?: 2%", "0: 50% 1: 50%"]
    (said,) = analyse([free_tasks()]).sentences
    assert said.startswith("2 tasks without a core of their own do 2.00 times what one core does alone, on 2 cores")
    assert "100% of a core each" in said


def test_of_free_tasks_whose_parts_were_not_counted_it_is_not_known_where_they_ran() -> None:
    """As in runs of older programs: towers counted where they ended, 2 % of a core and 198 % of the other."""
    found = one(own({"free0.0": 0.01, "free0.1": 0.99, "free1.0": 0.01, "free1.1": 0.99}, free=2))
    assert [(each.by_core, each.unplaced) for each in found.competitors] == [((0.0, 0.0), 100.0)] * 2
    assert [(use.used, use.used_at_most) for use in found.cores] == [(0.0, 1.0)] * 2
    assert found.of_a_core == pytest.approx(2.0)


def test_the_sum_of_free_tasks_stands_beside_that_of_as_many_pinned_ones() -> None:
    pinned = own({"task0.0": 1.0, "task1.1": 1.0}, task0="work", task1="work")
    (said,) = [
        said for said in analyse([free_tasks(), pinned]).sentences if said.startswith("The same number of pinned tasks")
    ]
    assert "(task0, task1) does 2.00 times what one core does alone: the sum is the same to within 2%, as" in said
    less = own({"task0.0": 0.75, "task1.1": 1.0}, task0="work", task1="work")
    (said,) = [
        said for said in analyse([free_tasks(), less]).sentences if said.startswith("The same number of pinned tasks")
    ]
    assert "free tasks do +0.25" in said
    others = own({"task0.0": 1.0, "task1.1": 0.5}, task0="work", task1="work", main="spin")
    assert not any(
        said.startswith("The same number of pinned tasks") for said in analyse([free_tasks(), others]).sentences
    )
    beside = own({"task1.1": 0.5, "main.1": 0.5}, task1="work", main="work")
    assert not any(
        said.startswith("The same number of pinned tasks") for said in analyse([free_tasks(), beside]).sentences
    ), "on one core"


def test_cores_of_different_speed_are_measured_each_by_its_own_tower() -> None:
    slow = own({"free0.0": 0.5, "free0.1": 0.25}, free=1)
    slow = with_series(slow, alone_1=[2 * TOWER] * 5)
    found = one(with_series(slow, "count", ran0_0=[50], ran0_1=[25], moved0=[0]))
    assert found.competitors[0].of_a_core == pytest.approx(0.5 + 2 * 0.25)
    shown = report(run(with_series(slow, "count", ran0_0=[50], ran0_1=[25], moved0=[0])))
    (told,) = (each for each in shown.answers if each.question == "core 1 against core 0")
    assert told.value is not None
    assert told.value.value == pytest.approx(2)
    assert told.text == "2.00 × as long for the same work, alone"


@pytest.mark.parametrize(
    ("parts", "about"),
    [
        ({"task0.0": 0.9, "task1.1": 0.9}, "one core's, at recursion (2 is ideal); other work differs"),
        ({"task0.0": 1.1, "task1.1": 1.0}, "one core's, at recursion (above 2: one was slower alone)"),
    ],
)
def test_more_than_all_cores_can_do_is_said_to_come_from_what_they_are_compared_with(
    parts: Mapping[str, float], about: str
) -> None:
    shown = report(run(own(parts, task0="work", task1="work")))
    (told,) = (each for each in shown.answers if each.question == "a task on each core does")
    assert told.about == about
    said = next(each for each in shown.section.sentences if each.startswith("Both cores at work"))
    assert ("More than 100 % is no gain" in said) == ("above 2" in about)
    assert shown.section.sentences[0] == said


def test_what_a_task_on_each_core_does_is_told_of_those_and_not_of_others_that_did_more() -> None:
    pair = own({"task0.0": 0.9, "main.1": 0.9}, task0="work", main="work")
    crowd = own({"task0.0": 0.5, "task1.1": 0.75, "main.1": 0.8}, task0="work", task1="work", main="work")
    told = [{each.question: each.number for each in report(run(*some)).answers} for some in ((crowd, pair), (crowd,))]
    assert [each["a task on each core does"] for each in told] == ["1.80 ×", "2.05 ×"], "the most, if none is such"


def test_no_core_is_used_for_more_than_all_of_it_but_a_warning_says_what_it_would_be() -> None:
    fast = with_series(own({"task0.0": 1.0}, task0="work"), alone_0=[1200] * 5)
    (use,) = one(fast).cores
    assert (use.used, use.used_at_most) == (1.0, 1.0)
    (said,) = warnings([fast])
    assert "Core 0 did 120.0% of the work that its own speed just before allows (at work: task0)" in said


# A sleep after each tower


def sleeper(parts: Mapping[str, float], **factors: int | str) -> Measurement:
    """Return a measurement with yield=tick: half of the time of a task alone is sleep."""
    slept = own(parts, **{**factors, "yield": "tick"})
    return with_series(slept, tower_0=[TOWER // 2] * 5, tower_1=[TOWER // 2] * 5)


def test_with_a_sleep_after_each_tower_parts_are_of_what_a_task_does_that_sleeps_as_well() -> None:
    found = one(sleeper({"task1.1": 1.0, "main.1": 0.5}, task1="work", main="work"))
    assert (found.sleeps, found.alone_sleeps) == (True, True)
    assert [each.of_a_core for each in found.competitors] == pytest.approx([1.0, 0.5])
    (use,) = found.cores
    assert (use.alone_us, use.tower_us, use.used) == (1000.0, 500.0, pytest.approx(0.75))
    said = analyse([sleeper({"task1.1": 1.0, "main.1": 0.5}, task1="work", main="work")]).sentences
    assert any("a tower with 0.5 ms of work takes 1 ms" in one and "leaves 50% of the core" in one for one in said)
    assert any("2 tasks that share a core (task1, main) do 1.50 times what one does alone" in one for one in said)


def test_a_sleep_is_not_taken_for_what_the_other_core_costs() -> None:
    """Seven rows with towers of about a tick: what was told of memory and bus is the sleep alone."""
    rows = measurement(PRESET_ROWS, {"preset": "qiita-table", "yield": "tick"})
    rows = with_series(rows, tower_0=[TOWER // 2] * 5, tower_1=[TOWER // 2] * 5)
    said = analyse([rows]).sentences
    assert not any(word in one for one in said for word in ("slows down", "memory", "bus,", "fetches"))
    assert any("7 published rows measured here have the published shape to within 0." in one for one in said)
    (warning,) = warnings([rows])
    assert "a task alone sleeps 50% of the time, because a tower takes only 500 µs" in warning


def test_older_runs_that_slept_are_not_compared_with_published_parts() -> None:
    rows = measurement(PRESET_ROWS, {"preset": "qiita-table", "yield": "tick"})
    found = analyse([rows])
    assert not any("published" in said for said in found.sentences)
    (warning,) = warnings([rows])
    assert "timed without the sleep" in warning


def test_settings_are_not_compared_with_each_other() -> None:
    """A loop that spins, measured with one size, and one that waits, measured with another, tell no cause."""
    spins = own({"task1.1": 0.5}, task1="work", main="spin")
    blocks = own({"task1.1": 1.0}, task1="work", main="block", discs=15)
    said = analyse([spins, blocks]).sentences
    assert said[0].startswith(
        "With discs=14: beside a main loop that has nothing to do and never waits, a task on core 1 does 50.0%"
    )
    assert said[-1].startswith("With discs=15: beside a main loop that waits")
    assert not any("not kept here" in one for one in said)


def test_the_rows_of_the_preset_stand_beside_the_published_ones() -> None:
    found = analyse([preset()])
    assert [contest.row for contest in found.contests] == [1, 2, 3, 4, 5, 6, 7]
    for contest in found.contests:
        was = {each.name: each for each in contest.published}
        assert was.keys() == {worker.name for worker in contest.workers}
        for worker in contest.workers:
            assert worker.of_a_core == pytest.approx(was[worker.name].of_a_core, abs=0.01)
    assert any("7 published rows measured here have the published shape" in said for said in found.sentences)


def test_a_shape_that_is_not_the_published_one_is_told() -> None:
    other = [dict(row) for row in PRESET_ROWS]
    other[6]["task1.1"] = 1.0  # core 1 gives all of itself
    found = analyse([measurement(other, {"preset": "qiita-table"})])
    assert any("task1 in task1 (main spins) differs most, by +49.2%" in said for said in found.sentences)


def test_a_run_that_was_stopped_has_the_rows_it_got_to() -> None:
    found = analyse([measurement(PRESET_ROWS[:3], {"preset": "qiita-table"})])
    assert [contest.row for contest in found.contests] == [1, 2, 3]


def test_what_the_article_asks_is_answered_where_both_kinds_of_loop_were_measured() -> None:
    spins = own({"task1.1": 0.5}, task1="work", main="spin")
    blocks = own({"task1.1": 1.0}, task1="work", main="block")
    both = analyse([spins, blocks]).sentences
    assert both[0].startswith(
        "Beside a main loop that has nothing to do and never waits, a task on core 1 does 50.0% of what it does alone"
    )
    assert both[1] == "Beside a main loop that waits for an event a task on core 1 does 100.0% of what it does alone."
    assert both[2].startswith(
        "An article on the ESP32, by makotaka, asks whether half of core 1 is kept for the main loop. It is not kept "
        "here"
    )
    assert not any("not kept here" in said for said in analyse([spins]).sentences)
    assert not any("not kept here" in said for said in analyse([blocks]).sentences)
    neither = own({"task1.1": 0.5}, task1="work", main="block")
    assert not any("not kept here" in said for said in analyse([spins, neither]).sentences), "it is not the spinning"


def test_a_loop_that_slows_the_other_core_down_is_told() -> None:
    slowed = own({"task0.0": 0.9}, task0="work", main="spin")
    quiet = own({"task0.0": 1.0}, task0="work", main="block")
    (said,) = analyse([slowed, quiet]).sentences
    assert "slows down a task on core 0: the task does 90.0% of what it does alone, and 100.0% where the loop" in said
    (alone,) = analyse([slowed]).sentences
    assert alone == "A task on core 0 does 90.0% of what it does alone while a main loop spins on core 1."
    both_slow = own({"task0.0": 0.9}, task0="work", main="block")
    assert not analyse([slowed, both_slow]).sentences, "whatever it is, it is not the spinning"
    assert not analyse([own({"task0.0": 0.9}, task0="work", main="block")]).sentences
    assert not analyse([own({"task0.0": 1.0}, task0="work", main="spin")]).sentences


def test_what_cores_take_from_each_other_is_told_by_the_same_work_on_one_of_them() -> None:
    both = own({"task0.0": 0.9, "main.1": 0.8}, task0="work", main="work")
    (said,) = analyse([both]).sentences
    assert said == "Both cores at work (task0, main) do 1.70 times what one core does alone: 90% and 80%." + WORK
    single = [own({"task0.0": 1.0}, task0="work"), own({"main.1": 1.0}, main="work")]
    said = analyse([both, *single]).sentences[0]
    assert said.endswith("in a window of its own does 100% and 100%: they take 30% of a core from each other." + WORK)
    slow = [own({"task0.0": 0.9}, task0="work"), own({"main.1": 0.8}, main="work")]
    said = analyse([both, *slow]).sentences[0]
    assert said.endswith("does 90% and 80%: neither core slows down the other." + WORK)
    ours = msgspec.structs.replace(both, factors={**both.factors, "workload": "own:fft", "units": 4})
    assert "The work is fft;" in analyse([ours]).sentences[0]


def test_a_long_wait_is_a_turn_s_only_where_those_who_share_no_core_waited_less() -> None:
    shared = own({"task1.1": 0.25, "main.1": 0.5}, task1="work", main="work")
    (said,) = analyse([shared]).sentences
    assert said.startswith("Of the tasks that share a core, task1 in task1, main once took 4 ms")
    (said,) = analyse([shared, own({"main.1": 1.0}, main="work")]).sentences
    assert said.startswith("A task that shares a core waits for its turn")
    assert said.endswith("no tower took longer than 1 ms.")
    (said,) = analyse([shared, own({"main.1": 0.2}, main="work")]).sentences
    assert said.startswith("Of the tasks that share a core")


# Warnings


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("wrong", "wrong checksum"),
        ("migrated", "core other than"),
        ("lost", "no room"),
        ("preempted", "competitor, 3 times"),
    ],
)
def test_a_disturbed_measurement_is_told(check: str, words: str) -> None:
    (said,) = warnings([measurement(PRESET_ROWS, {"preset": "qiita-table"}, **{check: 3})])
    assert words in said


def test_an_undisturbed_one_is_not() -> None:
    assert warnings([preset()]) == []


def test_few_towers_are_told() -> None:
    (said,) = warnings([own({"task0.0": 0.05}, task0="work")])
    assert "task0 did 5 towers in a window" in said


def test_a_window_of_few_turns_is_told() -> None:
    linux = {"scheduler.policy": "SCHED_FIFO", "scheduler.rr_timeslice_ms": "100"}
    (said,) = warnings([measurement(PRESET_ROWS, {"preset": "qiita-table"}, linux)])
    assert "for 100 ms before another task has its turn. A window of 100 ms holds fewer than 4 such turns" in said
    linux["scheduler.timeslice_ms"] = "5"
    assert warnings([measurement(PRESET_ROWS, {"preset": "qiita-table"}, linux)]) == []


def test_a_core_of_unsteady_speed_is_told() -> None:
    steady = own({"task0.0": 1.0}, task0="work")
    (said,) = warnings([with_series(steady, alone_0=[1000, 1000, 1500, 1500, 1500])])
    assert "the median time of a tower alone varied from 1000 µs to 1500 µs" in said


# Anything that may come


ROLES = st.sampled_from(["off", "block", "delay", "spin", "work"])


@st.composite
def contests(draw: st.DrawFn) -> Measurement:
    factors: dict[str, int | str] = {
        "preset": draw(st.sampled_from(["none", "qiita-table"])),
        **{name: draw(ROLES) for name in ("task0", "task1", "main")},
        "free": draw(st.integers(0, 4)),
        "yield": draw(st.sampled_from(["none", "tick"])),
    }
    names = st.sampled_from(["task0.0", "task1.1", "main.1", "free0.0", "free0.1", "free3.1"])
    windows = draw(st.lists(st.dictionaries(names, st.sampled_from([0.0, 0.01, 0.5, 1.0])), max_size=9))
    found = with_series(
        measurement(windows, factors),
        "count",
        ran0_0=draw(st.lists(st.integers(-1, 9000), max_size=9)),
        ran0_1=draw(st.lists(st.integers(0, 9000), max_size=9)),
        moved0=draw(st.lists(st.integers(0, 9000), max_size=9)),
    )
    return with_series(found, tower_0=[draw(st.integers(0, 2 * TOWER))]) if draw(st.booleans()) else found


@settings(max_examples=60)
@given(st.lists(contests(), max_size=4))
def test_any_measurements_give_finite_numbers_that_add_up(measurements: list[Measurement]) -> None:
    found = analyse(measurements)
    msgspec.json.encode(found)
    assert "null" not in msgspec.json.encode([each.of_a_core for each in found.contests]).decode()
    for contest in found.contests:
        counted = sum(sum(each.towers) for each in contest.competitors)
        assert contest.total * contest.windows == pytest.approx(counted)
        unplaced = sum(each.unplaced for each in contest.competitors)
        assert sum(use.towers for use in contest.cores) + unplaced == pytest.approx(counted)
        assert all(0 <= use.used <= use.used_at_most <= 1 for use in contest.cores)
        assert sum(each.share for each in contest.competitors) == pytest.approx(1.0 if counted else 0.0)
        for each in contest.competitors:
            assert each.of_a_core <= each.of_a_core_at_most
            assert each.does == "work" or not each.towers
    report(run(*measurements))
    assert all(isinstance(said, str) for said in warnings(measurements))


# The report


def cells(shown: Any, title: str) -> list[list[str]]:  # noqa: ANN401
    (table,) = (table for table in shown.section.tables if table.title.startswith(title))
    return [[column.text(row) for column in table.columns] for row in table.rows]


def test_the_table_shows_published_counts_below_ours() -> None:
    shown = report(run(preset()))
    rows = cells(shown, "Towers (pieces of work) in a window")
    assert rows[0] == ["task0, task1, main", "pico-sim", "100 100%", "50 50%", "50 50%", "200 2.00", "100% 100%"]
    assert rows[1] == ["task0, task1, main", "published", "59 100%", "30 51%", "30 51%", "119 2.02", ""]
    assert rows[-1] == ["Raspberry Pi Zero W", "published", "", "", "", "126", ""]
    assert len(rows) == 15


def test_free_tasks_share_a_column() -> None:
    free = own({"task0.0": 0.5, "free0.0": 0.5, "free0.1": 0.25, "free1.1": 0.75, "free1.0": 0.0}, task0="work", free=2)
    assert cells(report(run(free)), "Towers")[0][:4] == ["task0, 2 free", "pico-sim", "50 50%", "150 150%"]


def test_the_tables_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    shown = report(run(preset(), own({"task1.1": 1.0}, task1="work", main="block")))
    for table in shown.section.tables:
        print_table(table, Console(width=100))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any(line.strip() in ("spins)", "main") for line in lines), "a label is folded"


def test_the_figure_stacks_ours_in_colours_and_published_in_grey() -> None:
    (figure,) = report(run(preset())).section.figures
    (panel,) = figure.panels
    bars = {one.name: one for one in panel.series if isinstance(one, Bars)}
    ours = {name: one for name, one in bars.items() if not name.startswith("published: ")}
    published = {name: one for name, one in bars.items() if name not in ours}
    assert list(ours) == ["task0", "task1", "main"]
    assert len(published) == 3
    assert {one.colour for one in ours.values()}.isdisjoint(one.colour for one in published.values())
    task0, task1 = ours["task0"].boxes[0], ours["task1"].boxes[0]
    assert task0[2:] == task1[2:], "they are parts of one bar"
    assert (task0[0], task0[1]) == (0, task1[0]), "and follow one another"
    assert [end - begin for begin, end, *_ in ours["task1"].boxes] == pytest.approx([0.5, 0.5, 0.5, 0.5])
    assert panel.y.names[2][1] == "task0, task1\n(main spins)"


def test_simulated_numbers_say_so() -> None:
    shown = report(run(preset(), simulated=True))
    assert all("SIMULATED" in table.title for table in shown.section.tables)
    assert "SIMULATED" in shown.section.figures[0].caption


def test_rows_for_spreadsheets_have_one_competitor_each() -> None:
    rows = report(run(preset())).rows
    assert len(rows) == 15  # twelve at work, and a main loop that spins in three
    assert (rows[0]["competitor"], rows[0]["towers"], rows[0]["published_towers"]) == ("task0", 100, 59)


def test_a_run_without_measurements_has_an_empty_report() -> None:
    shown = report(run())
    assert shown.section.figures == []
    assert msgspec.json.encode(shown.json) == b'{"contention":{"contests":[],"alone":[],"sentences":[]}}'
