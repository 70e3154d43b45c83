"""A plan laid out: the settings to measure, the order to take them in, and those that a stored run still lacks."""

from __future__ import annotations

import hashlib
import itertools
import math
import shlex
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.errors import IntercoreError, UsageError
from intercore.record.factors import of_target
from intercore.record.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.record.measurement import Measurement, Part, Plan, Run

MAX_SETTINGS = 1_000_000
"""More than anyone waits for, few enough to list: a mistyped range must not fill the memory."""

ENOUGH_REPETITIONS = 5
"""From which on intervals that come from repetitions are as good as they say; of 2 to 4 they are rough."""

ENOUGH_RUNS = 5
"""From which on intervals that come from runs are of a useful width."""

MAX_RUNS = 1000
EVERY = 30.0
"""Default seconds from the start of a run to that of the next: what slows a machine down often lasts that long."""

SUITE = "suite"
"""Name of a plan of every benchmark that the target has."""


def command_to_go_on(plan: Plan) -> str:
    """Return the command that continues an unfinished run of a plan, in the default store."""
    if plan.partner is not None:
        return "intercore compare --alternate --resume"
    if plan.file is not None:
        return shlex.join(["intercore", "sweep", plan.file, *plan.file_options])
    return "intercore run --resume"


class Setting(msgspec.Struct, frozen=True):
    """One measurement to take: a level for each factor that the plan names, and which repetition of it this is."""

    benchmark: str
    factors: dict[str, Level]
    """As in the plan: defaults that the target adds are not part of it."""
    repetition: int
    """Counts from 0."""

    @property
    def key(self) -> tuple[str, str]:
        """What its repetitions have in common: the benchmark, and the factors as canonical text."""
        return self.benchmark, canonical(self.factors)


def canonical(levels: Mapping[str, Level]) -> str:
    """Return the one JSON text that stands for these values, whatever their order: keys sorted, no blanks.

    Raises IntercoreError if a text holds half of a surrogate pair, as undecodable bytes of a command line do.
    """
    try:
        return msgspec.json.encode(dict(levels), order="sorted").decode()
    except UnicodeEncodeError as error:
        raise IntercoreError(f"{error.object!a} is not valid text: use UTF-8") from error


def settings(plan: Plan) -> list[Setting]:
    """Return every setting of the plan, in the order to measure them.

    Repetition 0 of everything comes before repetition 1 of anything, so that a run cut short still covers the grid.
    Within a repetition, settings that share a build (the levels of the target's own factors) stay together, so that the
    target is opened as rarely as can be, and in these the plan's parts follow one another, unless it is of a plan file.
    All else is in random order, so that drift does not look like a factor. The same plan always gives the same order.

    Raises UsageError if the plan has no settings or excludes them all, names a level or a setting twice, may have more
    than MAX_SETTINGS, has a fraction out of range, or a stop rule with a cap below its repetitions.
    """
    check(plan)
    positions = [
        (position, setting)
        for position, part in enumerate(plan.parts)
        for factors in measured(plan, part)
        for repetition in range(plan.repetitions)
        for setting in [Setting(part.benchmark, factors, repetition)]
    ]
    if not positions:
        why = plan.excluded[0].why if plan.excluded else "its parts are empty"
        raise UsageError(f"nothing in the plan can be measured: {why}")
    return _sorted(plan, positions)


def in_order(plan: Plan, chosen: Iterable[Setting]) -> list[Setting]:
    """Return settings of the plan, or further repetitions of them, in the order to measure them."""
    positions = {
        (part.benchmark, canonical(factors)): position
        for position, part in enumerate(plan.parts)
        for factors in measured(plan, part)
    }
    return _sorted(plan, [(positions[one.key], one) for one in chosen])


def setting_of(plan: Plan, measurement: Measurement) -> Setting:
    """Return which setting was measured. The measurement is of a benchmark of the plan."""
    names = next(part.levels for part in plan.parts if part.benchmark == measurement.benchmark)
    levels = {name: measurement.factors[name] for name in names if name in measurement.factors}
    return Setting(measurement.benchmark, levels, measurement.repetition)


