"""Claims of publications on messages between cores."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Claim, Count, Positive, Publication, Text, require_finite

Meaning: TypeAlias = Literal[
    "optimisation", "shared-memory", "slower-clock", "faster-clock", "instruction-cache", "data-cache"
]
"""A factor, independent of its name on a target."""


class MessageFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The effect of a factor according to a publication."""

    claim: Text
    """The claim's `id`."""
    about: Annotated[tuple[Meaning, ...], Meta(min_length=1)]
    """The factors."""
    measures: Annotated[tuple[Literal["latency", "throughput"], ...], Meta(min_length=1)]
    best: tuple[Text, ...] = ()
    """The levels that it names as best; none if it does not."""
    worst: tuple[Text, ...] = ()
    direction: Literal["to-slower", "to-faster"] | None = None
    """To which core, if it speaks of messages to one of two that differ."""


class MessageFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of a publication on messages that are in its text, and its findings."""

    relative_error_below: Positive
    """By which fraction its linear model is off, at most."""
    samples: Count
    """For each setting."""
    pilot_samples: Count
    """From which that number was chosen."""
    slower_core: Annotated[int, Meta(ge=0)]
    """Number of the slower core of its chip, as our board has it."""
    findings: tuple[MessageFinding, ...]

    def __post_init__(self) -> None:
        """Refuse an infinite error."""
        require_finite(relative_error_below=self.relative_error_below)


class MessagePublication(Publication, frozen=True, kw_only=True, tag="message"):
    """How long messages take between cores, and how well a line describes that."""

    figures: MessageFigures

    def claim(self, finding: MessageFinding) -> Claim:
        """Return the claim that a finding belongs to."""
        return next(one for one in self.claims if one.id == finding.claim)
