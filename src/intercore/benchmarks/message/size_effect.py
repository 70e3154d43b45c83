"""The time per byte of a message, and whether it is significant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from intercore.benchmarks.message.curve import HELD_OUT_AIM
from intercore.statistics.line import ENOUGH
from intercore.view.quantity import significant

if TYPE_CHECKING:
    from intercore.statistics.line import Piece

SizeEffect: TypeAlias = Literal["some", "none", "cannot tell"]

_LEAST_NS = 0.0005  # per byte: below, what a line has is rounding, and 0 is what it means


def size_effect(piece: Piece) -> SizeEffect:
    """Return whether the size makes a difference over the sizes of a line.

    There is none if, by the line, all sizes take the same time to 1 %; or if its slope is not significant, and its
    effect is within the aim of predictions (HELD_OUT_AIM).
    """
    slope = piece.slope
    ends = [slope.value] if slope.low is None or slope.high is None else [slope.low, slope.high]
    span = piece.high - piece.low
    shortest = min(piece.at(piece.low)[0], piece.at(piece.high)[0])
    most = max(abs(end) for end in ends) * span
    if most <= ENOUGH * shortest:
        return "none"
    if slope.value > 0 and min(ends) > 0:
        return "some"
    return "none" if most <= HELD_OUT_AIM * shortest else "cannot tell"


def ns_per_byte(slope: float) -> str:
    """Return a slope given in ns per byte to three digits; `0` for one that is there by rounding only."""
    return significant(slope) if abs(slope) >= _LEAST_NS else "0"
