"""What fits on one screen, by how much it matters."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.terminal.findings import Sentence
from intercore.text import listed, plural
from intercore.view.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.terminal.findings import Part, Row

_LINES = 39
"""Of one screen, without the name of the page below, or the command."""
_COLUMNS = 80


@dataclass(frozen=True)
class Weighed:
    """A part of what people read, and how much it matters; one of infinite weight is always shown."""

    part: Part
    weight: float = math.inf


def on_one_screen(parts: Sequence[Weighed]) -> list[Part]:
    """Return what one screen has room for, in this order: what matters most of it."""
    from intercore.terminal.formats.table import height  # noqa: PLC0415 - it loads rich, as intercore.terminal.console says

    room = _LINES
    shown: set[int] = set()
    for number in sorted(range(len(parts)), key=lambda one: -parts[one].weight):
        lines = height([parts[number].part], _COLUMNS)
        if parts[number].weight == math.inf or lines <= room:
            shown.add(number)
            room -= lines
    return [one.part for number, one in enumerate(parts) if number in shown]


@dataclass(frozen=True)
class Screenful:
    """An analysis of which people read one screen."""

    analysis: object
    flat: Sequence[Row]
    parts: Sequence[Weighed]
    rest: str
    """How to see what is left out."""

    def document(self) -> object:
        """Return the analysis."""
        return self.analysis

    def rows(self) -> Sequence[Row]:
        """Return the analysis as rows."""
        return self.flat

    def text(self) -> Iterator[Part]:
        """Yield what fits, and say what does not."""
        shown = on_one_screen([*self.parts, Weighed(Sentence(self._without([])))])[:-1]
        yield from shown
        if len(shown) < len(self.parts):
            yield Sentence(self._without(shown))

    def _without(self, shown: Sequence[Part]) -> str:
        left = [one.part for one in self.parts if one.part not in shown]
        tables = [re.split("[,;:]", part.title)[0].lower() for part in left if isinstance(part, Table)]
        sentences = [plural(count, "more sentence")] if (count := len(left) - len(tables)) else []
        return f"{self.rest}: {listed([*tables, *sentences])}."
