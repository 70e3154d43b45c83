"""A line through measured points, its uncertainty, and whether one line is enough.

The points are medians, one for each x. All samples of one x share the error of the line there, so a fit to single
samples would count a thousand samples of one x as a thousand independent points, and its intervals would be far too
narrow. A point is off the line for two reasons: its median is known only so well (`error`), and no line is the whole
truth (`scatter`, a fraction of the value). The weight of a point is one over the sum of both variances. Where samples
hardly vary, as on a simulated chip, that is least squares of relative errors; where only noise remains, to weights by
it.

The scatter is the least one with which the points are as far from the line as they should be (Paule & Mandel 1982,
Consensus values and weighting factors, J. Res. NBS 87; DerSimonian & Kacker 2007 for its use).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.probability import chi_square_above, student_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

MOST_BREAKS = 3
"""Breakpoints that are looked for."""
FEWEST = 3
"""Points of a piece: two have a line through them whatever they are."""
REJECTED_P = 0.01
"""Probability of points so far from one line if it were the truth, below which more pieces are looked for."""

ENOUGH = 0.01
"""Fraction of every value within which one line is enough, whatever the result of a test."""

_BETTER = 1 / 2
"""Part of the error of predictions that more pieces leave, at most: less of a gain is not worth a complex model."""
_ROUNDING = 1e-12
"""Fraction of a value below which an error is due to the rounding of sums: thousands of units in the last place."""
_FOLDS = 24
"""Parts that the points are split into to be predicted from the others; up to so many, each point by itself."""
_LARGEST_SCATTER = 1e6
"""Fraction of a value at which the search for the scatter ends."""
_CANDIDATES = 200
"""Places tried for a breakpoint; of more points, an even choice."""
_LEAST_ERROR = 1e-12  # of the largest value, or of 1 if all are 0: what keeps weights finite


@dataclass(frozen=True)
class Points:
    """What a line is drawn through: at least one point, in ascending order of x, each x once."""

    x: Floats
    y: Floats
    """Finite; not below 0."""
    error: Floats
    """Standard error of each y; never 0, as no median is known better than to a tick of its clock."""

    @staticmethod
    def of(x: Sequence[float] | Floats, y: Sequence[float] | Floats, error: Sequence[float] | Floats) -> Points:
        """Make points of sequences in any order."""
        order = np.argsort(np.asarray(x), kind="stable")
        columns = [np.asarray(values, dtype=np.float64)[order] for values in (x, y, error)]
        least = _LEAST_ERROR * float(np.max(np.abs(columns[1]), initial=0.0)) or _LEAST_ERROR
        return Points(columns[0], columns[1], np.maximum(columns[2], least))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.x)

    def without(self, left_out: NDArray[np.bool_]) -> Points:
        """Return the other points."""
        return Points(self.x[~left_out], self.y[~left_out], self.error[~left_out])


class Piece(NamedTuple):
    """A line over a range of x."""

    low: float
    """The smallest x that it was fitted to."""
    high: float
    intercept: Interval
    slope: Interval
    covariance: Floats
    """Of intercept and slope, shape (2, 2)."""

    def at(self, x: float) -> tuple[float, float]:
        """Return the line's value and its standard error."""
        row = np.array((1.0, x))
        return self.intercept.value + self.slope.value * x, math.sqrt(max(float(row @ self.covariance @ row), 0.0))


