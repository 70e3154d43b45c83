"""A target that measures: what is started anew for each measurement, and what stays as it is."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from intercore.campaign import estimate
from intercore.campaign.batch import Batch, Failure, close, measure_batch
from intercore.campaign.kept_target import KeptTarget
from intercore.campaign.open_target import opened
from intercore.campaign.this_thread import carry_out
from intercore.link.host_port import HostPort
from intercore.link.port import TargetLostError
from intercore.record.measurement import Part, Plan
from intercore.record.plan import settings
from intercore.record.store import Store
from intercore.target import opening
from intercore.target.connection import Connection
from intercore.target.targets import Address, find
from tests.built_once import host_program_once
from tests.campaign.test_this_thread import Silent
from tests.fakes.console import Console, ConsolePort

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from intercore.record.measurement import Measurement

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the target host is Linux"),
    pytest.mark.measures("speedup"),
]

PLAN = Plan("host", None, "speedup", (Part("speedup", {"n": [1, 2], "samples": [1], "dither_us": [1]}),), repetitions=3)


class Started(list[HostPort]):
    """Every start of the program of this machine, whose file a test may replace."""

    def __init__(self, folder: Path) -> None:
        """Copy the program."""
        self.program = folder / "program"
        shutil.copy(host_program_once(), self.program)

    def replace(self) -> None:
        """Put another file in the program's place."""
        other = self.program.with_name("other")
        shutil.copy(self.program, other)
        other.replace(self.program)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    known = Started(tmp_path)

    def start(argv: Sequence[str]) -> HostPort:
        known.append(HostPort(argv))
        return known[-1]

    monkeypatch.setattr(opening, "HostPort", start)
    monkeypatch.setattr(opening, "host_program", lambda *_, **__: known.program)
    yield known
    close()


def by_run(tmp_path: Path) -> Sequence[Measurement]:
    with Store(tmp_path / "store.db") as store:
        number = store.create_run(PLAN, len(settings(PLAN)))
        with KeptTarget(PLAN, lambda build, say: find("host").open(Address(build=build), say), 10.0) as kept:
            carry_out(store, {number: kept}, Silent())
        return store.run(number).measurements


def by_batches(_: Path) -> Sequence[Measurement]:
    results = [measure_batch(Batch(PLAN, (setting,))) for setting in settings(PLAN)]
    return [one for result in results for one in result.outcomes if not isinstance(one, Failure)]


@pytest.mark.parametrize("measured", [by_run, by_batches])
def test_on_host_each_repetition_is_of_a_program_started_anew(
    started: Started, tmp_path: Path, measured: object
) -> None:
    assert callable(measured)
    measurements = measured(tmp_path)
    assert len(measurements) == 6
    assert len(started) == PLAN.repetitions == 3
    loads = {one.conditions["os.load_at_start"] for one in measurements}
    assert len(loads) == 1, "later on, the load is our own"


def test_the_program_of_the_repetition_before_is_gone_first(started: Started) -> None:
    first, second, _ = settings(PLAN)[::2]
    with opened(find("host").open(Address(), print), PLAN, 10.0) as target:
        target.measure(first)
        target.measure(second)
        assert [one._process.poll() for one in started] == [0, None]
    assert [one._process.poll() for one in started] == [0, 0]


def test_no_repetition_is_measured_in_the_program_that_trials_were_measured_in(started: Started) -> None:
    with opened(find("host").open(Address(), print), PLAN, 10.0) as target:
        estimate.by_trial(target, PLAN, 0.0, lambda _: None)
        target.measure(settings(PLAN)[0])
    assert len(started) == 2


def test_a_program_that_has_been_replaced_is_not_measured_as_if_it_were_the_same(started: Started) -> None:
    first, second, third = settings(PLAN)[::2]
    with opened(find("host").open(Address(), print), PLAN, 10.0) as target:
        target.measure(first)
        started.replace()
        with pytest.raises(TargetLostError, match=r"the target.*program was .*replaced"):
            target.measure(second)
        started.program.unlink()
        with pytest.raises(TargetLostError, match=r"the target.*program: No such file"):
            target.measure(third)


def test_a_sweep_opens_the_target_again_if_its_program_was_replaced(started: Started) -> None:
    first, second, _ = settings(PLAN)[::2]
    measure_batch(Batch(PLAN, (first,)))
    started.replace()
    (outcome,) = measure_batch(Batch(PLAN, (second,), pauses=(0.0,))).outcomes
    assert not isinstance(outcome, Failure)


def test_a_board_is_not_restarted() -> None:
    console = Console(())
    with opened(Connection(ConsolePort(console, rate=None)), PLAN, 10.0) as target:
        for setting in settings(PLAN)[:3]:
            target.measure(setting)
    said = [words[0] for words in console.commands]
    assert said == ["info", "run", "run", "run"]
