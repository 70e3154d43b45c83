"""A run that is being carried out: what is to be measured next, and what has come of it so far."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from intercore.campaign.run_identity import RunIdentity
from intercore.campaign.schedule import Schedule
from intercore.campaign.workers import AHEAD
from intercore.record.factors import of_target
from intercore.record.plan import setting_of
from intercore.target.targets import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.board.boards import Flashing
    from intercore.campaign.batch import Failure
    from intercore.campaign.kept_target import KeptTarget
    from intercore.campaign.observer import Observer
    from intercore.campaign.workers import Workers
    from intercore.record.measurement import Measurement, Plan, Run
    from intercore.record.plan import Setting
    from intercore.statistics.precision import Precision

_IN_A_ROW = 3
"""Settings that a target does not get through, one after the other, before it is set aside."""
_DEATHS = 10
"""Batches lost with the process that measured them before their target is set aside."""
_BATCH_SECONDS = 1.0
"""How long a batch of a simulated chip is to take: what a kill loses, and long against what it costs to hand over."""


class Campaign:
    """A run that is being carried out."""

    def __init__(
        self,
        run: Run,
        name: str,
        observer: Observer,
        max_rate: int | None = None,
        flashing: Flashing | None = None,
        target: KeptTarget | None = None,
        *,
        words: str = "",
        retries_energy: bool = True,
    ) -> None:
        """Go on with a stored run; `name` is what its target is called in messages.

        `target` is the target if it is open already: whoever carries the campaign out closes it.
        `words` are shown beside each measurement, in place of how well its setting is known. `retries_energy` says
        whether what a meter was to see and did not is measured again.
        """
        self.id = run.id
        self.plan: Plan = run.plan
        self.name = name
        self.observer = observer
        self.max_rate = max_rate
        self.flashing = flashing
        self.target = target
        self.done = len(run.measurements)
        self.failures: list[tuple[Setting, str]] = []
        """Settings that could not be measured, and why."""
        self.set_aside: str | None = None
        """Why the target is measured no more."""
        self._schedule = Schedule(run)
        self._identity = RunIdentity(run)
        self._rounds = self._schedule.rounds()
        self._waiting: deque[Setting] = deque()
        self._under_way = 0
        self._in_a_row = 0
        self._deaths = 0
        self._seconds: float | None = None  # that a measurement takes
        self._words = words
        lacking = run.measurements if retries_energy else ()
        self._energy_lacks = [setting_of(run.plan, one) for one in lacking if one.lacks_energy]
        self._again: list[Setting] = []  # that are measured for their energy alone

    @property
    def total(self) -> int:
        """How many measurements the run needs, as far as is known."""
        return self._schedule.total

    @property
    def missing(self) -> Sequence[Setting]:
        """Settings of the plan that the run held no measurement of when this began."""
        return self._schedule.missing

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing that is still to be tried."""
        return self.done >= self.total and not self._energy_lacks

    @property
    def is_alone(self) -> bool:
        """Whether no other campaign may be carried out at the same time."""
        return find(self.plan.target).runs_on == "machine"

    @property
    def is_in_process(self) -> bool:
        """Whether its target is a simulated chip, of which each process has its own."""
        return find(self.plan.target).runs_on == "process"

    def take(self, workers: Workers) -> tuple[Setting, ...]:
        """Return settings of one build to be measured next; none if there are none, or none yet."""
        if self.set_aside is not None:
            return ()
        while not self._waiting and not self._under_way:
            some = next(self._rounds, None)
            if some is None:
                some, self._energy_lacks = self._energy_lacks, []
                self._again = list(some)
                if not some:
                    return ()
            self._waiting.extend(some)
        count = 1
        if workers.most > 1 and self._seconds is not None:
            share = len(self._waiting) // (AHEAD * workers.size)  # so that all processes end at about the same time
            count = max(1, min(workers.most, share, int(_BATCH_SECONDS / max(self._seconds, 1e-6))))
        batch: list[Setting] = []
        while self._waiting and len(batch) < count:
            if batch and of_target(self._waiting[0].factors) != of_target(batch[0].factors):
                break
            batch.append(self._waiting.popleft())
        return self.begin(batch)

    def begin(self, settings: Sequence[Setting]) -> tuple[Setting, ...]:
        """Take note that settings are measured next, and return them."""
        self._under_way += len(settings)
        return tuple(settings)

    def known(self, setting: Setting) -> Precision | str | None:
        """Return what is shown beside a setting: how well it is known so far where a stop rule asks for that."""
        return "its energy" if setting in self._again else self._words or self._schedule.known(setting)

    def check_kernel(self, conditions: Mapping[str, str]) -> None:
        """Raise OtherKernelError if the run has measurements of another kernel than these conditions are of."""
        self._identity.check_kernel(conditions)

    def put_back(self, settings: Iterable[Setting]) -> None:
        """Take back settings whose process has died; too many deaths, and the target is set aside."""
        settings = list(settings)
        self._under_way -= len(settings)
        self._waiting.extendleft(reversed(settings))
        self._deaths += 1
        if self._deaths >= _DEATHS:
            self.set_aside = "processes that simulate it were killed time and again: is there enough memory?"

    def identified(self, measurement: Measurement) -> str:
        """Say that a measurement is of another image than the run's; empty if nothing tells so.

        Raises OtherKernelError if it is of another kernel: it must not be added. Workers of a cluster may each have
        their own.
        """
        self.check_kernel(measurement.conditions)
        return self._identity.changed_image(measurement.factors, measurement.conditions)

    def measured(self, setting: Setting, measurement: Measurement, seconds: float) -> None:
        """Take note of a measurement."""
        self._under_way -= 1
        self._in_a_row = 0
        self._seconds = seconds if self._seconds is None else 0.8 * self._seconds + 0.2 * seconds
        self._schedule.add(setting, measurement)
        self._identity.add(measurement)
        self.done += 1

    def is_again(self, setting: Setting) -> bool:
        """Whether a setting is measured for its energy alone: what was measured of time before stays."""
        if setting not in self._again:
            return False
        self._under_way -= 1
        self._again.remove(setting)
        return True

    def failed(self, setting: Setting, failure: Failure) -> None:
        """Take note that a setting could not be measured: it is set aside, or the whole target is."""
        self._under_way -= 1
        self._schedule.give_up(setting)
        self.failures.append((setting, failure.why))
        self._in_a_row = self._in_a_row + 1 if failure.kind == "broken" else 0
        if failure.kind == "unreachable" or (self._in_a_row >= _IN_A_ROW and not self.is_in_process):
            self.set_aside = failure.why
