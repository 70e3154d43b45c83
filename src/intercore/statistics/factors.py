"""Which factor explains how much of a response: analysis of variance of any benchmark's numbers, one for each setting.

The response is analysed as its logarithm. Factors of time multiply: a slow memory makes every message slower by a
ratio, not by so many µs, and what is left over grows with the value. On the logarithm effects add up, what is left over
is of one size, and a small response weighs as much as a large one.

Observations are medians of whole measurements, never single samples: those of one measurement share its conditions, so
they are no repetitions of it.

Sums of squares are of type II: what a term adds to a model of all terms that do not contain it (Langsrud 2003, ANOVA
for unbalanced data: use type II instead of type III sums of squares). They do not depend on the order of factors, and
as they are differences of two models by their ranks, holes in the grid cost degrees of freedom and nothing else.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from intercore.record.measurement import Level
from intercore.statistics.intervals import CONFIDENCE, Interval, normal_reach
from intercore.statistics.least_squares import least_squares
from intercore.statistics.probability import f_above

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Term: TypeAlias = tuple[str, ...]

Fraction = Annotated[float, Meta(ge=0, le=1)]

MOST_COLUMNS = 400
"""Of a model; beyond, the interactions of the factors with most levels are left out: they would take minutes."""
_NOTHING = 1e-12  # of all squares: what is left over by rounding


class Observation(NamedTuple):
    """One response under one combination of levels."""

    levels: Mapping[str, Level]
    """By factor: the same factors in all observations."""
    value: float
    """The response itself; above 0."""


class FactorLevel(msgspec.Struct, frozen=True):
    """The effect of one level of a factor, other factors equal."""

    level: Level
    observations: Annotated[int, Meta(ge=1)]
    times: Interval
    """The response as a multiple of its geometric mean over the levels, the other factors' main effects taken out."""


class FactorEffect(msgspec.Struct, frozen=True):
    """How much one factor explains, or two together beyond what each explains."""

    factors: tuple[str, ...]
    """One name, or two for an interaction. Factors that always change together are one term, with all their names in
    it."""
    freedom: Annotated[int, Meta(ge=0)]
    """Degrees of freedom that the data have for it; 0 if it cannot be estimated."""
    eta_squared: Fraction
    """Its share of all variation (of the logarithm). In an incomplete grid shares need not add up to 1."""
    partial_eta_squared: Fraction
    """Its share of what the other terms leave."""
    partial_omega_squared: Fraction | None
    """The same without what chance alone would explain (Olejnik & Algina 2003); None where nothing is left over to
    compare with."""
    f: Annotated[float, Meta(ge=0)] | None
    """The F ratio; None where nothing is left over, or no degree of freedom for it."""
    p_value: Fraction | None
    """Probability of an F at least as large if it had no effect; None without F. On a simulated chip, which is
    deterministic, it only compares the effect with interactions of more factors."""
    levels: tuple[FactorLevel, ...]
    """Of a single factor, in their order; none of an interaction."""


class FactorAnalysis(msgspec.Struct, frozen=True):
    """Which factor explains how much of a response."""

    observations: Annotated[int, Meta(ge=2)]
    residual_freedom: Annotated[int, Meta(ge=0)]
    """Degrees of freedom left over; with 0 there is no F."""
    r_squared: Fraction
    """Share of all variation (of the logarithm) that the model explains."""
    interactions: bool
    """Whether interactions of two factors are in the model; not where there are too few observations for them."""
    effects: tuple[FactorEffect, ...]
    """What explains most first; factors before interactions."""
    constant: dict[str, Level]
    """Names of the factors with a single level, whose effect is unknown."""


def analyse_factors(observations: Sequence[Observation]) -> FactorAnalysis | None:
    """Return what each factor explains; None if there are too few observations, or they are all equal."""
    table = _Table.of(observations)
    if not table.factors or len(observations) <= 1 or table.total <= 0:
        return None
    terms = _terms(table)
    reduced = _Reduced(table, terms)
    left_over, rank = reduced.left_over(terms)
    freedom = len(observations) - rank
    with_interactions = any(len(term) > 1 for term in terms)
    levels = _levels(table)
    effects = [_effect(table, reduced, term, terms, left_over, freedom, levels) for term in terms]
    return FactorAnalysis(
        observations=len(observations),
        residual_freedom=freedom,
        r_squared=_fraction(1 - left_over / table.total),
        interactions=with_interactions,
        effects=tuple(sorted(effects, key=lambda one: (len(one.factors) > 1, -one.eta_squared))),
        constant=table.constant,
    )


def cell_means(observations: Sequence[Observation], first: str, second: str) -> dict[tuple[Level, Level], float]:
    """Return the response for each pair of levels of two factors, as `FactorEffect.factors` names them.

    Geometric means with the main effects of the other factors taken out, so that a pair that was measured at large
    sizes only does not look slow. Pairs that were not measured are left out.
    """
    table = _Table.of(observations)
    rest = [name for name in table.factors if name not in (first, second)]
    value = table.response - (table.main_effects(rest) if rest else 0.0)
    found: dict[tuple[Level, Level], list[float]] = defaultdict(list)
    for one, two, each in zip(table.columns[first], table.columns[second], value.tolist(), strict=True):
        found[one, two].append(each)
    return {pair: math.exp(math.fsum(each) / len(each)) for pair, each in found.items()}


