"""From the words of a command line to a plan, checked against what its target has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board.boards import FACTORS
from intercore.board.own_workload import own_work
from intercore.board.sources import Sources
from intercore.campaign.levels import excluded, find_benchmark, refused, resolve, suite, target_levels, with_whole
from intercore.cli.measuring import opened
from intercore.errors import UsageError
from intercore.record.measurement import Part
from intercore.record.own_work import OwnWork, is_file
from intercore.record.plan import SUITE, check
from intercore.target.offers import remember
from intercore.target.targets import find
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.campaign.kept_target import KeptTarget
    from intercore.record.measurement import Plan
    from intercore.target.targets import Address


def sources_of(*, kernel: Path | None, firmware: Path | None, own: OwnWork | None = None) -> Sources:
    """Return the sources that a user names; None for the usual ones."""
    return Sources(
        None if firmware is None else firmware.absolute(), None if kernel is None else kernel.absolute(), own
    )


def with_sources(plan: Plan, sources: Sources) -> Plan:
    """Return the plan with what its program is built from."""
    firmware, kernel = (None if path is None else str(path) for path in (sources.firmware, sources.kernel))
    return msgspec.structs.replace(plan, firmware=firmware, kernel=kernel, own=sources.own)


def with_own(
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


def with_parts(
    plan: Plan, wanted: Mapping[str, Sequence[str]], address: Address, kept: KeptTarget, *, skip_impossible: bool
) -> Plan:
    """Return the plan with its parts, after checking what the user asked for against what the target has.

    `wanted` are the levels of factors, of the benchmark or the target, as they are typed. `kept` is the target at
    `address`, which stays open. What it cannot measure is refused if it was asked for by name, unless
    `skip_impossible`. Raises UsageError for what the target does not have or cannot do, and IntercoreError if it cannot
    be asked.
    """
    target = find(plan.target)
    target.check(address)
    built = target_levels(target, wanted, is_built=address.image is not None)
    wanted = {name: texts for name, texts in wanted.items() if name not in FACTORS}
    if plan.name == SUITE and wanted:
        name = next(iter(wanted))
        raise UsageError(f"the suite has levels of its own: leave out {name}, or name one benchmark instead of suite")
    session = opened(kept, target.name, {name: levels[0] for name, levels in built.items()})
    known = session.benchmarks()
    remember(target.name, known)
    if plan.name == SUITE:
        parts = suite(known, plan.seed, plan.origin)
    else:
        info = find_benchmark(known, plan.name)
        levels = resolve(info, wanted, plan.seed, plan.origin, interpreted=target.interpreted)
        parts = [Part(plan.name, with_whole(session, info, levels, wanted))]
    parts = [Part(part.benchmark, {**part.levels, **built}) for part in parts]
    plan = msgspec.structs.replace(plan, parts=tuple(parts))
    check(plan)
    asked = None if plan.name == SUITE else () if skip_impossible else wanted
    infos = {one.name: one for one in known}
    left_out = refused(known) if plan.name == SUITE else []
    for part in parts:
        left_out += excluded(session, infos[part.benchmark], part, asked)
    return msgspec.structs.replace(plan, excluded=tuple(left_out))
