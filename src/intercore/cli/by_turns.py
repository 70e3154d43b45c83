"""The measurements of `compare --alternate`: two builds of a target's program in alternation, stored as two runs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board.kernel import freertos_kernel
from intercore.campaign import by_turns
from intercore.campaign.levels import repetitions_of
from intercore.campaign.plan_file import Experiment
from intercore.campaign.planning import draft_plan, plan_without_parts
from intercore.cli.measuring import kept_target, measure_runs
from intercore.cli.planned import complete_plan_on, resolve_user_workload, sources_of
from intercore.cli.stored import open_to_add, pair_to_resume
from intercore.errors import UsageError
from intercore.record.factors import TARGET_FACTORS
from intercore.record.level_words import parse_levels
from intercore.record.plan import settings
from intercore.record.store import Store
from intercore.target.targets import Address, find
from intercore.terminal.console import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.board.sources import Sources
    from intercore.campaign.kept_target import KeptTarget
    from intercore.campaign.planning import Draft
    from intercore.record.measurement import Plan, Run
    from intercore.record.origin import Origin
    from intercore.record.own_work import OwnWork

EXAMPLE = "intercore compare --alternate pico-sim switch --kernel before/FreeRTOS-Kernel --kernel after/FreeRTOS-Kernel"
_SIDES = 2
_FEWEST_WORDS = 2  # words: a target and a benchmark


class ByTurnsRequest(msgspec.Struct, frozen=True):
    """The two builds to measure: an option given once applies to both builds, given twice to one build each."""

    words: Sequence[str] = ()
    """Target, benchmark, and levels of its factors."""
    kernels: Sequence[Path] = ()
    firmwares: Sequence[Path] = ()
    builds: Sequence[str] = ()
    """Levels of the target's factors, as NAME=VALUE separated by spaces."""
    repetitions: int | None = None
    seed: int | None = None

    def options(self) -> dict[str, object]:
        """Return the given options by name."""
        named: dict[str, object] = {"--kernel": self.kernels, "--firmware": self.firmwares, "--build": self.builds}
        named |= {"--repetitions": self.repetitions, "--seed": self.seed}
        return {name: value for name, value in named.items() if value is not None and value != ()}


def measure(request: ByTurnsRequest, store_path: Path, timeout: float | None) -> tuple[Run, Run]:
    """Measure two builds in alternation and return both complete runs.

    If interrupted, print the command that continues.

    Raises UsageError if they cannot be measured in this way, before anything is built where possible.
    """
    plans: list[tuple[Plan, KeptTarget]] = []
    with contextlib.ExitStack() as stack:
        for draft in _side_drafts(request):
            kept = stack.enter_context(kept_target(draft.plan, Address(), timeout))
            plans.append((complete_plan_on(kept, draft), kept))
        (first, _), (second, _) = plans
        by_turns.turns(first, second)
        store = stack.enter_context(Store(store_path))
        pair = store.create_pair(first, second, (len(settings(first)), len(settings(second))))
        targets = {run_id: kept for run_id, (_, kept) in zip(pair, plans, strict=True)}
        return _as_pair(measure_runs(store, targets, verbose=True))


def resume(request: ByTurnsRequest, store_path: Path, timeout: float | None) -> tuple[Run, Run]:
    """Continue the newest two unfinished alternating runs.

    Raises UsageError if there are none, or if options are given.
    """
    for name in ["what to measure"] * bool(request.words) + list(request.options()):
        raise UsageError(
            f"--resume continues stored runs with their own plans: omit {name}, or omit --resume to start new runs"
        )
    with open_to_add(store_path) as store, contextlib.ExitStack() as stack:
        pair = pair_to_resume(store)
        for run_id in pair:
            store.lock(run_id)
        targets = {}
        for run_id in pair:
            plan = store.run(run_id).plan
            targets[run_id] = stack.enter_context(kept_target(plan, Address(), timeout))
        return _as_pair(measure_runs(store, targets, verbose=True))


def _as_pair(runs: Sequence[Run]) -> tuple[Run, Run]:
    first, second = runs
    return first, second


def _side_drafts(request: ByTurnsRequest) -> list[Draft]:
    """Return the draft of each side's plan."""
    if len(request.words) < _FEWEST_WORDS:
        raise UsageError(
            "--alternate needs a target, a benchmark and two builds. Give the option that differs twice, for "
            f"example: {EXAMPLE}"
        )
    name, benchmark, *levels = request.words
    wanted, own = resolve_user_workload(parse_levels(levels), [], [], [])
    target = find(name)
    given = {"--kernel": request.kernels, "--firmware": request.firmwares, "--build": request.builds}
    for option, values in given.items():
        if len(values) > _SIDES:
            raise UsageError(
                f"{option} was given {len(values)} times. Give it once for both builds, or twice, once for each build"
            )
    if all(len(values) < _SIDES for values in given.values()):
        raise UsageError(
            "nothing differs between the two builds: give --kernel, --firmware or --build twice, for example: "
            f"{EXAMPLE}"
        )
    for level in wanted.keys() & TARGET_FACTORS.keys():
        raise UsageError(
            f"{level} is a build factor of {name}: give it as --build {level}=…, either once (for both builds) or "
            "twice (once for each build)"
        )
    sides = [_side(request, place, own) for place in range(_SIDES)]
    for sources, _ in sides:
        target.check_sources(sources)
    if not target.built_here or target.origin == "emulated":
        raise UsageError(
            f"{name} cannot be measured in alternation, because Intercore does not build and start the program of "
            "that target. Measure two runs and compare them, e.g. intercore compare 1 2"
        )
    repetitions, seed = (
        request.repetitions or _default_repetitions(target.origin),
        1 if request.seed is None else request.seed,
    )
    found = []
    for sources, build in sides:  # check both before the first is built
        plan = plan_without_parts(target, Address(sources=sources), benchmark, repetitions, seed)
        found.append(draft_plan(plan, [Experiment(benchmark, {**wanted, **build}, fill=True)]))
        sources.folder()
        if sources.kernel is not None:
            freertos_kernel(sources.kernel, messages().print, sources.kernel)
    return found


def _default_repetitions(origin: Origin) -> int:
    """Return the default number of repetitions: even, so that each build goes first equally often."""
    return 1 if origin == "simulated" else 2 * -(-repetitions_of(origin) // 2)


def _side(request: ByTurnsRequest, place: int, own: OwnWork | None) -> tuple[Sources, dict[str, list[str]]]:
    """Return the sources and the levels of one of the two builds."""

    def of(values: Sequence[Path]) -> Path | None:
        return values[min(place, len(values) - 1)] if values else None

    words = request.builds[min(place, len(request.builds) - 1)].split() if request.builds else []
    build = parse_levels(words)
    for name, levels in build.items():
        if name not in TARGET_FACTORS:
            raise UsageError(f"{name} is not a build factor of the target: omit --build before {name}")
        if len(levels) > 1:
            raise UsageError(
                f"--build {name}={','.join(levels)}: a build has one level of each factor. For two levels, give "
                "--build twice"
            )
    return sources_of(kernel=of(request.kernels), firmware=of(request.firmwares), own=own), build
