"""How a number of a run is held against what a publication finds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from intercore.statistics.intervals import Interval
from intercore.view.quantity import bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.benchmarks.published import Scope
    from intercore.view.exhibit import Outcome


class Said(NamedTuple):
    """What a run says of a finding."""

    outcome: Outcome
    because: str
    """The numbers that say so, or why the run cannot tell: a sentence."""


def cannot_tell(why: str) -> Said:
    """Return that a run says nothing of a finding."""
    return Said("cannot tell", why)


def within_scope(scope: Scope, said: tuple[Outcome, str], chip: str, kernel: str = "") -> Said:
    """Return what a run says of a finding as far as its target lets it, by the finding's scope.

    `chip` names a chip that is not the publication's, and `kernel` says why the run tells nothing of its kernel; both
    are empty otherwise. What is said of a kernel is not tried without it. What is said of one chip is neither confirmed
    nor refuted by another one, whose numbers are shown all the same; nor is a pattern refuted that it does not show.
    What is general may be told anywhere.
    """
    known = Said(*said)
    if scope == "kernel" and kernel:
        return cannot_tell(kernel)
    if not chip or known.outcome == "cannot tell":
        return known
    if scope == "chip":
        return cannot_tell(f"{known.because} This is said of the publication's chip: another one, {chip}, cannot tell.")
    if scope == "pattern" and known.outcome == "contradicts":
        return cannot_tell(f"Not so on {chip}, which is another chip. {known.because}")
    return known


def outcome(known: Interval, *, least: float = -math.inf, most: float = math.inf) -> Outcome:
    """Return whether a number is what a publication says: at least and at most so much.

    Its interval decides: all of it within the bounds agrees, all of it beyond one of them contradicts. An interval
    that holds a bound cannot tell, nor can a number without an interval.
    """
    if known.low is None or known.high is None:
        return "cannot tell"
    if known.high < least or known.low > most:
        return "contradicts"
    return "agrees" if least <= known.low and known.high <= most else "cannot tell"


def quotient(first: Interval, second: Interval) -> Interval:
    """Return one number above 0 over another one, as far as their intervals tell: no narrower than it is known."""
    if first.low is None or first.high is None or not second.low or second.high is None:
        return Interval(first.value / second.value)
    return Interval(first.value / second.value, first.low / second.high, first.high / second.low)


def difference(first: Interval, second: Interval) -> Interval:
    """Return one number less another one, likewise."""
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Interval(value)
    return Interval(value, first.low - second.high, first.high - second.low)


def in_words(known: Interval, text: Callable[[float], str], unit: str = "") -> str:
    """Return a number with its interval: `1.90 (1.85 – 1.95)`; bounds that read as the value are left out."""
    value = text(known.value)
    span = bounds(known, text)
    return f"{value}{unit}" + ("" if span in ("", f"{value} – {value}") else f" ({span})")
