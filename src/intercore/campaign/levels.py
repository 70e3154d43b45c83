"""From the levels that a user names to those that the target has, checked before a run."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, TypeAlias

from intercore.benchmarks import suite as of_benchmarks
from intercore.benchmarks.benchmark import All
from intercore.board import factors
from intercore.board.factors import OPT
from intercore.campaign.plan_file import Experiment
from intercore.errors import UsageError, unknown
from intercore.record.factors import TARGET_FACTORS
from intercore.record.measurement import Excluded, Level
from intercore.record.own_work import PREFIX
from intercore.record.plan import ENOUGH_REPETITIONS, canonical
from intercore.text import whole_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from intercore.benchmarks.benchmark import Levels as UsualLevels
    from intercore.link.session import BenchmarkInfo, ImpossibleSetting, ParameterInfo, Session
    from intercore.record.measurement import Part
    from intercore.record.origin import Origin
    from intercore.target.targets import Target

Wanted: TypeAlias = Mapping[str, Sequence[Level]]
"""Levels by factor as a user names them: texts, or numbers of a plan file."""
Levels: TypeAlias = dict[str, list[Level]]
"""Levels by factor as a target has them."""
Where: TypeAlias = Callable[..., AbstractContextManager[None]]
"""Adds to errors of a block where a factor, or a level of it by its index, stands in a file."""

_SETTINGS_SHOWN = 3  # settings in a refusal
_LEVELS_PER_QUERY = 16  # levels at a time, to find the largest
_SAMPLES = "samples"  # the factor of every benchmark that takes several


def unlocated(*_: str | int) -> AbstractContextManager[None]:
    """Leave errors as they are: what the user asks for is in no file."""
    return nullcontext()


def target_levels(
    target: Target,
    wanted: Wanted,
    at: Where = unlocated,
    *,
    is_built: bool = False,
    flashing: bool = False,
    skip_impossible: bool = False,
) -> Levels:
    """Return the levels of the target's own factors among those wanted, and of `opt` wherever a program is built.

    A program that `is_built` already leaves none to choose. `flashing` says whether a board is flashed for its levels.
    Raises UsageError for a factor that the target cannot be built or configured with, for what is no level of its
    factor, and for levels that have no effect beside the others; with `skip_impossible`, for these only if no
    combination is left.
    """
    known = {factor.name: factor for factor in target.factors}
    named = {name: levels for name, levels in wanted.items() if name in TARGET_FACTORS}
    is_chosen = (target.built_here or flashing) and not is_built
    found: Levels = {OPT.name: [OPT.default]} if is_chosen and OPT.name in known else {}
    for name, levels in named.items():
        with at(name):
            if is_built:
                raise UsageError(f"the image was built already: leave out {name}, or the image")
            target.check_factors({name: [str(level) for level in levels]}, flashing=flashing)
        found[name] = []
        for index, level in enumerate(levels):
            with at(name, index):
                found[name].append(known[name].level(str(level)))
    reasons = [why for _, why in builds(target, found)]
    if any(reasons) and not (skip_impossible and "" in reasons):
        with at(*list(named)[-1:]):
            raise UsageError(next(why for why in reasons if why))
    return found


def builds(target: Target, levels: Levels) -> Iterator[tuple[dict[str, Level], str]]:
    """Yield each combination of the target's own factors, and why there cannot be such a build; empty if there can."""
    own = {name: some for name, some in levels.items() if name in TARGET_FACTORS}
    for combination in itertools.product(*own.values()):
        build = dict(zip(own, combination, strict=True))
        try:
            factors.check(target.factors, build)
        except UsageError as error:
            yield build, str(error)
        else:
            yield build, ""


def find_benchmark(benchmarks: Sequence[BenchmarkInfo], name: str) -> BenchmarkInfo:
    """Return the benchmark called `name`. UsageError names the nearest that there is, or why the target refuses it."""
    for benchmark in benchmarks:
        if benchmark.name == name and benchmark.refused:
            raise UsageError(f"{name} cannot be measured there: {benchmark.refused}")
        if benchmark.name == name:
            return benchmark
    raise UsageError(unknown("benchmark", name, (benchmark.name for benchmark in benchmarks)))


