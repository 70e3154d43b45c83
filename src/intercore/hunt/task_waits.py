"""Tasks of a kernel that wait for each other, or for what nobody will bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.hunt.finding import Finding
from intercore.text import capitalised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.hunt.kernel import Task

_ASKS = frozenset({"receives", "notification"})
"""What a task waits for that serves others: it may have nothing to do."""


def task_waits(all_tasks: Sequence[Task], *, quiet: bool, wanted: bool) -> Iterator[Finding]:
    """Yield tasks that wait in vain.

    `quiet` is whether no task will run again, and no interrupt lets one; `wanted`, whether the program has not done
    what it is to do.
    """
    circle = _circle(all_tasks)
    if circle:
        parts = [
            f"{one.clause}, which {after.name} has" for one, after in zip(circle, [*circle[1:], circle[0]], strict=True)
        ]
        yield Finding("deadlock", f"Tasks wait for each other: {'; '.join(parts)}.")
        return
    stuck = [one for one in all_tasks if one.state == "waits" and one.forever and not one.of_kernel]
    if not quiet or not stuck or not (wanted or any(one.kind not in _ASKS for one in stuck)):
        return
    by_block = {one.block: one for one in all_tasks}
    parts = []
    for one in stuck:
        holder = by_block.get(one.holder or 0)
        parts.append(one.clause + (f", which {holder.clause} has" if holder else ""))
    full = all(one.kind == "sends" for one in stuck) and len(stuck) > 1
    yield Finding(
        "deadlock" if full else "no-progress",
        f"No task will run again: {capitalised('; '.join(parts))}. No other task is ready, and no interrupt but those "
        "of the kernel is enabled.",
    )


def _circle(all_tasks: Sequence[Task]) -> list[Task]:
    """Return tasks of which each waits for a mutex that the next one has, and the last for the first."""
    waiting = {one.block: one for one in all_tasks if one.kind == "mutex" and one.forever}
    for first in waiting.values():
        path = [first]
        while (after := waiting.get(path[-1].holder or 0)) is not None and after not in path:
            path.append(after)
        if after is first:
            return path
    return []
