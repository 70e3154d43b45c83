"""The benchmark `hartstone` on the simulated chip: is it as it truly happens, and where it must break down?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks.hartstone.analysis import HartstoneSet, analyse
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, checks_of, measurement, series
from tests.firmware.rp2040.delay import TURN, Delay

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

PERIOD_US = 2000
TASKS = range(5)
RELEASES = 31
TRUE_SPREAD = 2


def asked(board: Board, placement: str, load: int) -> list[dict[str, Any]]:
    answer = board.ask(f"run hartstone placement={placement} load={load} period_us={PERIOD_US} samples=1", step=0.05)
    assert checks_of(answer)["checked"] == 1
    return answer


def set_of(board: Board, placement: str, *loads: int) -> HartstoneSet:
    (found,) = analyse(measurement(asked(board, placement, load), "hartstone") for load in loads).sets
    return found


def test_one_core_breaks_down_below_all_of_it_where_the_least_urgent_task_is_late(board: Board) -> None:
    found = set_of(board, "one-core", 90, 105)
    assert [one.missed_of_task for one in found.loads] == [(0,) * 5, (0, 0, 0, 0, 1)]
    assert [one.percent for one in found.loads] == pytest.approx([90, 105], abs=1)
    assert all(one.activations == RELEASES for one in found.loads)


def test_pinned_to_two_cores_it_breaks_down_where_three_tasks_fill_one(board: Board) -> None:
    found = set_of(board, "pinned", 155, 170)
    assert [sum(one.missed_of_task) for one in found.loads] == [0, 4]
    assert found.loads[-1].missed_of_task == (0, 0, 4, 0, 0), "each release of the third task, on the full core"


def test_free_tasks_use_what_pinned_ones_leave(board: Board) -> None:
    found = set_of(board, "free", 170, 205)
    assert [one.missed for one in found.loads] == [0, 1]
    assert found.loads[-1].missed_of_task[4] == 1


@pytest.mark.parametrize(("placement", "cores"), [("one-core", {0}), ("pinned", {0, 1}), ("free", {0, 1})])
def test_responses_end_when_the_work_truly_does(board: Board, placement: str, cores: set[int]) -> None:
    probe = board.chip.watch_execution("hartstone_ended")
    answer = asked(board, placement, 80)
    hits = probe.hits()
    assert len(hits) == RELEASES
    assert {*hits["core"].tolist()} == cores
    # Activations are due on one grid. Of each task, the time between the ends of two is known both ways.
    period = PERIOD_US * CLK_SYS_HZ // 1_000_000
    ends = sorted(
        (release * (period << task) + response)
        for task in TASKS
        for release, response in enumerate(series(answer, f"response.{task}"))
    )
    true = np.sort(hits["cycle"].astype(np.int64))
    apart = true - np.array(ends)
    assert np.ptp(apart) <= TRUE_SPREAD


def test_a_delay_behind_the_work_is_in_the_response(board: Board, o2: Path) -> None:
    delay = Delay(board.chip, o2 / "intercore-target", "hartstone_ended")
    before = asked(board, "one-core", 50)
    delay.set(1 + 1000)
    after = asked(board, "one-core", 50)
    first = [series(answer, "response.0")[-1] for answer in (before, after)]
    assert first[1] - first[0] == pytest.approx(TURN * 1000, abs=3)


def test_a_load_without_a_whole_number_of_ticks_is_refused(board: Board) -> None:
    assert "whole number of kernel ticks" in board.ask("run hartstone period_us=1500")[-1]["text"]
