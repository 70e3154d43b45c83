"""The benchmark `contention` on the simulated chip: the published rows, and whether it counts what truly happens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.document.validity import check
from tests.firmware.contention_answers import towers
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, series
from tests.firmware.rp2040.tool_in_process import command

if TYPE_CHECKING:
    import numpy.typing as npt

    Cycles = npt.NDArray[np.int64]

SMALL = ("yield=none", "discs=12", "window_ms=160")
"""Some hundred and fifty towers in a window."""
SPREAD = 2
"""Cycles by which the moment recorded for a tower may vary against the true one."""
SRAM5 = 0x2004_1000


def contest(board: Board, *words: str) -> list[dict[str, Any]]:
    """Run the benchmark and return its answer, after checking that it went well."""
    answer = board.ask(" ".join(("run contention", *words)))
    assert answer[-1]["type"] == "end", answer[-1]
    assert answer[-1]["status"] == "ok"
    assert (answer[-1]["checks"]["wrong"], answer[-1]["checks"]["migrated"], answer[-1]["checks"]["lost"]) == (0, 0, 0)
    return answer


def calls(board: Board) -> dict[str, int]:
    """Return the addresses of the calls of ic_contest_solve (BL, Armv6-M ARM A6.7.13), by the function they are in."""
    chip = board.chip
    callee, found = chip.address("ic_contest_solve") & ~1, {}
    for name in ("compete", "solve_alone"):
        function = chip.symbols[name]
        start = function.address & ~1
        code = np.frombuffer(chip.read(start, function.size), "<u2").astype(np.int64)
        for index in range(len(code) - 1):
            at = start + 2 * index
            if (int(code[index]), int(code[index + 1])) == branch_with_link(at, callee):
                found[name] = at
    assert found.keys() == {"compete", "solve_alone"}
    return found


def branch_with_link(at: int, to: int) -> tuple[int, int]:
    """Return the two halfwords of a BL."""
    offset = to - (at + 4)
    assert -(1 << 24) <= offset < 1 << 24
    sign = offset >> 24 & 1
    j1, j2 = (1 - (offset >> bit & 1 ^ sign) for bit in (23, 22))
    return (
        0xF000 | sign << 10 | offset >> 12 & 0x3FF,
        0xD000 | j1 << 13 | j2 << 11 | offset >> 1 & 0x7FF,
    )


# What was published


@pytest.mark.usefixtures("desk")
def test_the_seven_published_rows_have_the_published_shape(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = command(monkeypatch, capsys, "run", "pico-sim", "contention", "preset=qiita-table", *SMALL)
    check(shown)  # against the schema
    assert shown["warnings"] == []
    contests = shown["analysis"]["contention"]["contests"]
    assert [one["label"] for one in contests] == [
        "task0, task1, main",
        "task0, main",
        "task0, task1 (main spins)",
        "task1, main",
        "main",
        "task0 (main spins)",
        "task1 (main spins)",
    ]
    counts = [{was["name"]: was["towers"] for was in one["published"]} for one in contests]
    assert counts[0] == {"task0": 59, "task1": 30, "main": 30}
    for one in contests:
        workers = {each["name"]: each for each in one["competitors"] if each["does"] == "work"}
        for was in one["published"]:
            # There two cores at work are as fast as one; here they share a memory, and are 7 % slower.
            assert workers[was["name"]]["of_a_core"] == pytest.approx(was["of_a_core"], abs=0.08), one["label"]
        for each in workers.values():
            assert [core for core, count in enumerate(each["by_core"]) if count] == [each["core"]]


@pytest.mark.usefixtures("desk")
def test_task_gets_half_a_core_from_a_spinning_main_loop(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = ("preset=none", "task0=off", "task1=work", "main=spin,delay,block", *SMALL)
    shown = command(monkeypatch, capsys, "run", "pico-sim", "contention", *grid)
    found = shown["analysis"]["contention"]
    got = {one["competitors"][1]["does"]: one["competitors"][0]["of_a_core"] for one in found["contests"]}
    assert got["spin"] == pytest.approx(0.50, abs=0.03)
    assert got["block"] >= 0.97
    assert 0.95 < got["delay"] < got["block"], "to wake at each tick only to sleep again costs something"
    assert "contention-core-not-reserved" in {one["code"] for one in shown["findings"]}


@pytest.mark.usefixtures("desk")
def test_with_towers_of_about_a_tick_the_page_says_in_numbers_what_the_tick_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = ("preset=qiita-table", "yield=tick", "discs=12", "window_ms=100", "rest_ms=0")
    shown = command(monkeypatch, capsys, "run", "pico-sim", "contention", *grid)
    found = shown["analysis"]["contention"]
    by_label = {one["label"]: one for one in found["contests"]}
    (main,) = by_label["main"]["competitors"]
    assert main["of_a_core"] == pytest.approx(1.0, abs=0.02), "alone it does what a task alone does"
    (core,) = by_label["main"]["cores"]
    assert core["alone_us"] == pytest.approx(2000, abs=5), "a tower of just above a tick"
    assert core["used"] == pytest.approx(core["tower_us"] / core["alone_us"], abs=0.02)
    values = {one["code"]: one["values"] for one in shown["findings"]}
    assert values["contention-sleep"]["sleep_percent"] == pytest.approx(48, abs=0.5)
    assert values["contention-long-sleep"]["sleep_percent"] == pytest.approx(48, abs=0.5)
    assert [one["code"] for one in shown["findings"] if one["severity"] != "info"] == ["contention-long-sleep"]
    causes = {"contention-slowed-by-loop", "contention-core-not-reserved"}
    assert not causes & values.keys()
    assert values["contention-longest-wait"]["unshared_ms"] is None


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes half a minute: set INTERCORE_SLOW=1")
@pytest.mark.usefixtures("desk")
def test_with_towers_of_many_ticks_that_sleep_after_each_the_shape_is_the_published_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in plans/seed-001.toml."""
    grid = ("preset=qiita-table", "yield=tick", "discs=15", "window_ms=1000", "rest_ms=0")
    shown = command(monkeypatch, capsys, "run", "pico-sim", "contention", *grid)
    assert shown["warnings"] == []
    for one in shown["analysis"]["contention"]["contests"]:
        workers = {each["name"]: each for each in one["competitors"]}
        for was in one["published"]:
            assert workers[was["name"]]["of_a_core"] == pytest.approx(was["of_a_core"], abs=0.05), one["label"]


