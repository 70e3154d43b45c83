"""From a user's request, on a command line or in a plan file, to a plan that is checked against its target.

First a draft, before the target is opened; then the plan, with the benchmarks of the target.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.campaign.levels import (
    builds,
    checked,
    excluded,
    find_benchmark,
    level_of,
    refused,
    resolve,
    suite,
    target_levels,
    with_whole,
)
from intercore.errors import UsageError
from intercore.record.factors import TARGET_FACTORS, of_target
from intercore.record.measurement import Excluded, Part, Plan
from intercore.record.plan import SUITE, check, settings
from intercore.target.targets import Address, BoardTarget, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.campaign.levels import Levels
    from intercore.campaign.plan_file import Experiment, PlanFile, TargetEntry
    from intercore.campaign.toml_location import Location
    from intercore.link.session import BenchmarkInfo, ParameterInfo, Session
    from intercore.record.measurement import Level
    from intercore.target.targets import Target


class Draft(msgspec.Struct, frozen=True):
    """A plan before its target is queried."""

    plan: Plan
    """Without parts."""
    experiments: tuple[Experiment, ...]
    """Either the suite, or one or more benchmarks."""
    builds: tuple[Levels, ...]
    """Levels of the target's factors, for each experiment."""
    file: PlanFile | None = None
    """The plan file of the experiments, for the line in errors."""

    @property
    def target(self) -> Target:
        """The target of the plan."""
        return find(self.plan.target)

    @property
    def first_build(self) -> dict[str, Level]:
        """The build of the target that is queried."""
        return next(build for build, why_not in builds(self.target, self.builds[0]) if not why_not)

    @property
    def is_of_suite(self) -> bool:
        """Whether the target's benchmarks determine what is measured."""
        return any(one.fill and one.benchmark == SUITE for one in self.experiments)

    @contextmanager
    def at(self, *location: str | int) -> Iterator[None]:
        """Add the line of a location in the plan file, if any, to the errors of the block."""
        try:
            yield
        except UsageError as error:
            if self.file is None:
                raise
            raise self.file.refusal(location, str(error)) from None


def plan_without_parts(target: Target, address: Address, name: str, repetitions: int, seed: int = 1) -> Plan:
    """Return the plan called `name` for a target at an address, without its parts.

    Raises UsageError if the target's program cannot be built from the sources of the address.
    """
    sources = address.sources
    target.check_sources(sources)
    image, firmware, kernel = (
        None if path is None else str(path) for path in (address.image, sources.firmware, sources.kernel)
    )
    return Plan(
        target.name,
        address.port,
        name,
        (),
        repetitions,
        seed,
        simulated=target.origin == "simulated",
        emulated=target.origin == "emulated" or address.emulated,
        baud=address.baud,
        image=image,
        firmware=firmware,
        kernel=kernel,
        own=sources.own,
    )


def in_runs(plan: Plan, runs: int, every: float) -> Plan:
    """Return a plan that measures its repetitions so many times over, `every` seconds apart."""
    if runs == 1:
        return plan
    return msgspec.structs.replace(plan, repetitions=plan.repetitions * runs, runs=runs, every=every)


def draft_plan(plan: Plan, experiments: Sequence[Experiment], file: PlanFile | None = None) -> Draft:
    """Return the draft of a plan for experiments, perhaps of a plan file.

    Only a plan file may flash a board. Raises UsageError for what such a target can never measure.
    """
    target = find(plan.target)
    draft = Draft(plan, tuple(experiments), (), file)
    named = {name for one in experiments for name in one.levels}
    if draft.is_of_suite and (others := named - TARGET_FACTORS.keys()):
        name = next(name for name in experiments[0].levels if name in others)
        raise UsageError(f"suite sets the levels of all factors: omit {name}, or name one benchmark instead of suite")
    # A board keeps the build of one experiment for the next.
    flashing = file is not None and isinstance(target, BoardTarget) and not named.isdisjoint(TARGET_FACTORS)
    chosen = [
        target_levels(
            target,
            one.levels,
            partial(draft.at, *one.location, "factors"),
            is_built=plan.image is not None,
            flashing=flashing,
            skip_impossible=one.skip_impossible,
        )
        for one in experiments
    ]
    return msgspec.structs.replace(draft, builds=tuple(chosen))


def drafts(file: PlanFile) -> list[Draft]:
    """Return the drafts of the plans for all targets of a file. Raises UsageError with the line."""
    return [_draft_for(file, entry) for entry in file.targets]


