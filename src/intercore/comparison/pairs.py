"""Which settings of two sides are the same, and the quantities of each, side by side."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from intercore.benchmarks.grouping import IRRELEVANT, by_level
from intercore.benchmarks.series import Unit, incomparable
from intercore.comparison.by_turns import AlternatingPair, judge_by_turns
from intercore.comparison.change import Change, ChangedQuantity, judge_change
from intercore.comparison.machine import MachineState
from intercore.comparison.quantities import Quantity, quantities
from intercore.comparison.verdicts import Judgement, Verdict, judge
from intercore.record.measurement import Level
from intercore.record.plan import canonical
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.record.measurement import Measurement, Run

Key: TypeAlias = tuple[str, str]
"""Benchmark, and its setting in canonical form."""
Levels: TypeAlias = dict[str, dict[str, set[Level]]]
"""By benchmark and factor, those of one side."""
_HOW_MUCH = ("size", "n")
WITHOUT_LEVEL = frozenset({"messages"})
"""Factors that say how much of one thing a sample holds, which the number does not depend on."""


class Pair(msgspec.Struct, frozen=True):
    """A quantity of one setting on both sides."""

    benchmark: str
    series: str
    """The quantity: a series of the benchmark; `throughput` for a stream of messages."""
    setting: dict[str, Level]
    """The factors that take several levels here."""
    unit: Unit
    first: Interval
    """Median on the first side; its bounds are None with one repetition of fewer than 6 samples."""
    second: Interval
    first_samples: Annotated[int, Meta(ge=1)]
    second_samples: Annotated[int, Meta(ge=1)]
    ratio: Interval | None
    """`second` / `first`, or the typical ratio of repetitions that were measured by turns; None if that is 0. Its
    bounds are None if unknown what phases do to it."""
    exact: bool
    """Whether all samples of either side are equal, and no phases are taken into account: then so is the ratio."""
    verdict: Verdict
    """The second side against the first one."""
    within: float | None
    """Of `same`: the largest difference that the interval leaves open, as a share."""
    more_repetitions: int | None
    """For `cannot tell`: the repetitions that would decide it; None if unknown."""
    more_runs: int | None
    """For `cannot tell`: the same in runs, where what differs between runs is in doubt; else None."""
    cycles: float | None
    """By how many cycles of a core the second median is longer, where both are simulated chips of one clock rate."""


def levels_of(side: Sequence[Run]) -> Levels:
    """Return the levels of a side, but of factors that change how something is measured and not what."""
    found: Levels = defaultdict(lambda: defaultdict(set))
    for one in (one for run in side for one in run.measurements):
        for name, level in one.factors.items():
            if name not in IRRELEVANT | WITHOUT_LEVEL:
                found[one.benchmark][name].add(level)
    return found


def matched_by(mine: Levels, theirs: Levels) -> dict[str, set[str]]:
    """Return the factors, by benchmark, that distinguish the settings of either side."""
    return {
        benchmark: {
            name
            for name, known in factors.items()
            if len(known) > 1 or len(theirs.get(benchmark, {}).get(name, ())) > 1
        }
        for benchmark, factors in mine.items()
    }


def pools_of(
    side: Sequence[Run], names: Mapping[str, set[str]], usual: Mapping[str, Level]
) -> dict[Key, list[Measurement]]:
    """Return the measurements of a side by what both sides call the same."""
    pools: dict[Key, list[Measurement]] = defaultdict(list)
    for one in (one for run in side for one in run.measurements if not incomparable(one)):
        setting = {
            name: level
            for name, level in one.factors.items()
            if name in names.get(one.benchmark, ()) and usual.get(name) != level
        }
        pools[one.benchmark, canonical(setting)].append(one)
    return pools


class Compared(NamedTuple):
    """The common settings of two sides, with their verdicts."""

    first: Mapping[Key, list[Measurement]]
    second: Mapping[Key, list[Measurement]]
    both: Sequence[Key]
    """The settings that both have."""
    simulated: tuple[bool, bool]
    one_target: bool
    """Whether both are of the same target."""
    machine: MachineState
    """How the machine itself differed between them."""
    change: Change | None = None
    """The phases of a change, if both are runs of one simulated target."""
    phases: Sequence[Mapping[Key, list[Measurement]]] = ()
    """Those of the change, by setting."""
    by_turns: bool = False
    """Whether the two are runs that were measured so."""


def pairs_of(compared: Compared, *, within: float) -> list[tuple[Key, Pair]]:
    """Return the quantities that both sides have, by benchmark, quantity and setting, each with the key of its setting.

    They are judged by `judge_change` between two runs of one simulated target, of other runs by turns by
    `judge_by_turns`, and otherwise by `judge`.
    """
    first, second, both = compared.first, compared.second, compared.both
    varied = _varied(both, first, second)
    in_turn: list[AlternatingPair] = []
    moved: list[ChangedQuantity] = []
    named, sides = [], []
    for key in both:
        mine, theirs = quantities(first[key]), quantities(second[key])
        repeated_exactly = [quantities(one[key]) for one in compared.phases if key in one]
        is_one_seed = _seeds(first[key]) == _seeds(second[key])
        setting = _levels(first[key][0], varied.get(key[0], ()))
        hz = one_rate(first[key] + second[key]) if all(compared.simulated) else None
        for (series, unit), known in mine.items():
            if (series, unit) in theirs:
                other = theirs[series, unit]
                phases = [one[series, unit] for one in repeated_exactly if (series, unit) in one]
                in_turn.append(AlternatingPair(series, unit, first[key], second[key]))
                cycle = 0.0 if hz is None or unit != "us" else 1e6 / hz
                moved.append(ChangedQuantity(unit, known, other, phases, is_one_seed, cycle))
                named.append((key, series, setting, hz))
                sides.append((unit, known, other))
    if compared.change is not None:
        judgements = judge_change(moved, compared.change)
    elif compared.by_turns and not all(compared.simulated):
        judgements = judge_by_turns(in_turn, within=within)
    else:
        judgements = judge(
            [(unit, mine.medians, theirs.medians) for unit, mine, theirs in sides],
            within=within,
            simulated=compared.simulated,
            one_target=compared.one_target,
            machine=compared.machine.most,
        )
    found = [
        (key, _pair(key[0], series, setting, hz, *side, judgement))
        for (key, series, setting, hz), side, judgement in zip(named, sides, judgements, strict=True)
    ]
    order = {benchmark: at for at, benchmark in enumerate(dict.fromkeys(key[0] for key in both))}
    series_order = {name: at for at, name in enumerate(dict.fromkeys((one.benchmark, one.series) for _, one in found))}
    return sorted(
        found,
        key=lambda one: (
            order[one[1].benchmark],
            series_order[one[1].benchmark, one[1].series],
            tuple(by_level({name: level}) for name, level in one[1].setting.items()),
        ),
    )


def _seeds(pool: Iterable[Measurement]) -> list[tuple[int, Level | None]]:
    """Return the origin of the phases of each measurement: its repetition, and its seed."""
    return [(one.repetition, one.factors.get("seed")) for one in pool]


def _is_point(ratio: Interval | None) -> bool:
    """Whether a ratio has an interval without width, or is none."""
    return ratio is None or (ratio.low is not None and ratio.low == ratio.high)


def one_rate(pool: Iterable[Measurement]) -> int | None:
    """Return the cycles per second of a core, if all measurements report the same."""
    rates = {one.conditions.get("clock.sys_hz", "") for one in pool}
    hz = rates.pop()
    return int(hz) if not rates and hz.isdecimal() else None


def _varied(
    both: Sequence[Key], first: Mapping[Key, list[Measurement]], second: Mapping[Key, list[Measurement]]
) -> dict[str, list[str]]:
    """Return the factors of each benchmark that distinguish settings, and those of the number of samples."""
    levels: dict[str, dict[str, tuple[set[Level], set[Level]]]] = defaultdict(
        lambda: defaultdict(lambda: (set(), set()))
    )
    for key in both:
        for side, pools in enumerate((first, second)):
            for name, level in pools[key][0].factors.items():
                levels[key[0]][name][side].add(level)
    besides = IRRELEVANT | WITHOUT_LEVEL | {"measure"}  # which the series tells
    return {
        benchmark: sorted(
            (
                name
                for name, known in of.items()
                if (max(map(len, known)) > 1 or name in _HOW_MUCH) and name not in besides
            ),
            key=_rank,
        )
        for benchmark, of in levels.items()
    }


def _rank(name: str) -> tuple[bool, bool, str]:
    """Sort key: what something is done by, between which cores, and how much of it."""
    return name in _HOW_MUCH, name in ("from", "to"), name


def _levels(one: Measurement, names: Iterable[str]) -> dict[str, Level]:
    return {name: one.factors[name] for name in names if name in one.factors}


def _pair(
    benchmark: str,
    series: str,
    setting: dict[str, Level],
    hz: int | None,
    unit: Unit,
    mine: Quantity,
    theirs: Quantity,
    found: Judgement,
) -> Pair:
    first, second = mine.medians.whole, theirs.medians.whole
    return Pair(
        benchmark=benchmark,
        series=series,
        setting=setting,
        unit=unit,
        first=first,
        second=second,
        first_samples=mine.samples,
        second_samples=theirs.samples,
        ratio=found.ratio,
        exact=mine.least == mine.largest and theirs.least == theirs.largest and _is_point(found.ratio),
        verdict=found.verdict,
        within=found.within,
        more_repetitions=found.more_repetitions,
        more_runs=found.more_runs,
        cycles=None if hz is None or unit != "us" else round((second.value - first.value) * hz / 1e6, 1),
    )
