"""What publications say of messages between cores."""

from __future__ import annotations

from typing import Literal

import msgspec

from intercore.benchmarks.published import Count, Positive, Publication, Text, require_finite


class MessageFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a publication says that a factor does."""

    factor: Text
    """As in the benchmark `message`."""
    measure: Literal["latency", "throughput"]
    best: tuple[Text, ...]
    """The levels that it names as best; none if it does not."""
    worst: tuple[Text, ...]
    text: Text
    """That as a clause, with a full stop."""


class MessageFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of a publication on messages that are in its text, and its findings."""

    relative_error_below: Positive
    """By which fraction its linear model is off, at most."""
    samples: Count
    """For each setting."""
    pilot_samples: Count
    """From which that number was chosen."""
    findings: tuple[MessageFinding, ...]

    def __post_init__(self) -> None:
        """Refuse an infinite error."""
        require_finite(relative_error_below=self.relative_error_below)


class MessagePublication(Publication, frozen=True, kw_only=True, tag="message"):
    """How long messages take between cores, and how well a line describes that."""

    figures: MessageFigures


PUBLICATION = MessagePublication
