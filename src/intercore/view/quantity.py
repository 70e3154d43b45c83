"""Numbers with units, to as many digits as a reader can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.statistics.intervals import Interval

UNKNOWN = "?"
"""Stands for a bound that the data cannot give."""

UNDER_A_TICK = "< tick"
"""Stands for a time that is too short for the clock that it was read from: no time is 0."""

_NEXT_TO_NOTHING = 1e-4
_HUNDREDTHS_SAY = 0.1

_SCALES = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns"))


def duration(us: float) -> str:
    """Return a duration given in µs with three significant digits and the unit that suits it: `1.23 ms`.

    For 0, it states that the time is below the resolution of the clock.
    """
    if us == 0:
        return UNDER_A_TICK
    scale, unit = _scale(us)
    return f"{significant(us / scale)} {unit}"


class Time(msgspec.Struct, frozen=True):
    """A time, in µs and, where the clock counts them, in cycles of the core."""

    us: float
    cycles: float | None

    def __str__(self) -> str:
        """Return it with both units: `12.0 µs (1,500 cycles)`."""
        return duration(self.us) if self.cycles is None else f"{duration(self.us)} ({self.cycles:,.0f} cycles)"


def resolved(us: float, tick_us: float) -> str:
    """Return a difference of times given in µs; `< 8 ns` where it is less than a tick of the clock, of either sign.

    `tick_us`, above 0, is its resolution: for one of several that were timed together, a part of a tick.
    """
    if abs(us) >= tick_us:
        return duration(us)
    scale, unit = _scale(tick_us)
    return f"< {tick_us / scale:.3g} {unit}"


def multiple(ratio: float) -> str:
    """Return how many times as much something is, with two decimals, or two digits where these would say nothing."""
    return significant(ratio, 2) if abs(ratio) < _HUNDREDTHS_SAY and ratio else f"{ratio:.2f}"


def tenths(value: float) -> str:
    """Return a number, at least 0, with one decimal; `<0.1` where that would be 0 and it is not."""
    return "<0.1" if 0 < value < 0.05 else f"{value:.1f}"


def duration_with_bounds(estimate: Interval) -> str:
    """Return a duration given in µs with its interval, if there is one, in the same unit: `1.23 ms (1.20 – 1.31)`."""
    interval = duration_bounds(estimate)
    return f"{duration(estimate.value)} ({interval})" if interval else duration(estimate.value)


def duration_bounds(estimate: Interval) -> str:
    """Return `low – high` of a duration given in µs, in the unit that `duration` writes its value in."""
    scale, _ = _scale(estimate.value)
    return bounds(estimate, lambda us: significant(us / scale))


def rough_time(seconds: float) -> str:
    """Return a time as exact as an estimate can be: `40 s`, `3 min`, `2.5 h`, `3 days`."""
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 1.5 * size:
            number = seconds / size
            return f"{number:.1f} {unit}" if number < 10 else f"{number:.0f} {unit}"
    return f"{seconds:.0f} s"


def data_rate(bytes_per_s: float) -> str:
    """Return a rate with three significant digits and the power of ten that suits it: `1.23 MB/s`."""
    scale, unit = _rate_scale(bytes_per_s)
    return f"{significant(bytes_per_s / scale)} {unit}"


def data_rate_bounds(estimate: Interval) -> str:
    """Return `low – high` of a rate, in the unit that `data_rate` writes its value in."""
    scale, _ = _rate_scale(estimate.value)
    return bounds(estimate, lambda rate: significant(rate / scale))


def _rate_scale(bytes_per_s: float) -> tuple[float, str]:
    known = ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"))
    return next(((scale, unit) for scale, unit in known if bytes_per_s >= 0.9995 * scale), (1.0, "B/s"))


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits and no exponent: `0.0123`, `1.23`, `123`, `12300`."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = digits - 1 - int(f"{rounded:e}".partition("e")[2])
    return f"{rounded:.{max(decimals, 0)}f}"


def percent(fraction: float) -> str:
    """Return a fraction, at least 0, in percent to two digits; what is next to nothing is called so."""
    if 0 < fraction < _NEXT_TO_NOTHING:
        return f"less than {100 * _NEXT_TO_NOTHING:g} %"
    return f"{significant(100 * fraction, 2)} %"


def bounds(estimate: Interval, text: Callable[[float], str]) -> str:
    """Return `low – high` of an interval, each formatted by `text`; empty if neither is known."""
    if estimate.low is None and estimate.high is None:
        return ""
    low, high = (UNKNOWN if bound is None else text(bound) for bound in (estimate.low, estimate.high))
    return f"{low} – {high}"


_PREFIXES = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))


def si(value: float, unit: str) -> str:
    """Return a value with three significant digits and the prefix that suits it: `1.23 mJ`, `45.6 mA`."""
    scale, prefix = _prefix(value)
    return f"{significant(value / scale)} {prefix}{unit}"


def hertz(rate: float) -> str:
    """Return a rate as a person types it: `1 kHz`, `2.5 MHz`, `500 Hz`."""
    scale, prefix = _prefix(rate)
    return f"{rate / scale:g} {prefix}Hz"


def si_with_bounds(estimate: Interval, unit: str) -> str:
    """Return a value with its interval: `1.23 mJ (1.20 – 1.31)`; bounds that read as the value are left out."""
    scale, _ = _prefix(estimate.value)
    span = bounds(estimate, lambda value: significant(value / scale))
    alone = span in ("", f"{significant(estimate.value / scale)} – {significant(estimate.value / scale)}")
    return si(estimate.value, unit) if alone else f"{si(estimate.value, unit)} ({span})"


def _prefix(value: float) -> tuple[float, str]:
    """Return the prefix in which three significant digits read best, and by what it multiplies a unit."""
    for scale, prefix in _PREFIXES:
        if abs(value) >= 0.9995 * scale:
            return scale, prefix
    return _PREFIXES[-1] if value else (1.0, "")


def _scale(us: float) -> tuple[float, str]:
    """Return the unit in which three significant digits read best, and how many µs it has."""
    for scale, unit in _SCALES:
        if abs(us) >= 0.9995 * scale:  # what would be rounded up to 1000 of a unit is 1 of the next
            return scale, unit
    return _SCALES[-1]


# Typeset, for pages


def _set(text: str) -> str:
    """Return a number as it is set in print: with a minus sign, and not torn from its unit at the end of a line."""
    return text.replace("-", "−", 1).replace(" ", "\N{NO-BREAK SPACE}")


FORMATS: dict[str, Callable[[float], str]] = {
    "duration": lambda us: _set(duration(us)),
    "factor": lambda value: f"{value:.3f}",
    "printed": lambda value: f"{value:g}",
    "multiple": multiple,
    "fraction": lambda value: _set(f"{value:.4f}" if abs(value) < 1 else significant(value)),
    "percent": lambda value: _set(f"{100 * value:.1f} %"),
    "count": lambda value: f"{float(significant(value)):,.0f}",
    "cycles": lambda value: _set(f"{float(significant(value, 4)):,.0f} cycles"),
    "exactly": lambda value: f"{value:,}",
    "goal": lambda value: _set(f"{100 * value:.4g} %"),
}
"""How each kind of number is written on a page."""


def span(estimate: Interval, kind: str) -> str:
    """Return the interval in words; empty if neither bound is known. Bounds of one unit name it once."""
    low, high = (None if bound is None else FORMATS[kind](bound) for bound in (estimate.low, estimate.high))
    if low is None or high is None:
        return f"{low} or more" if low else f"{high} or less" if high else ""
    number, space, unit = low.partition("\N{NO-BREAK SPACE}")
    return f"{number if high.endswith(space + unit) else low} {'to' if '−' in low else '–'} {high}"


def shown(estimate: Interval, kind: str) -> str:
    """Return the value with its interval in words behind it, if there is one."""
    interval = span(estimate, kind)
    return FORMATS[kind](estimate.value) + (f" ({interval})" if interval else "")