@pytest.mark.usefixtures("desk")
def test_free_tasks_come_to_the_sum_of_pinned_ones_and_no_core_to_more_than_all_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With towers of many ticks: by where they end, one core may have nearly all."""
    free = ("preset=none,qiita-table", "task0=off", "task1=off", "main=spin", "free=2")
    size = ("yield=none", "discs=14", "window_ms=160", "rest_ms=0")
    shown = command(monkeypatch, capsys, "run", "pico-sim", "contention", *free, *size)
    found = shown["analysis"]["contention"]
    by_label = {one["label"]: one for one in found["contests"]}
    ours, pinned = by_label["2 free (main spins)"], by_label["task0, task1 (main spins)"]
    assert ours["of_a_core"] == pytest.approx(pinned["of_a_core"], rel=0.06), "a tower is 3 % of these windows"
    for mine, other in zip(ours["cores"], pinned["cores"], strict=True):
        assert mine["used_at_most"] <= 1
        assert mine["used"] - 0.04 < other["used"] < mine["used_at_most"] + 0.04
        assert mine["used_at_most"] - mine["used"] < 0.05
    assert "contention-pinned-as-free" in {one["code"] for one in shown["findings"]}


# Whether it measures what it says


@pytest.mark.parametrize(("task", "core"), [("task0", 0), ("task1", 1), ("main", 1)])
def test_towers_are_done_by_who_is_at_work_on_the_core_it_is_pinned_to(board: Board, task: str, core: int) -> None:
    probe = board.chip.watch_execution("ic_contest_solve")
    idle = [f"{name}=off" for name in ("task0", "task1", "main") if name != task]
    answer = contest(board, f"{task}=work", *idle, *SMALL)
    assert [(name, count > 100) for name, count in towers(answer).items()] == [(f"{task}.{core}", True)]
    hits = probe.hits()
    assert set(hits["core"].tolist()) == {core}
    alone = len(series(answer, f"alone.{core}"))
    assert len(hits) == alone + towers(answer)[f"{task}.{core}"] + 1, "the last one ends after the window"


def test_each_tower_is_recorded_at_the_moment_it_was_done(board: Board) -> None:
    done = board.chip.watch_execution(calls(board)["compete"] + 4)  # where the call returns to
    answer = contest(board, "task0=work", "task1=work", "main=work", *SMALL)
    hits = done.hits()
    for core, names in ((0, ["task0.0"]), (1, ["task1.1", "main.1"])):
        recorded = np.sort(np.concatenate([np.array(series(answer, name), np.int64) for name in names]))
        true = np.sort(hits["cycle"][hits["core"] == core].astype(np.int64))[: len(recorded)]
        later = recorded - true
        usual = np.abs(later - np.median(later)) <= SPREAD
        # A tick or another's turn may come between; core 1 is also slowed down where both use the same memory bank.
        assert usual.mean() > 0.8, (core, np.unique(later - np.median(later), return_counts=True))
        assert np.abs(later - np.median(later)).max() < 2.1e-3 * CLK_SYS_HZ, "no more than a turn of the other"


def test_all_begin_at_the_same_moment(board: Board) -> None:
    answer = contest(board, "task0=work", "task1=work", "main=off", *SMALL)
    alone = min(series(answer, "alone.0"))
    for name in ("task0.0", "task1.1"):
        assert alone < series(answer, name)[0] < 1.2 * alone


def test_who_begins_late_is_counted_but_not_who_waits_for_its_turn(board: Board) -> None:
    chip = board.chip
    all_three = contest(board, "task0=work", "task1=work", "main=work", *SMALL)
    assert all_three[-1]["checks"]["preempted"] == 0, "main and task1 take turns"
    start = chip.address("ic_contest") + 48
    released = start + 16
    for main in ("off", "work"):
        chip.send(f"run contention task0=work task1=work main={main} discs=12 window_ms=40\n".encode())
        while chip.read(released, 1) == b"\1":  # of the window before
            chip.run(10_000)
        while chip.read(released, 1) == b"\0":
            chip.run(10_000)
        tick = CLK_SYS_HZ // 1000
        low = chip.read_word(start)
        assert low > 10 * tick, "no borrow"
        chip.write_word(start, low - 9 * tick)  # five ahead: when they look, it is over by more than a tick
        said: list[dict[str, Any]] = []
        while not said or said[-1]["type"] != "end":
            said += board.run(0.1)
        assert said[-1]["checks"]["preempted"] == 2, "the first on each core"
        assert said[-1]["status"] == "ok"


def test_half_the_window_holds_half_the_towers_and_two_discs_more_a_quarter(board: Board) -> None:
    task = ("task0=off", "task1=work", "main=off", "yield=none")
    (whole,) = towers(contest(board, *task, "discs=10", "window_ms=100")).values()
    (half,) = towers(contest(board, *task, "discs=10", "window_ms=50")).values()
    larger = contest(board, *task, "discs=12", "window_ms=100")
    (fewer,) = towers(larger).values()
    assert half == pytest.approx(whole / 2, abs=1)
    assert fewer == pytest.approx(0.1 * CLK_SYS_HZ / min(series(larger, "alone.1")), abs=2)
    assert fewer == pytest.approx(whole / 4, rel=0.15), "the compiler unrolls the recursion: not exactly four times"


def test_a_known_delay_in_each_tower_is_found_exactly(board: Board) -> None:
    """The call in the window, not the one that times a tower alone, is led through a loop of known length."""
    turns = 5000
    task = ("task0=off", "task1=work", "main=off", *SMALL)
    plain = contest(board, *task)
    slow = b"".join(
        (
            bytes.fromhex("024b"),  # 0: LDR r3, the count
            bytes.fromhex("013b"),  # 2: SUBS r3, #1 — 1 cycle
            bytes.fromhex("fdd1"),  # 4: BNE 2 — 2 cycles, the last 1
            bytes.fromhex("024b"),  # 6: LDR r3, the function
            bytes.fromhex("1847"),  # 8: BX r3, with the caller's LR
            bytes.fromhex("c046"),  # 10: NOP
            turns.to_bytes(4, "little"),
            (board.chip.address("ic_contest_solve") | 1).to_bytes(4, "little"),
        )
    )
    at = calls(board)["compete"]
    board.chip.write(SRAM5, slow)
    board.chip.write(at, b"".join(half.to_bytes(2, "little") for half in branch_with_link(at, SRAM5)))
    delayed = contest(board, *task)
    assert series(delayed, "alone.1")[1:] == pytest.approx(series(plain, "alone.1")[1:], abs=100)
    more = np.median(np.diff(series(delayed, "task1.1"))) - np.median(np.diff(series(plain, "task1.1")))
    assert more == pytest.approx(3 * turns + 6, abs=10)
    factor = min(series(plain, "alone.1")) / (min(series(plain, "alone.1")) + 3 * turns)
    assert towers(delayed)["task1.1"] == pytest.approx(factor * towers(plain)["task1.1"], abs=2)


def test_free_tasks_share_all_cores_evenly(board: Board) -> None:
    answer = contest(board, "task0=off", "task1=off", "main=off", "free=3", *SMALL)
    counts = towers(answer)
    assert set(counts) == {f"free{task}.{core}" for task in range(3) for core in (0, 1)}
    own = [counts[f"free{task}.0"] + counts[f"free{task}.1"] for task in range(3)]
    assert max(own) - min(own) < 0.05 * max(own)
    alone = np.median(series(answer, "alone.0") + series(answer, "alone.1"))
    assert 1.75 < sum(own) * alone / (0.16 * CLK_SYS_HZ) <= 2


def test_the_work_of_free_tasks_is_charged_to_the_core_it_ran_on(board: Board) -> None:
    part = board.chip.watch_execution("note_part")
    answer = contest(board, "task0=off", "task1=off", "main=spin", "free=2", *SMALL)
    hits = part.hits()
    parts = 2 ** (12 - 6)  # of a tower
    done = [sum(count for name, count in towers(answer).items() if name.startswith(f"free{task}")) for task in (0, 1)]
    moved = [series(answer, f"moved{task}")[0] for task in (0, 1)]
    ran = {core: [series(answer, f"ran{task}.{core}")[0] for task in (0, 1)] for core in (0, 1)}
    for task in (0, 1):
        assert ran[0][task] + ran[1][task] + moved[task] == parts * done[task], "each part of each tower once"
    assert 0 < sum(moved) < 0.03 * parts * sum(done)
    for core in (0, 1):
        seen = int((hits["core"] == core).sum()) - parts * len(series(answer, f"alone.{core}"))
        assert sum(ran[core]) <= seen <= sum(ran[core]) + sum(moved) + 2 * parts, "but for towers under way at the end"


def test_a_task_alone_sleeps_as_those_who_compete(board: Board) -> None:
    answer = contest(board, "task0=work", "task1=off", "main=off", "yield=tick", "discs=13", "window_ms=60")
    tick = CLK_SYS_HZ / 1000
    alone, tower = (np.array(series(answer, name)) for name in ("alone.0", "tower.0"))
    assert len(alone) == len(tower) == 5
    assert np.all(tower < alone)
    assert alone == pytest.approx(np.ceil(tower / tick) * tick, abs=0.02 * tick)
    ends = np.array(series(answer, "task0.0"))
    assert np.diff(ends[1:]) == pytest.approx(np.median(alone), abs=0.02 * tick)


def test_a_task_that_yields_does_a_tower_per_tick(board: Board) -> None:
    answer = contest(board, "task0=work", "task1=off", "main=off", "yield=tick", "discs=6", "window_ms=100")
    ends = np.array(series(answer, "task0.0"))
    assert len(ends) == pytest.approx(100, abs=1)
    assert np.all(np.abs(np.diff(ends[1:]) - CLK_SYS_HZ / 1000) < 5000), "a tick apart, but for the first"


def test_more_towers_than_there_is_memory_for_are_refused(board: Board) -> None:
    refused = board.ask("run contention discs=1 yield=none")[-1]
    assert (refused["type"], refused["code"]) == ("error", "out-of-range")
    assert "more discs" in refused["text"]


def test_the_largest_contest_finds_memory_for_all_its_tasks(board: Board) -> None:
    answer = contest(board, "free=4", "discs=14", "window_ms=40", "samples=2")
    assert answer[-1]["checks"]["done"] == 2
