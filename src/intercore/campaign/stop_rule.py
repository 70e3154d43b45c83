"""The stop rule: settings are measured again until their medians are known as well as asked, `--until 1%`."""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.errors import UsageError
from intercore.record.measurement import LOOKING_PREFIX, StopRule
from intercore.record.plan import Setting, canonical, in_order, remaining, setting_of
from intercore.statistics.intervals import order_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.record.measurement import Measurement, Run, Series, Unit

DEFAULT_CAP = 30
"""Repetitions per setting: they make an interval about 5 times narrower than the first one did."""

_WITH_MEDIANS = {"tick", "count"}
"""Units of which a median means something: moments and numbers of cores have none."""
_BESIDES = {"true", "begins", "late.counts", "longer.counts", "shorter.counts", "extremes"} | {
    f"{when}.{way}" for when in ("before", "after") for way in ("there", "back")
}
"""Series that have none either: what an observer saw, where stretches begin, histograms, the two ends of a sample, and
exchanges of time stamps, of which the shortest counts."""
_WITHOUT_MEDIANS = {"clock", "contention"}
"""Benchmarks whose samples as a whole have none: intervals of random length, and moments whose number is the result."""
_NAMED = 3  # settings in a warning


class Precision(msgspec.Struct, frozen=True):
    """How well the median of a series is known."""

    series: str
    samples: int
    distance: float | None
    """Distance of the median from the farther bound of its 95 % interval; None if there are too few samples for one:
    fewer than 6."""
    fraction: float | None
    """The same as a fraction of the median; None also if that is 0 and the interval is not."""
    unit: Unit
    """Of `distance`."""

    def within(self, until: float) -> bool:
        """Whether that is as close as asked, or no more than a tick or a count, which no sample can tell apart."""
        if self.distance is None:
            return False
        return self.distance <= 1 or (self.fraction is not None and self.fraction <= until)

    def __str__(self) -> str:
        """Return it in words: `tp ±1.8 %`."""
        if self.distance is None:
            return f"{self.series} not known from {self.samples} sample{'s' * (self.samples != 1)}"
        return (
            f"{self.series} ±{self.distance:g} {self.unit}s"
            if self.fraction is None
            else f"{self.series} ±{percent(self.fraction)} %"
        )


def parse_rule(until: str | None, cap: int | None, repetitions: int) -> StopRule | None:
    """Return the rule that a user asked for; `cap` is None for the default. UsageError for what is no rule."""
    if until is None:
        if cap is not None:
            raise UsageError("--cap limits what --until asks for: give --until too, e.g. --until 1%, or --repetitions")
        return None
    number = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*%\s*", until, re.ASCII)
    if number is None:
        raise UsageError(f"--until is a percentage such as 1% or 0.5%, and not '{until}'")
    fraction = float(Decimal(number[1]) / 100)
    if not 0 < fraction <= 1:
        raise UsageError(f"--until={until} is out of range: above 0 %, at most 100 %")
    return StopRule(fraction, max(DEFAULT_CAP, repetitions) if cap is None else cap)


def percent(fraction: float, digits: int = 2) -> str:
    """Return a fraction as the number of a percentage, without an exponent: `1.8`."""
    return f"{Decimal(f'{100 * fraction:.{digits}g}'):f}"


def asked(rule: StopRule) -> str:
    """Return how well medians are to be known, as `--until` takes it: `0.5%`."""
    return f"{percent(rule.until, 10)}%"


def precisions(repetitions: Iterable[Measurement]) -> list[Precision]:
    """Return how well the median of each main series is known, over all repetitions of one setting."""
    ticks: dict[tuple[str, Unit], list[np.typing.NDArray[np.int64]]] = defaultdict(list)
    for measurement in repetitions:
        for series in measurement.series:
            if has_median(measurement.benchmark, series) and len(series.ticks):
                ticks[series.name, series.unit].append(series.ticks)
    return [_precision(name, unit, np.concatenate(parts)) for (name, unit), parts in ticks.items()]


def worst(found: Sequence[Precision]) -> Precision | None:
    """Return the series that is known least well; None if there is none."""
    return max(found, key=_width, default=None)


def is_reached(rule: StopRule, repetitions: Iterable[Measurement]) -> bool:
    """Whether the medians of all main series of a setting are known as well as asked."""
    return all(one.within(rule.until) for one in precisions(repetitions))


