"""What bench/peers.py compares: one of our benchmarks with a program of other people's that measures the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.link.session import Session
    from intercore.record.measurement import Level

Samples: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Peer:
    """One comparison. Each side takes one round of samples, in ns."""

    name: str
    """Of the other program."""
    package: str
    """What to install where there is no such command."""
    quantity: str
    """What both measure, from when to when."""
    setting: str
    """What both have in common: period, priority, cores, …"""
    benchmark: str
    """Of ours."""
    ours: Callable[[Session], Samples]
    """Measures on the program of this machine, which is at the other end of the session."""
    theirs: Callable[[], Samples]


def measure(session: Session, benchmark: str, factors: Mapping[str, Level], series: str) -> Samples:
    """Return one series, in ns, of one of our benchmarks."""
    answer = session.measure(benchmark, dict(factors))
    return np.concatenate([one.ns for one in answer.series if one.name == series])
