"""A plan laid out: the settings to measure, the order to take them in, and those that a stored run still lacks."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from intercore.errors import IntercoreError, UsageError
from intercore.factors import of_target
from intercore.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.measurement import Measurement, Part, Plan, Run

MAX_SETTINGS = 1_000_000
"""More than anyone waits for, few enough to list: a mistyped range must not fill the memory."""


class Setting(msgspec.Struct, frozen=True):
    """One measurement to take: a level for each factor that the plan names, and which repetition of it this is."""

    benchmark: str
    factors: dict[str, Level]
    """As in the plan: defaults that the target adds are not part of it."""
    repetition: int
    """Counts from 0."""


def canonical(levels: Mapping[str, Level]) -> str:
    """Return the one JSON text that stands for these values, whatever their order: keys sorted, no blanks.

    Raises IntercoreError if a text holds half of a surrogate pair, as undecodable bytes of a command line do.
    """
    try:
        return msgspec.json.encode(dict(levels), order="sorted").decode()
    except UnicodeEncodeError as error:
        raise IntercoreError(f"{error.object!a} is not valid text; use UTF-8") from error


def settings(plan: Plan) -> list[Setting]:
    """Return every setting of the plan, in the order to measure them.

    Repetition 0 of everything comes before repetition 1 of anything, so that a run cut short still covers the grid.
    Within a repetition, settings that share a build (the levels of the target's own factors) stay together, so that the
    target is opened as rarely as can be, and in these the plan's parts follow one another. All else is in random order,
    so that drift does not look like a factor. The same plan always gives the same order.

    Raises UsageError if the plan has no settings, names a level or a setting twice, may have more than MAX_SETTINGS, or
    has a stop rule with a cap below its repetitions.
    """
    _check(plan)
    positions = [
        (position, setting)
        for position, part in enumerate(plan.parts)
        for repetition in range(plan.repetitions)
        for setting in _grid(part, repetition)
    ]
    return _sorted(plan, positions)


def in_order(plan: Plan, chosen: Iterable[Setting]) -> list[Setting]:
    """Return settings of the plan, or further repetitions of them, in the order to measure them."""
    positions = {
        (part.benchmark, canonical(setting.factors)): position
        for position, part in enumerate(plan.parts)
        for setting in _grid(part, 0)
    }
    return _sorted(plan, [(positions[one.benchmark, canonical(one.factors)], one) for one in chosen])


def setting_of(plan: Plan, measurement: Measurement) -> Setting:
    """Return which setting was measured. The measurement is of a benchmark of the plan."""
    names = next(part.levels for part in plan.parts if part.benchmark == measurement.benchmark)
    levels = {name: measurement.factors[name] for name in names if name in measurement.factors}
    return Setting(measurement.benchmark, levels, measurement.repetition)


def _sorted(plan: Plan, positions: Iterable[tuple[int, Setting]]) -> list[Setting]:
    ranked = [(_rank(plan.seed, position, setting), setting) for position, setting in positions]
    ranked.sort(key=lambda pair: pair[0])
    return [setting for _, setting in ranked]


def _grid(part: Part, repetition: int) -> Iterator[Setting]:
    for levels in itertools.product(*part.levels.values()):
        yield Setting(part.benchmark, dict(zip(part.levels, levels, strict=True)), repetition)


def remaining(run: Run) -> list[Setting]:
    """Return the settings of the run's plan that it holds no measurement of, in the order to measure them.

    What a stop rule asks for beyond the plan's repetitions is not among them.
    """
    measured = (setting_of(run.plan, one) for one in run.measurements if one.benchmark in run.plan.benchmarks)
    done = {(setting.benchmark, canonical(setting.factors), setting.repetition) for setting in measured}
    return [
        setting
        for setting in settings(run.plan)
        if (setting.benchmark, canonical(setting.factors), setting.repetition) not in done
    ]


def _check(plan: Plan) -> None:
    if plan.repetitions < 1:
        raise UsageError(f"repetitions={plan.repetitions} is out of range: a setting is measured at least once")
    if plan.stop is not None and plan.stop.cap < plan.repetitions:
        raise UsageError(f"cap={plan.stop.cap} is out of range: at least {plan.repetitions}, the repetitions asked for")
    for part in plan.parts:
        _check_levels(part)
    most = plan.repetitions if plan.stop is None else plan.stop.cap
    total = most * sum(math.prod(len(levels) for levels in part.levels.values()) for part in plan.parts)
    if total > MAX_SETTINGS:
        raise UsageError(f"the plan has {total} measurements, more than {MAX_SETTINGS}: give fewer values per factor")
    for benchmark in plan.benchmarks:
        _check_parts([part for part in plan.parts if part.benchmark == benchmark])


def _check_levels(part: Part) -> None:
    for name, levels in part.levels.items():
        if not levels:
            raise UsageError(f"factor {name} has no level: give it at least one value")
        level, times = Counter(levels).most_common(1)[0]
        if times > 1:
            raise UsageError(f"{name}={level} is given {times} times: to measure it more often, ask for repetitions")


def _check_parts(parts: Sequence[Part]) -> None:
    """Refuse parts of one benchmark whose settings could be taken for one another."""
    if len({frozenset(part.levels) for part in parts}) > 1:
        raise UsageError(f"the plan's parts of {parts[0].benchmark} name different factors: name the same in all")
    if len(parts) > 1:
        seen = Counter(canonical(setting.factors) for part in parts for setting in _grid(part, 0))
        setting, times = seen.most_common(1)[0]
        if times > 1:
            raise UsageError(f"the plan has {parts[0].benchmark} with {setting} {times} times")


def _rank(seed: int, part: int, setting: Setting) -> tuple[int, bytes, int, bytes]:
    """Sort key: a hash shuffles the same way on every Python, which the `random` module does not promise."""

    def shuffled(levels: Mapping[str, Level]) -> bytes:
        return hashlib.sha256(f"{seed} {setting.repetition} {canonical(levels)}".encode()).digest()

    return setting.repetition, shuffled(of_target(setting.factors)), part, shuffled(setting.factors)
