"""The course of a run: settings are repeated until their medians are known as asked, whatever interrupts it."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.stop_rule import is_reached
from intercore.campaign.schedule import Schedule
from intercore.errors import IntercoreError
from intercore.record.measurement import Measurement, Part, Plan, Run, Series, StopRule
from intercore.record.plan import Setting, canonical, repetitions_by_setting, settings
from intercore.record.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

few = hypothesis.settings(max_examples=12)


def noise(setting: Setting) -> Measurement:
    """The same for the same setting and repetition; how wide depends on the setting."""
    rng = np.random.default_rng(zlib.crc32(f"{setting.repetition} {canonical(setting.factors)}".encode()))
    spread = int(setting.factors["spread"])
    series = Series("t1", "common", 10**9, (10_000 + spread * rng.normal(size=10)).astype(np.int64))
    started = "2026-01-01T00:00:00+00:00"
    return Measurement(setting.benchmark, setting.factors, setting.repetition, (series,), {}, {}, started)


SPREADS: list[int | str] = [0, 200, 400, 2000]
PLAN = Plan(
    "host",
    None,
    "b",
    (Part("b", {"spread": SPREADS}), Part("c", {"spread": [0, 500]})),
    repetitions=2,
    seed=3,
    stop=StopRule(0.01, 12),
)


def advance(store: Store, run_id: int, most: int | None = None) -> list[tuple[int, int]]:
    """Measure what a run lacks, or that many settings of it; return how many of how many were done after each."""
    run = store.run(run_id)
    schedule = Schedule(run)
    if schedule.total != run.total:
        store.set_total(run_id, schedule.total)
    done = []
    for setting in _first(schedule.settings(), most):
        measurement = noise(setting)
        schedule.add(setting, measurement)
        store.add(run_id, setting, measurement, schedule.total)
        (summary,) = store.runs()
        done.append((summary.done, summary.total))
    return done


def _first(found: Iterator[Setting], most: int | None) -> Iterator[Setting]:
    for count, setting in enumerate(found):
        if count == most:
            return
        yield setting


def order(run: Run) -> list[tuple[str, str, int]]:
    return [(one.benchmark, canonical(one.factors), one.repetition) for one in run.measurements]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Run:
    with Store(tmp_path_factory.mktemp("stop") / "s.db") as store:
        number = store.create_run(PLAN, len(settings(PLAN)))
        counts = advance(store, number)
        assert [done for done, _ in counts] == list(range(1, len(counts) + 1))
        assert [done >= total for done, total in counts] == [False] * (len(counts) - 1) + [True]
        return store.run(number)


def test_every_setting_is_repeated_until_it_is_known_or_has_the_cap_and_not_more_often(uninterrupted: Run) -> None:
    assert uninterrupted.complete
    assert PLAN.stop is not None
    repetitions = {}
    for (benchmark, factors), found in repetitions_by_setting(uninterrupted).items():
        assert [one.repetition for one in found] == list(range(len(found)))
        assert len(found) >= PLAN.repetitions
        assert is_reached(PLAN.stop, found) or len(found) == PLAN.stop.cap
        assert len(found) == PLAN.repetitions or not is_reached(PLAN.stop, found[:-1])
        repetitions[benchmark, factors] = len(found)
    assert repetitions["b", '{"spread":0}'] == 2
    assert repetitions["b", '{"spread":2000}'] == 12
    assert any(2 < count < 12 for count in repetitions.values())


def test_a_repetition_of_all_comes_before_the_next_of_any(uninterrupted: Run) -> None:
    repetitions = [repetition for _, _, repetition in order(uninterrupted)]
    assert repetitions == sorted(repetitions)


@few
@given(st.lists(st.integers(0, 7), max_size=8))
def test_an_interrupted_run_goes_on_in_the_same_order_and_is_incomplete_until_the_end(
    tmp_path_factory: pytest.TempPathFactory, uninterrupted: Run, pieces: list[int]
) -> None:
    path = tmp_path_factory.mktemp("stop") / "s.db"
    with Store(path) as store:
        number = store.create_run(PLAN, len(settings(PLAN)))
    for piece in pieces:
        with Store(path) as store:
            advance(store, number, piece)
            so_far = store.run(number)
            assert so_far.complete == (len(so_far.measurements) == len(uninterrupted.measurements))
            assert store.runs()[0].complete == so_far.complete
    with Store(path) as store:
        advance(store, number)
        finished = store.run(number)
    assert order(finished) == order(uninterrupted)
    assert finished.total == uninterrupted.total


def test_a_total_that_another_version_left_is_put_right(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        number = store.create_run(PLAN, len(settings(PLAN)))
        advance(store, number)
        store.set_total(number, store.run(number).total + 1)
        assert not store.run(number).complete
        assert advance(store, number) == []
        assert store.run(number).complete
        with pytest.raises(IntercoreError, match="no run 9"):
            store.set_total(9, 1)


def test_without_a_rule_the_repetitions_are_all(tmp_path: Path) -> None:
    plan = Plan("host", None, "b", (Part("b", {"spread": SPREADS}),), repetitions=3)
    with Store(tmp_path / "s.db") as store:
        advance(store, store.create_run(plan, len(settings(plan))))
        run = store.run()
    assert run.complete
    assert len(run.measurements) == 12
