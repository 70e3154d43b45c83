"""From the levels that a user names to those that the target has, checked before a run."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from intercore.benchmarks import suite as of_benchmarks
from intercore.benchmarks.benchmark import All
from intercore.board import factors
from intercore.board.factors import OPT
from intercore.errors import UsageError, unknown
from intercore.numeral import whole_number
from intercore.record.factors import TARGET_FACTORS
from intercore.record.measurement import Excluded, Part
from intercore.record.own_work import PREFIX
from intercore.record.plan import ENOUGH_REPETITIONS, canonical

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.link.session import BenchmarkInfo, ImpossibleSetting, ParameterInfo, Session
    from intercore.record.measurement import Level
    from intercore.record.origin import Origin
    from intercore.target.targets import Target

_NAMED = 3  # settings in a refusal
_ASKED = 16  # levels at a time, to find the largest
_SAMPLES = "samples"  # the factor of every benchmark that takes several


def target_levels(
    target: Target, wanted: Mapping[str, Sequence[str]], *, is_built: bool = False
) -> dict[str, list[Level]]:
    """Return the levels of the target's own factors among those wanted; of `opt`, if it has that, in any case.

    A program that `is_built` already leaves none to choose. Raises UsageError for a factor that the target cannot be
    built or configured with, for one that is no level of its factor, and for levels that have no effect beside the
    others.
    """
    named = {name: texts for name, texts in wanted.items() if name in TARGET_FACTORS}
    target.check_factors(named)
    if is_built and named:
        raise UsageError(f"the image was built already: leave out {next(iter(named))}, or the image")
    if is_built or not target.built_here:
        return {}
    return factors.resolve(target.factors, {OPT.name: [str(OPT.default)], **named})


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


def resolve(
    benchmark: BenchmarkInfo,
    wanted: Mapping[str, Sequence[str]],
    seed: int,
    origin: Origin,
    *,
    interpreted: bool = False,
) -> dict[str, list[Level]]:
    """Return the levels to measure: those wanted, and the defaults of this tool for the rest, `seed` among them.

    `interpreted` says whether each instruction of the target is, for what it does alone (`Target.interpreted`).

    Raises UsageError for a parameter that the benchmark lacks, or a value that is not of its type or out of range.
    """
    known = of_benchmarks.default(benchmark.name, wanted, interpreted=interpreted)
    ours = _checked(benchmark, _possible(benchmark, known, seed))
    return {**_shared(benchmark, ours, origin), **_checked(benchmark, wanted)}


def with_whole(
    session: Session, benchmark: BenchmarkInfo, levels: Mapping[str, list[Level]], wanted: Mapping[str, Sequence[str]]
) -> dict[str, list[Level]]:
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
        between = range(low + 1, high, max(1, (high - low) // _ASKED))
        more = refused_of(between)
        low = max((one for one in between if one not in more), default=low)
        high = min((one for one in between if one in more), default=high)
    return {**levels, name: sorted({*known, *([low] if low else [])})}


def _shared(benchmark: BenchmarkInfo, levels: dict[str, list[Level]], origin: Origin) -> dict[str, list[Level]]:
    """Return the levels with the share of the samples that each of the usual repetitions takes."""
    repetitions = repetitions_of(origin)
    parameter = next((one for one in benchmark.parameters if one.name == _SAMPLES), None)
    if parameter is None or repetitions == 1:
        return levels
    whole = levels.get(_SAMPLES) or [level_of(parameter, parameter.default)]
    return {**levels, _SAMPLES: [math.ceil(int(samples) / repetitions) for samples in whole]}


def _checked(benchmark: BenchmarkInfo, levels: Mapping[str, Sequence[str]]) -> dict[str, list[Level]]:
    parameters = {parameter.name: parameter for parameter in benchmark.parameters}
    for name in levels:
        if name not in parameters:
            raise UsageError(unknown(f"parameter of {benchmark.name}", name, parameters))
    return {name: [level_of(parameters[name], text) for text in texts] for name, texts in levels.items()}


def suite(benchmarks: Sequence[BenchmarkInfo], seed: int, origin: Origin) -> list[Part]:
    """Return what the suite measures on a target with these benchmarks, in their order there.

    One that the target refuses is left out. Where there is such a one, each core has a kernel of its own.
    """
    amp = any(benchmark.refused for benchmark in benchmarks)
    return [
        Part(benchmark.name, _shared(benchmark, _checked(benchmark, _possible(benchmark, grid, seed)), origin))
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
    chosen = [name for name in part.levels if name in asked]

    def of_user(factors: Mapping[str, Level]) -> str:
        return canonical({name: factors[name] for name in chosen if name in factors})

    known = {parameter.name for parameter in benchmark.parameters}
    others = math.prod(len(levels) for name, levels in part.levels.items() if name in known and name not in asked)
    often = Counter(of_user(one.factors) for one in impossible)
    refused = [one for one in impossible if often[of_user(one.factors)] == others]
    if refused:
        raise UsageError(_refusal(benchmark.name, part, chosen, refused))
    return [Excluded(benchmark.name, one.factors, one.why) for one in impossible]


def _refusal(benchmark: str, part: Part, chosen: Sequence[str], refused: Sequence[ImpossibleSetting]) -> str:
    """Say what of a part cannot be measured: every reason, with the first few settings that it concerns."""
    told = [name for name in chosen if len(part.levels[name]) > 1] or chosen
    by_reason: dict[str, dict[str, None]] = defaultdict(dict)
    for one in refused:
        by_reason[one.why][" ".join(f"{name}={one.factors[name]}" for name in told if name in one.factors)] = None
    sentences = []
    for why, settings in by_reason.items():
        named = [setting for setting in settings if setting]
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        where = f" ({', '.join(named[:_NAMED])}{more})" if named else ""
        sentences.append(f"{why}{where}")
    return f"{benchmark} cannot be measured with these levels: {'; '.join(sentences)}"


def _possible(benchmark: BenchmarkInfo, levels: Levels, seed: int) -> dict[str, list[str]]:
    """Return those of the levels that this target has: a small chip may lack a parameter or its largest sizes."""
    known = {"seed": [str(seed)], **levels}
    possible = {parameter.name: _had(parameter, known.get(parameter.name, ())) for parameter in benchmark.parameters}
    return {name: texts for name, texts in possible.items() if texts}


def _had(parameter: ParameterInfo, texts: Sequence[str] | All) -> list[str]:
    if isinstance(texts, All):
        return texts.of(parameter.choices)
    return [text for text in texts if _is_level(parameter, text)]


def _is_level(parameter: ParameterInfo, text: str) -> bool:
    try:
        level_of(parameter, text)
    except UsageError:
        return False
    return True


def level_of(parameter: ParameterInfo, text: str) -> Level:
    """Return the level of a parameter that a text names. Raises UsageError if it has none such."""
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
