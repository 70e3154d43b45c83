"""The schedule of a run: the settings to measure next, of the plan and of its stop rule."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from intercore.benchmarks.stop_rule import is_reached, precisions
from intercore.record.plan import Setting, in_order, remaining, repetitions_by_setting, setting_of
from intercore.statistics.precision import worst

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.record.measurement import Measurement, Run
    from intercore.statistics.precision import Precision


class Schedule:
    """The settings of a run that are still to be measured."""

    def __init__(self, run: Run) -> None:
        """Begin with the present state of the run."""
        self._run = run
        self._rule = run.plan.stop
        self.missing = remaining(run)
        """Settings of the plan that the run held no measurement of when this began."""
        self._pools = repetitions_by_setting(run)
        self._given_up: set[tuple[str, str]] = set()
        so_far = len(run.measurements) + len(self.missing) + len(self._unsettled())
        self.total = run.total if self._rule is None else so_far
        """Number of measurements that the run needs, as far as known now."""

    def settings(self) -> Iterator[Setting]:
        """Yield the settings to measure; each is to be added before the next one is requested.

        As in a plan, a repetition of all settings comes before the next one of any. So an interrupted run continues in
        its original order.
        """
        return chain.from_iterable(self.rounds())

    def rounds(self) -> Iterator[Sequence[Setting]]:
        """Yield the same in rounds, whose settings may be measured at the same time, in any order.

        All of a round are to be added, or given up, before the next one is requested.
        """
        yield self.missing
        while pools := self._unsettled():
            fewest = min(map(len, pools))
            again = (setting_of(self._run.plan, pool[0]) for pool in pools if len(pool) == fewest)
            yield in_order(self._run.plan, [Setting(one.benchmark, one.factors, fewest) for one in again])

    def give_up(self, setting: Setting) -> None:
        """Schedule no further repetition of a setting that cannot be measured."""
        self._given_up.add(setting.key)

    def add(self, setting: Setting, measurement: Measurement) -> None:
        """Take note of a measurement."""
        pool = self._pools.setdefault(setting.key, [])
        pool.append(measurement)
        self.total += self._is_unsettled(pool)

    def known(self, setting: Setting) -> Precision | None:
        """Return the precision of the setting so far, if there is a stop rule."""
        pool = self._pools.get(setting.key)
        return None if self._rule is None or not pool else worst(precisions(pool))

    def _unsettled(self) -> list[list[Measurement]]:
        return [pool for name, pool in self._pools.items() if name not in self._given_up and self._is_unsettled(pool)]

    def _is_unsettled(self, pool: Sequence[Measurement]) -> bool:
        """Whether the stop rule requires another repetition of a setting that has those of the plan."""
        if self._rule is None or not self._run.plan.repetitions <= len(pool) < self._rule.cap:
            return False
        return not is_reached(self._rule, pool)
