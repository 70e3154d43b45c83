"""The results of the contests.

A cause is named only if contests of the same run, equal in everything else, distinguish it from others; without them
there are only the numbers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.contention.analysis import PRESET
from intercore.benchmarks.contention.contest import PINNED
from intercore.benchmarks.contention.findings import (
    ContentionBesideLoop,
    ContentionBothCores,
    ContentionCoreNotReserved,
    ContentionCoreSpeed,
    ContentionFreeTasks,
    ContentionLongestWait,
    ContentionOwnWork,
    ContentionPinnedAsFree,
    ContentionPublishedShape,
    ContentionSharedCore,
    ContentionSleep,
    ContentionSlowedByLoop,
    Loop,
    PublishedCount,
    SeparateWindows,
)
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.published import published
from intercore.record.own_work import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.benchmarks.contention.analysis import ContentionAnalysis, CoreAlone
    from intercore.benchmarks.contention.contest import Competitor, Contest, PublishedTowers
    from intercore.benchmarks.contention.findings import Difference
    from intercore.finding import Finding
    from intercore.record.measurement import Level, Measurement

_SLOWED = 0.02  # of a core, from which on a difference between two contests is one
_SAME_SHAPE = 0.05  # of a core, by which parts may differ from published ones
_SAME_SUM = 0.02  # of a sum, by which that of free tasks may differ from that of pinned ones
_WHOLE = 0.9  # of a core, from which on a task has it to itself
_LONGER = 1.5  # times the longest wait on a core of the user, from which on one is a wait for a turn
_WAITS: tuple[Loop, ...] = ("block", "delay")


def results(analysis: ContentionAnalysis, measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the findings, the most important first; of each setting of the other factors by itself."""
    ours = list(measurements)
    yield from _own_work(ours)
    for place, found in enumerate(_of_settings(analysis.contests, ours)):
        yield found
        if not place:
            yield from _core_speeds(analysis.alone)


def work_of(measurements: Iterable[Measurement]) -> str:
    """Return the competitors' work in a word: recursion, or the user's work."""
    levels = sorted({str(one.factors.get("workload", "")) for one in measurements})
    return next((level.removeprefix(PREFIX) for level in levels if level.startswith(PREFIX)), "recursion")


def _own_work(measurements: Iterable[Measurement]) -> Iterator[ContentionOwnWork]:
    done = {(str(one.factors.get("workload", "")), int(one.factors.get("units", 1))) for one in measurements}
    for workload, units in sorted(done):
        if workload.startswith(PREFIX):
            yield ContentionOwnWork(workload=workload, work=workload.removeprefix(PREFIX), units=units)


def _core_speeds(alone: Sequence[CoreAlone]) -> Iterator[ContentionCoreSpeed]:
    """Return whether a core is slower by itself than the first one, where several were used."""
    for one in alone[1:]:
        varied = one.explains(alone[0])
        yield ContentionCoreSpeed(
            core=one.core,
            first=alone[0].core,
            times=one.times_first,
            varied_percent=100 * varied if varied else None,
        )


def _of_settings(contests: Iterable[Contest], ours: Sequence[Measurement]) -> Iterator[Finding]:
    work = work_of(ours)
    groups: dict[tuple[tuple[str, Level], ...], list[Contest]] = defaultdict(list)
    for one in contests:
        groups[tuple(one.varied.items())].append(one)
    for varied, group in groups.items():
        of_group = [one for one in ours if all(one.factors.get(name) == level for name, level in varied)]
        for found in _of_one_setting(group, of_group, work):
            yield msgspec.structs.replace(found, setting=dict(varied))


def _of_one_setting(contests: Sequence[Contest], ours: Sequence[Measurement], work: str) -> Iterator[Finding]:
    yield from _both_cores(contests, work)
    yield from _beside_a_loop(contests)
    yield from _slowed_by_a_loop(contests)
    yield from _sleep(contests)
    yield from _shape(contests, ours)
    yield from _longest_wait(contests)
    yield from _free_tasks(contests)


