"""The screen of `intercore validate`: each quantity on both, and the suspects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intercore.terminal.findings import Caution, Sentence
from intercore.validate.costs import BY_NAME, MOST_ALTERED, NOT_TOLD_APART
from intercore.validate.quantities import QUANTITIES
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.terminal.findings import Part, Row
    from intercore.validate.explanation import Suspect
    from intercore.validate.quantities import Quantity
    from intercore.validate.result import Compared, Validation

_CALLED = {"board": "board", "simulated board": "SIMULATED board"}


@dataclass(frozen=True)
class ValidationFindings:
    """What a validation, of this machine's or of a file, shows."""

    found: Validation
    first: str = ""
    """What must be known before any number is read."""

    def document(self) -> object:
        """Return the validation, as its file has it, and the suspects."""
        return {"validation": self.found, "suspects": [one._asdict() for one in self.found.suspects()]}

    def rows(self) -> Sequence[Row]:
        """Return the quantities as rows."""
        return [
            {
                "origin": self.found.origin,
                "quantity": one.quantity,
                "compared_cycles": one.compared,
                "simulated_cycles": one.simulated,
                "difference_cycles": one.difference,
            }
            for one in self.found.quantities
        ]

    def text(self) -> Iterator[Part]:
        """Yield the quantities, then what would explain their differences."""
        if self.first:
            yield Caution(self.first)
        yield from self._parts()

    def section(self) -> Section:
        """Return the same for a page, with what the program says of itself and its chip."""
        parts = list(self._parts())
        columns: list[Column[tuple[str, str]]] = [
            Column("condition", lambda pair: pair[0]),
            Column("value", lambda pair: pair[1]),
        ]
        said = Table("What the program says of itself and its chip", sorted(self.found.conditions.items()), columns)
        return Section(
            f"A {_CALLED[self.found.origin]} against its model",
            [part.text for part in parts if isinstance(part, Sentence)],
            [*(part for part in parts if isinstance(part, Table)), said],
        )

    def _parts(self) -> Iterator[Sentence | Table[Any]]:
        called = _CALLED[self.found.origin]
        pairs = list(zip(QUANTITIES, self.found.quantities, strict=True))
        columns: list[Column[tuple[Quantity, Compared]]] = [
            Column("in cycles", lambda pair: pair[0].what),
            Column(called, lambda pair: _cycles(pair[1].compared), right=True),
            Column("model", lambda pair: _cycles(pair[1].simulated), right=True),
            Column("difference", lambda pair: _difference(*pair), right=True),
        ]
        yield Table(f"A {called} and its SIMULATED model", pairs, columns)
        if all(abs(one.difference) <= quantity.floor for quantity, one in pairs):
            yield Sentence("No difference is larger than what the phases of a program make: nothing is suspect.")
        else:
            yield self._suspects()
            yield Sentence(
                "A suspect is an assumption of docs/simulator.md. `needed` are the fewest that explain the "
                "differences; the others could do so only in part."
            )
        yield Sentence(f"What cannot be told apart here: {NOT_TOLD_APART}.")

    def _suspects(self) -> Table[Suspect]:
        ranked = self.found.suspects()
        shown = [one for one in ranked if one.needed or one.explains > 0.001][:MOST_ALTERED]
        columns: list[Column[Suspect]] = [
            Column("suspect", lambda one: BY_NAME[one.name].what),
            Column("assumed", lambda one: f"{BY_NAME[one.name].assumed:,}", right=True),
            Column("instead", lambda one: _instead(one.instead), right=True),
            Column("unit", lambda one: BY_NAME[one.name].unit),
            Column("", lambda one: "needed" if one.needed else ""),
        ]
        return Table("What would explain the differences, the most suspect first", shown, columns)


def _cycles(value: float) -> str:
    return f"{value:,.1f}" if value < 10_000 else f"{value:,.0f}"


def _difference(quantity: Quantity, one: Compared) -> str:
    if abs(one.difference) <= quantity.floor:
        return "~"
    return f"{one.difference:+,.1f}" if abs(one.difference) < 10_000 else f"{one.difference:+,.0f}"


def _instead(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value + 0.0:.1f}"
