"""Published figures of an RP2040, and what the simulated one takes for the same."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Text = Annotated[str, Meta(min_length=1)]
Positive = Annotated[float, Meta(gt=0)]
Category: TypeAlias = Literal[
    "computing from SRAM",
    "computing from flash",
    "floating point in ROM",
    "two cores at once",
    "interrupt latency",
    "flash-cache misses",
    "DMA",
    "pins by SIO",
    "pins by PIO",
    "registers on APB",
    "UART and I2C",
    "SIO FIFO and spinlocks",
    "start of core 1",
    "memcpy in ROM",
    "the divider",
    "flash that is written",
    "the kernel (RTOS)",
]
"""What a time is made of, as far as the model has assumptions of its own on it. Of some there is no figure."""
CATEGORIES: Sequence[Category] = get_args(Category)
Unit: TypeAlias = Literal["cycles", "ns", "us", "ms", "MHz", "1/s", "ratio"]
_MICROSECONDS: Mapping[Unit, float] = {"ns": 1e3, "us": 1.0, "ms": 1e-3}
_RATES: Mapping[Unit, float] = {"MHz": 1.0, "1/s": 1e6}


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who measured, and how."""

    who: Text
    title: Text
    address: Text
    date: Text
    conditions: Text
    """As published: board, clock, compiler, layout, how a time was taken. What is inferred is said to be."""
    unsaid: Text
    """What the source does not say, or what else must be known of it."""


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure that was measured on a board, and which number of which program of ours repeats it."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
    quantity: Text
    category: Category
    published: Positive
    unit: Unit
    measured: Text
    """The program and the name of the number that it prints: `compute: fibonacci(20)`."""
    over: str = ""
    """Of a ratio: the number that is divided by `measured`."""
    per: Annotated[int, Meta(ge=1)] = 1
    """Operations in `measured`; of a ratio, its factor."""
    minus: Annotated[int, Meta(ge=0)] = 0
    """Cycles in `measured` that are not of the quantity."""
    window: Annotated[int, Meta(ge=0)] = 0
    """If `measured` is a number of events: in how many cycles."""
    clock_mhz: Positive = 125.0
    """The board's clock."""
    cause: str = ""
    """The likely cause of a difference, or what else must be known of it, in Markdown."""
    decided: str = ""
    """The constant of the model that was taken from this figure, which therefore checks nothing."""


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of one source."""

    source: Source
    figure: Annotated[tuple[Figure, ...], Meta(min_length=1)]


class LeftOut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published figure that is not compared."""

    what: Text
    where: str
    why: Text


class Compared(msgspec.Struct, frozen=True):
    """A figure with its simulated value."""

    figure: Figure
    source: Source
    simulated: float
    """In the figure's unit."""

    @property
    def difference(self) -> float:
        """The simulated value as a part of the published one, minus 1."""
        return self.simulated / self.figure.published - 1


def value(figure: Figure, numbers: Mapping[str, int]) -> float:
    """Return what numbers that our programs printed, by program and name, make in the unit of the figure."""
    number = numbers[figure.measured]
    if figure.unit == "ratio":
        return figure.per * numbers[figure.over] / number
    if figure.window:
        return number / figure.window * figure.clock_mhz * _RATES[figure.unit]
    cycles = (number - figure.minus) / figure.per
    if figure.unit == "cycles":
        return cycles
    if figure.unit in _RATES:
        return figure.clock_mhz / cycles * _RATES[figure.unit]
    return cycles / figure.clock_mhz * _MICROSECONDS[figure.unit]


def compare(published: Sequence[Published], numbers: Mapping[str, int]) -> list[Compared]:
    """Return all figures with their simulated values, by category."""
    found = [Compared(one, part.source, value(one, numbers)) for part in published for one in part.figure]
    return sorted(found, key=lambda one: CATEGORIES.index(one.figure.category))


@cache
def published() -> tuple[Published, ...]:
    """Return the published figures."""
    folder = files("intercore.accuracy") / "published"
    return tuple(
        msgspec.convert(tomllib.loads(file.read_text("utf-8")), Published)
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".toml")
    )


@cache
def left_out() -> tuple[LeftOut, ...]:
    """Return the figures that are not compared."""
    return msgspec.convert(_data("left_out.toml")["left_out"], tuple[LeftOut, ...])


class Simulated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What our programs printed when they were run last."""

    compiler: Text
    """The version of the compiler that made them."""
    programs: dict[str, dict[str, int]]
    """Numbers by program and name."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The numbers, as a figure names them: `compute: fibonacci(20)`."""
        return {f"{program}: {name}": one for program, own in self.programs.items() for name, one in own.items()}


def simulated() -> Simulated:
    """Return the numbers of last time."""
    return msgspec.convert(_data("simulated.toml"), Simulated)


@cache
def compared() -> tuple[Compared, ...]:
    """Return all figures with the simulated values of last time."""
    return tuple(compare(published(), simulated().numbers))


def _data(name: str) -> Any:  # noqa: ANN401 - checked where it is used
    return tomllib.loads((files("intercore.accuracy") / name).read_text("utf-8"))