def _beside_a_loop(contests: Sequence[Contest]) -> Iterator[Finding]:
    """Report the share of task1 alone, by the activity of the main loop, and answer the article's question."""
    got: dict[str, float] = {}
    for one in contests:
        task = one.competitor("task1")
        if task and one.workers == [task] and one.does.keys() <= {"task1", "main"}:
            got.setdefault(one.does.get("main", "off"), task.of_a_core)
    loops: tuple[Loop, ...] = ("spin", *_WAITS)
    yield from (ContentionBesideLoop(loop=loop, part_percent=100 * got[loop]) for loop in loops if loop in got)
    most = max((got[loop] for loop in _WAITS if loop in got), default=0.0)
    if most >= _WHOLE and "spin" in got and got["spin"] < most - _SLOWED:
        yield ContentionCoreNotReserved(spin_percent=100 * got["spin"], waiting_percent=100 * most)


def _slowed_by_a_loop(contests: Sequence[Contest]) -> Iterator[ContentionSlowedByLoop]:
    """Report the slowdown of a task on core 0 by a main loop that spins on core 1."""
    spins = _alone_at_work(contests, "task0", "spin")
    quiet = _alone_at_work(contests, "task0", "block", "delay", "off")
    if spins is None or spins.of_a_core_at_most >= 1 - _SLOWED:
        return
    part = 100 * spins.of_a_core
    if quiet is None:
        yield ContentionSlowedByLoop(part_percent=part, quiet_percent=None)
    elif quiet.of_a_core > spins.of_a_core_at_most:
        yield ContentionSlowedByLoop(part_percent=part, quiet_percent=100 * quiet.of_a_core)


def _alone_at_work(contests: Sequence[Contest], name: str, *main: str) -> Competitor | None:
    """Return the only active competitor of a contest whose main loop does one of these."""
    for does in main:
        for one in contests:
            found = one.competitor(name)
            if found and one.workers == [found] and one.does.keys() <= {name, "main"}:
                loop = "off" if name == "main" else one.does.get("main", "off")
                if loop == does:
                    return found
    return None


def _sleep(contests: Sequence[Contest]) -> Iterator[Finding]:
    """Report the cost of the sleep to the next tick, and its effect if tasks share a core."""
    uses = [use for one in contests if one.alone_sleeps for use in one.cores]
    if not uses:
        return
    most = max(uses, key=lambda use: use.sleep)
    yield ContentionSleep(
        core=most.core,
        tower_ms=most.tower_us / 1000,
        alone_ms=most.alone_us / 1000,
        sleep_percent=100 * most.sleep,
    )
    for one in contests:
        cores = {worker.core for worker in one.workers}
        if one.alone_sleeps and len(one.workers) > 1 and len(one.cores) == 1 == len(cores) and not one.idlers:
            yield ContentionSharedCore(
                contest=one.label,
                tasks=len(one.workers),
                times=one.of_a_core,
                used_percent=100 * one.cores[0].used,
            )


def _shape(contests: Sequence[Contest], ours: Iterable[Measurement]) -> Iterator[ContentionPublishedShape]:
    known = [(one, was) for one in contests if one.alone_sleeps == one.sleeps for was in one.published]
    differences = {
        (was.name, one.label): competitor.of_a_core - was.of_a_core
        for one, was in known
        if (competitor := one.competitor(was.name))
    }
    if not differences:
        return
    worst = max(differences, key=lambda key: abs(differences[key]))
    name, label = worst
    differ = differences_from_published(one for one in ours if one.factors.get("preset") == PRESET)
    yield ContentionPublishedShape(
        rows=len({one.row for one, _ in known}),
        competitor=name,
        contest=label,
        difference_percent=100 * differences[worst],
        is_same=abs(differences[worst]) <= _SAME_SHAPE,
        differences=differ,
        counts=None if differ else _farthest_counts(known),
    )


def differences_from_published(measurements: Iterable[Measurement]) -> tuple[Difference, ...]:
    """Return the reasons why counts are not comparable with the published ones."""
    found: dict[Difference, None] = {}
    for one in measurements:
        for table in published(ContentionPublication):
            wanted: dict[Difference, bool] = {
                "chip": is_its_chip(table, one),
                "workload": not str(one.factors.get("workload", "")).startswith(PREFIX),
                "discs": one.factors.get("discs") == table.figures.discs,
                "window_ms": one.factors.get("window_ms") == table.figures.window_ms,
                "yield": (one.factors.get("yield") == "tick") == table.figures.sleeps,
            }
            found |= {name: None for name, same in wanted.items() if not same}
    return tuple(found)


