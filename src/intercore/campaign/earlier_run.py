"""The stored run that a plan continues, or that an earlier version of its file started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.record.measurement import Plan
    from intercore.record.store import RunSummary


def same_content(plan: Plan, other: Plan) -> bool:
    """Whether two plans measure the same on the same target, regardless of their files."""
    return _content(plan) == _content(other)


def find_run(runs: Iterable[RunSummary], plan: Plan) -> RunSummary | None:
    """Return the newest stored run with the content of the plan; None if there is none."""
    return next((run for run in reversed(list(runs)) if same_content(run.plan, plan)), None)


def find_unfinished(runs: Iterable[RunSummary], plan: Plan) -> RunSummary | None:
    """Return the newest run of the plan's file and target if it is unfinished, regardless of its content; else None."""
    mine = [run for run in runs if _source(run.plan) == _source(plan)]
    return mine[-1] if mine and not mine[-1].complete else None


def find_changed(runs: Iterable[RunSummary], plan: Plan) -> RunSummary | None:
    """Return the newest run of the plan's file and target if it is unfinished and has another content; else None."""
    newest = find_unfinished(runs, plan)
    return None if newest is None or same_content(newest.plan, plan) else newest


def _source(plan: Plan) -> tuple[object, ...]:
    return plan.file, plan.file_options, plan.target, plan.url


def _content(plan: Plan) -> Plan:
    meter = None if plan.meter is None else ""  # any meter
    return msgspec.structs.replace(plan, file=None, file_options=(), name="", baud=0, meter=meter)
