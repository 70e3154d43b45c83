"""Carries out one run, or two alternating runs, in this thread: one setting at a time, until the first error."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from intercore.campaign.batch import Result
from intercore.campaign.by_turns import ByTurns
from intercore.campaign.campaign import Campaign
from intercore.campaign.execution import Phase, RoundRobin, begin
from intercore.campaign.metering import attached
from intercore.campaign.open_target import OpenTarget
from intercore.record.factors import of_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.campaign.batch import Batch
    from intercore.campaign.kept_target import KeptTarget
    from intercore.campaign.metering import Metering
    from intercore.campaign.observer import Observer
    from intercore.record.measurement import Measurement
    from intercore.record.plan import Setting
    from intercore.record.store import Store

    Measure: TypeAlias = Callable[
        [OpenTarget, Setting, Callable[[int, int], None], Callable[[float], None]], Measurement
    ]


class ThisThread:
    """Workers that consist of this thread only."""

    size = most = 1

    def __init__(
        self,
        campaigns: Mapping[int, Campaign],
        targets: Mapping[int, KeptTarget],
        metering: Metering | None,
        measure: Measure,
    ) -> None:
        """Measure on a target for each campaign, by the number of its run, with a meter if there is one."""
        self._campaigns = campaigns
        self._targets = targets
        self._measure = measure
        self._metering = metering

    def __str__(self) -> str:
        """See Workers."""
        return "this thread"

    def submit(self, batch: Batch) -> Future[Result]:
        """Measure the one setting of a batch before returning. Failures are raised here, not by the future."""
        (setting,) = batch.settings
        campaign = self._campaigns[batch.run]
        observer = campaign.observer
        target = self._targets[batch.run].opened(of_target(setting.factors), observer.show_message)
        campaign.check_kernel(target.conditions)
        observer.measuring(setting, campaign.known(setting))
        began = time.monotonic()
        take = partial(self._measure, target, setting, observer.progress, observer.chip_time)
        measurement = take() if self._metering is None else self._metering.measure_with_meter(take)
        future: Future[Result] = Future()
        future.set_result(Result((measurement,), time.monotonic() - began))
        return future

    def close(self) -> None:
        """See Workers. The caller closes the targets."""


def carry_out(
    store: Store,
    targets: Mapping[int, KeptTarget],
    observer: Observer,
    metering: Metering | None = None,
    measure: Measure = OpenTarget.measure,
) -> None:
    """Measure the missing settings of runs in the store, and then repeat measurements whose energy a meter missed.

    Two runs alternate, each on a target that stays open. `metering` has the run's meter, if any; `measure` performs
    each measurement. Raises IntercoreError or KeyboardInterrupt, with all complete measurements in the store, and
    OtherKernelError if a run has measurements with another kernel than its target has now.
    """
    afterwards = metering is not None and metering.is_afterwards
    campaigns = {}
    for number in targets:
        run = store.run(number)
        words = f"run {number}" if len(targets) > 1 else ""
        retries = metering is not None and not afterwards
        campaigns[number] = Campaign(run, run.plan.target, observer, words=words, retries_energy=retries)
    begin(store, [*campaigns.values()])
    order = RoundRobin([*campaigns.values()]) if len(campaigns) == 1 else ByTurns(*campaigns.values())
    with contextlib.ExitStack() as stack:
        for kept in targets.values():
            stack.enter_context(kept.showing_messages(observer.show_message))
        if isinstance(order, ByTurns):
            for (
                campaign,
                setting,
            ) in order.first:  # open both before the first measurement, because a build takes minutes
                targets[campaign.id].opened(of_target(setting.factors), observer.show_message)
        Phase(store, [*campaigns.values()], {ThisThread(campaigns, targets, metering, measure): order}).carry_out()
    if metering is not None and afterwards:
        for number in targets:
            for setting, recording in attached(store.run(number), metering):
                store.set_recording(number, setting, recording)
