"""A table of a TOML file whose values are validated when read; errors have file and line."""

from __future__ import annotations

import difflib
import tomllib
from typing import TYPE_CHECKING, Any, NoReturn

from intercore.campaign.toml_location import line_of, lines_of_list, syntax_error
from intercore.errors import UsageError
from intercore.files import bounds
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from intercore.files import bounds
from intercore.campaign.toml_location import Location

_MISSING = object()
_KINDS: Mapping[type, str] = {list: "list", dict: "table"}


class TomlTable:
    """A table with its location."""

    def __init__(self, name: str, text: str, values: Mapping[str, Any], location: Location = ()) -> None:
        """Use the table at a location in the text of the file `name`; by default, the whole file."""
        self.name = name
        self.text = text
        self.values = values
        self.location = location

    def refuse(self, sentence: str, *inside: str | int) -> NoReturn:
        """Raise a UsageError with the line of the table, or of a value `inside` it."""
        raise UsageError(f"{self.name}:{line_of(self.text, (*self.location, *inside))}: {sentence}")

    def check_keys(self, known: Iterable[str], elsewhere: Callable[[str], str] = lambda _: "") -> None:
        """Raise UsageError for an unknown key.

        `elsewhere` returns where a key belongs if not here, as the end of a sentence; empty if that is unknown.
        """
        for key in self.values:
            if key in known:
                continue
            near = difflib.get_close_matches(key, known, n=1)
            if near:
                hint = f"; did you mean '{near[0]}'?"
            elif where := elsewhere(key):
                hint = f" here: {where}"
            else:
                hint = f"; known: {', '.join(known)}"
            self.refuse(f"unknown key '{key}'{hint}", key)

    def inner(self, values: Mapping[str, Any], *inside: str | int) -> TomlTable:
        """Return a nested table."""
        return TomlTable(self.name, self.text, values, (*self.location, *inside))

    def tables(self, key: str, example: str) -> list[TomlTable]:
        """Return a required list of tables, such as `[[target]]`."""
        found = self.values.get(key)
        if not isinstance(found, list) or not found or not all(isinstance(table, dict) for table in found):
            wrong = (
                f"the plan has no {key}: add" if key not in self.values else f"{key} must be a list of tables: write"
            )
            self.refuse(f"{wrong} the line [[{key}]] and, below it, for example, {example}", key)
        return [self.inner(table, key, at) for at, table in enumerate(found)]

    def lines_of_list(self, key: str) -> list[int]:
        """Return the line of each value of a list."""
        return lines_of_list(self.text, (*self.location, key))

    def required(self, key: str) -> str:
        """Return a required string."""
        if key not in self.values:
            self.refuse(f"the key {key} is missing: add {key} = …")
        found = self.string(key)
        if not found:
            self.refuse(f"{key} is empty", key)
        return found

    def string(self, key: str) -> str | None:
        """Return a string; None if it is missing."""
        found = self.values.get(key)
        if found is not None and not isinstance(found, str):
            self.refuse(f"{key} must be a string in quotes, not {shown(found)}", key)
        if found is not None and (found != printable(found) or "\n" in found):
            self.refuse(f"{key} contains a control character: {found!a}", key)
        return found

    def boolean(self, key: str, *, default: bool) -> bool:
        """Return a boolean; `default` if it is missing."""
        found = self.values.get(key, default)
        if not isinstance(found, bool):
            self.refuse(f"{key} must be true or false", key)
        return found

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        """Return a whole number in a range; `default` if it is missing."""
        found = self.values.get(key, _MISSING)
        if found is _MISSING:
            return default
        if isinstance(found, bool) or not isinstance(found, int):
            self.refuse(f"{key} must be a whole number, not {shown(found)}", key)
        if not least <= found <= most:
            self.refuse(f"{key}={found} is out of range: it must be from {least} to {most}", key)
        return found


def parsed(text: str, name: str, kind: str = "plan file") -> TomlTable:
    """Parse a TOML text; `name` is that of the file, `kind` its kind. Raises UsageError if it is invalid."""
    try:
        return TomlTable(name, text, bounds.toml(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(syntax_error(error, name, text)) from None
    except ValueError as error:
        raise UsageError(f"{name} is not a valid {kind}: {error}") from None


def shown(value: object) -> str:
    """Return a value as in TOML, or the name of its type."""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, int | float | str) else f"a {_KINDS.get(type(value), 'date or time')}"
