"""Carries out runs: measures their missing settings, and stores each measurement when it is complete.

Only this thread writes to the store. Workers measure the batches: this thread itself for one run, or two alternating
runs (`this_thread`); for a plan file, a thread for each board, one thread for targets on this machine, and processes
for simulated chips. Targets on this machine are measured last, one after the other and each alone, because other load
would disturb them.
"""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from typing import TYPE_CHECKING, Protocol

import msgspec

from intercore.campaign.batch import Batch, Failure
from intercore.campaign.run_identity import OtherKernelError
from intercore.campaign.target_thread import TargetThread
from intercore.campaign.workers import AHEAD
from intercore.record.measurement import Measurement
from intercore.target.targets import find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from intercore.campaign.batch import Result
    from intercore.campaign.campaign import Campaign
    from intercore.campaign.workers import Workers
    from intercore.record.measurement import Plan
    from intercore.record.plan import Setting
    from intercore.record.store import Store

DEFAULT_RECONNECT_TIMEOUT = 20.0
"""Seconds to wait for a lost target: enough for a reset, or for a person to reconnect it."""
_PAUSES = (0.05, 0.25, 0.7)
"""Fractions of it after which the target is opened again."""
_POLL_S = 0.2
"""Polling interval in seconds."""


class Order(Protocol):
    """Chooses the next settings of the campaigns that share workers."""

    def take(self, workers: Workers) -> tuple[Campaign, tuple[Setting, ...]] | None:
        """Return the next settings, of one build; None if there are none, or none yet."""


class RoundRobin:
    """The order in which each campaign has its turn."""

    def __init__(self, campaigns: Sequence[Campaign]) -> None:
        """Begin with the first campaign."""
        self._count = len(campaigns)
        self._turns = itertools.cycle(campaigns)

    def take(self, workers: Workers) -> tuple[Campaign, tuple[Setting, ...]] | None:
        """See Order."""
        for campaign in itertools.islice(self._turns, self._count):
            if settings := campaign.take(workers):
                return campaign, settings
        return None


def carry_out(
    store: Store,
    campaigns: Sequence[Campaign],
    simulators: Workers,
    *,
    timeout: float | None,
    budget: float | None = None,
    reconnect_timeout: float = DEFAULT_RECONNECT_TIMEOUT,
) -> bool:
    """Complete the runs of the campaigns; return whether the time budget, in seconds, was enough.

    A lost target is waited for `reconnect_timeout` seconds. A target may be silent for `timeout` seconds; None stands
    for its default.

    Boards and simulated chips are measured at the same time; then, one after the other, the targets that must be alone,
    with those on this machine last. `simulators`, which the caller closes, measures simulated targets. The campaigns
    have what is missing in the end. Raises IntercoreError for an error of the store, or KeyboardInterrupt; all complete
    measurements are in the store then.
    """
    deadline = None if budget is None else time.monotonic() + budget
    begin(store, campaigns)
    in_time = True
    pauses = tuple(part * reconnect_timeout for part in _PAUSES)
    together = [campaign for campaign in campaigns if not campaign.is_alone]
    alone = sorted((one for one in campaigns if one.is_alone), key=lambda one: not one.plan.emulated)
    for phase in (together, *([one] for one in alone)):
        threads: list[TargetThread] = []
        shares: dict[Workers, list[Campaign]] = defaultdict(list)
        for campaign in phase:
            if campaign.is_in_process:
                shares[simulators].append(campaign)
            else:
                threads.append(TargetThread(campaign.observer.show_message, campaign.target))
                shares[threads[-1]].append(campaign)
        try:
            orders = {workers: RoundRobin(share) for workers, share in shares.items()}
            in_time = Phase(store, phase, orders, timeout, pauses).carry_out(deadline) and in_time
        finally:
            for thread in threads:
                thread.close()
    return in_time


def begin(store: Store, campaigns: Sequence[Campaign]) -> None:
    """Begin campaigns; two of them may share an observer."""
    for campaign in campaigns:
        store.set_total(campaign.id, campaign.total)  # another version may have evaluated the stop rule differently
    for observer in dict.fromkeys(campaign.observer for campaign in campaigns):
        mine = [campaign for campaign in campaigns if campaign.observer is observer]
        observer.begin(sum(one.done for one in mine), sum(one.total for one in mine))


class Phase:
    """Campaigns that run at the same time."""

    def __init__(
        self,
        store: Store,
        campaigns: Sequence[Campaign],
        orders: Mapping[Workers, Order],
        timeout: float | None = None,
        pauses: tuple[float, ...] = (),
    ) -> None:
        """Run them on workers, each with its own order; for `timeout`, see `carry_out`.

        `pauses` are the seconds after which a lost target is opened again.
        """
        self._store = store
        self._campaigns = campaigns
        self._orders = orders
        self._timeout = timeout
        self._pauses = pauses
        self._under_way: dict[Future[Result], tuple[Workers, Campaign, tuple[Setting, ...]]] = {}

    def carry_out(self, deadline: float | None = None) -> bool:
        """Measure until everything is done or the deadline is reached; return whether it was not reached."""
        try:
            while True:
                in_time = deadline is None or time.monotonic() < deadline
                if in_time:
                    self._hand_out()
                if not self._under_way:
                    if in_time and self._is_more() and any(campaign.pause for campaign in self._campaigns):
                        time.sleep(_POLL_S)  # until the next run of a plan begins
                        continue
                    return in_time or not self._is_more()
                wait(self._under_way, _POLL_S, FIRST_COMPLETED)
                self._take_in()
        except BaseException:
            self._take_in()  # keep finished batches
            raise

    def _is_more(self) -> bool:
        return any(not campaign.is_complete and campaign.set_aside is None for campaign in self._campaigns)

    def _hand_out(self) -> None:
        for workers, order in self._orders.items():
            ahead = workers.size * AHEAD if workers.size > 1 else 1
            while sum(one[0] is workers for one in self._under_way.values()) < ahead:
                taken = order.take(workers)
                if taken is None:
                    break
                campaign, settings = taken
                pauses = () if campaign.is_in_process else self._pauses
                plan = _without_parts(campaign.plan)
                timeout = find(plan.target).timeout if self._timeout is None else self._timeout
                batch = Batch(
                    plan, settings, timeout, campaign.max_rate, pauses, flashing=campaign.flashing, run=campaign.id
                )
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
            for text in result.messages:
                campaign.observer.show_message(text)
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
                    campaign.observer.show_message(sentence)
        if isinstance(outcome, Failure):
            was_set_aside = campaign.set_aside is not None
            campaign.failed(setting, outcome)
            if not was_set_aside:
                what = f"{setting.benchmark} {' '.join(f'{name}={level}' for name, level in setting.factors.items())}"
                campaign.observer.show_message(f"{what} is skipped: {outcome.why}")
                self._tell_if_set_aside(campaign)
            return
        if campaign.is_again(setting):
            if outcome.recording is not None:
                self._store.set_recording(campaign.id, setting, outcome.recording)
            return
        campaign.measured(setting, outcome, seconds)
        self._store.add(campaign.id, setting, outcome, campaign.total)
        total = sum(one.total for one in self._campaigns if one.observer is campaign.observer)
        campaign.observer.stored(setting, total, seconds, campaign.known(setting))

    def _tell_if_set_aside(self, campaign: Campaign) -> None:
        if campaign.set_aside is not None:
            campaign.observer.show_message(f"{campaign.name} is skipped from now on: {campaign.set_aside}")


def _without_parts(plan: Plan) -> Plan:
    """Return a plan without its parts, so that batches stay small."""
    return msgspec.structs.replace(plan, parts=(), excluded=())
