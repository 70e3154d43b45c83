"""The order of two alternating runs: each repetition of a setting in one run next to the same repetition in the other.

Influences of a machine, such as temperature and load, change over minutes. Two consecutive measurements have nearly the
same, so their ratio is mostly free of them, unlike the ratio of two whole runs. The order of the pair is swapped from
one repetition to the next, and from one setting to the next: A B, B A, A B, …, so that neither run has an advantage.
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
    """A measurement of one of the two runs."""

    side: int
    """0 for the first run, 1 for the second one."""
    setting: Setting


def turns(first: Plan, second: Plan) -> list[Turn]:
    """Return all measurements of two plans in their order.

    The plans differ only in the build of their target. Settings are in the order of the first plan, and all come once
    before any is repeated. Raises IntercoreError if the plans have different settings.
    """
    order, others = settings(first), {_shared(one): one for one in settings(second)}
    if {_shared(one) for one in order} != others.keys():
        raise IntercoreError(
            "two runs that alternate must have the same settings, but the plans of these two runs differ: start a "
            "new pair of runs"
        )
    places = {key: place for place, key in enumerate(dict.fromkeys(_shared(one)[:2] for one in order))}
    found = []
    for one in order:
        both = [Turn(0, one), Turn(1, others[_shared(one)])]
        found += both[::-1] if (places[_shared(one)[:2]] + one.repetition) % 2 else both
    return found


class ByTurns:
    """The order of two alternating campaigns, which may be partly done.

    After an interruption, one measurement of a pair may be stored and the other is measured later: these two are not
    next to each other in time.
    """

    def __init__(self, first: Campaign, second: Campaign) -> None:
        """Begin with the missing measurements of both."""
        sides = (first, second)
        missing = [{(*one.key, one.repetition) for one in side.missing} for side in sides]
        order = turns(first.plan, second.plan)
        self._left = deque((sides[at], one) for at, one in order if (*one.key, one.repetition) in missing[at])
        self.first = list(dict(reversed(self._left)).items())
        """Each campaign with its first setting."""

    def take(self, workers: Workers) -> tuple[Campaign, tuple[Setting, ...]] | None:  # noqa: ARG002 - one at a time
        """See Order."""
        if not self._left:
            return None
        campaign, setting = self._left.popleft()
        return campaign, campaign.begin([setting])


def _shared(setting: Setting) -> tuple[str, str, int]:
    """Return the part of a setting that is equal in its counterpart: all but the build."""
    build = of_target(setting.factors)
    factors = {name: level for name, level in setting.factors.items() if name not in build}
    return (*Setting(setting.benchmark, factors, setting.repetition).key, setting.repetition)