class Course:
    """What is still to be measured of a run, given what has been."""

    def __init__(self, run: Run) -> None:
        """Begin where the run is."""
        self._run = run
        self._rule = run.plan.stop
        self._missing = remaining(run)
        self._pools = pooled(run)
        self._given_up: set[tuple[str, str]] = set()
        so_far = len(run.measurements) + len(self._missing) + len(self._unsettled())
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
        yield self._missing
        while pools := self._unsettled():
            fewest = min(map(len, pools))
            again = (setting_of(self._run.plan, pool[0]) for pool in pools if len(pool) == fewest)
            yield in_order(self._run.plan, [Setting(one.benchmark, one.factors, fewest) for one in again])

    def give_up(self, setting: Setting) -> None:
        """Ask for no further repetition of a setting: it cannot be measured any more."""
        self._given_up.add(key(setting))

    def add(self, setting: Setting, measurement: Measurement) -> None:
        """Take note of a measurement."""
        pool = self._pools.setdefault(key(setting), [])
        pool.append(measurement)
        self.total += self._is_unsettled(pool)

    def known(self, setting: Setting) -> Precision | None:
        """Return how well the setting is known so far, where a stop rule asks for that."""
        pool = self._pools.get(key(setting))
        return None if self._rule is None or not pool else worst(precisions(pool))

    def _unsettled(self) -> list[list[Measurement]]:
        return [pool for name, pool in self._pools.items() if name not in self._given_up and self._is_unsettled(pool)]

    def _is_unsettled(self, pool: Sequence[Measurement]) -> bool:
        """Whether the stop rule asks for another repetition of a setting that has those of the plan."""
        if self._rule is None or not self._run.plan.repetitions <= len(pool) < self._rule.cap:
            return False
        return not is_reached(self._rule, pool)


def pooled(run: Run) -> dict[tuple[str, str], list[Measurement]]:
    """Return the repetitions of each setting of the run, by benchmark and canonical factors."""
    pools: dict[tuple[str, str], list[Measurement]] = defaultdict(list)
    for measurement in run.measurements:
        if measurement.benchmark in run.plan.benchmarks:
            pools[key(setting_of(run.plan, measurement))].append(measurement)
    return pools


def key(setting: Setting) -> tuple[str, str]:
    """Return what the repetitions of a setting have in common."""
    return setting.benchmark, canonical(setting.factors)


def warnings(run: Run) -> list[str]:
    """Say which settings have all the repetitions they may, and are still not known as well as asked."""
    rule = run.plan.stop
    if rule is None:
        return []
    short = [pool for pool in pooled(run).values() if len(pool) >= rule.cap and not is_reached(rule, pool)]
    if not short:
        return []
    short.sort(key=lambda pool: _width(worst(precisions(pool))), reverse=True)
    named = "; ".join(_how_far(run, pool) for pool in short[:_NAMED])
    more = f"; and {len(short) - _NAMED} more" if len(short) > _NAMED else ""
    times = f"{rule.cap} repetition{'s' * (rule.cap != 1)}"
    settings = f"{len(short)} setting{' is' if len(short) == 1 else 's are'} not"
    return [
        f"Medians were to be known to ±{percent(rule.until, 10)} %. After {times}, the most allowed, {settings}: "
        f"{named}{more}. Take more samples, raise --cap, or measure on a quieter machine."
    ]


def to_json(run: Run) -> dict[str, object] | None:
    """Return the rule and how far each setting came, in the documented shape; None without a rule."""
    rule = run.plan.stop
    if rule is None:
        return None
    return {
        "until": rule.until,
        "cap": rule.cap,
        "settings": [
            {
                "benchmark": pool[0].benchmark,
                "factors": setting_of(run.plan, pool[0]).factors,
                "repetitions": len(pool),
                "reached": is_reached(rule, pool),
                "series": [
                    {"series": one.series, "samples": one.samples, "half_width": one.fraction}
                    for one in precisions(pool)
                ],
            }
            for pool in pooled(run).values()
        ],
    }


def has_median(benchmark: str, series: Series) -> bool:
    """Whether the median of a series is a result of the benchmark."""
    beside = series.name.startswith(LOOKING_PREFIX) or series.name in _BESIDES
    return series.unit in _WITH_MEDIANS and not beside and benchmark not in _WITHOUT_MEDIANS


def _precision(name: str, unit: Unit, ticks: np.typing.NDArray[np.int64]) -> Precision:
    median = order_interval(np.sort(ticks.astype(np.float64)), 0.5)
    if median.low is None or median.high is None:
        return Precision(name, len(ticks), None, None, unit)
    distance = max(median.high - median.value, median.value - median.low)
    if distance == 0:
        return Precision(name, len(ticks), 0.0, 0.0, unit)
    return Precision(name, len(ticks), distance, distance / abs(median.value) if median.value else None, unit)


def _width(found: Precision | None) -> float:
    if found is None:
        return 0.0
    return np.inf if found.fraction is None else found.fraction


def _how_far(run: Run, pool: Sequence[Measurement]) -> str:
    setting = setting_of(run.plan, pool[0])
    levels = (f"{name}={level}" for name, level in setting.factors.items() if name != "seed")
    return f"{' '.join((setting.benchmark, *levels))} ({worst(precisions(pool))})"