def is_its_chip(table: ContentionPublication, measurement: Measurement) -> bool:
    """Whether something was measured on the chip of a publication."""
    return measurement.conditions.get("chip") == table.conditions.get("chip")


def _farthest_counts(known: Iterable[tuple[Contest, PublishedTowers]]) -> PublishedCount:
    """Return the count that is farthest from the published one; there is one at least."""
    counts = [
        PublishedCount(was.name, one.label, competitor.per_window, was.towers)
        for one, was in known
        if (competitor := one.competitor(was.name))
    ]
    return max(counts, key=lambda one: abs(one.towers - one.published))


def _both_cores(contests: Sequence[Contest], work: str) -> Iterator[ContentionBothCores]:
    """Report the work of both cores together, from a contest of one pinned worker on each."""
    for one in contests:
        if one.is_one_on_each:
            first, second = one.workers
            yield ContentionBothCores(
                contest=one.label,
                work=work,
                times=one.of_a_core,
                parts_percent=(100 * first.of_a_core, 100 * second.of_a_core),
                apart=_apart(contests, one),
                slow_alone=max(first.of_a_core, second.of_a_core) > 1,
            )
            return


def _apart(contests: Sequence[Contest], both: Contest) -> SeparateWindows | None:
    first, second = (_alone_at_work(contests, worker.name, "off", "block", "delay") for worker in both.workers)
    if first is None or second is None:
        return None
    lost = first.of_a_core + second.of_a_core - both.of_a_core
    return SeparateWindows((100 * first.of_a_core, 100 * second.of_a_core), 100 * lost if lost > _SLOWED else None)


def _longest_wait(contests: Sequence[Contest]) -> Iterator[ContentionLongestWait]:
    """Report how long one that shares a core may stand still, against one that does not."""
    shared: list[tuple[float, float, str, str]] = []
    single: list[float] = []
    for contest in contests:
        for one in contest.workers:
            for use in contest.cores:
                if one.core != use.core or not one.longest_wait_us:
                    continue
                if sum(other == use.core for other in contest.busy) > 1:
                    shared.append((one.longest_wait_us, use.alone_us, one.name, contest.label))
                elif None not in contest.busy:
                    single.append(one.longest_wait_us)
    if shared:
        wait, alone, name, label = max(shared)
        yield ContentionLongestWait(
            competitor=name,
            contest=label,
            wait_ms=wait / 1000,
            alone_ms=alone / 1000,
            unshared_ms=max(single) / 1000 if single and wait > _LONGER * max(single) else None,
        )


def _free_tasks(contests: Sequence[Contest]) -> Iterator[Finding]:
    """Report the work of unpinned tasks, and of the same number of pinned ones."""
    for one in contests:
        free = [competitor for competitor in one.workers if competitor.core is None]
        if free and len(free) == len(one.workers):
            yield ContentionFreeTasks(
                tasks=len(free),
                cores=len(one.cores),
                times=one.of_a_core,
                parts_percent=tuple(100 * each.of_a_core for each in free),
            )
            yield from _beside_pinned(one, contests)


def _beside_pinned(free: Contest, contests: Sequence[Contest]) -> Iterator[ContentionPinnedAsFree]:
    """Compare free tasks with pinned ones, as the article of seed 001 does."""
    for one in contests:
        names = {worker.name for worker in one.workers}
        pinned = names <= PINNED.keys() and {PINNED[name] for name in names} == set(PINNED.values())
        if pinned and len(names) == len(free.workers) and one.idlers == free.idlers:
            differs = free.of_a_core - one.of_a_core
            yield ContentionPinnedAsFree(
                contest=one.label,
                times=one.of_a_core,
                difference=differs,
                is_same=abs(differs) <= _SAME_SUM * one.of_a_core,
            )
            return
