"""The address of a meter, such as `ppk2:/dev/ttyACM1?volts=3.3&mark=D0`: kind, place and options."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from urllib.parse import unquote

import msgspec

from intercore.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 1e9


class Address(msgspec.Struct, frozen=True):
    """A parsed address."""

    text: str
    """The address as the user gave it."""
    scheme: str
    place: str
    """The place of the meter; empty if the kind is sufficient."""
    options: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parse an address; raises UsageError if it has no kind, or a malformed option."""
        scheme, colon, rest = text.partition(":")
        if not colon or not scheme.isascii() or not scheme.isalnum():
            raise UsageError(
                f"'{text}' is not the address of a meter: write KIND:PLACE, such as 'ppk2:/dev/ttyACM1'. Some kinds "
                "need no place, such as 'rapl:'"
            )
        place, _, query = rest.partition("?")
        options: dict[str, str] = {}
        for word in query.split("&") if query else ():
            name, equals, value = word.partition("=")
            if not equals or not name or not value:
                raise UsageError(
                    f"{text}: '{word}' is not an option of a meter: write options as NAME=VALUE, such as volts=3.3, "
                    "with & between options"
                )
            if name in options:
                raise UsageError(f"{text}: the option {name} appears twice: remove one of the two")
            options[name] = unquote(value)
        return cls(text, scheme.lower(), unquote(place), options)

    def check(self, known: tuple[str, ...]) -> None:
        """Raise UsageError if it has an option that its kind does not support."""
        for name in self.options:
            if name not in known:
                raise UsageError(
                    f"{self.text}: {unknown('option', name, known or ('none',), 'this kind of meter has')}"
                )

    def number(self, name: str, default: float | None = None, *, low: float = 0.0, high: float = _LARGEST) -> float:
        """Return an option above `low` and at most `high`.

        Raises UsageError if it is invalid, or missing without a default.
        """
        text = self.options.get(name)
        if text is None:
            if default is None:
                raise UsageError(
                    f"{self.text}: the option {name} is missing: add {'&' if self.options else '?'}{name}=…"
                )
            return default
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low < value <= high:
            raise UsageError(
                f"{self.text}: {name}={text} is out of range: the value must be a number above {low:g} and at most "
                f"{high:g}"
            )
        return value
