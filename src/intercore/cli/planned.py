"""From the words of a command line to a plan that is checked against its target."""

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
    """Return the sources that a user names; None stands for the default."""
    return Sources(
        None if firmware is None else firmware.absolute(), None if kernel is None else kernel.absolute(), own
    )


def resolve_user_workload(
    wanted: Mapping[str, Sequence[str]], further_files: Sequence[Path], folders: Sequence[Path], flags: Sequence[str]
) -> tuple[dict[str, list[str]], OwnWork | None]:
    """Return the levels, with the file of a user's workload replaced by its name, and that workload.

    Further files may be part of it. Raises UsageError if there are two workloads, or options of one without a workload.
    """
    files = [level for levels in wanted.values() for level in levels if is_file(level)]
    if len({*files}) > 1:
        raise UsageError(
            f"{listed(files)} are separate workloads, and a run can only measure one. To add a file to a workload, "
            "use --source"
        )
    if not files:
        given = {"--source": further_files, "--include": folders, "--flag": flags}
        for option in (name for name, values in given.items() if values):
            raise UsageError(f"{option} applies to your own workload: name the workload's file, e.g. workload=./fft.c")
        return {name: [*levels] for name, levels in wanted.items()}, None
    work = own_work([Path(files[0]), *further_files], folders, flags)
    known = {name: [work.level if is_file(level) else level for level in levels] for name, levels in wanted.items()}
    return known, work


def complete_plan_on(kept: KeptTarget, draft: Draft) -> Plan:
    """Return the plan of a draft after querying its target, which stays open. See `planning.complete_plan`."""
    session = open_session(kept, draft.target.name, draft.first_build)
    benchmarks = session.benchmarks()
    remember(draft.target.name, benchmarks)
    return complete_plan(draft, session, benchmarks)