def repetitions_of(origin: Origin) -> int:
    """Return how often each setting is measured where the user does not say.

    What is measured differs between repetitions in more than its samples tell, so it takes enough of them for an
    interval, each with its share of the samples. Where a program stands for the chip they differ by the seed alone.
    """
    return ENOUGH_REPETITIONS if origin == "measured" else 1


def checked(benchmark: BenchmarkInfo, wanted: Wanted, at: Where = unlocated, others: Iterable[str] = ()) -> Levels:
    """Return the levels of a benchmark's parameters that are wanted, as their types are.

    Raises UsageError for a parameter that the benchmark lacks, or a value that is not of its type or out of range;
    `others` are further names that the user may have meant.
    """
    parameters = {parameter.name: parameter for parameter in benchmark.parameters}
    found: Levels = {}
    for name, levels in wanted.items():
        if name in TARGET_FACTORS:
            continue
        with at(name):
            if name not in parameters:
                raise UsageError(unknown(f"factor of {benchmark.name}", name, [*parameters, *others]))
        found[name] = []
        for index, level in enumerate(levels):
            with at(name, index):
                found[name].append(level_of(parameters[name], level))
    return found


def resolve(
    benchmark: BenchmarkInfo, wanted: Wanted, seed: int, origin: Origin, *, interpreted: bool = False
) -> Levels:
    """Return the levels to measure: those wanted, and the defaults of this tool for the rest, `seed` among them.

    `interpreted` says whether each instruction of the target is, for what it does alone (`Target.interpreted`). Raises
    UsageError as `checked` does.
    """
    known = of_benchmarks.default(benchmark.name, wanted, interpreted=interpreted)
    return {**_usual(benchmark, known, seed, origin), **checked(benchmark, wanted)}


