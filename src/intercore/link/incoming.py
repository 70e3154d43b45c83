"""The received and the missing lines of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from intercore.files.bounds import OTHER_LINES, Bound
from intercore.link.port import ProtocolError
from intercore.link.protocol import End, Events, Numbered, Samples

MAX_RANGES = 8
"""Ranges of lines per request: where bytes are lost, a short command gets through and a long one never does."""
RANGE_GAP = 4
"""Good lines between two missing ones that are requested again to keep the command short."""


@dataclass
class Incoming:
    """The received lines of an answer."""

    most: Bound = OTHER_LINES
    """Most lines other than samples and events, whose number is bounded by MAX_LINES."""
    lines: dict[int, Numbered] = field(default_factory=dict)
    others: int = 0
    """Number of such lines received."""
    highest: int = -1
    last: int | None = None
    """Number of the last line, known once `end` has arrived."""
    count_when_asked: int = 0
    in_vain: int = 0
    """Consecutive requests that brought no new line."""

    @property
    def complete(self) -> bool:
        """Whether no line is missing."""
        return self.last is not None and len(self.lines) == self.last + 1

    def add(self, line: Numbered) -> bool:
        """Add a line; return whether it is new."""
        if line.i in self.lines:
            return False
        if self.last is not None and line.i > self.last:
            raise ProtocolError(
                f"the target sent line {line.i} of an answer that ends with line {self.last}: rebuild the target's "
                "firmware with this version of the tool"
            )
        if isinstance(line, End):
            if line.i < self.highest:
                raise ProtocolError(
                    f"the target sent line {self.highest} of an answer that ends with line {line.i}: rebuild the "
                    "target's firmware with this version of the tool"
                )
            self.last = line.i
        self.others += not isinstance(line, Samples | Events)
        if self.others > self.most.most:
            raise ProtocolError(
                f"the target answers with more than {self.most}, the limit of the protocol: rebuild the target's "
                "firmware with this version of the tool"
            )
        self.lines[line.i] = line
        self.highest = max(self.highest, line.i)
        return True

    def note_asked(self) -> None:
        """Note that lines are requested."""
        self.in_vain = self.in_vain + 1 if len(self.lines) == self.count_when_asked else 0
        self.count_when_asked = len(self.lines)

    def missing(self) -> list[tuple[int, int | None]]:
        """Return the first ranges of missing lines. While the end is unknown, the last range has no last line."""
        ranges: list[tuple[int, int]] = []
        for i in range(self.highest + 1):
            if i in self.lines:
                continue
            if ranges and i - ranges[-1][1] <= RANGE_GAP:
                ranges[-1] = (ranges[-1][0], i)
            elif len(ranges) == MAX_RANGES:
                break
            else:
                ranges.append((i, i))
        return [*ranges] if self.last is not None else [*ranges, (self.highest + 1, None)]
