"""What bench/peers.py compares: one of our benchmarks with a program of other people's that measures the same."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from intercore.session import Session
from intercore.targets import Address, find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from intercore.measurement import Level

    Samples: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Peer:
    """One comparison. Each side takes one round of samples, in ns."""

    name: str
    quantity: str
    """What both measure, from when to when."""
    setting: str
    """What both have in common: period, priority, cores, …"""
    ours_name: str
    ours: Callable[[], Samples]
    theirs_name: str
    theirs: Callable[[], Samples]


def measure(benchmark: str, factors: Mapping[str, Level], series: str) -> Samples:
    """Return one series, in ns, of one of our benchmarks on this machine."""
    with contextlib.closing(find("host").open(Address(), print)) as port:
        answer = Session(port).measure(benchmark, dict(factors))
    return np.concatenate([one.ns for one in answer.series if one.name == series])
