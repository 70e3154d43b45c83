"""The measurements of `check`: the settings that budgets need, of one program, or of two revisions by turns."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.board.revision import at_revision, is_in_git
from intercore.budgets.check import check as check_budgets
from intercore.budgets.check import for_each, unmeasured
from intercore.campaign.budget_plan import draft_for, repetitions_for, why_not
from intercore.campaign.plan_file import Experiment
from intercore.campaign.planning import complete_plan, draft_plan, plan_without_parts
from intercore.campaign.this_thread import carry_out
from intercore.cli.measuring import kept_target, open_session
from intercore.comparison.baseline import of_runs
from intercore.errors import IntercoreError, UsageError
from intercore.record.plan import settings
from intercore.record.store import Store
from intercore.target.targets import find, usual_builds
from intercore.terminal.console import messages, say
from intercore.terminal.progress import watch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from intercore.board.sources import Sources
    from intercore.budgets.check import BudgetFile, Check
    from intercore.campaign.kept_target import KeptTarget
    from intercore.campaign.observer import Observer
    from intercore.record.measurement import Plan
    from intercore.target.targets import Address, Target

TURNS = 20
"""Default repetitions of each revision: even, so that each goes first equally often."""


class Measuring(NamedTuple):
    """How `check` measures, as the options have it."""

    address: Address
    timeout: float | None
    repetitions: int | None
    store_path: Path


def _find_measurable(name: str) -> Target:
    """Return the target called `name`. UsageError if its times mean nothing."""
    target = find(name)
    if target.origin == "emulated":
        raise UsageError(
            f"budgets cannot be checked on {name}, which is emulated: its times mean nothing. Choose another target"
        )
    return target


def _completed_plan(
    file: BudgetFile, plan: Plan, kept: KeptTarget, target: Target
) -> tuple[Plan | None, dict[str, str]]:
    """Return the plan with the settings that the budgets need, and why some budgets have none, by their texts.

    None if nothing can be measured. UsageError for what is wrong in the file.
    """
    first, *_ = for_each(file.name, file.budgets, lambda one: draft_plan(plan, [Experiment(one.benchmark, one.levels)]))
    try:
        session = open_session(kept, target.name, first.first_build)
        benchmarks = session.benchmarks()
        draft = draft_for(file, plan, session, benchmarks, target)
        missing = why_not(draft.plan, file.budgets)
        return (complete_plan(draft, session, benchmarks) if draft.experiments else None), missing
    except UsageError:
        raise
    except IntercoreError as error:
        return None, {one.text: str(error) for one in file.budgets}


def _carried_out(file: BudgetFile, store: Store, runs: Mapping[int, KeptTarget], observer: Observer) -> dict[str, str]:
    """Measure the runs. Return why budgets may lack a setting, by their texts, if that was interrupted."""
    try:
        carry_out(store, runs, observer)
    except IntercoreError as error:
        say(f"run {' and '.join(map(str, runs))} was interrupted: {error}")
        return {one.text: f"the measurement was interrupted: {error}" for one in file.budgets}
    return {}


def measured(file: BudgetFile, name: str, how: Measuring) -> Check:
    """Measure the settings that the budgets need, and check them.

    A target that cannot be measured is a result, not an error.
    """
    target = _find_measurable(name)
    plan = plan_without_parts(target, how.address, "budgets", how.repetitions or repetitions_for(file, target.origin))
    with kept_target(plan, how.address, how.timeout) as kept:
        completed, missing = _completed_plan(file, plan, kept, target)
        if completed is None:
            return unmeasured(file, name, next(iter(missing.values())), simulated=plan.simulated)
        with Store(how.store_path) as store, watch(messages()) as observer:
            run_id = store.create_run(completed, len(settings(completed)))
            missing |= _carried_out(file, store, {run_id: kept}, observer)
            return check_budgets(file, store.run(run_id), usual_builds(), missing)


def measured_against(file: BudgetFile, name: str, how: Measuring, revision: str) -> Check:
    """Measure a program and an earlier revision of it by turns, and check the budgets with the latter as baseline."""
    target, address = _find_measurable(name), how.address
    if not target.built_here:
        raise UsageError(
            f"{name} cannot be measured by turns, because Intercore does not build and start its program: save a "
            "baseline of several runs (intercore baseline save), and check without --against"
        )
    before = _sources_of(address.sources, revision)
    count = how.repetitions or file.repetitions or (TURNS if target.origin == "measured" else 1)
    plan = plan_without_parts(target, address, "budgets", count)
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(kept_target(plan, address, how.timeout))
        completed, missing = _completed_plan(file, plan, kept, target)
        if completed is None:
            return unmeasured(file, name, next(iter(missing.values())), simulated=plan.simulated)
        folders = {"firmware": before.firmware, "kernel": before.kernel}
        earlier = msgspec.structs.replace(completed, **{key: path and str(path) for key, path in folders.items()})
        kept_before = stack.enter_context(
            kept_target(earlier, msgspec.structs.replace(address, sources=before), how.timeout)
        )
        store = stack.enter_context(Store(how.store_path))
        observer = stack.enter_context(watch(messages()))
        pair = store.create_pair(earlier, completed, (len(settings(earlier)), len(settings(completed))))
        missing |= _carried_out(file, store, dict(zip(pair, (kept_before, kept), strict=True)), observer)
        first, second = map(store.run, pair)
        if not first.complete:
            return unmeasured(file, name, next(iter(missing.values())), simulated=plan.simulated)
        baseline = msgspec.structs.replace(of_runs([first]), file=revision, by_turns=True)
        return check_budgets(msgspec.structs.replace(file, baseline=baseline), second, usual_builds(), missing)


def _sources_of(sources: Sources, revision: str) -> Sources:
    """Return the sources of a revision: of those folders that are in a git repository."""
    named = {"--firmware": sources.firmware, "--kernel": sources.kernel}
    found = {option: folder for option, folder in named.items() if folder is not None and is_in_git(folder)}
    if not found and sources.firmware is None and is_in_git(sources.folder()):
        found = {"--firmware": sources.folder()}
    if not found:
        raise UsageError(
            "--against needs what changed in a git repository: name the folder, e.g. --kernel FreeRTOS-Kernel or "
            "--firmware firmware"
        )
    earlier = {option: at_revision(folder, revision) for option, folder in found.items()}
    return msgspec.structs.replace(
        sources,
        firmware=earlier.get("--firmware", sources.firmware),
        kernel=earlier.get("--kernel", sources.kernel),
    )
