"""The order of two runs by turns: each repetition of a setting in the one next to the same repetition in the other.

What a machine does to its measurements, getting warm or busy, changes over minutes. It is nearly the same for two that
follow each other, so their ratio is free of most of it, where that of two whole runs is not. Which of the two comes
first is swapped from one repetition of a setting to the next, and from one setting to the next: A B, B A, A B, …, so
that neither gains by its place.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from intercore.errors import IntercoreError
from intercore.record.factors import of_target
from intercore.record.plan import Setting, settings

if TYPE_CHECKING:
    from intercore.campaign.campaign import Campaign
    from intercore.campaign.workers import Workers
    from intercore.record.measurement import Plan


class Turn(NamedTuple):
    """One measurement of one of the two runs."""

    side: int
    """0 for the first run, 1 for the second one."""
    setting: Setting


def turns(first: Plan, second: Plan) -> list[Turn]:
    """Return all measurements of two plans in the order to take them.

    The plans are the same but for how their target is built. Settings are in the order of the first one, and all of
    them come once before any comes again. Raises IntercoreError if the two do not measure the same.
    """
    order, others = settings(first), {_shared(one): one for one in settings(second)}
    if {_shared(one) for one in order} != others.keys():
        raise IntercoreError("two runs by turns measure the same settings, and these two plans do not")
    places = {key: place for place, key in enumerate(dict.fromkeys(_shared(one)[:2] for one in order))}
    found = []
    for one in order:
        both = [Turn(0, one), Turn(1, others[_shared(one)])]
        found += both[::-1] if (places[_shared(one)[:2]] + one.repetition) % 2 else both
    return found


class ByTurns:
    """The order in which two campaigns are measured by turns, of which some may be done already.

    Of a repetition at which both were interrupted, one may be stored and the other is measured when they are resumed:
    those two are not next to each other in time.
    """

    def __init__(self, first: Campaign, second: Campaign) -> None:
        """Begin with what is missing of the two."""
        sides = (first, second)
        missing = [{(*one.key, one.repetition) for one in side.missing} for side in sides]
        order = turns(first.plan, second.plan)
        self._left = deque((sides[at], one) for at, one in order if (*one.key, one.repetition) in missing[at])
        self.first = list(dict(reversed(self._left)).items())
        """Each campaign, with the setting that is measured first of it."""

    def take(self, workers: Workers) -> tuple[Campaign, tuple[Setting, ...]] | None:  # noqa: ARG002 - one at a time
        """See Order."""
        if not self._left:
            return None
        campaign, setting = self._left.popleft()
        return campaign, campaign.begin([setting])


def _shared(setting: Setting) -> tuple[str, str, int]:
    """Return what a setting has in common with its counterpart: all but how the target is built."""
    build = of_target(setting.factors)
    factors = {name: level for name, level in setting.factors.items() if name not in build}
    return (*Setting(setting.benchmark, factors, setting.repetition).key, setting.repetition)