@dataclass(frozen=True)
class Fit:
    """One line, or several over neighbouring ranges."""

    points: Points
    pieces: tuple[Piece, ...]
    """In ascending order of x."""
    scatter: float
    """By which fraction of its value a point is off, beyond what its error explains: one standard deviation."""
    freedom: int
    """Points less parameters; with 0 there are no intervals."""
    misfit: float
    """Sum of the squares of what the points are off, in units of their errors alone."""

    @property
    def breaks(self) -> list[tuple[float, float]]:
        """Between which neighbouring x each breakpoint lies: its exact place is unknown."""
        return [(left.high, right.low) for left, right in pairwise(self.pieces)]

    @property
    def p_value(self) -> float | None:
        """Probability of a misfit at least as large if the lines were true; None without degrees of freedom."""
        return chi_square_above(self.misfit, self.freedom) if self.freedom else None

    @cached_property
    def quantile(self) -> float | None:
        """How many standard errors reach from a value to a bound of its interval; None without freedom."""
        return _quantile(self.freedom)

    @property
    def fitted(self) -> Floats:
        """The lines' values at the points."""
        return np.array([self.value(float(x)) for x in self.points.x])

    @property
    def relative_errors(self) -> Floats:
        """What the lines are off at each point, as a fraction of its value; positive where they are too high."""
        return _relative(self.fitted, self.points.y)

    def value(self, x: float) -> float:
        """Return the lines' value: between two of them their mean, outside that of the nearest one."""
        return float(np.mean([piece.at(x)[0] for piece in self._pieces(x)]))

    def piece(self, x: float) -> Piece:
        """Return the line that x belongs to; between two of them, the one to the right."""
        return self._pieces(x)[-1]

    def prediction(self, x: float) -> tuple[Interval, float | None]:
        """Return what another point at x would be, error aside, with its interval and standard error.

        The interval holds that the lines are known only so well, and that a point scatters about them. Between two
        lines it holds those of both.
        """
        found = [
            (value, math.hypot(error, self.scatter * value))
            for value, error in (piece.at(x) for piece in self._pieces(x))
        ]
        value = float(np.mean([mean for mean, _ in found]))
        if self.quantile is None:
            return Interval(value), None
        low = min(mean - self.quantile * error for mean, error in found)
        high = max(mean + self.quantile * error for mean, error in found)
        return Interval(value, low, high), (high - low) / (2 * self.quantile)

    def _pieces(self, x: float) -> list[Piece]:
        """Return the piece that x belongs to, or the two between which it lies."""
        index = sum(x > piece.high for piece in self.pieces[:-1])
        between = index > 0 and x < self.pieces[index].low
        return list(self.pieces[index - between : index + 1])


def line(points: Points) -> Fit | None:
    """Fit one line; None for a single point, through which there are many."""
    return _fit(points, ()) if len(points) > 1 else None


