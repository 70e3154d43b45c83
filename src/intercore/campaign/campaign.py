"""A run in progress: its next settings, and its results so far."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING

from intercore.campaign.run_identity import RunIdentity
from intercore.campaign.schedule import Schedule
from intercore.campaign.workers import AHEAD
from intercore.record.factors import of_target
from intercore.record.plan import run_of, setting_of
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
"""Consecutive settings at which a target fails before it is skipped."""
_DEATHS = 10
"""Batches lost with their process before their target is skipped."""
_BATCH_SECONDS = 1.0
"""Duration of a batch of a simulated chip: short, as it is lost in a kill, and long against the overhead of a batch."""


class Campaign:
    """A run in progress."""

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
        """Continue a stored run; messages call its target `name`.

        `target` is the target if it is already open; the executing code closes it. `words` are shown with each
        measurement instead of the precision of its setting. With `retries_energy`, measurements whose energy a meter
        missed are repeated.
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
        """Settings that could not be measured, with the reasons."""
        self.set_aside: str | None = None
        """Why the target is skipped from now on."""
        self._schedule = Schedule(run)
        self._identity = RunIdentity(run)
        self._rounds = self._schedule.rounds()
        self._waiting: deque[Setting] = deque()
        self._under_way = 0
        self._in_a_row = 0
        self._deaths = 0
        self._seconds: float | None = None  # per measurement
        self._words = words
        lacking = run.measurements if retries_energy else ()
        self._run = -1  # of the plan's runs, the present one
        self._run_began = -math.inf
        self._announced = 0
        self._energy_lacks = [setting_of(run.plan, one) for one in lacking if one.lacks_energy]
        self._again: list[Setting] = []  # repeated only for their energy

    @property
    def total(self) -> int:
        """Number of measurements that the run needs, as far as known."""
        return self._schedule.total

    @property
    def missing(self) -> Sequence[Setting]:
        """Settings of the plan without a measurement at the start."""
        return self._schedule.missing

    @property
    def is_complete(self) -> bool:
        """Whether no setting is left to try."""
        return self.done >= self.total and not self._energy_lacks

    @property
    def is_alone(self) -> bool:
        """Whether no other campaign may run at the same time."""
        return find(self.plan.target).runs_on == "machine"

    @property
    def is_in_process(self) -> bool:
        """Whether its target is a simulated chip, which each process has separately."""
        return find(self.plan.target).runs_on == "process"

    def take(self, workers: Workers) -> tuple[Setting, ...]:
        """Return the next settings, of one build and one run; empty if there are none, or none yet."""
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
        if self._waiting and not self._has_begun(self._waiting[0]):
            return ()
        count = 1
        if workers.most > 1 and self._seconds is not None:
            share = len(self._waiting) // (AHEAD * workers.size)  # so that all processes finish at about the same time
            count = max(1, min(workers.most, share, int(_BATCH_SECONDS / max(self._seconds, 1e-6))))
        batch: list[Setting] = []
        while self._waiting and len(batch) < count:
            following = self._waiting[0]
            if batch and of_target(following.factors) != of_target(batch[0].factors):
                break
            if run_of(self.plan, following.repetition) != self._run:
                break
            batch.append(self._waiting.popleft())
        return self.begin(batch)

    @property
    def pause(self) -> float:
        """Seconds until the next of the plan's runs begins; 0 if it may begin now, or none is left."""
        return 0.0 if not self._waiting else max(0.0, self._run_began + self.plan.every - time.monotonic())

    def _has_begun(self, setting: Setting) -> bool:
        """Whether the run of a setting has begun, or begins now."""
        run = run_of(self.plan, setting.repetition)
        if run == self._run:
            return True
        if self._run >= 0 and self.pause:
            if self._announced != run:
                self._announced = run
                self.observer.show_message(f"run {run + 1} of {self.plan.runs} begins in {math.ceil(self.pause)} s")
            return False
        self._run, self._run_began = run, time.monotonic()
        return True

    def begin(self, settings: Sequence[Setting]) -> tuple[Setting, ...]:
        """Mark settings as under way, and return them."""
        self._under_way += len(settings)
        return tuple(settings)

    def known(self, setting: Setting) -> Precision | str | None:
        """Return the text shown with a setting: its precision so far if there is a stop rule."""
        return "its energy" if setting in self._again else self._words or self._schedule.known(setting)

    def check_kernel(self, conditions: Mapping[str, str]) -> None:
        """Raise OtherKernelError if the run has measurements with another kernel than that of these conditions."""
        self._identity.check_kernel(conditions)

    def put_back(self, settings: Iterable[Setting]) -> None:
        """Return settings whose process has died to the queue; after too many deaths, skip the target."""
        settings = list(settings)
        self._under_way -= len(settings)
        self._waiting.extendleft(reversed(settings))
        self._deaths += 1
        if self._deaths >= _DEATHS:
            self.set_aside = (
                "the processes that simulate it were killed repeatedly: check that there is enough memory, or use "
                "fewer --jobs"
            )

    def identified(self, measurement: Measurement) -> str:
        """Return a warning if a measurement is of another image than the run's; empty if it is not known to be.

        Raises OtherKernelError if it is of another kernel, and must not be added. Each worker of a cluster may have
        another kernel.
        """
        self.check_kernel(measurement.conditions)
        return self._identity.changed_image(measurement.factors, measurement.conditions)

    def measured(self, setting: Setting, measurement: Measurement, seconds: float) -> None:
        """Note a measurement."""
        self._under_way -= 1
        self._in_a_row = 0
        self._seconds = seconds if self._seconds is None else 0.8 * self._seconds + 0.2 * seconds
        self._schedule.add(setting, measurement)
        self._identity.add(measurement)
        self.done += 1

    def is_again(self, setting: Setting) -> bool:
        """Whether a setting is repeated only for its energy; its stored times stay."""
        if setting not in self._again:
            return False
        self._under_way -= 1
        self._again.remove(setting)
        return True

    def failed(self, setting: Setting, failure: Failure) -> None:
        """Note that a setting could not be measured: skip it, or the whole target."""
        self._under_way -= 1
        self._schedule.give_up(setting)
        self.failures.append((setting, failure.why))
        self._in_a_row = self._in_a_row + 1 if failure.kind == "broken" else 0
        if failure.kind == "unreachable" or (self._in_a_row >= _IN_A_ROW and not self.is_in_process):
            self.set_aside = failure.why
