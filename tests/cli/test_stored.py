"""Which runs a target's name stands for: the newest complete one of each benchmark, then what there is of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.cli.stored import named_runs, select_benchmarks
from intercore.errors import UsageError
from intercore.record.measurement import Measurement, Part, Plan
from intercore.record.plan import settings
from intercore.record.store import Store, StoreReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

OF = 3
"""Measurements that a run needs of each benchmark."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def add_run(path: Path, done: int, benchmarks: Sequence[str] = ("speedup",), target: str = "host") -> None:
    """Add a run with so many measurements."""
    parts = tuple(Part(benchmark, {"n": list(range(OF))}) for benchmark in benchmarks)
    plan = Plan(target, None, "suite", parts)
    with Store(path) as store:
        number = store.create_run(plan, OF * len(parts))
        for setting in settings(plan)[:done]:
            store.add(number, setting, Measurement(setting.benchmark, setting.factors, 0, (), {}, {}, ""))


def chosen(path: Path) -> list[int]:
    with StoreReader(path) as store:
        return [run.id for run in named_runs(store, ["host"])]


@pytest.mark.parametrize("done", [0, 1, OF - 1])
def test_a_complete_run_is_chosen_before_a_newer_one_that_is_not_and_that_is_said(
    path: Path, done: int, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(path, OF)
    add_run(path, OF)
    add_run(path, done)
    assert chosen(path) == [2]
    said = f"run 3 of host is newer than run 2 but unfinished ({done} of {OF} measurements), and is ignored\n"
    assert capsys.readouterr().err == said


def test_without_a_complete_run_the_newest_that_has_a_measurement_is_chosen(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(path, 1)
    add_run(path, 1)
    add_run(path, 0)
    assert chosen(path) == [2]
    assert "run 3 of host is newer than run 2" in capsys.readouterr().err


def test_an_unfinished_run_has_what_no_complete_one_has(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_run(path, OF)
    add_run(path, OF + 1, ["speedup", "switch"])
    assert chosen(path) == [1, 2]
    assert capsys.readouterr().err == ""


def test_runs_of_other_targets_and_other_benchmarks_leave_nothing_out(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(path, OF)
    add_run(path, OF, ["switch"])
    add_run(path, 0, target="pico-sim")
    assert chosen(path) == [1, 2]
    assert capsys.readouterr().err == ""


def test_a_target_of_which_nothing_is_measured_yet_is_refused_with_how_to_go_on(path: Path) -> None:
    add_run(path, 0)
    with pytest.raises(UsageError, match=rf"run 1 of host has no measurement .* intercore run --resume --store {path}"):
        chosen(path)


def test_a_run_is_narrowed_to_the_benchmarks_that_are_asked_for(path: Path) -> None:
    add_run(path, 2 * OF, ["speedup", "switch"])
    add_run(path, 2 * OF - 1, ["speedup", "switch"])
    with StoreReader(path) as store:
        for run in (store.run(1), store.run(2)):
            assert select_benchmarks(run, []) is run
            part = select_benchmarks(run, ["switch"])
            assert part.plan.benchmarks == ("switch",)
            assert {one.benchmark for one in part.measurements} == {"switch"}
            assert part.complete == run.complete
        with pytest.raises(UsageError, match="did you mean 'switch'"):
            select_benchmarks(store.run(1), ["swtch"])