def best(points: Points) -> Fit | None:
    """Fit one line, or as needed where one is not enough; None for a single point.

    More are looked for if the points are farther from one line than their errors explain (REJECTED_P), and one of them
    farther than matters (ENOUGH). Their number is chosen by how well each point is predicted from the others,
    breakpoints found again without it. A point that then lies between two lines belongs to one of them, which is
    unknown: the nearer one counts. More breakpoints have to leave at most half of the error, and surely less: by more
    than the standard error of the gain.
    """
    one = line(points)
    p_value = None if one is None else one.p_value
    if one is None or p_value is None or p_value > REJECTED_P or len(points) < 2 * FEWEST:
        return one
    if float(np.max(np.abs(one.relative_errors))) <= ENOUGH:
        return one
    weights = _weights(points, one.scatter)
    fit, errors = one, _left_out(points, 0, weights).min(axis=1)
    for breaks in range(1, min(MOST_BREAKS, len(points) // FEWEST - 1) + 1):
        found = _left_out(points, breaks, weights).min(axis=1)
        gain = errors - found
        surely = gain.mean() > gain.std(ddof=1) / math.sqrt(len(gain))
        if surely and found.mean() < _BETTER * errors.mean():
            fit, errors = _fit(points, _breakpoints(points, weights, breaks, FEWEST)), found
            if (fit.p_value or 0.0) > REJECTED_P:
                break
    return fit


def held_out(points: Points, breaks: int) -> Floats:
    """Return by how much each point is mispredicted from the others, as a fraction of its value, not negative.

    The lowest and the highest point are not among them: nothing is to be predicted outside of what was measured.
    Breakpoints, so many, are found again. There is nothing to return with fewer than four points.
    """
    fit = line(points) if len(points) > FEWEST else None
    if fit is None:
        return np.zeros(0)
    errors: Floats = np.abs(_left_out(points, breaks, _weights(points, fit.scatter), signed=True).mean(axis=1))
    return errors


def _left_out(points: Points, breaks: int, weights: Floats, *, signed: bool = False) -> Floats:
    """Return by which fraction the two lines next to each inner point miss it, fitted without it; shape (count, 2).

    Within the range of a line both are the same.
    """
    inner = np.arange(1, len(points) - 1)
    folds = inner % min(_FOLDS, len(inner))
    errors = np.zeros((len(inner), 2))
    for fold in range(int(folds.max()) + 1):
        ours = inner[folds == fold]
        mask = np.zeros(len(points), np.bool_)
        mask[ours] = True
        rest, rest_weights = points.without(mask), weights[~mask]
        cuts = _breakpoints(rest, rest_weights, breaks, FEWEST - 1)
        y = points.y[ours, None]
        errors[ours - 1] = _relative(_values(rest, rest_weights, cuts, points.x[ours]), np.hstack((y, y)))
    return errors if signed else np.abs(errors)


# Fitting


def _quantile(freedom: int) -> float | None:
    return student_quantile((1 + CONFIDENCE) / 2, freedom) if freedom else None


def _relative(found: Floats, y: Floats) -> Floats:
    """Return errors as fractions; 0 where what was measured is 0, which a coarse clock can make it, and found so.

    What is due to the rounding of sums counts as 0, too: it is not the same on all processors.
    """
    errors: Floats = np.divide(found - y, y, out=np.where(found == y, 0.0, 1.0), where=y > 0)
    errors[np.abs(errors) < _ROUNDING] = 0.0
    return errors


def _weights(points: Points, scatter: float) -> Floats:
    weights: Floats = 1 / (points.error**2 + (scatter * points.y) ** 2)
    return weights


def _fit(points: Points, cuts: Sequence[int]) -> Fit:
    """Fit a line to each range of points that `cuts`, indices of their first points, make; one scatter for all."""
    # Scaled, so that no power of a size or a duration is too large or too small for a float.
    x_unit, y_unit = float(np.abs(points.x).max()) or 1.0, float(points.y.max()) or float(points.error.max())
    scaled = Points(points.x / x_unit, points.y / y_unit, points.error / y_unit)
    ranges = list(_ranges(len(points), cuts))
    design = np.zeros((len(points), 2 * len(ranges)))
    for index, (begin, end) in enumerate(ranges):
        design[begin:end, 2 * index] = 1
        design[begin:end, 2 * index + 1] = scaled.x[begin:end]
    freedom = len(points) - design.shape[1]

    def misfit(scatter: float) -> float:
        root = np.sqrt(_weights(scaled, scatter))
        return float(np.sum((root * (scaled.y - design @ _solve(design, scaled.y, root))) ** 2))

    scatter = _scatter(misfit, freedom)
    root = np.sqrt(_weights(scaled, scatter))
    parameters = _solve(design, scaled.y, root)
    inverse = np.linalg.pinv(design * root[:, None])
    units = np.tile((y_unit, y_unit / x_unit), len(ranges))
    covariance = (inverse @ inverse.T) * np.outer(units, units)
    parameters = parameters * units
    quantile = _quantile(freedom)

    def estimate(index: int) -> Interval:
        value, error = float(parameters[index]), math.sqrt(max(float(covariance[index, index]), 0.0))
        return (
            Interval(value) if quantile is None else Interval(value, value - quantile * error, value + quantile * error)
        )

    pieces = tuple(
        Piece(
            low=float(points.x[begin]),
            high=float(points.x[end - 1]),
            intercept=estimate(2 * index),
            slope=estimate(2 * index + 1),
            covariance=covariance[2 * index : 2 * index + 2, 2 * index : 2 * index + 2],
        )
        for index, (begin, end) in enumerate(ranges)
    )
    return Fit(points, pieces, scatter, freedom, misfit(0.0))


def _solve(design: Floats, y: Floats, root: Floats) -> Floats:
    solution, *_ = np.linalg.lstsq(design * root[:, None], y * root)
    return np.asarray(solution, dtype=np.float64)


def _scatter(misfit: Callable[[float], float], freedom: int) -> float:
    """Return the scatter at which the misfit is what it should be, to 1e-6 of it; 0 if the errors alone explain it."""
    if freedom == 0 or misfit(0.0) <= freedom:
        return 0.0
    low, high = 0.0, 1e-6
    while misfit(high) > freedom:
        if high >= _LARGEST_SCATTER:
            return high
        low, high = high, 10 * high
    while high - low > 1e-6 * high:  # scipy.optimize would need fewer steps, and 0.2 s to be loaded
        middle = (low + high) / 2
        low, high = (middle, high) if misfit(middle) > freedom else (low, middle)
    return high


def _ranges(count: int, cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    return pairwise([0, *cuts, count])


# Breakpoints


def _breakpoints(points: Points, weights: Floats, breaks: int, fewest: int) -> tuple[int, ...]:
    """Return the first point of each piece but the first one, so that the weighted squares of what is left are least.

    By dynamic programming over the ends of pieces (Bellman & Roth 1969, Curve fitting by segmented straight lines).
    """
    if not breaks:
        return ()
    edges = np.unique(np.linspace(0, len(points), min(len(points), _CANDIDATES) + 1).astype(int))
    costs = _costs(points, weights, edges)
    points_between = edges[None, :] - edges[:, None]
    costs[points_between < fewest] = np.inf
    least, chosen = costs[0], []
    for _ in range(breaks):
        sums = least[:, None] + costs
        chosen.append(np.argmin(sums, axis=0))
        least = np.min(sums, axis=0)
    if not np.isfinite(least[-1]):
        return ()
    cuts, end = [], len(edges) - 1
    for previous in reversed(chosen):
        end = int(previous[end])
        cuts.append(int(edges[end]))
    return tuple(reversed(cuts))


def _costs(points: Points, weights: Floats, edges: NDArray[np.int64]) -> Floats:
    """Return the weighted squares that a line leaves between each two edges, from sums up to each point."""
    weights = weights / weights.max()
    x = (points.x - points.x.mean()) / (float(np.ptp(points.x)) or 1.0)
    y = (points.y - points.y.mean()) / (float(np.ptp(points.y)) or 1.0)
    moments = np.stack([weights, weights * x, weights * y, weights * x * x, weights * x * y, weights * y * y])
    sums = np.concatenate((np.zeros((6, 1)), np.cumsum(moments, axis=1)), axis=1)[:, edges]
    w, wx, wy, wxx, wxy, wyy = sums[:, None, :] - sums[:, :, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        sxx, sxy, syy = wxx - wx * wx / w, wxy - wx * wy / w, wyy - wy * wy / w
        left = syy - np.where(sxx > 0, sxy * sxy / sxx, 0.0)
    costs: Floats = np.maximum(np.nan_to_num(left, nan=np.inf), 0.0)
    return costs


def _values(points: Points, weights: Floats, cuts: Sequence[int], x: Floats) -> Floats:
    """Return what the lines next to each x give that these cuts and weights make; shape (count, 2)."""
    lines = []
    for begin, end in _ranges(len(points), cuts):
        ours = slice(begin, end)
        mean_x, mean_y = (float(np.average(of[ours], weights=weights[ours])) for of in (points.x, points.y))
        deviation = points.x[ours] - mean_x
        spread = float(weights[ours] @ deviation**2)
        slope = float(weights[ours] @ (deviation * (points.y[ours] - mean_y))) / spread if spread > 0 else 0.0
        lines.append((points.x[begin], points.x[end - 1], mean_y - slope * mean_x, slope))
    low, high, intercept, slope_of = (np.array(column) for column in zip(*lines, strict=True))
    right = np.sum(x[:, None] > high[None, :-1], axis=1)
    left = np.where((right > 0) & (x < low[right]), right - 1, right)
    return np.stack([intercept[side] + slope_of[side] * x for side in (left, right)], axis=1)
