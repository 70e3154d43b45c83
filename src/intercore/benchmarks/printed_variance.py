"""Upper bound of a printed "Variance", from the printed mean, minimum and maximum.

A variance of values with a known mean and known ends has an upper bound. A number that exceeds it is not a variance. It
may be the standard error of the mean, s/√n; then it implies the number of values.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from intercore.view.quantity import significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.published import PrintedTimes

_FEWEST = 2  # values that have a variance
_WHOLE = 100  # from which on a square is written without decimals


class Printed(NamedTuple):
    """A row of a table, each number rounded to `rounding`; all in the same unit, ms here."""

    what: str
    """What the row is of, in words."""
    mean: float
    least: float
    largest: float
    variance: float
    """As printed under that name."""
    rounding: float
    """Unit of the last printed digit."""

    @property
    def _half(self) -> float:
        return self.rounding / 2

    @property
    def most(self) -> float:
        """The largest variance that values can have from which mean and ends were rounded, in the square of the unit.

        Of n values it is at most (largest − mean)(mean − least) with n in the denominator (Bhatia and Davis, A better
        bound on the variance, American Mathematical Monthly 107, 2000), and n/(n−1) times that with n − 1 in it.
        """
        low, high = self.least - self._half, self.largest + self._half
        middle = (low + high) / 2
        mean = min(max(middle, self.mean - self._half), self.mean + self._half)  # where the product is largest
        return (high - mean) * (mean - low) * self._fewest / (self._fewest - 1)

    @property
    def _fewest(self) -> float:
        """The fewest values with such a mean: one of them is the largest one, and one the least."""
        least_range = max(self.largest - self.least - self.rounding, 0)
        nearest = min(self.mean - self.least, self.largest - self.mean) + self.rounding
        return max(_FEWEST, least_range / nearest)

    @property
    def can_be_variance(self) -> bool:
        """Whether a variance can be what is printed as one."""
        return self.variance - self._half <= self.most

    @property
    def one_apart(self) -> tuple[int, int] | None:
        """Of how many values, at least and at most, the printed number is s/√n if all but one of them are alike.

        With one value at one end and n − 1 at b, the mean is b + (end − b)/n, and s/√n is |end − b|/n: exactly as far
        as the mean is from b. So |end − mean| is n − 1 times as much. None where the printed number is 0, or where b
        would lie beyond the other end.
        """
        low, high = self.variance - self._half, self.variance + self._half
        if low <= 0:
            return None
        below = self.largest - self.mean >= self.mean - self.least  # b is below the mean, and the end the largest value
        end, other = (self.largest, self.least) if below else (self.least, self.largest)
        if abs(self.mean - other) + self.rounding < low:
            return None
        way = abs(end - self.mean)
        fewest, most = math.ceil((way - self.rounding) / high) + 1, math.floor((way + self.rounding) / low) + 1
        return (fewest, most) if fewest <= most else None


def variance_notes(label: str, rounding_ms: float, rows: Mapping[str, PrintedTimes]) -> Iterator[str]:
    """Return what the column of a table is likely to be, whose rows are given by what each is of; else nothing."""
    explanation = variance_sentence(
        label,
        [
            Printed(what, row.average_ms, row.minimum_ms, row.maximum_ms, row.variance_ms, rounding_ms)
            for what, row in rows.items()
            if row.variance_ms is not None
        ],
    )
    if explanation:
        yield explanation


def variance_sentence(label: str, rows: Sequence[Printed]) -> str:
    """Return what the column of a table is likely to be; empty if each of its numbers can be a variance."""
    impossible = [row for row in rows if not row.can_be_variance]
    if not impossible:
        return ""
    bounds = "; ".join(f"{row.what}: at most {_square(row.most)}, printed {row.variance:.3f}"
                       for row in impossible)  # fmt: skip
    apart = [row.one_apart for row in impossible]
    known = [found for found in apart if found is not None]
    counts = (
        f" If one value stands apart from the others, s/√n implies {_counts(known)} values."
        if len(known) == len(apart)
        else ""
    )
    return (
        f"{label} print a “Variance” in tables of ms. With this mean, minimum and maximum no variance can be so large "
        f"({bounds}). It is likely the standard error of the mean, s/√n, so the table has that for this run's values, "
        f"too.{counts}"
    )


def _counts(known: Sequence[tuple[int, int]]) -> str:
    return " and ".join(f"{fewest} to {most}" for fewest, most in dict.fromkeys(known))


def _square(most: float) -> str:
    return f"{most:,.0f} ms²" if most >= _WHOLE else f"{significant(most, 2)} ms²"
