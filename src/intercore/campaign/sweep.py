"""Carries out campaigns: several runs at once, each on a target of its own, their measurements stored as they come.

Only this thread writes to the store. Workers measure the batches: a thread for each board, one for what takes this
machine's time, and processes for simulated chips. What takes this machine's time is measured last, one target after the
other and each alone: what else ran would be measured with it.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections import defaultdict, deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from typing import TYPE_CHECKING, Protocol

import msgspec

from intercore.campaign.batch import Batch, Failure
from intercore.campaign.course import Course
from intercore.campaign.run_identity import OtherKernelError, RunIdentity
from intercore.campaign.target_thread import TargetThread
from intercore.record.factors import of_target
from intercore.record.measurement import Measurement
from intercore.record.plan import setting_of
from intercore.target.targets import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Future

    from intercore.board.boards import Flashing
    from intercore.campaign.batch import Result
    from intercore.campaign.workers import Workers
    from intercore.record.measurement import Plan, Run
    from intercore.record.plan import Setting
    from intercore.record.store import Store

DEFAULT_PATIENCE = 20.0
"""Seconds that a target that has gone is waited for: time for a reset, a loose plug, a person."""
_PAUSES = (0.05, 0.25, 0.7)
"""Parts of that after which it is tried to open it again."""
_IN_A_ROW = 3
"""Settings that a target does not get through, one after the other, before it is set aside."""
_DEATHS = 10
"""Batches lost with the process that measured them before their target is set aside."""
_BATCH_SECONDS = 1.0
"""How long a batch of a simulated chip is to take: what a kill loses, and long against what it costs to hand over."""
_BATCH_MOST = 50
_AHEAD = 2
"""Batches that each process has, one of them waiting."""
_LOOK = 0.2
"""Seconds between two looks at the clock."""


class Watcher(Protocol):
    """Is told how far campaigns have come."""

    def begin(self, campaign: Campaign) -> None:
        """Begin with a campaign, of which some may be done already."""

    def stored(self, campaign: Campaign, setting: Setting, seconds: float) -> None:
        """Note that a measurement is in the store; it took so long."""

    def say(self, campaign: Campaign, text: str) -> None:
        """Pass on a sentence for people."""


class Campaign:
    """A run that is being carried out."""

    def __init__(self, run: Run, name: str, max_rate: int | None = None, flashing: Flashing | None = None) -> None:
        """Go on with a stored run; `name` is what its target is called in messages."""
        self.id = run.id
        self.plan: Plan = run.plan
        self.name = name
        self.max_rate = max_rate
        self.flashing = flashing
        self.done = len(run.measurements)
        self.failures: list[tuple[Setting, str]] = []
        """Settings that could not be measured, and why."""
        self.set_aside: str | None = None
        """Why the target is measured no more."""
        self._course = Course(run)
        self._identity = RunIdentity(run)
        self._rounds = self._course.rounds()
        self._waiting: deque[Setting] = deque()
        self._under_way = 0
        self._in_a_row = 0
        self._deaths = 0
        self._seconds: float | None = None  # that a measurement takes
        self._energy_lacks = [setting_of(run.plan, one) for one in run.measurements if one.lacks_energy]
        self._again: list[Setting] = []  # that are measured for their energy alone

    @property
    def total(self) -> int:
        """How many measurements the run needs, as far as is known."""
        return self._course.total

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
        if self.is_in_process and self._seconds is not None:
            share = len(self._waiting) // (_AHEAD * workers.size)  # so that all processes end at about the same time
            count = max(1, min(_BATCH_MOST, share, int(_BATCH_SECONDS / max(self._seconds, 1e-6))))
        batch: list[Setting] = []
        while self._waiting and len(batch) < count:
            if batch and of_target(self._waiting[0].factors) != of_target(batch[0].factors):
                break
            batch.append(self._waiting.popleft())
        self._under_way += len(batch)
        return tuple(batch)

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
        self._identity.check_kernel(measurement.conditions)
        return self._identity.changed_image(measurement.factors, measurement.conditions)

    def measured(self, setting: Setting, measurement: Measurement, seconds: float) -> None:
        """Take note of a measurement."""
        self._under_way -= 1
        self._in_a_row = 0
        self._seconds = seconds if self._seconds is None else 0.8 * self._seconds + 0.2 * seconds
        self._course.add(setting, measurement)
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
        self._course.give_up(setting)
        self.failures.append((setting, failure.why))
        self._in_a_row = self._in_a_row + 1 if failure.kind == "broken" else 0
        if failure.kind == "unreachable" or (self._in_a_row >= _IN_A_ROW and not self.is_in_process):
            self.set_aside = failure.why


def carry_out(
    store: Store,
    campaigns: Sequence[Campaign],
    simulators: Workers,
    watcher: Watcher,
    *,
    timeout: float | None,
    budget: float | None = None,
    patience: float = DEFAULT_PATIENCE,
) -> bool:
    """Measure what the runs of the campaigns lack; return whether the budget, in seconds, was enough for that.

    A target that has gone is waited for `patience` seconds. One may be silent for `timeout` seconds, or, if that
    is None, for as long as is usual for it.

    Boards and simulated chips are measured at the same time. Then come, one after the other, the targets that are to
    be alone, and of these what is timed by this machine at the very end. Simulated targets are measured by
    `simulators`, which stays the caller's to close. What is missing in the end is told by the campaigns. Raises
    IntercoreError for a store in trouble, or KeyboardInterrupt; all complete measurements are in the store then.
    """
    deadline = None if budget is None else time.monotonic() + budget
    for campaign in campaigns:
        store.set_total(campaign.id, campaign.total)
        watcher.begin(campaign)
    in_time = True
    pauses = tuple(part * patience for part in _PAUSES)
    together = [campaign for campaign in campaigns if not campaign.is_alone]
    alone = sorted((one for one in campaigns if one.is_alone), key=lambda one: not one.plan.emulated)
    for phase in (together, *([one] for one in alone)):
        threads: list[TargetThread] = []
        shares: dict[Workers, list[Campaign]] = defaultdict(list)
        for campaign in phase:
            if campaign.is_in_process:
                shares[simulators].append(campaign)
            else:
                threads.append(TargetThread(functools.partial(watcher.say, campaign)))
                shares[threads[-1]].append(campaign)
        try:
            in_time = _Phase(store, shares, watcher, timeout, pauses).carry_out(deadline) and in_time
        finally:
            for thread in threads:
                thread.close()
    return in_time


class _Phase:
    """Campaigns that are carried out at the same time."""

    def __init__(
        self,
        store: Store,
        shares: dict[Workers, list[Campaign]],
        watcher: Watcher,
        timeout: float | None,
        pauses: tuple[float, ...],
    ) -> None:
        self._store = store
        self._watcher = watcher
        self._timeout = timeout
        self._pauses = pauses
        self._turns = {workers: itertools.cycle(share) for workers, share in shares.items()}
        self._counts = {workers: len(share) for workers, share in shares.items()}
        self._under_way: dict[Future[Result], tuple[Workers, Campaign, tuple[Setting, ...]]] = {}

    def carry_out(self, deadline: float | None) -> bool:
        """Measure until all is done or the time is over; return whether it was not."""
        try:
            while True:
                in_time = deadline is None or time.monotonic() < deadline
                if in_time:
                    self._hand_out()
                if not self._under_way:
                    return in_time or not self._is_more()
                wait(self._under_way, _LOOK, FIRST_COMPLETED)
                self._take_in()
        except BaseException:
            self._take_in()  # what is done is done
            raise

    def _is_more(self) -> bool:
        return any(
            not campaign.is_complete and campaign.set_aside is None
            for workers, turns in self._turns.items()
            for campaign in itertools.islice(turns, self._counts[workers])
        )

    def _hand_out(self) -> None:
        for workers, turns in self._turns.items():
            ahead = workers.size * _AHEAD if workers.size > 1 else 1
            idle = 0
            while idle < self._counts[workers] and sum(one[0] is workers for one in self._under_way.values()) < ahead:
                campaign = next(turns)
                settings = campaign.take(workers)
                if not settings:
                    idle += 1
                    continue
                idle = 0
                pauses = () if campaign.is_in_process else self._pauses
                plan = _without_parts(campaign.plan)
                timeout = find(plan.target).patience if self._timeout is None else self._timeout
                batch = Batch(plan, settings, timeout, campaign.max_rate, pauses, flashing=campaign.flashing)
                self._under_way[workers.submit(batch)] = workers, campaign, settings

    def _take_in(self) -> None:
        for future in [future for future in self._under_way if future.done()]:
            _, campaign, settings = self._under_way.pop(future)
            try:
                result = future.result()
            except BrokenExecutor:
                campaign.put_back(settings)
                self._tell_if_set_aside(campaign)
                continue
            for text in result.told:
                self._watcher.say(campaign, text)
            for setting, outcome in zip(settings, result.outcomes, strict=True):
                self._take(campaign, setting, outcome, result.seconds / len(settings))

    def _take(self, campaign: Campaign, setting: Setting, outcome: Measurement | Failure, seconds: float) -> None:
        if isinstance(outcome, Measurement):
            try:
                sentence = campaign.identified(outcome)
            except OtherKernelError as error:
                outcome = Failure(str(error), "unreachable")
            else:
                if sentence:
                    self._watcher.say(campaign, sentence)
        if isinstance(outcome, Failure):
            was_set_aside = campaign.set_aside is not None
            campaign.failed(setting, outcome)
            if not was_set_aside:
                what = f"{setting.benchmark} {' '.join(f'{name}={level}' for name, level in setting.factors.items())}"
                self._watcher.say(campaign, f"{what} is set aside: {outcome.why}")
                self._tell_if_set_aside(campaign)
            return
        if campaign.is_again(setting):
            if outcome.recording is not None:
                self._store.set_recording(campaign.id, setting, outcome.recording)
            return
        campaign.measured(setting, outcome, seconds)
        self._store.add(campaign.id, setting, outcome, campaign.total)
        self._watcher.stored(campaign, setting, seconds)

    def _tell_if_set_aside(self, campaign: Campaign) -> None:
        if campaign.set_aside is not None:
            self._watcher.say(campaign, f"{campaign.name} is set aside: {campaign.set_aside}")


def _without_parts(plan: Plan) -> Plan:
    """Return what a batch needs of a plan: a large one is not to be sent with each."""
    return msgspec.structs.replace(plan, parts=(), excluded=())
