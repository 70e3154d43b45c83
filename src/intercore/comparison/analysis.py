"""The same settings on two targets, side by side: medians, their ratio, and by what else the two differ.

A ratio is the second target's over the first's, of times in µs or of bytes per second. Intervals are made of what
differs between repetitions (`intercore.statistics.repetitions`). Medians of samples that are all equal are exact, and
so is their ratio.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.grouping import IRRELEVANT, by_level
from intercore.benchmarks.possible import analysable
from intercore.benchmarks.series import Unit, has_median, incomparable, quantity
from intercore.errors import UsageError
from intercore.record import identity
from intercore.record.conditions import differing_between
from intercore.record.measurement import SPOILING_CHECKS, Level
from intercore.record.origin import CAUTION
from intercore.record.plan import canonical
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import median, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement, Run
    from intercore.record.origin import Origin

UsualBuilds: TypeAlias = "Mapping[str, Mapping[str, Level]]"
"""The default levels of each target's own factors, by its name."""
_WORDS: Mapping[Unit, tuple[str, str]] = {
    "us": ("takes", "as long as"),
    "bytes_per_s": ("moves", "as much as"),
    "count": ("counts", "as many as"),
}
_WITHOUT_LEVEL = frozenset({"messages"})
"""Factors that say how much of one thing a sample holds, which the number does not depend on."""
_BESIDE = frozenset(
    {
        *("chip", "chip.revision", "clock_hz", "clock.sys_hz", "tick_hz", "compiler", "compiler.flags"),
        *("compiler.library", "memory.code", "memory.data", "flash.xip_cache", "firmware"),
        *("freertos.tick_hz", "desk.faults"),
    }
)
"""Conditions that are none of what two ways to use a chip differ in by themselves: differing, they spoil a ratio."""


