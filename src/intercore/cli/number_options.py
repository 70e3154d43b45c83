"""Numeric options and arguments: parsed strictly, with errors that name the option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

import typer

from intercore.errors import UsageError
from intercore.text import decimal_number, percentage, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typer.models import OptionInfo

_QUANTITIES: Mapping[str, tuple[str, Mapping[str, float], str]] = {
    "Hz": ("a rate such as 1kHz or 500Hz", {"kHz": 1e3, "MHz": 1e6, "GHz": 1e9, "Hz": 1.0}, "RATE"),
    "us": ("a time such as 50us or 1.5ms", {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}, "TIME"),
}
"""What is typed, the units from the longest on, and what help calls it."""
MOST_SECONDS = 1e6
"""Eleven days: below the limit of the timers of every operating system."""

Number = TypeVar("Number", int, float)


def whole_option(name: str, least: int, most: int, text: str, metavar: str = "") -> OptionInfo:
    """Return the option `name` for a whole number from `least` to `most`; `text` is its help."""
    reader = _reader(name, whole_number, "a whole number", least, most)
    return _option(name, reader, metavar or f"<{least} to {most}>", text)


def seconds_option(name: str, least: float, text: str) -> OptionInfo:
    """Return the option `name` for a time of `least` seconds or more; `text` is its help."""
    reader = _reader(name, decimal_number, "a number of seconds, such as 30 or 0.5,", least, MOST_SECONDS)
    return _option(name, reader, "<seconds>", text)


class Share(float):
    """The default of an option for a share, which its help shows as a percentage."""

    def __str__(self) -> str:
        """Write `5%` for 0.05."""
        return f"{100 * self:g}%"


def percent_option(name: str, text: str, *, zero: bool = False, whole: bool = True) -> OptionInfo:
    """Return the option `name` for a share from 0 to 1, typed as `5%` or `0.05`; `text` is its help.

    `zero` and `whole` state whether the share may be 0 and 1.
    """

    def share(given: str | float) -> float:
        if not isinstance(given, str):
            return float(given)  # a plain number, not a Share
        number = decimal_number(given)
        value = _percentage(given) if number is None else number
        if value is None:
            raise UsageError(f"{name} must be a percentage such as 5%, or a fraction such as 0.05, not '{given}'")
        if number is not None and 1 <= number <= 100:
            instead = f"{number / 100:g}" if number > 1 else "100%"
            raise UsageError(f"{name}={given} is not a percentage: write {given}% or {instead}")
        if not 0 <= value <= 1 or (value == 0 and not zero) or (value == 1 and not whole):
            least, most = "from 0%" if zero else "above 0%", "100%"
            most = f"{'to' if zero else 'and at most'} {most}" if whole else f"and below {most}"
            raise UsageError(f"{name}={given} is out of range: it must be {least} {most}")
        return value

    return _option(name, share, "PERCENT", text)


def quantity_option(name: str, unit: Literal["Hz", "us"], most: float, text: str) -> OptionInfo:
    """Return the option `name` for a rate or time above 0, typed as `1kHz`, `50us` or a number in `unit`."""
    what, scales, metavar = _QUANTITIES[unit]

    def quantity(given: str | float) -> float:
        if not isinstance(given, str):
            return given
        bare = given.strip()
        suffix = next((known for known in scales if bare.endswith(known)), "")
        value = decimal_number(bare.removesuffix(suffix).rstrip())
        if value is None:
            raise UsageError(f"{name} must be {what}, not '{given}'")
        value *= scales.get(suffix, 1.0)
        if not 0 < value <= most:
            raise UsageError(f"{name}={given} is out of range: it must be above 0 and at most {most:.12g} {unit}")
        return value

    made: OptionInfo = typer.Option(name, parser=quantity, metavar=metavar, help=text, show_default=False)
    return made


def _percentage(given: str) -> float | None:
    """Return a percentage, which may be negative here, as a fraction of 1; None if the text is not one."""
    found = percentage(given.strip().removeprefix("-"))
    return -found if found is not None and given.strip().startswith("-") else found


def run_number(text: str | int) -> int:
    """Parse the number of a run. Raises UsageError if it is not one."""
    return _reader("RUN", whole_number, "the number of a stored run, such as 3,", None, None)(text)


def _option(name: str, reader: Callable[[str | Number], Number], metavar: str, text: str) -> OptionInfo:
    made: OptionInfo = typer.Option(name, parser=reader, metavar=metavar, help=text)
    return made


def _reader(
    name: str, read: Callable[[str], Number | None], what: str, least: Number | None, most: Number | None
) -> Callable[[str | Number], Number]:
    """Return a parser for a number of a kind and range; it passes on a number as it is, such as a default."""

    def number(text: str | Number) -> Number:
        if not isinstance(text, str):
            return text
        value = read(text)
        if value is None:
            raise UsageError(f"{name} must be {what} not '{text}'")
        if least is not None and most is not None and not least <= value <= most:
            raise UsageError(f"{name}={text} is out of range: it must be from {least:.12g} to {most:.12g}")
        return value

    return number
