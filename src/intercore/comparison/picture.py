"""All ratios of a comparison as one picture: where each mark and each interval lies on a logarithmic axis.

Less is better of times, and more of rates, counts and speed-ups. So that better is one way, the ratio of these is drawn
upside down: how many times as long one thing takes, or how many times as little comes of it.

Nothing here draws: the page's template does (`page/picture.html.j2`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from intercore.benchmarks.series import speed_of
from intercore.comparison.largest import differing_most, largest_first, quantity_name, setting_in_words
from intercore.comparison.report import median_text, verdict_words
from intercore.statistics.intervals import Interval
from intercore.view.ratio import bounds_upright, times, upright

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from intercore.comparison.analysis import Comparison
    from intercore.comparison.pairs import Pair
    from intercore.comparison.verdicts import Verdict

Shape: TypeAlias = Literal["up", "down", "square", "frame", "ring", "dot", "diamond"]
"""The shape of a verdict, without its colour: a triangle that points up or down, a square, full or empty, an empty ring
or diamond, a dot. That of `cannot tell` also has a dashed interval."""

FIRST = 24
"""Rows that are shown at once; the others are folded."""
MOST_TICKS = 9
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_NARROW = 3.0  # largest over smallest ratio up to which ticks are equal steps from 1 on
_LEAST_SPAN = 1.02  # of an axis: ratios that are nearly the same are not blown up beyond that
_ROOM = 0.04  # of the axis, on either side of what lies farthest out
_ROUNDING = 1e-9  # of a step: of what is a whole number of them, but for how floats are rounded
_SHARE_IN_FULL = 0.9  # of the intervals: wider ones may run to the edge, so as not to squeeze the others

SHAPES: Mapping[Verdict, Shape] = {
    "slower": "up",
    "faster": "down",
    "more": "square",
    "fewer": "frame",
    "same": "ring",
    "phase": "dot",
    "cannot tell": "diamond",
}


@dataclass(frozen=True)
class Mark:
    """One ratio. Positions are shares of the axis, from 0 at its low end, where the second side is better, to 1."""

    quantity: str
    setting: str
    first: str
    """Median on the first side, and so on."""
    second: str
    verdict: Verdict
    words: str
    """The verdict on the second side, and its size: `22 × slower`, `same ± 3 %`."""
    interval: str
    """Of that: `exact`, its bounds, or `?`; where no difference is sure, the ratio stands before it."""
    shape: Shape
    speed_of: str
    """`one core` or `all cores` if it is the time that they take for work that does nothing but compute; else empty."""
    at: float
    low: float
    """Where the interval begins; at 0 it may begin farther out."""
    high: float


@dataclass(frozen=True)
class Tick:
    """A labelled place of the axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Legend:
    """The look of one verdict, and its count."""

    verdict: Verdict
    shape: Shape
    count: int


@dataclass(frozen=True)
class Picture:
    """The picture."""

    first: Sequence[Mark]
    """The rows that are shown at once: as in the table of what differs most."""
    rest: Sequence[Mark]
    """Those that are folded: what surely differs first, and of those the largest ratios."""
    by_ratio: Sequence[Mark]
    """The same marks from the smallest ratio to the largest."""
    ticks: Sequence[Tick]
    one: float
    """Where both sides are the same."""
    legend: Sequence[Legend]
    without: int
    """Quantities that have no ratio, because a median is 0."""

    @property
    def speed(self) -> Mark | None:
        """Lower bound of the ratio of the cores' computing speeds; None if unknown."""
        known = [mark for mark in self.marks if mark.speed_of == "one core" and mark.verdict in ("slower", "faster")]
        return min(known, key=lambda mark: abs(mark.at - self.one), default=None)

    @property
    def marks(self) -> Sequence[Mark]:
        """All of them."""
        return [*self.first, *self.rest]


