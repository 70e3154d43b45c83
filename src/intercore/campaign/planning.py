"""From what a plan file says to the plan for one of its targets, checked against what that target has."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board import factors
from intercore.board.build import board_image
from intercore.board.factors import OPT
from intercore.campaign.levels import excluded, find_benchmark, level_of
from intercore.campaign.open_target import opened
from intercore.errors import UsageError, unknown
from intercore.record.factors import TARGET_FACTORS, of_target
from intercore.record.measurement import Excluded, Level, Part, Plan
from intercore.record.plan import check, settings
from intercore.target.targets import Address, BoardTarget, Target, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from intercore.campaign.open_target import OpenTarget
    from intercore.campaign.plan_file import Experiment, PlanFile, TargetEntry
    from intercore.campaign.toml_location import Location
    from intercore.link.session import BenchmarkInfo, ParameterInfo

Levels = dict[str, list[Level]]


class Draft(msgspec.Struct, frozen=True):
    """What is known of a plan before its target is asked."""

    entry: TargetEntry
    target: Target
    plan: Plan
    """Without parts."""
    builds: tuple[Levels, ...]
    """Levels of the target's own factors, for each experiment that is for it."""
    experiments: tuple[Experiment, ...]

    @property
    def first_build(self) -> dict[str, Level]:
        """How the target is built that is asked."""
        return next(_possible_builds(self.target, self.builds[0]))

    @property
    def is_flashed(self) -> bool:
        """Whether a board is flashed for each build."""
        return isinstance(self.target, BoardTarget) and bool(self.first_build)

    def build(self, say: Callable[[str], None]) -> None:
        """Have what a board is flashed with ready, so that opening it takes what it does with any other build."""
        if self.is_flashed and self.target.board is not None:
            board_image(self.target.board, self.first_build, say)

    def open(self, timeout: float, say: Callable[[str], None]) -> AbstractContextManager[OpenTarget]:
        """Open the target in its first build. Raises IntercoreError."""
        plan = self.plan
        image = None if plan.image is None else Path(plan.image)
        address = Address(
            plan.url,
            plan.baud,
            self.first_build,
            self.entry.max_baud,
            image=image,
            flashing=self.entry.flashing,
            emulated=self.entry.emulated,
        )
        return opened(self.target.open(address, say), plan, timeout, self.entry.max_baud)


def drafts(file: PlanFile) -> list[Draft]:
    """Return the drafts of the plans for all targets of a file. Raises UsageError, with its line, for what is wrong."""
    return [_draft(file, entry) for entry in file.targets]


def plan_for(file: PlanFile, draft: Draft, benchmarks: Sequence[BenchmarkInfo], target: OpenTarget) -> Plan:
    """Return the plan for a target that is open and has these benchmarks.

    Settings that the target cannot measure are excluded where the file says so. Raises UsageError, with the line, for
    what the target does not have or cannot do, and IntercoreError if it cannot be asked.
    """
    infos = [_benchmark(file, one, benchmarks) for one in draft.experiments]
    every = [
        {**_levels(file, one, info), **build}
        for one, info, build in zip(draft.experiments, infos, draft.builds, strict=True)
    ]
    parts = [
        Part(info.name, _completed(info, levels, every, infos, draft), one.fraction, one.skip)
        for one, info, levels in zip(draft.experiments, infos, every, strict=True)
    ]
    plan = msgspec.structs.replace(draft.plan, parts=tuple(parts))
    with located(file, _largest(draft.experiments, parts)):
        check(plan)
    left_out: list[Excluded] = []
    for one, info, part in zip(draft.experiments, infos, parts, strict=True):
        with located(file, (*one.location, "factors")):
            left_out += without_effect(draft.target, part, skip=one.skip_impossible)
        with located(file, (*one.location, "benchmark")):
            left_out += excluded(target.session, info, part, () if one.skip_impossible else one.levels)
    plan = msgspec.structs.replace(plan, excluded=tuple(left_out))
    with located(file, ("experiment",)):
        settings(plan)
    return plan


@contextmanager
def located(file: PlanFile, location: Location) -> Iterator[None]:
    """Give errors of the block the line of what stands at a location in the file."""
    try:
        yield
    except UsageError as error:
        raise file.refusal(location, str(error)) from None


def _draft(file: PlanFile, entry: TargetEntry) -> Draft:
    target = find(entry.name)
    experiments = tuple(one for one in file.experiments if one.is_for(entry))
    plan = Plan(
        target=entry.name,
        url=entry.port,
        name=Path(file.name).stem,
        parts=(),
        repetitions=file.repetitions,
        seed=file.seed,
        simulated=target.origin == "simulated",
        emulated=target.origin == "emulated" or entry.emulated,
        baud=entry.baud,
        stop=file.stop,
        file=file.name,
        file_options=file.options,
        image=entry.image,
        meter=entry.meter,
        besides=entry.besides,
        currents=entry.currents,
    )
    # What a board is flashed with for one experiment, it would still have for the next.
    always = (target.built_here and entry.image is None) or (
        isinstance(target, BoardTarget) and any(name in TARGET_FACTORS for one in experiments for name in one.levels)
    )
    is_built = entry.image is not None
    builds = tuple(_build(file, one, target, always=always, is_built=is_built) for one in experiments)
    return Draft(entry, target, plan, builds, experiments)