def ordered(levels: Iterable[Level]) -> list[Level]:
    """Return distinct levels, numbers by value and before names, which stay as they come."""
    known = list(dict.fromkeys(levels))
    numbers = sorted(level for level in known if isinstance(level, int))
    return [*numbers, *(level for level in known if isinstance(level, str))]


# The table


@dataclass(frozen=True)
class _Table:
    """Observations by column."""

    columns: dict[str, list[Level]]
    """The levels of each factor that has several, merged with those that it always changes with."""
    response: Floats
    """Logarithms."""
    constant: dict[str, Level]

    @staticmethod
    def of(observations: Sequence[Observation]) -> _Table:
        names = list(observations[0].levels) if observations else []
        known = {name: [one.levels[name] for one in observations] for name in names}
        columns = {name: levels for name, levels in known.items() if len(set(levels)) > 1}
        constant = {name: levels[0] for name, levels in known.items() if len(set(levels)) == 1}
        values = np.array([one.value for one in observations], dtype=np.float64)
        if np.any(~(values > 0)):
            raise ValueError("a response is not above 0 and has no logarithm")
        return _Table(_merged(columns), np.log(values), constant)

    @property
    def factors(self) -> list[str]:
        return list(self.columns)

    @property
    def total(self) -> float:
        """Squares about the mean; 0 if only rounding remains."""
        squares = float(np.sum((self.response - self.response.mean()) ** 2))
        return squares if squares > _NOTHING * float(np.sum(self.response**2)) else 0.0

    def coded(self, name: str) -> Floats:
        """Return a column for each level of a factor but the last, which is -1 in all: effects about a mean."""
        levels = ordered(self.columns[name])
        place = {level: index for index, level in enumerate(levels)}
        return _coding(len(levels))[[place[level] for level in self.columns[name]]]

    def block(self, term: Term) -> Floats:
        """Return the columns of a factor, or the products of those of two."""
        coded = [self.coded(name) for name in term]
        if len(coded) == 1:
            return coded[0]
        product: Floats = (coded[0][:, :, None] * coded[1][:, None, :]).reshape(len(self.response), -1)
        return product

    def main_effects(self, names: Sequence[str]) -> Floats:
        """Return what the main effects of some factors add to each response, in a model of all main effects."""
        design = np.hstack([np.ones((len(self.response), 1)), *(self.coded(name) for name in self.factors)])
        parameters = np.linalg.lstsq(design, self.response)[0]
        begin, effects = 1, np.zeros(len(self.response))
        for name in self.factors:
            width = self.coded(name).shape[1]
            if name in names:
                effects += self.coded(name) @ parameters[begin : begin + width]
            begin += width
        return effects


def _coding(levels: int) -> Floats:
    return np.vstack((np.eye(levels - 1), -np.ones(levels - 1)))


def _merged(columns: dict[str, list[Level]]) -> dict[str, list[Level]]:
    """Make one factor of those whose levels always change together, such as `from` and `to` between two cores."""
    groups: list[list[str]] = []
    for name, levels in columns.items():
        for group in groups:
            pairs = len(set(zip(columns[group[0]], levels, strict=True)))
            if pairs == len(set(levels)) == len(set(columns[group[0]])):
                group.append(name)
                break
        else:
            groups.append([name])
    return {
        ", ".join(group): columns[group[0]]
        if len(group) == 1
        else [", ".join(map(str, levels)) for levels in zip(*(columns[name] for name in group), strict=True)]
        for group in groups
    }


# Models


def _terms(table: _Table) -> list[Term]:
    """Return the terms of the model: all factors, and all pairs of them if the observations suffice."""
    main: list[Term] = [(name,) for name in table.factors]
    width = {name: len(set(table.columns[name])) - 1 for name in table.factors}
    pairs: list[Term] = list(combinations(table.factors, 2))
    while pairs and 1 + sum(math.prod(width[name] for name in term) for term in (*main, *pairs)) > MOST_COLUMNS:
        widest = max((name for term in pairs for name in term), key=width.__getitem__)
        pairs = [term for term in pairs if widest not in term]
    if not pairs:
        return main
    terms = [*main, *pairs]
    _, rank = _Reduced(table, terms).left_over(terms)
    return terms if rank < len(table.response) else main


