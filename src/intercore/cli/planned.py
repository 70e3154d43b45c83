"""From the words of a command line to a plan, checked against what its target has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from intercore.board.own_workload import own_work
from intercore.board.sources import Sources
from intercore.campaign.planning import complete_plan
from intercore.cli.measuring import open_session
from intercore.errors import UsageError
from intercore.record.own_work import OwnWork, is_file
from intercore.target.offers import remember
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.campaign.kept_target import KeptTarget
    from intercore.campaign.planning import Draft
    from intercore.record.measurement import Plan


def sources_of(*, kernel: Path | None, firmware: Path | None, own: OwnWork | None = None) -> Sources:
    """Return the sources that a user names; None for the usual ones."""
    return Sources(
        None if firmware is None else firmware.absolute(), None if kernel is None else kernel.absolute(), own
    )


def resolve_user_workload(
    wanted: Mapping[str, Sequence[str]], besides: Sequence[Path], folders: Sequence[Path], flags: Sequence[str]
) -> tuple[dict[str, list[str]], OwnWork | None]:
    """Return the levels, in which a file stands for a workload of the user's own, as a target knows them.

    Beside them the workload, which further files may be a part of. Raises UsageError if there are two, or none for what
    is said of it.
    """
    files = [level for levels in wanted.values() for level in levels if is_file(level)]
    if len({*files}) > 1:
        raise UsageError(
            f"one workload of your own at a time, and here are {listed(files)}; --source adds a file to one"
        )
    if not files:
        given = {"--source": besides, "--include": folders, "--flag": flags}
        for option in (name for name, values in given.items() if values):
            raise UsageError(f"{option} is for a workload of your own: name its file, e.g. workload=./fft.c")
        return {name: [*levels] for name, levels in wanted.items()}, None
    work = own_work([Path(files[0]), *besides], folders, flags)
    known = {name: [work.level if is_file(level) else level for level in levels] for name, levels in wanted.items()}
    return known, work


def complete_plan_on(kept: KeptTarget, draft: Draft) -> Plan:
    """Return the plan that is drafted, after asking its target, which stays open. See `planning.complete_plan`."""
    session = open_session(kept, draft.target.name, draft.first_build)
    benchmarks = session.benchmarks()
    remember(draft.target.name, benchmarks)
    return complete_plan(draft, session, benchmarks)