def _build(file: PlanFile, experiment: Experiment, target: Target, *, always: bool, is_built: bool) -> Levels:
    """Return the levels of the target's own factors in an experiment; of `opt`, if it has that, `always`."""
    known = {factor.name: factor for factor in target.factors}
    levels: Levels = {OPT.name: [OPT.default]} if always and OPT.name in known else {}
    for name, given in experiment.levels.items():
        if name not in TARGET_FACTORS:
            continue
        location = (*experiment.location, "factors", name)
        if is_built:
            raise file.refusal(location, f"the image was built already: leave out {name}, or the image")
        with located(file, location):
            target.check_factors({name: [str(level) for level in given]}, flashing=True)
        levels[name] = []
        for at, level in enumerate(given):
            with located(file, (*location, at)):
                levels[name].append(known[name].level(str(level)))
    if next(_possible_builds(target, levels), None) is None or not experiment.skip_impossible:
        with located(file, (*experiment.location, "factors", *list(levels)[-1:])):
            for build in _builds(levels):
                factors.check(target.factors, build)
    return levels


def _builds(levels: Levels) -> Iterator[dict[str, Level]]:
    for combination in itertools.product(*levels.values()):
        yield dict(zip(levels, combination, strict=True))


def _possible_builds(target: Target, levels: Levels) -> Iterator[dict[str, Level]]:
    for build in _builds(levels):
        try:
            factors.check(target.factors, build)
        except UsageError:
            continue
        yield build


def without_effect(target: Target, part: Part, *, skip: bool = True) -> list[Excluded]:
    """Return what is left out of a part because the target's factors have no such combination.

    Raises UsageError for the first one unless they are to be skipped.
    """
    left_out = []
    for build in _builds({name: levels for name, levels in part.levels.items() if name in TARGET_FACTORS}):
        try:
            factors.check(target.factors, build)
        except UsageError as error:
            if not skip:
                raise
            left_out.append(Excluded(part.benchmark, build, str(error)))
    return left_out


def _benchmark(file: PlanFile, experiment: Experiment, benchmarks: Sequence[BenchmarkInfo]) -> BenchmarkInfo:
    with located(file, (*experiment.location, "benchmark")):
        return find_benchmark(benchmarks, experiment.benchmark)


def _levels(file: PlanFile, experiment: Experiment, benchmark: BenchmarkInfo) -> Levels:
    """Return the levels of the benchmark's parameters that an experiment names."""
    parameters = {parameter.name: parameter for parameter in benchmark.parameters}
    levels: Levels = {}
    for name, given in experiment.levels.items():
        if name in TARGET_FACTORS:
            continue
        location = (*experiment.location, "factors", name)
        if name not in parameters:
            raise file.refusal(location, unknown(f"factor of {benchmark.name}", name, [*parameters, *TARGET_FACTORS]))
        levels[name] = []
        for at, level in enumerate(given):
            with located(file, (*location, at)):
                levels[name].append(level_of(parameters[name], str(level)))
    return levels


def _completed(
    benchmark: BenchmarkInfo, levels: Levels, every: Sequence[Levels], infos: Sequence[BenchmarkInfo], draft: Draft
) -> Levels:
    """Return the levels of a part with `seed`, and with what other parts of its benchmark name, at the default of that.

    So all settings of a benchmark name the same factors.
    """
    parameters = {parameter.name: parameter for parameter in benchmark.parameters}
    named = [name for one, info in zip(every, infos, strict=True) if info.name == benchmark.name for name in one]
    whole = dict(levels)
    for name in dict.fromkeys([*named, *(["seed"] if "seed" in parameters else [])]):
        if name not in whole:
            whole[name] = [_default(name, parameters, draft)]
    return whole


def _default(name: str, parameters: Mapping[str, ParameterInfo], draft: Draft) -> Level:
    if name in TARGET_FACTORS:
        return next(factor.default for factor in draft.target.factors if factor.name == name)
    if name == "seed":
        return draft.plan.seed
    return level_of(parameters[name], parameters[name].default)


def _largest(experiments: Sequence[Experiment], parts: Sequence[Part]) -> Location:
    """Return where the last experiment stands that shares its benchmark with another, or else the last of all."""
    names = [part.benchmark for part in parts]
    shared = [one.location for one, name in zip(experiments, names, strict=True) if names.count(name) > 1]
    return (shared or [experiments[-1].location])[-1]


def builds_of(plan: Plan) -> list[dict[str, Level]]:
    """Return how the target is built, one after the other, when the plan is carried out."""
    return [build for build, _ in itertools.groupby(settings(plan), lambda one: of_target(one.factors))]
