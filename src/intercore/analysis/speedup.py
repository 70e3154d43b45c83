"""Speed-up of fork–join work on P cores: S, E, Karp–Flatt, the overhead of forking and joining, and the break-even."""

from __future__ import annotations

import msgspec


class Interval(msgspec.Struct, frozen=True):
    """A value with its 95 % confidence interval; the bounds are None where the data cannot give them."""

    value: float
    low: float | None = None
    high: float | None = None


class SpeedupPoint(msgspec.Struct, frozen=True):
    """One measured or published setting: the same work on one core and on P."""

    workload: str
    mode: str
    join: str
    n: int
    """Size of the work in the workload's own units."""
    cores: int
    """P, at least 1."""
    t1_us: Interval
    """Median sequential duration, µs."""
    tp_us: Interval
    """Median duration on P cores, from before the fork to after the join, µs."""
    speedup: Interval
    """S = T1 / TP (ratio of medians)."""
    efficiency: Interval
    """E = S / P, as a fraction."""
    karp_flatt: Interval | None
    """Experimentally determined serial fraction e = (1/S - 1/P) / (1 - 1/P); None for P = 1.
    Karp & Flatt, Measuring parallel processor performance, CACM 33(5), 1990."""
    samples: int
    """Repetitions behind the medians; 0 for a published row."""
