"""A model of two counters that are taken for one clock: the apparent periods of a task that changes its core.

Each period is the reading of the current core's counter minus that of the previous core's, as an unsigned number of a
counter's width. Two counters that started at different times have an offset. So a period one way is longer by the
offset, and one back is shorter; a value below 0 wraps around.
"""

from __future__ import annotations

import math

import msgspec


class TwoCounters(msgspec.Struct, frozen=True):
    """A task with a steady period that is moved from core to core and back, timed by the cores' own counters."""

    bits: int
    """Of each counter, 1 to 64."""
    hz: int
    """Counts per second."""
    period_us: float
    """The true period."""
    apart_us: float
    """By how much the counter of the second core is ahead of that of the first."""
    forth: int
    """Periods at whose end the task is on the second core and at whose beginning it was on the first."""
    back: int
    """Those the other way."""
    stayed: int = 0
    """Those that begin and end on one core."""

    @property
    def wrap_us(self) -> float:
        """After how long a counter is back where it was."""
        return wrap_us(self.bits, self.hz)

    @property
    def forth_us(self) -> float:
        """A period to the second core."""
        return (self.period_us + self.apart_us) % self.wrap_us

    @property
    def back_us(self) -> float:
        """A period to the first core."""
        return (self.period_us - self.apart_us) % self.wrap_us

    @property
    def stayed_us(self) -> float:
        """A period on one core."""
        return self.period_us % self.wrap_us

    @property
    def least_us(self) -> float:
        """The shortest of all."""
        return min(us for us, _ in self._values)

    @property
    def largest_us(self) -> float:
        """The longest of all."""
        return max(us for us, _ in self._values)

    @property
    def mean_us(self) -> float:
        """The mean of all.

        With as many each way, it does not depend on how far the counters are apart: where one of the two wraps, it is
        half a wrap from the period.
        """
        return sum(us * count for us, count in self._values) / sum(count for _, count in self._values)

    @property
    def standard_error_us(self) -> float:
        """The standard error of that mean, s/√n with n − 1 in the denominator of s²."""
        n, mean = sum(count for _, count in self._values), self.mean_us
        return math.sqrt(sum(count * (us - mean) ** 2 for us, count in self._values) / (n - 1) / n)

    @property
    def _values(self) -> list[tuple[float, int]]:
        """What there is, with how often."""
        ways = ((self.forth_us, self.forth), (self.back_us, self.back), (self.stayed_us, self.stayed))
        return [(us, count) for us, count in ways if count]


def wrap_us(bits: int, hz: int) -> float:
    """Return after how many µs a counter of so many bits at that rate is back where it was."""
    return float(2**bits) * 1e6 / hz


class PeriodCount(msgspec.Struct, frozen=True):
    """A number of periods that gives what a table prints, and what else follows from it."""

    forth: int
    """Periods that did not wrap."""
    back: int
    """Periods that wrapped once."""
    apart_ms: tuple[float, float]
    """How far the counters were apart, at least and at most."""
    period_ms: float
    """Mean of the true periods."""

    @property
    def periods(self) -> int:
        """All of them."""
        return self.forth + self.back


class WrappedRow(msgspec.Struct, frozen=True):
    """A printed row of periods, taken for differences of two counters, of which one way has wrapped; all in ms."""

    mean: float
    least: float
    largest: float
    error: float
    """The value that is assumed to be the standard error of the mean."""
    rounding: float
    """Unit of the last printed digit."""
    longest: float
    """The longest true period that there can have been: as printed of the same task when it was not moved."""
    wrap: float
    """After which a counter is back where it was."""

    @property
    def period(self) -> float:
        """The true period if as many periods wrapped as did not: half a wrap less than the mean."""
        return self.mean - self.wrap / 2

    @property
    def ends_together(self) -> float:
        """The shortest true period one way and the longest one back, together: least and largest less one wrap."""
        return self.least + self.largest - self.wrap

    @property
    def shortest(self) -> float:
        """The shortest true period that there can have been."""
        return self.ends_together - self.longest - 3 * self._half

    @property
    def _half(self) -> float:
        return self.rounding / 2

    def splits(self) -> list[PeriodCount]:
        """Return every number of periods, by how many went which way, from which mean and error are to the last digit.

        The true periods are between `shortest` and `longest`, so least and largest bound how far the counters were
        apart. The mean gives the mean true period of a split. The error gives how far the two ways were apart, 2 d less
        than a wrap, and with it d: f periods at one value and b at another have s² = f b D² / (n (n − 1)).
        """
        bounds = (
            self.least - self.longest - 2 * self._half,
            self.wrap + self.longest - self.largest + 2 * self._half,
        )
        widest = self.wrap - 2 * bounds[0]
        most = math.floor(1 + (widest / 2 / (self.error - self._half)) ** 2) + 1  # of n: with halves s is the largest
        parts = [
            (period - self.mean + self.wrap - apart) / (self.wrap - 2 * apart)
            for apart in bounds
            for period in (self.shortest - self.rounding, self.longest + self.rounding)
        ]
        found = (
            self._split(n, forth, bounds)
            for n in range(2, most + 1)
            for forth in range(max(math.ceil(n * min(parts)), 1), min(math.floor(n * max(parts)), n - 1) + 1)
        )
        return [one for one in found if one is not None]

    def _split(self, n: int, forth: int, bounds: tuple[float, float]) -> PeriodCount | None:
        back = n - forth
        period = self._true_mean(n, forth, sum(bounds) / 2)
        # The mean true period may be another one each way, as long as none of them is above the longest.
        leeway = max(self.longest + self._half - period, 0) * n / min(forth, back) / 2
        scale = n * math.sqrt((n - 1) / (forth * back))
        low, high = ((self.wrap - (self.error + sign * self._half) * scale) / 2 for sign in (1, -1))
        low, high = max(low - leeway, bounds[0]), min(high + leeway, bounds[1])
        if low > high:
            return None
        period = self._true_mean(n, forth, (low + high) / 2)
        slack = self._half + abs(forth - back) / n * (high - low) / 2
        if not self.shortest - slack <= period <= self.longest + self._half + slack:
            return None
        return PeriodCount(forth, back, (low, high), period)

    def _true_mean(self, n: int, forth: int, apart: float) -> float:
        return self.mean - (forth * apart + (n - forth) * (self.wrap - apart)) / n
