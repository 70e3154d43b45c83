"""The analysis and the report of `contention`: known answers, any input, and what people are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.contention.analysis import analyse, caveats
from intercore.benchmarks.contention.findings import (
    ContentionAloneWithoutSleep,
    ContentionBesideLoop,
    ContentionBothCores,
    ContentionCoreNotReserved,
    ContentionCoreSpeed,
    ContentionFailedCheck,
    ContentionFaster,
    ContentionFewTowers,
    ContentionFewTurns,
    ContentionFreeTasks,
    ContentionLeastShare,
    ContentionLongestWait,
    ContentionLongSleep,
    ContentionOwnWork,
    ContentionPinnedAsFree,
    ContentionPublishedShape,
    ContentionSharedCore,
    ContentionSleep,
    ContentionSlowedByLoop,
    ContentionUnsteady,
    SeparateWindows,
)
from intercore.benchmarks.contention.report import asked, report
from intercore.benchmarks.contention.results import results
from intercore.finding import Finding
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
    found = {"timestamp_overhead.0": [40], "alone.0": [TOWER] * 5, "alone.1": [TOWER] * 5, **ends}
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


LOOPS = (ContentionBesideLoop, ContentionCoreNotReserved)


def found_in(*measurements: Measurement, kind: type[Finding] | tuple[type[Finding], ...] = Finding) -> list[Finding]:
    return [each for each in results(analyse(measurements), measurements) if isinstance(each, kind)]


def near(value: float) -> Any:  # noqa: ANN401 - stands for a number
    return pytest.approx(value, abs=1e-6)


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
    assert [row[2] for row in cells(shown, "Share of")] == ["0: 48% 1: 50% ?: 2%", "0: 50% 1: 50%"]
    assert found_in(free_tasks(), kind=ContentionFreeTasks) == [
        ContentionFreeTasks(tasks=2, cores=2, times=near(2.0), parts_percent=(near(100), near(100)))
    ]


def test_of_free_tasks_whose_parts_were_not_counted_it_is_not_known_where_they_ran() -> None:
    """As in runs of older programs: towers counted where they ended, 2 % of a core and 198 % of the other."""
    found = one(own({"free0.0": 0.01, "free0.1": 0.99, "free1.0": 0.01, "free1.1": 0.99}, free=2))
    assert [(each.by_core, each.unplaced) for each in found.competitors] == [((0.0, 0.0), 100.0)] * 2
    assert [(use.used, use.used_at_most) for use in found.cores] == [(0.0, 1.0)] * 2
    assert found.of_a_core == pytest.approx(2.0)


def test_the_sum_of_free_tasks_stands_beside_that_of_as_many_pinned_ones() -> None:
    pinned = own({"task0.0": 1.0, "task1.1": 1.0}, task0="work", task1="work")
    same = ContentionPinnedAsFree(contest="task0, task1", times=near(2.0), difference=near(0), is_same=True)
    assert found_in(free_tasks(), pinned, kind=ContentionPinnedAsFree) == [same]
    less = own({"task0.0": 0.75, "task1.1": 1.0}, task0="work", task1="work")
    differs = ContentionPinnedAsFree(contest="task0, task1", times=near(1.75), difference=near(0.25), is_same=False)
    assert found_in(free_tasks(), less, kind=ContentionPinnedAsFree) == [differs]
    others = own({"task0.0": 1.0, "task1.1": 0.5}, task0="work", task1="work", main="spin")
    assert not found_in(free_tasks(), others, kind=ContentionPinnedAsFree)
    beside = own({"task1.1": 0.5, "main.1": 0.5}, task1="work", main="work")
    assert not found_in(free_tasks(), beside, kind=ContentionPinnedAsFree), "on one core"


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
        ({"task0.0": 0.9, "task1.1": 0.9}, "that of one core, recursion; ideal: 2, other work differs"),
        ({"task0.0": 1.1, "task1.1": 1.0}, "that of one core, recursion (above 2: a core was slower alone)"),
    ],
)
def test_more_than_all_cores_can_do_is_said_to_come_from_what_they_are_compared_with(
    parts: Mapping[str, float], about: str
) -> None:
    shown = report(run(own(parts, task0="work", task1="work")))
    (told,) = (each for each in shown.answers if each.question == "throughput on all cores")
    assert told.about == about
    first = shown.findings[0]
    assert isinstance(first, ContentionBothCores)
    assert first.slow_alone == ("above 2" in about)


def test_what_a_task_on_each_core_does_is_told_of_those_and_not_of_others_that_did_more() -> None:
    pair = own({"task0.0": 0.9, "main.1": 0.9}, task0="work", main="work")
    crowd = own({"task0.0": 0.5, "task1.1": 0.75, "main.1": 0.8}, task0="work", task1="work", main="work")
    told = [{each.question: each.number for each in report(run(*some)).answers} for some in ((crowd, pair), (crowd,))]
    assert [each["throughput on all cores"] for each in told] == ["1.80 ×", "2.05 ×"], "the most, if none is such"


def test_no_core_is_used_for_more_than_all_of_it_but_a_warning_says_what_it_would_be() -> None:
    fast = with_series(own({"task0.0": 1.0}, task0="work"), alone_0=[1200] * 5)
    (use,) = one(fast).cores
    assert (use.used, use.used_at_most) == (1.0, 1.0)
    assert [*caveats([fast])] == [ContentionFaster(core=0, contest="task0", part_percent=near(120))]


# A sleep after each tower


def sleeper(parts: Mapping[str, float], **factors: int | str) -> Measurement:
    """Return a measurement with yield=tick: half of the time of a task alone is sleep."""
    slept = own(parts, **{**factors, "yield": "tick"})
    return with_series(slept, tower_0=[TOWER // 2] * 5, tower_1=[TOWER // 2] * 5)


def test_shares_with_a_sleep_are_relative_to_a_sleeping_task() -> None:
    found = one(sleeper({"task1.1": 1.0, "main.1": 0.5}, task1="work", main="work"))
    assert (found.sleeps, found.alone_sleeps) == (True, True)
    assert [each.of_a_core for each in found.competitors] == pytest.approx([1.0, 0.5])
    (use,) = found.cores
    assert (use.alone_us, use.tower_us, use.used) == (1000.0, 500.0, pytest.approx(0.75))
    shared = sleeper({"task1.1": 1.0, "main.1": 0.5}, task1="work", main="work")
    assert found_in(shared, kind=(ContentionSleep, ContentionSharedCore)) == [
        ContentionSleep(core=1, tower_ms=0.5, alone_ms=1.0, sleep_percent=near(50)),
        ContentionSharedCore(contest="task1, main", tasks=2, times=near(1.5), used_percent=near(75)),
    ]


def test_a_sleep_is_not_taken_for_what_the_other_core_costs() -> None:
    """Seven rows with towers of about a tick: what a task does less is the sleep alone."""
    rows = measurement(PRESET_ROWS, {"preset": "qiita-table", "yield": "tick"})
    rows = with_series(rows, tower_0=[TOWER // 2] * 5, tower_1=[TOWER // 2] * 5)
    assert not found_in(rows, kind=ContentionSlowedByLoop)
    (shape,) = found_in(rows, kind=ContentionPublishedShape)
    assert isinstance(shape, ContentionPublishedShape)
    assert (shape.rows, shape.is_same) == (7, True)
    assert abs(shape.difference_percent) < 1
    (warning,) = caveats([rows])
    assert isinstance(warning, ContentionLongSleep)
    assert (warning.sleep_percent, warning.tower_us) == (near(50), 500.0)


def test_older_runs_that_slept_are_not_compared_with_published_parts() -> None:
    rows = measurement(PRESET_ROWS, {"preset": "qiita-table", "yield": "tick"})
    assert not found_in(rows, kind=ContentionPublishedShape)
    assert [*caveats([rows])] == [ContentionAloneWithoutSleep()]


def test_settings_are_not_compared_with_each_other() -> None:
    """A loop that spins, measured with one size, and one that waits, measured with another, tell no cause."""
    spins = own({"task1.1": 0.5}, task1="work", main="spin")
    blocks = own({"task1.1": 1.0}, task1="work", main="block", discs=15)
    assert found_in(spins, blocks, kind=LOOPS) == [
        ContentionBesideLoop(loop="spin", part_percent=near(50), setting={"discs": 14}),
        ContentionBesideLoop(loop="block", part_percent=near(100), setting={"discs": 15}),
    ]


def test_the_rows_of_the_preset_stand_beside_the_published_ones() -> None:
    found = analyse([preset()])
    assert [contest.row for contest in found.contests] == [1, 2, 3, 4, 5, 6, 7]
    for contest in found.contests:
        was = {each.name: each for each in contest.published}
        assert was.keys() == {worker.name for worker in contest.workers}
        for worker in contest.workers:
            assert worker.of_a_core == pytest.approx(was[worker.name].of_a_core, abs=0.01)
    (shape,) = found_in(preset(), kind=ContentionPublishedShape)
    assert isinstance(shape, ContentionPublishedShape)
    assert (shape.rows, shape.is_same) == (7, True)


def test_a_shape_that_is_not_the_published_one_is_told() -> None:
    other = [dict(row) for row in PRESET_ROWS]
    other[6]["task1.1"] = 1.0  # core 1 gives all of itself
    (shape,) = found_in(measurement(other, {"preset": "qiita-table"}), kind=ContentionPublishedShape)
    assert isinstance(shape, ContentionPublishedShape)
    assert (shape.competitor, shape.contest, shape.is_same) == ("task1", "task1 (main spins)", False)
    assert shape.difference_percent == pytest.approx(49.2, abs=0.05)


SEED_001: Mapping[str, int | str] = {"preset": "qiita-table", "discs": 20, "window_ms": 10_000, "yield": "tick"}
"""The factors of the published table."""


def as_there(chip: str = "ESP32", **factors: int | str) -> Measurement:
    """Return the published table, measured on some chip, with towers of 170 ms."""
    window, tower = 10 * HZ, 10 * HZ // 59
    ends: dict[str, list[int]] = {}
    for number, row in enumerate(PRESET_ROWS):
        for name, part in row.items():
            every = round(tower / part)
            ends.setdefault(name, []).extend(number * window + end for end in range(every, window, every))
    alone = {f"{kind}_{core}": [tower] * 5 for kind in ("alone", "tower") for core in (0, 1)}
    one = measurement(PRESET_ROWS, {**SEED_001, **factors}, {"chip": chip})
    return with_series(one, **alone, **{name.replace(".", "_"): numbers for name, numbers in ends.items()})


def test_counts_are_compared_with_published_ones_where_chip_and_sizes_are_those() -> None:
    (shape,) = found_in(as_there(), kind=ContentionPublishedShape)
    assert isinstance(shape, ContentionPublishedShape)
    assert shape.differences == ()
    assert shape.counts is not None
    assert abs(shape.counts.towers - shape.counts.published) <= 1


@pytest.mark.parametrize(
    ("chip", "factors", "differences"),
    [
        ("RP2040", {}, ("chip",)),
        ("ESP32-S3", {}, ("chip",)),
        ("ESP32", {"discs": 19}, ("discs",)),
        ("ESP32", {"workload": "own:fft", "yield": "none"}, ("workload", "yield")),
        ("RP2040", {"discs": 12}, ("chip", "discs")),
    ],
)
def test_what_keeps_counts_from_being_compared_is_what_differs(
    chip: str, factors: dict[str, int | str], differences: tuple[str, ...]
) -> None:
    (shape,) = found_in(as_there(chip, **factors), kind=ContentionPublishedShape)
    assert isinstance(shape, ContentionPublishedShape)
    assert (shape.differences, shape.counts) == (differences, None)


def test_a_setting_is_compared_by_its_own_factors() -> None:
    found = found_in(as_there(), as_there(discs=19), kind=ContentionPublishedShape)
    assert [one.differences for one in found if isinstance(one, ContentionPublishedShape)] == [(), ("discs",)]


def test_the_articles_question_is_answered_by_its_own_chip_alone() -> None:
    on_it, elsewhere = (asked(run(as_there(chip))) for chip in ("ESP32", "RP2040"))
    assert "likely" not in on_it
    assert "likely" in elsewhere


def test_a_run_that_was_stopped_has_the_rows_it_got_to() -> None:
    found = analyse([measurement(PRESET_ROWS[:3], {"preset": "qiita-table"})])
    assert [contest.row for contest in found.contests] == [1, 2, 3]


def test_what_the_article_asks_is_answered_where_both_kinds_of_loop_were_measured() -> None:
    spins = own({"task1.1": 0.5}, task1="work", main="spin")
    blocks = own({"task1.1": 1.0}, task1="work", main="block")
    assert found_in(spins, blocks, kind=LOOPS) == [
        ContentionBesideLoop(loop="spin", part_percent=near(50)),
        ContentionBesideLoop(loop="block", part_percent=near(100)),
        ContentionCoreNotReserved(spin_percent=near(50), waiting_percent=near(100)),
    ]
    assert not found_in(spins, kind=ContentionCoreNotReserved)
    assert not found_in(blocks, kind=ContentionCoreNotReserved)
    neither = own({"task1.1": 0.5}, task1="work", main="block")
    assert not found_in(spins, neither, kind=ContentionCoreNotReserved), "it is not the spinning"


def test_the_least_that_a_task_gets_of_its_core_stands_out() -> None:
    shown = report(run(own({"task1.1": 0.5}, task1="work", main="spin"), own({"task0.0": 0.9}, task0="work")))
    least = ContentionLeastShare(times=near(2), contest="task1 (main spins)", part_percent=near(50))
    assert list(shown.remarks) == [least]


def test_a_loop_that_slows_the_other_core_down_is_told() -> None:
    slowed = own({"task0.0": 0.9}, task0="work", main="spin")
    quiet = own({"task0.0": 1.0}, task0="work", main="block")
    assert found_in(slowed, quiet) == [ContentionSlowedByLoop(part_percent=near(90), quiet_percent=near(100))]
    assert found_in(slowed) == [ContentionSlowedByLoop(part_percent=near(90), quiet_percent=None)]
    both_slow = own({"task0.0": 0.9}, task0="work", main="block")
    assert not found_in(slowed, both_slow), "whatever it is, it is not the spinning"
    assert not found_in(own({"task0.0": 0.9}, task0="work", main="block"))
    assert not found_in(own({"task0.0": 1.0}, task0="work", main="spin"))


def test_what_cores_take_from_each_other_is_told_by_the_same_work_on_one_of_them() -> None:
    both = own({"task0.0": 0.9, "main.1": 0.8}, task0="work", main="work")
    told = ContentionBothCores(
        contest="task0, main",
        work="recursion",
        times=near(1.7),
        parts_percent=(near(90), near(80)),
        apart=None,
        slow_alone=False,
    )
    assert found_in(both) == [told, ContentionCoreSpeed(core=1, first=0, times=1.0, varied_percent=None)]
    single = [own({"task0.0": 1.0}, task0="work"), own({"main.1": 1.0}, main="work")]
    apart = SeparateWindows((near(100), near(100)), lost_percent=near(30))
    assert found_in(both, *single)[0] == msgspec.structs.replace(told, apart=apart)
    slow = [own({"task0.0": 0.9}, task0="work"), own({"main.1": 0.8}, main="work")]
    apart = SeparateWindows((near(90), near(80)), lost_percent=None)
    assert found_in(both, *slow)[0] == msgspec.structs.replace(told, apart=apart)


def test_work_of_the_users_own_is_named_before_what_it_comes_to() -> None:
    both = own({"task0.0": 0.9, "main.1": 0.8}, task0="work", main="work")
    ours = msgspec.structs.replace(both, factors={**both.factors, "workload": "own:fft", "units": 4})
    first, told, _ = found_in(ours)
    assert first == ContentionOwnWork(workload="own:fft", work="fft", units=4)
    assert isinstance(told, ContentionBothCores)
    assert told.work == "fft"


def test_a_long_wait_is_a_turn_s_only_where_those_who_share_no_core_waited_less() -> None:
    shared = own({"task1.1": 0.25, "main.1": 0.5}, task1="work", main="work")
    told = ContentionLongestWait(competitor="task1", contest="task1, main", wait_ms=4.0, alone_ms=1.0, unshared_ms=None)
    assert found_in(shared) == [told]
    assert found_in(shared, own({"main.1": 1.0}, main="work")) == [msgspec.structs.replace(told, unshared_ms=1.0)]
    assert found_in(shared, own({"main.1": 0.2}, main="work")) == [told]


# Warnings


@pytest.mark.parametrize("check", ["wrong", "migrated", "lost", "preempted"])
def test_a_disturbed_measurement_is_told(check: str) -> None:
    (found,) = caveats([measurement(PRESET_ROWS, {"preset": "qiita-table"}, **{check: 3})])
    assert isinstance(found, ContentionFailedCheck)
    assert (found.check, found.count, found.levels) == (check, 3, ("qiita-table",))
    assert found.severity == ("error" if check == "wrong" else "warning")


def test_an_undisturbed_one_is_not() -> None:
    assert not [*caveats([preset()])]


def test_few_towers_are_told() -> None:
    few = ContentionFewTowers(contest="task0", competitor="task0", towers=5.0)
    assert [*caveats([own({"task0.0": 0.05}, task0="work")])] == [few]


def test_a_window_of_few_turns_is_told() -> None:
    linux = {"scheduler.policy": "SCHED_FIFO", "scheduler.rr_timeslice_ms": "100"}
    few = ContentionFewTurns(turn_ms=100, window_ms=100, fewest=4)
    assert [*caveats([measurement(PRESET_ROWS, {"preset": "qiita-table"}, linux)])] == [few]
    linux["scheduler.timeslice_ms"] = "5"
    assert not [*caveats([measurement(PRESET_ROWS, {"preset": "qiita-table"}, linux)])]


def test_a_core_of_unsteady_speed_is_told() -> None:
    uneven = with_series(own({"task0.0": 1.0}, task0="work"), alone_0=[1000, 1000, 1500, 1500, 1500])
    assert [*caveats([uneven])] == [ContentionUnsteady(core=0, shortest_us=1000.0, median_us=1500.0)]


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
    shown = report(run(*measurements))
    assert all(msgspec.json.decode(msgspec.json.encode(each.to_json())) for each in shown.findings)


# The report


def cells(shown: Any, title: str) -> list[list[str]]:  # noqa: ANN401
    (table,) = (table for table in shown.section.tables if table.title.startswith(title))
    return [[column.text(row) for column in table.columns] for row in table.rows]


def test_the_table_shows_published_counts_below_ours() -> None:
    shown = report(run(preset()))
    rows = cells(shown, "Towers (pieces of work) per window")
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
