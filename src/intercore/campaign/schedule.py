"""The course of a run: what is still to be measured, of the plan and of what its stop rule asks for besides."""

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
    """What is still to be measured of a run, given what has been."""

    def __init__(self, run: Run) -> None:
        """Begin where the run is."""
        self._run = run
        self._rule = run.plan.stop
        self.missing = remaining(run)
        """Settings of the plan that the run held no measurement of when this began."""
        self._pools = repetitions_by_setting(run)
        self._given_up: set[tuple[str, str]] = set()
        so_far = len(run.measurements) + len(self.missing) + len(self._unsettled())
        self.total = run.total if self._rule is None else so_far
        """How many measurements the run needs, as far as is known now."""

    def settings(self) -> Iterator[Setting]:
        """Return what to measure next, one by one; each is to be added before the next one is asked for.

        As in a plan, a repetition of all settings comes before the next one of any. So a run that was interrupted goes
        on in the order that it would have had.
        """
        return chain.from_iterable(self.rounds())

    def rounds(self) -> Iterator[Sequence[Setting]]:
        """Return the same in rounds: those of one may be measured at once, in any order.

        All of a round are to be added, or given up, before the next one is asked for.
        """
        yield self.missing
        while pools := self._unsettled():
            fewest = min(map(len, pools))
            again = (setting_of(self._run.plan, pool[0]) for pool in pools if len(pool) == fewest)
            yield in_order(self._run.plan, [Setting(one.benchmark, one.factors, fewest) for one in again])

    def give_up(self, setting: Setting) -> None:
        """Ask for no further repetition of a setting: it cannot be measured any more."""
        self._given_up.add(setting.key)

    def add(self, setting: Setting, measurement: Measurement) -> None:
        """Take note of a measurement."""
        pool = self._pools.setdefault(setting.key, [])
        pool.append(measurement)
        self.total += self._is_unsettled(pool)

    def known(self, setting: Setting) -> Precision | None:
        """Return how well the setting is known so far, where a stop rule asks for that."""
        pool = self._pools.get(setting.key)
        return None if self._rule is None or not pool else worst(precisions(pool))

    def _unsettled(self) -> list[list[Measurement]]:
        return [pool for name, pool in self._pools.items() if name not in self._given_up and self._is_unsettled(pool)]

    def _is_unsettled(self, pool: Sequence[Measurement]) -> bool:
        """Whether the stop rule asks for another repetition of a setting that has those of the plan."""
        if self._rule is None or not self._run.plan.repetitions <= len(pool) < self._rule.cap:
            return False
        return not is_reached(self._rule, pool)
