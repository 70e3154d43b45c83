"""Whether two medians differ: a verdict for each of many pairs, with few false alarms among all of them.

Of 300 settings that are the same, 15 would seem to differ at a level of 5 %. So differences are decided by the
procedure of Benjamini & Hochberg (Journal of the Royal Statistical Society B 57 (1995) 289), which keeps the expected
share of false ones among those reported at FALSE_ALARMS. That two medians are *not* different is a claim as well, and
takes an interval that leaves no room for more than a stated difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.statistics.intervals import Interval

FALSE_ALARMS = 0.05
"""Expected share of pairs that do not differ among those reported as different."""

Verdict: TypeAlias = Literal["less", "more", "same", "unknown"]
"""The second median is less or more than the first one, the same within the limit, or that is undecided."""


class VerdictBasis(NamedTuple):
    """A verdict, with what stands behind it."""

    verdict: Verdict
    within: float | None
    """Of `same`: the largest difference that the interval leaves open, as a share."""


def significant(chances: Sequence[float | None]) -> list[bool]:
    """Return which of many p values are significant (Benjamini & Hochberg 1995).

    None is not significant, and does not count among the many.
    """
    known = sorted(chance for chance in chances if chance is not None)
    passed = [chance for rank, chance in enumerate(known, 1) if chance <= FALSE_ALARMS * rank / len(known)]
    return [chance is not None and bool(passed) and chance <= passed[-1] for chance in chances]


def judged(ratio: Interval | None, *, differs: bool, within: float) -> VerdictBasis:
    """Return the verdict on the ratio of a second median to a first one.

    `differs` is whether it differs significantly from 1 (`significant`), and `within`, above 0, the share up to which a
    difference does not matter. A significant difference is reported even if it is smaller.
    """
    if ratio is None:
        return VerdictBasis("unknown", None)
    if differs and ratio.value != 1:
        return VerdictBasis("less" if ratio.value < 1 else "more", None)
    if ratio.low is None or ratio.high is None or ratio.low <= 0:
        return VerdictBasis("unknown", None)
    most = max(ratio.high, 1 / ratio.low) - 1
    return VerdictBasis("same", most) if most <= within else VerdictBasis("unknown", None)
