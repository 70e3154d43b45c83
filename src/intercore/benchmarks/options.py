"""What a user may choose of a report: each benchmark declares its options in `options.py` of its folder, as `OPTIONS`.

Whoever asks for reports carries what was chosen and need not know what it means.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from intercore.benchmarks import registry
from intercore.errors import UsageError


@dataclass(frozen=True)
class Option:
    """A number that a report depends on and that says nothing about what is measured."""

    name: str
    """As on the command line, without the dashes; it reaches `report` under that name."""
    default: float
    above: float
    """What it must exceed."""
    below: float
    """What it must not reach."""
    help: str


class Options:
    """What was chosen, checked; what was not named has its default."""

    def __init__(self, **chosen: float) -> None:
        """Raise UsageError for a number that is out of its option's range, TypeError for what is no option."""
        if unexpected := chosen.keys() - {option.name for option in known()}:
            raise TypeError(f"no benchmark has these options: {', '.join(sorted(unexpected))}")
        for option in known():
            value = chosen.get(option.name, option.default)
            if not option.above < value < option.below:
                raise UsageError(
                    f"--{option.name}={value} is out of range: above {option.above:g} and below {option.below:g}, "
                    f"e.g. {option.default:g}"
                )
        self._chosen = chosen

    def of(self, benchmark: str) -> dict[str, float]:
        """Return the options of one benchmark, by name."""
        return {option.name: self._chosen.get(option.name, option.default) for option in of(benchmark)}


ENERGY = "energy"
"""What is said of energy has options, too, whatever the benchmark."""
_OF_ENERGY = (
    Option(
        "idle",
        0.0,
        -1e-9,
        1 + 1e-9,
        "Part of the power at rest to subtract from energy per operation: 0 none, 1 all of it.",
    ),
)


@cache
def of(benchmark: str) -> tuple[Option, ...]:
    """Return the options that a benchmark declares."""
    if benchmark == ENERGY:
        return _OF_ENERGY
    module = registry.module(benchmark, "options")
    declared: tuple[Option, ...] = () if module is None else module.OPTIONS
    return declared


def known() -> tuple[Option, ...]:
    """Return the options of all benchmarks, and those of energy."""
    return tuple(option for benchmark in (*registry.names(), ENERGY) for option in of(benchmark))
