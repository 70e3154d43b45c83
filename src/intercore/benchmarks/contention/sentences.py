"""What the contests come to, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.contention.analysis import Contest

_SLOWED = 0.98  # of a core, below which a task is slowed down by more than the scheduler
_SAME_SHAPE = 0.1  # of a core, by which parts may differ from published ones


def sentences(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what was found, what matters most first."""
    yield from _beside_a_loop(contests)
    yield from _slowed_by_a_loop(contests)
    yield from _shape(contests)
    yield from _both_cores(contests)
    yield from _longest_wait(contests)
    yield from _free_tasks(contests)


def _beside_a_loop(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what task1 gets when it alone has work, by what the main loop does."""
    got: dict[str, float] = {}
    for one in contests:
        task, main = one.competitor("task1"), one.does.get("main")
        if task and task.does == "work" and main in ("spin", "delay", "block") and len(one.workers) == 1:
            got.setdefault(main, task.of_a_core)
    if "spin" in got:
        yield (
            f"A task on core 1 gets {got['spin']:.1%} of the core beside a main loop that has nothing to do and spins: "
            "loop() returns at once and is called again at the same priority, so it never waits, and the kernel has "
            "equals take turns."
        )
    waiting = {"block": "waits for an event", "delay": "sleeps to each next tick (delay(1))"}
    for does, words in waiting.items():
        if does in got:
            yield f"Beside a main loop that {words} the same task gets {got[does]:.1%} of the core."
    if "spin" in got and any(does in got for does in waiting):
        yield (
            "So the published conclusion (seed 001), that half of core 1 is kept for the main loop, does not hold: a "
            "loop() that waits gives the core away. Let an empty loop() wait, or delete its task."
        )


def _slowed_by_a_loop(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what a main loop that spins on core 1 costs a task on core 0."""
    for one in contests:
        task = one.competitor("task0")
        if task and one.does == {"task0": "work", "main": "spin"} and task.of_a_core_at_most < _SLOWED:
            yield (
                f"A main loop that spins on core 1 also slows down a task on core 0, to {task.of_a_core:.1%} of what "
                "it does alone: it fetches instructions and reads the clock all the time, over what the cores share."
            )
            return


def _shape(contests: Sequence[Contest]) -> Iterator[str]:
    known = [(one, published) for one in contests for published in one.published]
    if not known:
        return
    differences = {
        f"{published.name} in {one.label}": competitor.of_a_core - published.of_a_core
        for one, published in known
        if (competitor := one.competitor(published.name))
    }
    worst = max(differences, key=lambda name: abs(differences[name]))
    rows = len({one.row for one, _ in known})
    yield (
        f"The {rows} published rows measured here have the published shape to within {abs(differences[worst]):.1%} of "
        f"a core (most: {worst}); counts themselves differ, as the chips and the sizes do."
        if abs(differences[worst]) <= _SAME_SHAPE
        else f"Of the published rows {worst} differs most: {differences[worst]:+.1%} of a core."
    )


def _both_cores(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what a core does when the other one works as well, from a contest of one pinned worker on each."""
    for one in contests:
        workers = one.workers
        if len(workers) == 2 and {worker.core for worker in workers} == {0, 1} and len(one.competitors) == 2:
            yield (
                f"Both cores at work ({one.label}) do {one.of_a_core:.2f} times what one does alone: each is at "
                f"{one.of_a_core / 2:.0%} of itself, the rest goes to what they share (memory, bus, the scheduler)."
            )
            return


def _longest_wait(contests: Sequence[Contest]) -> Iterator[str]:
    """Say how long one who shares a core may stand still."""
    waits = [
        (one.longest_wait_us, use.alone_us, one.name, contest.label)
        for contest in contests
        for one in contest.workers
        for use in contest.cores
        if one.core == use.core and one.longest_wait_us and sum(other == use.core for other in contest.busy) > 1
    ]
    if waits:
        wait, alone, name, label = max(waits)
        yield (
            f"Who shares a core waits for its turn: {name} in {label} once took {wait / 1000:.3g} ms to the end of a "
            f"tower that takes {alone / 1000:.3g} ms alone."
        )


def _free_tasks(contests: Sequence[Contest]) -> Iterator[str]:
    for one in contests:
        free = [competitor for competitor in one.workers if competitor.core is None]
        if free and len(free) == len(one.workers):
            low, high = min(each.of_a_core for each in free), max(each.of_a_core for each in free)
            each = f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"
            yield (
                f"{len(free)} tasks without a core of their own do {one.of_a_core:.2f} times what one core does alone, "
                f"on {len(one.cores)} cores: {each} of a core each."
            )
