"""The user's options of reports: those that benchmarks declare, that of energy and the rate.

Callers pass them on without knowing their meaning.
"""

from __future__ import annotations

from intercore.benchmarks import registry
from intercore.benchmarks.benchmark import AS_USUAL, Option, View
from intercore.errors import UsageError

MOST = 1e9
"""Of a rate in Hz, or of a time in µs."""
IDLE = Option(
    "idle",
    default=0.0,
    help="Share of the idle power to subtract from the energy of each operation, from 0% (none) to 100% (all).",
    ends=True,
)
"""Of energy, whatever the benchmark."""
RATE = Option(
    "rate",
    default=0.0,
    help="Also report which part of each core messages and kernel calls take that happen this often, e.g. 1kHz.",
    unit="Hz",
)
"""Of all that takes a core's time."""


class Options:
    """The chosen options, checked; others have their defaults."""

    def __init__(self, view: View = AS_USUAL, **chosen: float) -> None:
        """Raise UsageError for a number that is out of its option's range, TypeError for what is no option."""
        self.view = view
        if unexpected := chosen.keys() - {option.name for option in known()}:
            raise TypeError(f"no benchmark has these options: {', '.join(sorted(unexpected))}")
        for option in known():
            value = chosen.get(option.name, option.default)
            most = MOST if option.unit else 1.0
            if not (0 <= value <= most if option.ends or option.unit else 0 < value < most):
                limits = f"from 0 to {most:g}" if option.ends or option.unit else "above 0 and below 1"
                raise UsageError(f"{option.name}={value:g} is out of range: it must be {limits}")
        self._chosen = chosen

    def viewed(self, view: View) -> Options:
        """Return the same with curves drawn in another way."""
        return Options(view, **self._chosen)

    def of(self, option: Option) -> float:
        """Return the value of an option."""
        return self._chosen.get(option.name, option.default)


def known() -> tuple[Option, ...]:
    """Return the options of all benchmarks, that of energy, and the rate."""
    return (*(one.option for one in registry.known() if one.option is not None), IDLE, RATE)
