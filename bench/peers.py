"""Our benchmarks beside other people's, on this machine: same setting, same run, taken by turns.

Each member of PEERS is one comparison. Both sides are measured in many short rounds by turns, in changing order, so
that a machine that becomes faster or slower favours neither, and started anew for each. What is compared is the median
of all samples of each side; how well that is known is told by resampling pairs of rounds. Not a test: a busy machine
may miss the 10 %.

python bench/peers.py [NAME...]
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from peer_core_to_core import CORE_TO_CORE, INSTALLED
from peer_cyclictest import CYCLICTEST

from intercore.target.targets import Address, find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from peer import Peer, Samples

PEERS: tuple[Peer, ...] = (CYCLICTEST, CORE_TO_CORE)
ROUNDS = 40
"""How often each side is measured; even, so that each is the first equally often."""
CLOSE = 0.10
"""By which the medians may differ."""
RESAMPLES = 2000


@dataclass(frozen=True)
class Comparison:
    """What both sides of a peer measured, in ns, round by round."""

    peer: Peer
    ours: Sequence[Samples]
    theirs: Sequence[Samples]

    @property
    def ratio(self) -> float:
        """Our median through theirs, of all samples."""
        return self._ratio(range(len(self.ours)))

    @property
    def interval(self) -> tuple[float, float]:
        """The ratio's 95 % interval, by bootstrap over pairs of rounds."""
        rng = np.random.default_rng(1)
        rounds = rng.integers(0, len(self.ours), (RESAMPLES, len(self.ours)))
        low, high = np.percentile([self._ratio(chosen.tolist()) for chosen in rounds], (2.5, 97.5))
        return float(low), float(high)

    @property
    def holds(self) -> bool:
        """Whether the medians are close enough."""
        return abs(self.ratio - 1) <= CLOSE

    def _ratio(self, rounds: Sequence[int]) -> float:
        ours, theirs = (np.concatenate([side[i] for i in rounds]) for side in (self.ours, self.theirs))
        return float(np.median(ours) / np.median(theirs))


def compare(peer: Peer) -> Comparison:
    """Measure both sides by turns."""
    ours, theirs = [], []
    for number in range(ROUNDS):
        if number % 2:
            theirs.append(peer.theirs())
        with contextlib.closing(find("host").open(Address(), print)) as opened, opened.session() as session:
            ours.append(peer.ours(session))
        if not number % 2:
            theirs.append(peer.theirs())
    return Comparison(peer, ours, theirs)


def show(comparison: Comparison) -> None:
    """Print the two sides and the verdict."""
    peer = comparison.peer
    print(f"{peer.quantity}, in ns; {peer.setting}; {ROUNDS} rounds each, by turns")
    print(f"  {'':24} {'samples':>9} {'min':>9} {'median':>9} {'p90':>9} {'p99':>9} {'max':>11}")
    for name, rounds in ((f"our {peer.benchmark}", comparison.ours), (peer.name, comparison.theirs)):
        every = np.concatenate(rounds)
        numbers = " ".join(f"{value:>9,.0f}" for value in np.percentile(every, (0, 50, 90, 99)))
        print(f"  {name:24} {len(every):>9,} {numbers} {every.max():>11,.0f}")
    low, high = comparison.interval
    verdict = "yes" if comparison.holds else "NO "
    print(
        f"{verdict}  median of {peer.benchmark} / median of {peer.name} = {comparison.ratio:.3f}, within "
        f"{100 * CLOSE:.0f} % of 1 (95 % interval {low:.3f} to {high:.3f})\n"
    )


def main() -> int:
    """Compare; 2 for a peer that is not known or not installed."""
    known = {peer.name: peer for peer in PEERS}
    names = sys.argv[1:] or list(known)
    for name in names:
        if name not in known:
            print(f"there is no peer {name}; there are {', '.join(known)}", file=sys.stderr)
            return 2
        if shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{INSTALLED}") is None:
            print(f"{name} is missing; install it: {known[name].package}", file=sys.stderr)
            return 2
    for name in names:
        show(compare(known[name]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
