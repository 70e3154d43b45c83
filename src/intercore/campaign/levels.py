"""Resolves the levels that a user names to levels of the target, before a run."""

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
"""Levels by factor as a user gives them: texts, or numbers of a plan file."""
Levels: TypeAlias = dict[str, list[Level]]
"""Levels by factor in the target's types."""
Where: TypeAlias = Callable[..., AbstractContextManager[None]]
"""Adds the location of a factor, or of one of its levels, in a file to the errors of a block."""

_SETTINGS_SHOWN = 3  # settings shown in an error
_LEVELS_PER_QUERY = 16  # levels per query, to find the largest
_ON_AMP = "not applicable on AMP"  # begins such a reason (firmware/bench/registry_amp.c)
_SAMPLES = "samples"  # the factor of every benchmark that takes several samples


def unlocated(*_: str | int) -> AbstractContextManager[None]:
    """Leave errors as they are, because the request is not in a file."""
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
    """Return the requested levels of the target's factors, and of `opt` if a program is built.

    With `is_built`, the program exists and no factor can be chosen. `flashing`: whether a board is flashed for its
    levels. Raises UsageError for an unknown factor or level, and for levels without effect in combination with the
    others; with `skip_impossible`, for the latter only if no combination is left.
    """
    known = {factor.name: factor for factor in target.factors}
    named = {name: levels for name, levels in wanted.items() if name in TARGET_FACTORS}
    is_chosen = (target.built_here or flashing) and not is_built
    found: Levels = {OPT.name: [OPT.default]} if is_chosen and OPT.name in known else {}
    for name, levels in named.items():
        with at(name):
            if is_built:
                raise UsageError(
                    f"{name} has no effect on an image that is already built: omit {name}, or omit --image"
                )
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
    """Yield each combination of the target's factors, and why it is impossible; empty if it is possible."""
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
    """Return the benchmark called `name`.

    Raises UsageError with the closest name, or with the target's reason to refuse it.
    """
    for benchmark in benchmarks:
        if benchmark.name == name and benchmark.refused:
            raise UsageError(f"the benchmark {name} cannot be measured on this target: {benchmark.refused}")
        if benchmark.name == name:
            return benchmark
    raise UsageError(unknown("benchmark", name, (benchmark.name for benchmark in benchmarks)))


def repetitions_of(origin: Origin) -> int:
    """Return the default number of repetitions.

    Repetitions differ by more than the spread of their samples, so several are needed for an interval; each takes a
    share of the samples. On a simulated chip they differ only by the seed.
    """
    return ENOUGH_REPETITIONS if origin == "measured" else 1


def checked(benchmark: BenchmarkInfo, wanted: Wanted, at: Where = unlocated, others: Iterable[str] = ()) -> Levels:
    """Return the requested levels of a benchmark's parameters, in the parameters' types.

    Raises UsageError for an unknown parameter, and for a value of the wrong type or out of range; `others` are further
    names to suggest.
    """
    parameters = {parameter.name: parameter for parameter in benchmark.parameters}
    found: Levels = {}
    for name, levels in wanted.items():
        if name in TARGET_FACTORS:
            continue
        with at(name):
            if name not in parameters:
                raise UsageError(unknown("factor", name, [*parameters, *others], f"{benchmark.name} has"))
        found[name] = []
        for index, level in enumerate(levels):
            with at(name, index):
                found[name].append(level_of(parameters[name], level))
    return found


def resolve(
    benchmark: BenchmarkInfo,
    wanted: Wanted,
    seed: int,
    origin: Origin,
    *,
    interpreted: bool = False,
    others: Iterable[str] = (),
) -> Levels:
    """Return the levels to measure: those requested, and the tool's defaults for the others, including `seed`.

    `interpreted` is that of the target, and `others` are the names of its factors. Raises UsageError as `checked` does.
    """
    known = of_benchmarks.default(benchmark.name, wanted, interpreted=interpreted)
    return {**_usual(benchmark, known, seed, origin), **checked(benchmark, wanted, others=others)}


def with_whole(session: Session, benchmark: BenchmarkInfo, levels: Levels, wanted: Wanted) -> Levels:
    """Return the levels, and the largest that the target accepts if all of a user's workload is measured.

    Only the workload's file knows the number of its units. The target refuses more, so it is found by what it refuses.
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
    """Return the default levels, and `seed`, as far as this target has them: a small chip may lack some.

    Each of the default repetitions takes its share of the samples.
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
    """Return the experiments of the suite on a target with these benchmarks, in their order.

    Benchmarks that the target refuses are skipped. Each core runs its own kernel if that is the reason for one.
    """
    amp = any(benchmark.refused.startswith(_ON_AMP) for benchmark in benchmarks)
    return [
        Experiment(benchmark.name, _usual(benchmark, grid, seed, origin), may_be_impossible=True)
        for benchmark in benchmarks
        if not benchmark.refused
        for grid in of_benchmarks.suite(benchmark.name, origin, amp=amp)
    ]


def refused(benchmarks: Iterable[BenchmarkInfo]) -> list[Excluded]:
    """Return the benchmarks that a target lists but refuses, with its reasons."""
    return [Excluded(benchmark.name, {}, benchmark.refused) for benchmark in benchmarks if benchmark.refused]


def excluded(session: Session, benchmark: BenchmarkInfo, part: Part, asked: Collection[str] | None) -> list[Excluded]:
    """Return the settings of a part that the target cannot measure.

    `asked` names the factors whose levels the user chose: each combination of these must have a possible setting.
    Raises UsageError with all reasons if one has none. None if the user did not request the part.
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
    """Return the error for a part that cannot be measured: each reason with the first few of its settings."""
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
    """Return the level of a parameter for a text or a number. Raises UsageError if there is no such level."""
    text = str(level)
    if parameter.choices:
        if text not in parameter.choices:
            raise UsageError(unknown("level", text, parameter.choices, f"the factor {parameter.name} has"))
        return text
    value = whole_number(text)
    if value is None:
        raise UsageError(f"{parameter.name} must be a whole number, not '{text}'")
    low, high = parameter.min, parameter.max
    if low is not None and high is not None and not low <= value <= high:
        raise UsageError(f"{parameter.name}={value} is out of range: the target accepts {low} to {high}")
    return value
