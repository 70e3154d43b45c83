"""What the contests come to, in words.

A sentence names a cause only where contests of the same run that differ in nothing else tell it from others; where they
are missing, it has the numbers alone.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from intercore.benchmarks.contention.contest import PINNED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.contention.contest import Competitor, Contest
    from intercore.record.measurement import Level

_SLOWED = 0.02  # of a core, from which on a difference between two contests is one
_SAME_SHAPE = 0.05  # of a core, by which parts may differ from published ones
_SAME_SUM = 0.02  # of a sum, by which that of free tasks may differ from that of pinned ones
_WHOLE = 0.9  # of a core, from which on a task has it to itself
_WAITS = {"block": "waits for an event", "delay": "sleeps to each next tick (delay(1))"}


def sentences(contests: Sequence[Contest], work: str) -> Iterator[str]:
    """Say what was found, what matters most first; of each setting of the other factors by itself.

    `work` is what the competitors do, in a word.
    """
    groups: dict[tuple[tuple[str, Level], ...], list[Contest]] = defaultdict(list)
    for one in contests:
        groups[tuple(one.varied.items())].append(one)
    for varied, group in groups.items():
        setting = ", ".join(f"{name}={level}" for name, level in varied)
        for said in _of_one_setting(group, work):
            yield f"With {setting}: {said[0].lower()}{said[1:]}" if len(groups) > 1 else said


def _of_one_setting(contests: Sequence[Contest], work: str) -> Iterator[str]:
    yield from _both_cores(contests, work)
    yield from _beside_a_loop(contests)
    yield from _slowed_by_a_loop(contests)
    yield from _sleep(contests)
    yield from _shape(contests)
    yield from _longest_wait(contests)
    yield from _free_tasks(contests)


def _beside_a_loop(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what task1 gets when it alone has work, by what the main loop does, and answer what an article asks."""
    got: dict[str, float] = {}
    for one in contests:
        task = one.competitor("task1")
        if task and one.workers == [task] and one.does.keys() <= {"task1", "main"}:
            got.setdefault(one.does.get("main", "off"), task.of_a_core)
    if "spin" in got:
        yield (
            f"Beside a main loop that has nothing to do and never waits, a task on core 1 does {got['spin']:.1%} of "
            "what it does alone: loop() returns at once and is called again, at the same priority."
        )
    waiting = {does: got[does] for does in _WAITS if does in got}
    for does, part in waiting.items():
        yield f"Beside a main loop that {_WAITS[does]} a task on core 1 does {part:.1%} of what it does alone."
    most = max(waiting.values(), default=0.0)
    if most >= _WHOLE and "spin" in got and got["spin"] < most - _SLOWED:
        yield (
            "An article on the ESP32, by makotaka, asks whether half of core 1 is kept for the main loop. It is not "
            "kept here: the share that a task lacks beside a loop that never waits, it has beside a loop that waits. "
            "Let an empty loop() wait, or delete its task."
        )


