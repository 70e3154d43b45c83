"""The stored run that a plan goes on with, or that its file was changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.record.measurement import Plan
    from intercore.record.store import RunSummary


def same_content(plan: Plan, other: Plan) -> bool:
    """Whether two plans measure the same on the same target, whatever file they are from."""
    return _content(plan) == _content(other)


def find_run(runs: Iterable[RunSummary], plan: Plan) -> RunSummary | None:
    """Return the newest of the stored runs of what the plan measures; None if there is none."""
    return next((run for run in reversed(list(runs)) if same_content(run.plan, plan)), None)


def find_unfinished(runs: Iterable[RunSummary], plan: Plan) -> RunSummary | None:
    """Return the newest run of the plan's file and target if that is unfinished, whatever the file said; or None."""
    mine = [run for run in runs if _source(run.plan) == _source(plan)]
    return mine[-1] if mine and not mine[-1].complete else None


def find_changed(runs: Iterable[RunSummary], plan: Plan) -> RunSummary | None:
    """Return the newest run of the plan's file and target if that is unfinished and was another plan; None if not."""
    newest = find_unfinished(runs, plan)
    return None if newest is None or same_content(newest.plan, plan) else newest


def _source(plan: Plan) -> tuple[object, ...]:
    return plan.file, plan.file_options, plan.target, plan.url


def _content(plan: Plan) -> Plan:
    meter = None if plan.meter is None else ""  # whichever it is
    return msgspec.structs.replace(plan, file=None, file_options=(), name="", baud=0, meter=meter)