def run_of(plan: Plan, repetition: int) -> int:
    """Return which of the plan's runs a repetition belongs to, from 0."""
    return min(repetition // max(1, plan.repetitions // max(1, plan.runs)), plan.runs - 1)


def repetitions_by_setting(run: Run) -> dict[tuple[str, str], list[Measurement]]:
    """Return the repetitions of each setting of the run, by benchmark and canonical factors."""
    pools: dict[tuple[str, str], list[Measurement]] = defaultdict(list)
    for measurement in run.measurements:
        if measurement.benchmark in run.plan.benchmarks:
            pools[setting_of(run.plan, measurement).key].append(measurement)
    return pools


def _sorted(plan: Plan, positions: Iterable[tuple[int, Setting]]) -> list[Setting]:
    ranked = [(_rank(plan, position, setting), setting) for position, setting in positions]
    ranked.sort(key=lambda pair: pair[0])
    return [setting for _, setting in ranked]


def grid(part: Part) -> Iterator[dict[str, Level]]:
    """Return the full product of the part's levels, whatever of it is measured."""
    for levels in itertools.product(*part.levels.values()):
        yield dict(zip(part.levels, levels, strict=True))


def without(part: Part, left_out: Iterable[Mapping[str, Level]]) -> Iterator[dict[str, Level]]:
    """Return the product of the part's levels, without its skipped settings and those that match `left_out`."""
    names = list(part.levels)
    by_factors: dict[tuple[int, ...], set[tuple[Level, ...]]] = defaultdict(set)
    for one in (*part.skip, *left_out):
        if one.keys() <= part.levels.keys():
            at = tuple(place for place, name in enumerate(names) if name in one)
            by_factors[at].add(tuple(one[names[place]] for place in at))
    for levels in itertools.product(*part.levels.values()):
        if not any(tuple(levels[place] for place in at) in some for at, some in by_factors.items()):
            yield dict(zip(names, levels, strict=True))


def measured(plan: Plan, part: Part) -> list[dict[str, Level]]:
    """Return what is measured of a part of the plan, each setting once.

    That is the product of its levels, less what it skips and what the plan excludes; or the fraction of that which the
    part asks for, but at least one setting.
    """
    possible = list(without(part, (one.factors for one in plan.excluded if one.benchmark == part.benchmark)))
    if part.fraction >= 1 or not possible:
        return possible
    chosen = sorted(range(len(possible)), key=lambda at: _hash(plan.seed, "fraction", part.benchmark, possible[at]))
    return [possible[at] for at in sorted(chosen[: max(1, round(part.fraction * len(possible)))])]


def remaining(run: Run) -> list[Setting]:
    """Return the settings of the run's plan that it holds no measurement of, in the order to measure them.

    What a stop rule asks for beyond the plan's repetitions is not among them.
    """
    measured = (setting_of(run.plan, one) for one in run.measurements if one.benchmark in run.plan.benchmarks)
    done = {(*setting.key, setting.repetition) for setting in measured}
    return [setting for setting in settings(run.plan) if (*setting.key, setting.repetition) not in done]


def check(plan: Plan) -> None:
    """Raise UsageError for a plan that can be no plan on any target; see `settings`."""
    if plan.repetitions < 1:
        raise UsageError(f"repetitions={plan.repetitions} is out of range: it must be at least 1")
    if plan.runs < 1 or plan.repetitions % plan.runs:
        raise UsageError(f"runs={plan.runs} is out of range: {plan.repetitions} repetitions have no such equal shares")
    if plan.stop is not None and plan.runs > 1:
        raise UsageError("a plan has either several runs or a stop rule: omit runs or until")
    if plan.stop is not None and plan.stop.cap < plan.repetitions:
        raise UsageError(
            f"cap={plan.stop.cap} is out of range: it must be at least {plan.repetitions}, the value of repetitions"
        )
    for part in plan.parts:
        _check_levels(part)
    most = plan.repetitions if plan.stop is None else plan.stop.cap
    total = most * sum(math.prod(len(levels) for levels in part.levels.values()) for part in plan.parts)
    if total > MAX_SETTINGS:
        raise UsageError(
            f"the plan has {total} measurements, but at most {MAX_SETTINGS} are possible: give fewer levels per factor"
        )
    for benchmark in plan.benchmarks:
        _check_parts([part for part in plan.parts if part.benchmark == benchmark])


def left_out(plan: Plan) -> str:
    """Say in a sentence which benchmarks a plan leaves out as a whole; empty if there is none."""
    whole = [one for one in plan.excluded if not one.factors]
    if not whole:
        return ""
    reasons = {one.why.partition(":")[0] for one in whole}  # before the colon stands what several may have in common
    why = f" ({reasons.pop()})" if len(reasons) == 1 else ""
    names = ", ".join(one.benchmark for one in whole)
    more = f"To see the reason for each: intercore run {plan.target} NAME."
    return f"Left out, because {plan.target} cannot measure them{why}: {names}. {more}"


def _check_levels(part: Part) -> None:
    if not 0 < part.fraction <= 1:
        raise UsageError(f"fraction={part.fraction:g} is out of range: it must be above 0 and at most 1")
    for name, levels in part.levels.items():
        if not levels:
            raise UsageError(f"the factor {name} has no levels: give at least one, e.g. {name}=100")
        level, times = Counter(levels).most_common(1)[0]
        if times > 1:
            raise UsageError(
                f"{name}={level} is given {times} times: to measure that level more often, use --repetitions"
            )


def _check_parts(parts: Sequence[Part]) -> None:
    """Refuse parts of one benchmark whose settings could be taken for one another."""
    if len({frozenset(part.levels) for part in parts}) > 1:
        raise UsageError(
            f"the plan's parts of {parts[0].benchmark} name different factors: name the same factors in all these parts"
        )
    if len(parts) > 1:
        seen = Counter(canonical(factors) for part in parts for factors in without(part, ()))
        setting, times = seen.most_common(1)[0]
        if times > 1:
            raise UsageError(
                f"the plan has {parts[0].benchmark} with {setting} {times} times: keep only one of these parts"
            )


def _rank(plan: Plan, part: int, setting: Setting) -> tuple[int, bytes, int, bytes]:
    """Sort key: in random order, but for what is cheaper together."""

    def shuffled(levels: Mapping[str, Level]) -> bytes:
        return _hash(plan.seed, setting.repetition, levels)

    build = shuffled(of_target(setting.factors))
    if plan.file is None:
        return setting.repetition, build, part, shuffled(setting.factors)
    mixed = _hash(plan.seed, setting.repetition, setting.benchmark, setting.factors)
    return setting.repetition, build, 0, mixed


def _hash(*what: object) -> bytes:
    """Shuffles the same way on every Python, which the `random` module does not promise."""
    words = [canonical(one) if isinstance(one, dict) else str(one) for one in what]
    return hashlib.sha256(" ".join(words).encode()).digest()