def _slowed_by_a_loop(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what a main loop that spins on core 1 costs a task on core 0: what one that does not spin leaves it."""
    spins = _alone_at_work(contests, "task0", "spin")
    quiet = _alone_at_work(contests, "task0", "block", "delay", "off")
    if spins is None or spins.of_a_core_at_most >= 1 - _SLOWED:
        return
    if quiet is not None and quiet.of_a_core - spins.of_a_core_at_most > 0:
        yield (
            f"A main loop that spins on core 1 slows down a task on core 0: the task does {spins.of_a_core:.1%} of "
            f"what it does alone, and {quiet.of_a_core:.1%} where the loop does not spin."
        )
    elif quiet is None:
        yield f"A task on core 0 does {spins.of_a_core:.1%} of what it does alone while a main loop spins on core 1."


def _alone_at_work(contests: Sequence[Contest], name: str, *main: str) -> Competitor | None:
    """Return a competitor where it alone works, and nobody else takes part but a main loop that does one of these."""
    for does in main:
        for one in contests:
            found = one.competitor(name)
            if found and one.workers == [found] and one.does.keys() <= {name, "main"}:
                loop = "off" if name == "main" else one.does.get("main", "off")
                if loop == does:
                    return found
    return None


def _sleep(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what the sleep to the next tick costs, and what becomes of it where two share a core."""
    uses = [use for one in contests if one.alone_sleeps for use in one.cores]
    if not uses:
        return
    most = max(uses, key=lambda use: use.sleep)
    yield (
        f"A task that has core {most.core} to itself sleeps to the next tick after each tower of Hanoi, which is one "
        "piece of its work. So a tower with "
        f"{most.tower_us / 1000:.3g} ms of work takes {most.alone_us / 1000:.3g} ms, and the task leaves "
        f"{most.sleep:.0%} of the core to others. Parts of a core are parts of what such a task does."
    )
    for one in contests:
        cores = {worker.core for worker in one.workers}
        if one.alone_sleeps and len(one.workers) > 1 and len(one.cores) == 1 == len(cores) and not one.idlers:
            yield (
                f"{len(one.workers)} tasks that share a core ({one.label}) do {one.of_a_core:.2f} times what one does "
                f"alone, and keep the core busy for {one.cores[0].used:.0%} of the time."
            )


def _shape(contests: Sequence[Contest]) -> Iterator[str]:
    known = [(one, was) for one in contests if one.alone_sleeps == one.sleeps for was in one.published]
    differences = {
        f"{was.name} in {one.label}": competitor.of_a_core - was.of_a_core
        for one, was in known
        if (competitor := one.competitor(was.name))
    }
    if not differences:
        return
    worst = max(differences, key=lambda name: abs(differences[name]))
    rows = len({one.row for one, _ in known})
    yield (
        f"The {rows} published rows measured here have the published shape to within {abs(differences[worst]):.1%} of "
        f"a core (largest difference: {worst}). Counts are not compared, because chip and sizes differ."
        if abs(differences[worst]) <= _SAME_SHAPE
        else f"Of the published rows, {worst} differs most, by {differences[worst]:+.1%} of a core."
    )


def _both_cores(contests: Sequence[Contest], work: str) -> Iterator[str]:
    """Say what a core does when the other one works as well, from a contest of one pinned worker on each."""
    for one in contests:
        workers = one.workers
        if one.is_one_on_each:
            said = f"Both cores at work ({one.label}) do {one.of_a_core:.2f} times what one core does alone"
            alone = [_alone_at_work(contests, worker.name, "off", "block", "delay") for worker in workers]
            both = " and ".join(f"{worker.of_a_core:.0%}" for worker in workers)
            if all(alone):
                single = " and ".join(f"{worker.of_a_core:.0%}" for worker in alone if worker)
                lost = sum(worker.of_a_core for worker in alone if worker) - one.of_a_core
                taken = f"they take {lost:.0%} of a core from each other"
                said += f", {both}. Each in a window of its own does {single}: "
                said += taken if lost > _SLOWED else "neither core slows down the other"
            else:
                said += f": {both}"
            if any(worker.of_a_core > 1 for worker in workers):
                said += ". More than 100 % is no gain: that core was slower while it was timed alone"
            yield f"{said}. The work is {work}; other work can gain more or less."
            return


def _longest_wait(contests: Sequence[Contest]) -> Iterator[str]:
    """Say how long one who shares a core may stand still, against one who does not."""
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
    if not shared:
        return
    wait, alone, name, label = max(shared)
    said = (
        f"{name} in {label} once took {wait / 1000:.3g} ms to the end of a piece of work (a tower of Hanoi) that takes "
        f"{alone / 1000:.3g} ms alone"
    )
    if single and wait > 1.5 * max(single):
        yield (
            f"A task that shares a core waits for its turn: {said}. Where nobody else wanted the core, no tower took "
            f"longer than {max(single) / 1000:.3g} ms."
        )
    else:
        yield f"Of the tasks that share a core, {said}."


def _free_tasks(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what free tasks come to, and what as many pinned ones do beside the same others."""
    for one in contests:
        free = [competitor for competitor in one.workers if competitor.core is None]
        if free and len(free) == len(one.workers):
            low, high = min(each.of_a_core for each in free), max(each.of_a_core for each in free)
            each = f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"
            yield (
                f"{len(free)} tasks without a core of their own do {one.of_a_core:.2f} times what one core does alone, "
                f"on {len(one.cores)} cores: {each} of a core each."
            )
            yield from _beside_pinned(one, contests)


def _beside_pinned(free: Contest, contests: Sequence[Contest]) -> Iterator[str]:
    """Compare free tasks with pinned ones, as makotaka's article does."""
    for one in contests:
        names = {worker.name for worker in one.workers}
        pinned = names <= PINNED.keys() and {PINNED[name] for name in names} == set(PINNED.values())
        if pinned and len(names) == len(free.workers) and one.idlers == free.idlers:
            differs = free.of_a_core - one.of_a_core
            found = (
                f"the sum is the same to within {_SAME_SUM:.0%}, as makotaka's article says of its tasks"
                if abs(differs) <= _SAME_SUM * one.of_a_core
                else f"free tasks do {differs:+.2f}"
            )
            yield (
                f"The same number of pinned tasks ({one.label}) does {one.of_a_core:.2f} times what one core does "
                f"alone: {found}."
            )
            return