def complete_plan(draft: Draft, session: Session, benchmarks: Sequence[BenchmarkInfo]) -> Plan:
    """Return the plan for an open target with these benchmarks.

    Settings that the target cannot measure are excluded if the user permits it. Raises UsageError, with the line in a
    file, for anything else that the target lacks, and IntercoreError if it cannot be queried.
    """
    if draft.is_of_suite:
        draft = _of_suite(draft, benchmarks)
    plan, experiments, at = draft.plan, draft.experiments, draft.at
    infos = []
    for one in experiments:
        with at(*one.location, "benchmark"):
            infos.append(find_benchmark(benchmarks, one.benchmark))
    every = [
        {**_levels(draft, one, info, session), **build}
        for one, info, build in zip(experiments, infos, draft.builds, strict=True)
    ]
    parts = [
        Part(info.name, _completed(info, levels, every, infos, draft), one.fraction, one.skip)
        for one, info, levels in zip(experiments, infos, every, strict=True)
    ]
    plan = msgspec.structs.replace(plan, parts=tuple(parts))
    with at(*_largest(experiments, parts)):
        check(plan)
    left_out = [*plan.excluded]
    for one, info, part in zip(experiments, infos, parts, strict=True):
        with at(*one.location, "factors"):
            left_out += without_effect(draft.target, part, skip=one.skip_impossible)
        asked = None if one.may_be_impossible else () if one.skip_impossible else one.levels
        with at(*one.location, "benchmark"):
            left_out += excluded(session, info, part, asked)
    plan = msgspec.structs.replace(plan, excluded=tuple(left_out))
    with at("experiment"):
        settings(plan)
    return plan


def _draft_for(file: PlanFile, entry: TargetEntry) -> Draft:
    address = Address(entry.port, entry.baud, emulated=entry.emulated)
    plan = plan_without_parts(find(entry.name), address, Path(file.name).stem, file.repetitions, file.seed)
    plan = msgspec.structs.replace(
        in_runs(plan, file.runs, file.every) if plan.origin == "measured" else plan,
        stop=file.stop,
        file=file.name,
        file_options=file.options,
        image=entry.image,  # as written
        meter=entry.meter,
        besides=entry.besides,
        currents=entry.currents,
    )
    return draft_plan(plan, [one for one in file.experiments if one.is_for(entry)], file)


def _of_suite(draft: Draft, benchmarks: Sequence[BenchmarkInfo]) -> Draft:
    """Return the draft of the suite with its experiments: all benchmarks that the target does not refuse."""
    plan = msgspec.structs.replace(draft.plan, excluded=tuple(refused(benchmarks)))
    experiments = tuple(suite(benchmarks, plan.seed, plan.origin))
    return Draft(plan, experiments, draft.builds * len(experiments), draft.file)


def _levels(draft: Draft, experiment: Experiment, benchmark: BenchmarkInfo, session: Session) -> Levels:
    """Return the levels of the benchmark's parameters that an experiment names, and the default levels of others."""
    others = [factor.name for factor in draft.target.factors]
    if not experiment.fill:
        at = partial(draft.at, *experiment.location, "factors")
        return checked(benchmark, experiment.levels, at, others)
    plan, wanted, interpreted = draft.plan, experiment.levels, draft.target.interpreted
    levels = resolve(benchmark, wanted, plan.seed, plan.origin, interpreted=interpreted, others=others)
    return with_whole(session, benchmark, levels, wanted)


def without_effect(target: Target, part: Part, *, skip: bool = True) -> list[Excluded]:
    """Return the settings of a part with impossible combinations of the target's factors.

    Raises UsageError for the first one unless they may be skipped.
    """
    left_out = [Excluded(part.benchmark, build, why) for build, why in builds(target, part.levels) if why]
    if left_out and not skip:
        raise UsageError(left_out[0].why)
    return left_out


def _completed(
    benchmark: BenchmarkInfo, levels: Levels, every: Sequence[Levels], infos: Sequence[BenchmarkInfo], draft: Draft
) -> Levels:
    """Return the levels of a part, completed by `seed` and by the factors that other parts of its benchmark name.

    So all settings of a benchmark have the same factors.
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
    """Return the location of the last experiment that shares its benchmark with another, else of the last one."""
    names = [part.benchmark for part in parts]
    shared = [one.location for one, name in zip(experiments, names, strict=True) if names.count(name) > 1]
    return (shared or [experiments[-1].location])[-1]


def builds_of(plan: Plan) -> list[dict[str, Level]]:
    """Return the builds of the target in a plan, in their order."""
    return [build for build, _ in itertools.groupby(settings(plan), lambda one: of_target(one.factors))]
