"""Our benchmarks beside other people's, on this machine: same setting, same run, taken by turns.

One line of PEERS is one comparison. Both sides are measured alternately, in changing order, so that a machine that
becomes faster or slower favours neither; what is compared is the median of all samples of each side. Not a test: a busy
machine may miss the 10 %. Close other programs first.

python bench/peers.py [NAME...]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from peer_cyclictest import CYCLICTEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from peer import Peer, Samples

PEERS: tuple[Peer, ...] = (CYCLICTEST,)
ROUNDS = 6
"""How often each side is measured; even, so that each is the first equally often."""
CLOSE = 0.10
"""By which the medians may differ."""


@dataclass(frozen=True)
class Comparison:
    """What both sides of a peer measured, in ns, round by round."""

    peer: Peer
    ours: Sequence[Samples]
    theirs: Sequence[Samples]

    @property
    def ratio(self) -> float:
        """Our median through theirs, of all samples."""
        return float(np.median(np.concatenate(self.ours)) / np.median(np.concatenate(self.theirs)))

    @property
    def holds(self) -> bool:
        """Whether the medians are close enough."""
        return abs(self.ratio - 1) <= CLOSE


def compare(peer: Peer) -> Comparison:
    """Measure both sides by turns."""
    ours, theirs = [], []
    for number in range(ROUNDS):
        if number % 2:
            theirs.append(peer.theirs())
            ours.append(peer.ours())
        else:
            ours.append(peer.ours())
            theirs.append(peer.theirs())
    return Comparison(peer, ours, theirs)


def show(comparison: Comparison) -> None:
    """Print the two sides, all rounds and each, and the verdict."""
    peer = comparison.peer
    print(f"{peer.quantity}, ns; {peer.setting}")
    print(f"  {'':24} {'samples':>8} {'min':>9} {'median':>9} {'p99':>9} {'max':>9}   medians of the rounds")
    for name, rounds in ((peer.ours_name, comparison.ours), (peer.theirs_name, comparison.theirs)):
        every = np.concatenate(rounds)
        low, median, p99, high = np.percentile(every, (0, 50, 99, 100))
        of_rounds = " ".join(f"{np.median(one):.0f}" for one in rounds)
        print(f"  {name:24} {len(every):>8} {low:>9.0f} {median:>9.0f} {p99:>9.0f} {high:>9.0f}   {of_rounds}")
    verdict = "yes" if comparison.holds else "NO "
    print(f"{verdict}  {peer.name}: our median is {comparison.ratio:.3f} of theirs (within {100 * CLOSE:.0f} %)\n")


def main() -> int:
    """Compare; 0 if every median is close."""
    known = {peer.name: peer for peer in PEERS}
    names = sys.argv[1:] or list(known)
    if unknown := [name for name in names if name not in known]:
        print(f"there is no peer {unknown[0]}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    holds = []
    for name in names:
        comparison = compare(known[name])
        show(comparison)
        holds.append(comparison.holds)
    return not all(holds)


if __name__ == "__main__":
    sys.exit(main())