class _Reduced:
    """The models of subsets of terms, from the triangular factor of the columns of all.

    So thousands of observations are looked at once.
    """

    def __init__(self, table: _Table, terms: Sequence[Term]) -> None:
        blocks = [np.ones((len(table.response), 1)), *(table.block(term) for term in terms)]
        ends = np.cumsum([block.shape[1] for block in blocks]).tolist()
        self._places = {term: range(begin, end) for term, begin, end in zip(terms, ends, ends[1:], strict=False)}
        rotation, self._columns = np.linalg.qr(np.hstack(blocks))
        self._response: Floats = rotation.T @ table.response
        beyond = table.response - rotation @ self._response
        self._beyond = float(beyond @ beyond)
        self._known: dict[frozenset[Term], tuple[float, int]] = {}
        """Squares that no model of these terms explains."""

    def left_over(self, terms: Collection[Term]) -> tuple[float, int]:
        """Return the squares that a model of some terms and a mean leaves over, and its rank."""
        key = frozenset(terms)
        if key not in self._known:
            self._known[key] = self._fit(key)
        return self._known[key]

    def _fit(self, terms: Collection[Term]) -> tuple[float, int]:
        columns = [0, *sorted(place for term in terms for place in self._places[term])]
        fit = least_squares(self._response, self._columns[:, columns])  # holes in the grid: some depend on others
        return fit.squares + self._beyond, fit.rank


def _effect(
    table: _Table,
    reduced: _Reduced,
    term: Term,
    terms: Sequence[Term],
    left_over: float,
    freedom: int,
    levels: Mapping[str, tuple[FactorLevel, ...]],
) -> FactorEffect:
    without = [other for other in terms if not set(term) <= set(other)]
    before, rank_before = reduced.left_over(without)
    after, rank_after = reduced.left_over([*without, term])
    own_freedom = rank_after - rank_before
    squares = max(before - after, 0.0) if own_freedom else 0.0
    if left_over <= _NOTHING * table.total:
        left_over = 0.0
    f = squares / own_freedom / (left_over / freedom) if own_freedom and freedom and left_over > 0 else None
    omega = None if f is None else own_freedom * (f - 1) / (own_freedom * (f - 1) + len(table.response))
    return FactorEffect(
        factors=term,
        freedom=own_freedom,
        eta_squared=_fraction(squares / table.total),
        partial_eta_squared=_fraction(squares / (squares + left_over)) if squares > _NOTHING * table.total else 0.0,
        partial_omega_squared=None if omega is None else _fraction(omega),
        f=f,
        p_value=None if f is None else _p_value(f, own_freedom, freedom),
        levels=levels[term[0]] if len(term) == 1 else (),
    )


def _p_value(f: float, freedom: int, residual_freedom: int) -> float:
    return f_above(f, freedom, residual_freedom)


def _fraction(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _levels(table: _Table) -> dict[str, tuple[FactorLevel, ...]]:
    """Return what the levels of each factor do, from a model of all main effects."""
    coded = {name: table.coded(name) for name in table.factors}
    fit = least_squares(table.response, np.hstack([np.ones((len(table.response), 1)), *coded.values()]))
    begin, found = 1, {}
    for name, columns in coded.items():
        levels = ordered(table.columns[name])
        contrasts = np.zeros((len(levels), len(fit.parameters)))
        contrasts[:, begin : begin + columns.shape[1]] = _coding(len(levels))
        begin += columns.shape[1]
        effects = contrasts @ fit.parameters
        half = fit.half_width(contrasts, CONFIDENCE) if fit.freedom > 0 else [None] * len(levels)
        found[name] = tuple(
            FactorLevel(level, table.columns[name].count(level), _around(effect, wide))
            for level, effect, wide in zip(levels, effects, half, strict=True)
        )
    return found


def _around(effect: float, half: float | None) -> Interval:
    ends = (effect,) if half is None else (effect, effect - half, effect + half)
    return Interval(*map(_exp, ends))


def _exp(logarithm: float) -> float:
    return math.exp(min(max(float(logarithm), -700.0), 700.0))  # beyond, floats end


# Ranking


class Candidate(NamedTuple):
    """One of several things to choose from."""

    levels: Mapping[str, Level]
    value: float
    """Its response; above 0."""
    error: float
    """Standard error of the logarithm of that."""


class RankedCandidate(NamedTuple):
    """A candidate in its place."""

    candidate: Candidate
    value: Interval
    behind: Interval
    """How many times as large as the best one's its response is; 1 for the best."""


def ranking(candidates: Collection[Candidate]) -> list[RankedCandidate]:
    """Return candidates from the best to the worst, the least first.

    Intervals take logarithms of medians as normally distributed, which they are with some ten samples. They say how
    well these medians are known, not what another run would find.
    """
    best_first = sorted(candidates, key=lambda one: one.value)
    found = []
    for one in best_first:
        best = best_first[0]
        behind = Interval(1.0, 1.0, 1.0)
        if one is not best:
            behind = log_interval(math.log(one.value / best.value), math.hypot(one.error, best.error))
        found.append(RankedCandidate(one, log_interval(math.log(one.value), one.error), behind))
    return found


def log_interval(logarithm: float, error: float) -> Interval:
    """Return a value with its interval from its logarithm and the standard error of that."""
    reach = normal_reach() * error
    return Interval(*map(_exp, (logarithm, logarithm - reach, logarithm + reach)))