class Side(msgspec.Struct, frozen=True):
    """One of the two targets."""

    target: str
    simulated: bool
    runs: tuple[int, ...]
    emulated: bool = False
    """Whether it is an emulated chip: then its times, and all ratios with them, mean nothing."""

    @property
    def origin(self) -> Origin:
        """Where its numbers come from."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


class Pair(msgspec.Struct, frozen=True):
    """A quantity of one setting on both targets."""

    benchmark: str
    series: str
    """What was measured: a series of the benchmark; `throughput` for what messages of a stream carry."""
    setting: dict[str, Level]
    """The factors that take several levels here."""
    unit: Unit
    first: Interval
    """Median on the first target; its bounds are None with one repetition of fewer than 6 samples."""
    second: Interval
    first_samples: Annotated[int, Meta(ge=1)]
    second_samples: Annotated[int, Meta(ge=1)]
    ratio: Interval | None
    """`second` / `first`; None if that is 0."""
    exact: bool
    """Whether all samples of either target are equal."""


class Overall(msgspec.Struct, frozen=True):
    """The ratios of one quantity over all its settings."""

    benchmark: str
    series: str
    settings: Annotated[int, Meta(ge=1)]
    typical: float
    """Their median."""
    least: float
    largest: float


class Difference(msgspec.Struct, frozen=True):
    """A condition that is not the same on both targets."""

    key: str
    first: tuple[str, ...]
    """The values it has there; none if it is not told."""
    second: tuple[str, ...]


class Alone(msgspec.Struct, frozen=True):
    """What only one of the targets has measurements of."""

    target: str
    benchmark: str
    settings: Annotated[int, Meta(ge=1)]


class Comparison(msgspec.Struct, frozen=True):
    """Two targets side by side."""

    first: Side
    second: Side
    pairs: tuple[Pair, ...]
    overall: tuple[Overall, ...]
    differences: tuple[Difference, ...]
    """In the conditions of what is compared, but for those of the desk."""
    alone: tuple[Alone, ...]
    sentences: tuple[str, ...]
    identities: tuple[str, ...]
    """Of which kernels and images the targets are: what must be known before any number is read."""
    warnings: tuple[str, ...]
    schema: int = 1
    """Version of this shape. 1: the first."""


def compare(runs: Sequence[Run], usual: UsualBuilds = MappingProxyType({})) -> Comparison:
    """Compare the two targets that the runs are of, in the order in which they first come.

    A target that is built as usual is compared with one that has no such factor.
    UsageError if they are not of two, if the runs of one are of several kernels, or if no setting was measured on
    both.
    """
    targets = list(dict.fromkeys(run.plan.target for run in runs))
    if len(targets) != 2:
        raise UsageError(f"two targets are compared, and these are runs of {len(targets)}: {', '.join(targets)}")
    failed = {target: sum(_failed(run) for run in runs if run.plan.target == target) for target in targets}
    sides = [[analysable(run) for run in runs if run.plan.target == target] for target in targets]
    for target, side in zip(targets, sides, strict=True):
        _refuse_several_kernels(target, side)
    levels = [_levels_of(side) for side in sides]
    first = _pools(sides[0], _matched_by(*levels), usual.get(targets[0], {}))
    second = _pools(sides[1], _matched_by(*levels[::-1]), usual.get(targets[1], {}))
    both = [key for key in first if key in second]
    if not both:
        raise UsageError(f"no setting was measured on both {targets[0]} and {targets[1]}: measure the same on both")
    emulated = any(run.plan.emulated for run in runs)
    pairs = [] if emulated else _pairs(both, first, second)
    overall = tuple(_overall(pairs))
    compared = [[one for key in both for one in pools[key]] for pools in (first, second)]
    fixed = tuple(_fixed(levels[0], levels[1], dict.fromkeys(benchmark for benchmark, _ in both)))
    differences = (*fixed, *(Difference(*values) for values in differing_between(*compared)))
    mine, theirs = (
        Side(
            target,
            any(run.plan.simulated for run in side),
            tuple(run.id for run in side),
            any(run.plan.emulated for run in side),
        )
        for target, side in zip(targets, sides, strict=True)
    )
    alone = tuple(_alone(targets, first, second))
    left_out = Counter((one.benchmark, incomparable(one)) for run in runs for one in run.measurements)
    return Comparison(
        mine,
        theirs,
        tuple(pairs),
        overall,
        differences,
        alone,
        (
            *([f"Settings carried out on both: {len(both)}. What that took is not compared."] if emulated else []),
            *_sentences(mine, theirs, pairs, overall, alone, left_out),
        ),
        tuple(_identities(targets, sides)),
        (*_left_out(failed), *_spoilt(targets, compared), *_warnings(mine, theirs, fixed, differences)),
    )


def _failed(run: Run) -> int:
    return len(run.measurements) - len(analysable(run).measurements)


def _left_out(failed: Mapping[str, int]) -> Iterator[str]:
    for target, count in failed.items():
        if count:
            yield (
                f"{count} measurement{'s' * (count != 1)} on {target} failed, with samples that cannot be, and "
                f"{'are' if count != 1 else 'is'} not compared. See intercore show."
            )


def _refuse_several_kernels(target: str, side: Sequence[Run]) -> None:
    measurements = [one for run in side for one in run.measurements]
    if several := identity.kernels_that_differ(measurements):
        named = ", ".join(str(run.id) for run in side)
        raise UsageError(
            f"run{'s' * (len(side) > 1)} {named} of {target}: measured with several kernels "
            f"({identity.in_a_row(several)}), whose numbers are not put together; name runs of one kernel, or measure "
            f"{target} again"
        )


def _identities(targets: Sequence[str], sides: Sequence[Sequence[Run]]) -> Iterator[str]:
    """Say which kernel each target has, unless both have the same, and what is not known of that or changed."""
    kernels = [identity.kernels(one for run in side for one in run.measurements) for side in sides]
    known = [{identity.kernel(one) for one in found} for found in kernels]
    if known[0] != known[1]:
        named = (identity.in_a_row(map(identity.kernel_name, found)) for found in kernels)
        each = "; ".join(f"{target}: {names}" for target, names in zip(targets, named, strict=True))
        yield f"Not of one kernel, as far as is known ({each})."
    runs = [run for side in sides for run in side]
    yield from identity.sentences_together(runs)
    yield from (sentence for run in runs for sentence in identity.sentences(run))


_Key = tuple[str, str]
"""Benchmark, and its setting in canonical form."""


class _Values(NamedTuple):
    """Of one quantity in one setting."""

    repetitions: list[NDArray[np.float64]]
    tick: float
    """Resolution of the clock, in µs; 0 for what is no time."""


_Levels = dict[str, dict[str, set[Level]]]
"""By benchmark and factor, those of one side."""


def _levels_of(side: Sequence[Run]) -> _Levels:
    found: _Levels = defaultdict(lambda: defaultdict(set))
    for one in (one for run in side for one in run.measurements):
        for name, level in one.factors.items():
            if name not in IRRELEVANT | _WITHOUT_LEVEL:
                found[one.benchmark][name].add(level)
    return found


def _matched_by(mine: _Levels, theirs: _Levels) -> dict[str, set[str]]:
    """Return the factors, by benchmark, that tell the settings of one side apart, or those of the other."""
    return {
        benchmark: {
            name
            for name, known in factors.items()
            if len(known) > 1 or len(theirs.get(benchmark, {}).get(name, ())) > 1
        }
        for benchmark, factors in mine.items()
    }


def _fixed(mine: _Levels, theirs: _Levels, benchmarks: Iterable[str]) -> Iterator[Difference]:
    """Return the factors that have one level on either side, but not the same, as conditions."""
    for benchmark in benchmarks:
        for name in sorted(mine[benchmark].keys() & theirs[benchmark].keys()):
            first, second = mine[benchmark][name], theirs[benchmark][name]
            if len(first) == len(second) == 1 and first != second:
                yield Difference(f"{name} of {benchmark}", tuple(map(str, first)), tuple(map(str, second)))


def _pools(
    side: Sequence[Run], names: Mapping[str, set[str]], usual: Mapping[str, Level]
) -> dict[_Key, list[Measurement]]:
    """Return the measurements of a side by what both sides call the same."""
    pools: dict[_Key, list[Measurement]] = defaultdict(list)
    for one in (one for run in side for one in run.measurements if not incomparable(one)):
        setting = {
            name: level
            for name, level in one.factors.items()
            if name in names[one.benchmark] and usual.get(name) != level
        }
        pools[one.benchmark, canonical(setting)].append(one)
    return pools


def _pairs(
    both: Sequence[_Key], first: Mapping[_Key, list[Measurement]], second: Mapping[_Key, list[Measurement]]
) -> list[Pair]:
    """Return the quantities that both sides have, by benchmark, quantity and setting."""
    varied = _varied(both, first, second)
    found = []
    for key in both:
        mine, theirs = _quantities(first[key]), _quantities(second[key])
        names = varied.get(key[0], ())
        setting = _levels(first[key][0], names)
        for (series, unit), values in mine.items():
            if (series, unit) in theirs:
                found.append(_pair(key[0], series, unit, setting, values, theirs[series, unit]))
    order = {benchmark: at for at, benchmark in enumerate(dict.fromkeys(key[0] for key in both))}
    series_order = {name: at for at, name in enumerate(dict.fromkeys((one.benchmark, one.series) for one in found))}
    return sorted(
        found,
        key=lambda one: (
            order[one.benchmark],
            series_order[one.benchmark, one.series],
            tuple(by_level({name: level}) for name, level in one.setting.items()),
        ),
    )


def _varied(
    both: Sequence[_Key], first: Mapping[_Key, list[Measurement]], second: Mapping[_Key, list[Measurement]]
) -> dict[str, list[str]]:
    """Return the factors of each benchmark that take several levels in what is compared."""
    levels: dict[str, dict[str, set[Level]]] = defaultdict(lambda: defaultdict(set))
    for key in both:
        for one in (first[key][0], second[key][0]):
            for name, level in one.factors.items():
                levels[key[0]][name].add(level)
    besides = IRRELEVANT | _WITHOUT_LEVEL | {"measure"}  # which the series tells
    return {
        benchmark: sorted((name for name, known in of.items() if len(known) > 1 and name not in besides), key=_rank)
        for benchmark, of in levels.items()
    }


def _rank(name: str) -> tuple[bool, bool, str]:
    """Sort key: what something is done by, between which cores, and how much of it."""
    return name in ("size", "n"), name in ("from", "to"), name


def _levels(one: Measurement, names: Iterable[str]) -> dict[str, Level]:
    return {name: one.factors[name] for name in names if name in one.factors}


def _quantities(pool: Sequence[Measurement]) -> dict[tuple[str, Unit], _Values]:
    """Return the values of each repetition, by quantity."""
    found: dict[tuple[str, Unit], _Values] = defaultdict(lambda: _Values([], 0.0))
    for one in pool:
        for series in one.series:
            if has_median(one.benchmark, series) and len(series.ticks):
                name, unit, values = quantity(one, series)
                known, tick = found[name, unit]
                found[name, unit] = _Values([*known, values], max(tick, 1e6 / series.hz if unit == "us" else 0.0))
    return found


def _pair(benchmark: str, series: str, unit: Unit, setting: dict[str, Level], mine: _Values, theirs: _Values) -> Pair:
    return Pair(
        benchmark=benchmark,
        series=series,
        setting=setting,
        unit=unit,
        first=median(mine.repetitions, tick=mine.tick),
        second=median(theirs.repetitions, tick=theirs.tick),
        first_samples=sum(map(len, mine.repetitions)),
        second_samples=sum(map(len, theirs.repetitions)),
        ratio=ratio(theirs.repetitions, mine.repetitions, ticks=(theirs.tick, mine.tick)),
        exact=all(len(np.unique(np.concatenate(side.repetitions))) == 1 for side in (mine, theirs)),
    )


def _overall(pairs: Iterable[Pair]) -> Iterator[Overall]:
    ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
    for pair in pairs:
        if pair.ratio is not None:
            ratios[pair.benchmark, pair.series].append(pair.ratio.value)
    for (benchmark, series), values in ratios.items():
        yield Overall(benchmark, series, len(values), float(np.median(values)), min(values), max(values))


def _alone(targets: Sequence[str], first: Mapping[_Key, object], second: Mapping[_Key, object]) -> Iterator[Alone]:
    for target, mine, theirs in ((targets[0], first, second), (targets[1], second, first)):
        counts: dict[str, int] = defaultdict(int)
        for key in mine:
            if key not in theirs:
                counts[key[0]] += 1
        for benchmark, count in counts.items():
            yield Alone(target, benchmark, count)


def _sentences(
    first: Side,
    second: Side,
    pairs: Sequence[Pair],
    overall: Sequence[Overall],
    alone: Sequence[Alone],
    left_out: Mapping[tuple[str, str], int],
) -> Iterator[str]:
    units = {(pair.benchmark, pair.series): pair.unit for pair in pairs}
    for one in overall:
        more = one.settings > 1
        extent = f", from {one.least:.2f} to {one.largest:.2f} over {one.settings} settings" if more else ""
        does, what = _WORDS[units[one.benchmark, one.series]]
        times = f"{does} {one.typical:.2f} times {what} {first.target}{extent}"
        yield f"{one.benchmark}, {one.series}: {second.target} {times}."
    if first.simulated and second.simulated:
        spread = sum(not pair.exact for pair in pairs)
        rest = f" The intervals of {spread} of them are those of the phases that the seed has chosen." if spread else ""
        yield f"Both are SIMULATED: all numbers are exact, and the same each time.{rest}"
    for target in dict.fromkeys(one.target for one in alone):
        named = ", ".join(f"{one.settings} of {one.benchmark}" for one in alone if one.target == target)
        yield f"Measured on {target} only, and so not compared: {named}."
    for (benchmark, why), count in left_out.items():
        if why:
            yield f"Not compared either: {count} measurements of {benchmark} {why}."


def _spoilt(targets: Sequence[str], compared: Sequence[Sequence[Measurement]]) -> Iterator[str]:
    for target, measurements in zip(targets, compared, strict=True):
        counts = {name: sum(one.checks.get(name, 0) for one in measurements) for name in SPOILING_CHECKS}
        if any(counts.values()):
            named = ", ".join(f"{name}: {count}" for name, count in counts.items() if count)
            yield f"{target} counts {named}: ratios with these results mean nothing. See intercore show."


def _warnings(
    first: Side, second: Side, fixed: Sequence[Difference], differences: Sequence[Difference]
) -> Iterator[str]:
    if first.emulated or second.emulated:
        yield CAUTION
    elif first.simulated != second.simulated:
        simulated, measured = (first, second) if first.simulated else (second, first)
        yield f"{simulated.target} is SIMULATED and {measured.target} is measured: a ratio has the simulator's error."
    spoiling = [*fixed, *(one for one in differences if one.key in _BESIDE)]
    if spoiling:
        named = "; ".join(f"{one.key}: {_values(one.first)} and {_values(one.second)}" for one in spoiling)
        yield (
            f"{first.target} and {second.target} also differ in what may decide a ratio ({named}): "
            "it is not the kernels' alone."
        )


def _values(values: Sequence[str]) -> str:
    return " / ".join(values) or "not told"
