"""Preview of a campaign: its plan for each target, the missing settings, and the duration."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from intercore.board.build import board_image
from intercore.campaign import estimate
from intercore.campaign.earlier_run import find_changed, find_run, find_unfinished
from intercore.campaign.kept_target import KeptTarget, Opening
from intercore.campaign.planning import builds_of, complete_plan, drafts
from intercore.errors import IntercoreError, UsageError
from intercore.record.factors import of_target
from intercore.record.origin import in_brackets
from intercore.record.plan import grid, measured, remaining, run_of, settings
from intercore.target.targets import Address, BoardTarget, find
from intercore.view.quantity import rough_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from intercore.campaign.estimate import Pace
    from intercore.campaign.plan_file import PlanFile, TargetEntry
    from intercore.campaign.planning import Draft
    from intercore.record.measurement import Plan
    from intercore.record.plan import Setting
    from intercore.record.store import RunSummary, StoreReader
    from intercore.target.targets import Target

_PAUSE = 1.0
"""Seconds before a silent target is opened again."""


class TargetPreview(msgspec.Struct, frozen=True):
    """A target of a plan file after it was queried."""

    entry: TargetEntry
    plan: Plan | None
    """None if the target could not be queried."""
    trouble: str = ""
    """Why it could not be queried."""
    pace: Pace | None = None
    missing: tuple[Setting, ...] = ()
    """Missing settings, without those that a stop rule may add."""
    run: RunSummary | None = None
    """The stored run to continue, or the complete one; None for a new one."""
    changed: RunSummary | None = None
    """An unfinished run of an earlier version of the file."""
    kernel: str = ""
    """Which kernel its program was built with here, and where that comes from; empty if it was not."""
    target: KeptTarget | None = None
    """The target if it is still open for the missing settings; None if it was closed."""
    messages: tuple[str, ...] = ()
    """Messages from opening it, if it is still open."""

    @property
    def is_in_process(self) -> bool:
        """Whether it is a simulated chip, which each process has separately."""
        return find(self.entry.name).runs_on == "process"

    @property
    def seconds(self) -> float:
        """Duration of the missing settings, one after the other, with the time between runs."""
        if self.pace is None or self.plan is None:
            return 0.0
        plan = self.plan
        each = [
            self.pace.seconds([*some]) for _, some in groupby(self.missing, lambda one: run_of(plan, one.repetition))
        ]
        return sum(max(seconds, plan.every) for seconds in each[:-1]) + sum(each[-1:])

    @property
    def left_out(self) -> int:
        """Number of settings of the grid that are not measured: impossible, or outside of the fraction."""
        if self.plan is None:
            return 0
        return sum(sum(1 for _ in grid(part)) - len(measured(self.plan, part)) for part in self.plan.parts)

    def row(self) -> dict[str, object]:
        """Return it as a row of a table."""
        if self.plan is None:
            return {"target": str(self.entry), "settings": f"none: {self.trouble}"}
        whole = settings(self.plan)
        return {
            "target": in_brackets(str(self.entry), self.plan.origin),
            "settings": _counted(one.benchmark for one in whole if one.repetition == 0),
            "omitted": self.left_out,
            "measurements": len(whole),
            "done": len(whole) - len(self.missing),
            "openings": len(builds_of(self.plan)),
            "about": "" if self.pace is None and self.missing else rough_time(self.seconds),
        }


def preview(
    file: PlanFile,
    store: StoreReader | None,
    timeout: float | None,
    say: Callable[[str], None],
    *,
    lock: Callable[[int], None] = lambda _: None,
    again: bool = False,
    trials: bool = True,
    keep: bool = False,
) -> list[TargetPreview]:
    """Query all targets of a plan file, one after the other.

    With `trials`, a few settings are measured to estimate the duration. `lock` gets the number of a stored run to
    continue before its target is opened, and raises IntercoreError if another process measures it. The result has the
    reason why a target cannot be queried. With `keep`, a target stays open if it can wait and is next measured in the
    same build; the caller closes it. Raises UsageError with its line for an error in the file, before any target is
    queried if possible.
    """
    asked = []
    with contextlib.ExitStack() as stack:
        for entry, draft in zip(file.targets, drafts(file), strict=True):
            keeps = keep and _can_wait(draft.target, len(file.targets))
            ask = partial(_ask_target, entry, draft, store, timeout, say, lock, again=again, trials=trials, keep=keeps)
            asked.append(_preview(entry, ask))
            if (target := asked[-1].target) is not None:
                stack.callback(target.close)
        stack.pop_all()
    return asked


def _can_wait(target: Target, count: int) -> bool:
    """Whether a target can stay open until it is measured: a board, or the only target.

    An open program on this machine would disturb other measurements. Simulated chips are measured by processes that
    open their own.
    """
    return target.runs_on == "board" or (target.runs_on == "machine" and count == 1)


def _preview(entry: TargetEntry, ask: Callable[[], TargetPreview]) -> TargetPreview:
    """Query a target, again if that fails."""
    for pause in (_PAUSE, 0.0):
        try:
            return ask()
        except UsageError:
            raise
        except IntercoreError as error:
            trouble = str(error)
            time.sleep(pause)
    return TargetPreview(entry, None, trouble)


def _ask_target(
    entry: TargetEntry,
    draft: Draft,
    store: StoreReader | None,
    timeout: float | None,
    say: Callable[[str], None],
    lock: Callable[[int], None],
    *,
    again: bool,
    trials: bool,
    keep: bool,
) -> TargetPreview:
    is_flashed = isinstance(draft.target, BoardTarget) and bool(draft.first_build)
    if is_flashed and draft.target.board is not None:  # so that opening takes as long as with any other build
        board_image(draft.target.board, draft.first_build, say)
    earlier = None if again or store is None else find_unfinished(store.runs(), draft.plan)
    if earlier is not None:
        lock(earlier.id)
    say(f"opening {entry}")
    messages: list[str] = []

    def say_while_opening(text: str) -> None:
        say(text)
        if is_flashed:
            messages.append(text)

    longest_silence = draft.target.timeout if timeout is None else timeout
    given = Address(max_baud=entry.max_baud, flashing=entry.flashing)
    with contextlib.ExitStack() as stack:
        begin = time.monotonic()
        with draft.at(*entry.location, "port"):
            kept = stack.enter_context(
                KeptTarget(draft.plan, Opening(draft.plan, given), longest_silence, entry.max_baud)
            )
            with kept.showing_messages(messages.append):
                target = kept.opened(draft.first_build, say_while_opening)
        begin = begin if is_flashed else time.monotonic()
        plan = complete_plan(draft, target.session, target.session.benchmarks())
        asking = time.monotonic() - begin
        run = None if again or store is None else find_run(store.runs(), plan)
        changed = None if again or store is None or run is not None else find_changed(store.runs(), plan)
        if run is not None and not run.complete:
            lock(run.id)
        stored = None if run is None or store is None else store.run(run.id)
        missing = tuple(settings(plan) if stored is None else remaining(stored))
        pace = None if stored is None else estimate.of_run(stored)
        if pace is None and missing and trials:
            pace = estimate.by_trial(target, plan, asking, say)
        found = TargetPreview(entry, plan, "", pace, missing, run, changed, target.kernel)
        if keep and missing and of_target(missing[0].factors) == draft.first_build:
            stack.pop_all()
            return msgspec.structs.replace(found, target=kept, messages=tuple(messages))
    return found


def total_duration(previews: Sequence[TargetPreview], jobs: int) -> float:
    """Return the total duration in seconds.

    Simulated chips share `jobs` processes, boards are measured at the same time, and this machine after them.
    """
    ready = [one for one in previews if one.plan is not None]
    simulated = sum(one.seconds for one in ready if one.is_in_process) / jobs
    elsewhere = [one.seconds for one in ready if one.entry.port is not None]
    here = sum(one.seconds for one in ready if one.entry.port is None and not one.is_in_process)
    return max([simulated, *elsewhere]) + here


def _counted(names: Iterable[str]) -> str:
    """Return the count of each name: `24 switch, 12 lock`."""
    return ", ".join(f"{count} {name}" for name, count in Counter(names).items())
