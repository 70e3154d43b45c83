"""The windows of `contention`: the mark is high for each, and the towers that ended in it are known."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.contention.analysis import contests_of, label_of, tower_series, window_ticks
from intercore.benchmarks.contention.contest import PINNED
from intercore.benchmarks.contention.results import work_of
from intercore.record.meter_recording import Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from intercore.benchmarks.contention.contest import Does
    from intercore.record.measurement import Measurement

_LEAD_TICKS = 5
"""Kernel ticks from when all competitors have been started to the begin (firmware/bench/contention/window.c)."""
_SLACK_TICKS = 10
"""By how many the time between two windows may be off: competitors end and are started, one after the other."""


def windows(one: Measurement) -> tuple[Window, ...]:
    """Return the windows of a measurement.

    Between two of them the target rests, competitors end and others are started. A tower that is under way at the end
    of a window is finished behind it: the current may fall by that much later than the window ends.
    """
    length = int(one.factors["window_ms"]) / 1e3
    tick = 1 / max(_whole(one.conditions.get("tick_hz")), 1)
    gap = int(one.factors.get("rest_ms", 0)) / 1e3 + _LEAD_TICKS * tick
    ended = _ended(one)
    contests = [(number, roles) for _, roles, rows in contests_of(one) for number in rows.numbers]
    name = work_of([one])
    operation = "tower" if name == "recursion" else name
    work = f"contention discs={one.factors.get('discs')} {name}"
    return tuple(
        Window(
            label=label_of(roles),
            seconds=length,
            operations=ended[number],
            operation=operation,
            work=work,
            cores=max(_cores(roles), 1),
            gap_s=None if not position else gap + _tower(one) / 2,
            slack_s=_SLACK_TICKS * tick + _tower(one) / 2,
        )
        for position, (number, roles) in enumerate(sorted(contests, key=lambda each: each[0]))
    )


def busy_cores(roles: Iterable[tuple[str, Does]]) -> tuple[bool, bool]:
    """Return which of two cores never rests: somebody pinned to it works or spins. A free task may be on either."""
    busy = {PINNED[name] for name, does in roles if name in PINNED and does in ("work", "spin")}
    return 0 in busy, 1 in busy


def _cores(roles: Iterable[tuple[str, Does]]) -> int:
    """Return how many cores somebody keeps busy, be it with work or by spinning: that is what takes the energy."""
    known = list(roles)
    free = sum(name not in PINNED for name, _ in known)
    return min(sum(busy_cores(known)) + free, 2)


def _ended(one: Measurement) -> Mapping[int, int]:
    """Return how many towers ended in each window, by its number."""
    found: Counter[int] = Counter()
    for series in tower_series(one):
        numbers, counts = np.unique(series.ticks // window_ticks(one, series.hz), return_counts=True)
        for number, count in zip(numbers, counts, strict=True):
            found[int(number)] += int(count)
    return found


def _tower(one: Measurement) -> float:
    """Return how long a tower takes at most while nothing else runs, in s."""
    times = [
        float(series.ns.max()) / 1e9 for series in one.series if series.name.startswith("alone.") and len(series.ticks)
    ]
    return max(times, default=0.0)


def _whole(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else 1000