def with_whole(session: Session, benchmark: BenchmarkInfo, levels: Levels, wanted: Wanted) -> Levels:
    """Return the levels, and with them the largest that the target takes, where all of a user's own work is measured.

    How many units it has only its file says. The target refuses more, so the number is found by what it refuses.
    """
    name = of_benchmarks.whole_of(benchmark.name, wanted)
    if name is None or name not in levels:
        return dict(levels)
    of_own = {
        other: [next((one for one in some if str(one).startswith(PREFIX)), some[0])] for other, some in levels.items()
    }

    def refused_of(asked: Sequence[int]) -> set[Level]:
        return {one.factors[name] for one in session.check(benchmark, {**of_own, name: [*asked]})}

    known: Sequence[int] = [int(one) for one in levels[name]]
    more = refused_of(known)
    low = max((one for one in known if one not in more), default=0)
    high = min((one for one in known if one in more), default=0)
    while low and high - low > 1:
        between = range(low + 1, high, max(1, (high - low) // _LEVELS_PER_QUERY))
        more = refused_of(between)
        low = max((one for one in between if one not in more), default=low)
        high = min((one for one in between if one in more), default=high)
    return {**levels, name: sorted({*known, *([low] if low else [])})}


def _usual(benchmark: BenchmarkInfo, usual: UsualLevels, seed: int, origin: Origin) -> Levels:
    """Return the usual levels, and `seed`, that this target has: a small chip may lack a parameter or large sizes.

    Each of the usual repetitions takes its share of the samples.
    """
    known = {"seed": [str(seed)], **usual}
    levels: Levels = {}
    for parameter in benchmark.parameters:
        if found := _available(parameter, known.get(parameter.name, ())):
            levels[parameter.name] = found
    repetitions = repetitions_of(origin)
    for parameter in benchmark.parameters:
        if parameter.name == _SAMPLES and repetitions > 1:
            whole = levels.get(_SAMPLES) or [level_of(parameter, parameter.default)]
            levels[_SAMPLES] = [math.ceil(int(samples) / repetitions) for samples in whole]
    return levels


def _available(parameter: ParameterInfo, texts: Sequence[str] | All) -> list[Level]:
    found: list[Level] = []
    for text in texts.of(parameter.choices) if isinstance(texts, All) else texts:
        with suppress(UsageError):
            found.append(level_of(parameter, text))
    return found


def suite(benchmarks: Sequence[BenchmarkInfo], seed: int, origin: Origin) -> list[Experiment]:
    """Return what the suite measures on a target with these benchmarks, in their order there.

    One that the target refuses is left out. Where there is such a one, each core has a kernel of its own.
    """
    amp = any(benchmark.refused for benchmark in benchmarks)
    return [
        Experiment(benchmark.name, _usual(benchmark, grid, seed, origin), may_be_impossible=True)
        for benchmark in benchmarks
        if not benchmark.refused
        for grid in of_benchmarks.suite(benchmark.name, origin, amp=amp)
    ]


def refused(benchmarks: Iterable[BenchmarkInfo]) -> list[Excluded]:
    """Return the benchmarks that a target does not have, though it names them, with the reason that it gives."""
    return [Excluded(benchmark.name, {}, benchmark.refused) for benchmark in benchmarks if benchmark.refused]


def excluded(session: Session, benchmark: BenchmarkInfo, part: Part, asked: Collection[str] | None) -> list[Excluded]:
    """Return the settings of a part that the target cannot measure.

    `asked` names the factors whose levels the user chose: of each combination of these, some setting must be possible.
    Raises UsageError, with all reasons, if none is. None if nobody asked for the part at all.
    """
    impossible = session.check(benchmark, part.levels)
    if asked is None:
        return [Excluded(benchmark.name, one.factors, one.why) for one in impossible]
    known = {parameter.name for parameter in benchmark.parameters}
    chosen = [name for name in part.levels if name in asked and name in known]

    def of_user(factors: Mapping[str, Level]) -> str:
        return canonical({name: factors[name] for name in chosen if name in factors})

    others = math.prod(len(levels) for name, levels in part.levels.items() if name in known and name not in asked)
    often = Counter(of_user(one.factors) for one in impossible)
    refused = [one for one in impossible if often[of_user(one.factors)] == others]
    if refused:
        raise UsageError(_refusal(benchmark.name, part, chosen, refused))
    return [Excluded(benchmark.name, one.factors, one.why) for one in impossible]


def _refusal(benchmark: str, part: Part, chosen: Sequence[str], refused: Sequence[ImpossibleSetting]) -> str:
    """Say what of a part cannot be measured: every reason, with the first few settings that it concerns."""
    reported = [name for name in chosen if len(part.levels[name]) > 1] or chosen
    by_reason: dict[str, dict[str, None]] = defaultdict(dict)
    for one in refused:
        by_reason[one.why][" ".join(f"{name}={one.factors[name]}" for name in reported if name in one.factors)] = None
    sentences = []
    for why, settings in by_reason.items():
        named = [setting for setting in settings if setting]
        more = f" and {len(named) - _SETTINGS_SHOWN} more" if len(named) > _SETTINGS_SHOWN else ""
        where = f" ({', '.join(named[:_SETTINGS_SHOWN])}{more})" if named else ""
        sentences.append(f"{why}{where}")
    return f"{benchmark} cannot be measured with these levels: {'; '.join(sentences)}"


def level_of(parameter: ParameterInfo, level: Level) -> Level:
    """Return the level of a parameter that a text, or a number, names. Raises UsageError if it has none such."""
    text = str(level)
    if parameter.choices:
        if text not in parameter.choices:
            raise UsageError(unknown(parameter.name, text, parameter.choices))
        return text
    value = whole_number(text)
    if value is None:
        raise UsageError(f"{parameter.name} is a whole number and not '{text}'")
    low, high = parameter.min, parameter.max
    if low is not None and high is not None and not low <= value <= high:
        raise UsageError(f"{parameter.name}={value} is out of range: {low} to {high} on this target")
    return value