def picture(found: Comparison) -> Picture | None:
    """Return the picture of a comparison; None if there is no ratio."""
    pairs = [pair for pair in largest_first(found.pairs) if pair.ratio is not None and pair.ratio.value > 0]
    if not pairs:
        return None
    low, high = _ends(pairs)

    def at(ratio: float) -> float:
        place = (math.log(max(ratio, low)) - math.log(low)) / (math.log(high) - math.log(low))
        return min(max(place, 0.0), 1.0)

    most = differing_most(pairs, FIRST)
    shown = {id(pair) for pair in most}
    first = [_mark(pair, at) for pair in most]
    rest = [_mark(pair, at) for pair in pairs if id(pair) not in shown]
    counts: dict[Verdict, int] = {}
    for pair in pairs:
        counts[pair.verdict] = counts.get(pair.verdict, 0) + 1
    return Picture(
        first=first,
        rest=rest,
        by_ratio=sorted([*first, *rest], key=lambda one: one.at),
        ticks=[Tick(at(value), _label(value)) for value in ticks(low, high)],
        one=at(1.0),
        legend=[Legend(verdict, shape, counts[verdict]) for verdict, shape in SHAPES.items() if verdict in counts],
        without=len(found.pairs) - len(pairs),
    )


def ticks(low: float, high: float) -> list[float]:
    """Return the ratios to label on an axis: equal steps from 1 where it is short, else 1, 2, 5 and their decades."""
    if high < _NARROW * low:
        for step in _STEPS:
            places = range(math.ceil((low - 1) / step - _ROUNDING), math.floor((high - 1) / step + _ROUNDING) + 1)
            if len(places) <= MOST_TICKS:
                return [round(1 + place * step, 3) for place in places if 1 + place * step > 0]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1,)):
        found = [digit * 10.0**decade for decade in decades for digit in digits if low <= digit * 10.0**decade <= high]
        if len(found) <= MOST_TICKS:
            return found
    return found[:: math.ceil(len(found) / MOST_TICKS)]


def _ends(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return the ends of the axis: all ratios and 1 are on it, and most of the intervals as a whole."""
    ratios = [_worse(pair, pair.ratio) for pair in pairs if pair.ratio is not None]
    lows = sorted(one.low for one in ratios if one.low is not None and one.low > 0)
    highs = sorted(one.high for one in ratios if one.high is not None and one.high < math.inf)
    low = min([1.0, *(one.value for one in ratios), *lows[math.floor(len(lows) * (1 - _SHARE_IN_FULL)) :]])
    high = max([1.0, *(one.value for one in ratios), *highs[: math.ceil(len(highs) * _SHARE_IN_FULL)]])
    span = max(math.log(high / low), math.log(_LEAST_SPAN))
    return low * math.exp(-_ROOM * span), high * math.exp(_ROOM * span)


def _worse(pair: Pair, ratio: Interval) -> Interval:
    """Return how many times as bad the second side is: the ratio of times, and the inverse of all others."""
    if pair.unit == "us":
        return ratio
    high, low = (None if bound is None else 1 / bound if bound > 0 else math.inf for bound in (ratio.low, ratio.high))
    return Interval(1 / ratio.value, low, high)


def _label(ratio: float) -> str:
    return f"× {ratio:,.4g}"


def _mark(pair: Pair, at: Callable[[float], float]) -> Mark:
    ratio = pair.ratio
    if ratio is None:
        raise ValueError("quantities without a ratio have no mark")
    drawn = _worse(pair, ratio)
    value = at(drawn.value)
    return Mark(
        quantity=quantity_name(pair),
        setting=setting_in_words(pair),
        first=median_text(pair, pair.first),
        second=median_text(pair, pair.second),
        verdict=pair.verdict,
        words=_words(pair, ratio.value),
        interval=_interval(pair, ratio),
        shape=SHAPES[pair.verdict],
        speed_of=speed_of(pair.benchmark, pair.series),
        at=value,
        low=value if drawn.low is None else at(drawn.low),
        high=value if drawn.high is None else at(drawn.high),
    )


_DECIDED = frozenset({"slower", "faster", "more", "fewer"})


def _words(pair: Pair, ratio: float) -> str:
    return f"{times(upright(ratio))} × {pair.verdict}" if pair.verdict in _DECIDED else verdict_words(pair)


def _interval(pair: Pair, ratio: Interval) -> str:
    bounds = "exact" if pair.exact else bounds_upright(ratio) or "?"
    return bounds if pair.verdict in _DECIDED else f"{_label(ratio.value)} ({bounds})"
