"""The recording of a power meter during a measurement: the types that meters, store, analysis and view share.

A recording belongs to a measurement, in addition to its samples of time. It is complete or states why it is missing;
the samples of time exist in either case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

Besides: TypeAlias = Literal["chip", "regulator", "led", "usb-bridge", "idle-board"]
"""A meter's path: the chip alone, or more than the chip."""

CHIP: Besides = "chip"


class Window(msgspec.Struct, frozen=True):
    """A span of time whose energy is asked for: the target held the mark high for it."""

    label: str
    """What was at work: `task0, main`."""
    seconds: float | None
    """Its length by the target's clock, above 0; None if only the mark gives it."""
    operations: float
    """How many operations were done in it; 0 if unknown."""
    operation: str
    """What one is: `tower`, `message`, `wake-up`."""
    work: str
    """What the same work is that windows are compared by: equal for windows whose operations are the same."""
    cores: int
    """How many cores did it, at least 1."""
    gap_s: float | None = None
    """Approximate time from the end of the previous window to its beginning; None if unknown. For the first one of a
    measurement, since the measurement was requested."""
    slack_s: float = 0.0
    """By how much that may be off, to either side."""
    whole: bool = False
    """Whether it is all for which the mark was high in a measurement, however many pulses that was."""

    def slack(self, most: float) -> float:
        """Return `slack_s`, but no more than a part of the window's length."""
        return self.slack_s if self.seconds is None else min(self.slack_s, most * self.seconds)


class Trace(msgspec.Struct, frozen=True, eq=False):
    """What a meter sampled, by its own clock. All arrays have one length; of amps and watts, one is there at least."""

    seconds: Floats
    """The middle of the time that each sample stands for, ascending, since some moment."""
    amps: Floats | None = None
    volts: Floats | None = None
    watts: Floats | None = None
    """None where they are amps times volts."""
    mark: Flags | None = None
    """Level of the mark; None where the meter does not see it."""
    widths: Floats | None = None
    """The time that each sample stands for, s, where the meter knows it; they join without gaps. None where that is
    half-way to its neighbours."""

    @property
    def power(self) -> Floats:
        """Watts, as sampled or as amps times volts; ValueError if neither is known."""
        if self.watts is not None:
            return self.watts
        if self.amps is None or self.volts is None:
            raise ValueError("neither the power nor the voltage of the recording is known")
        found: Floats = self.amps * self.volts
        return found

    @property
    def interval_s(self) -> float:
        """Usual time between samples; of fewer than two, 0."""
        return float(np.median(np.diff(self.seconds))) if len(self.seconds) > 1 else 0.0

    @property
    def spans_s(self) -> Floats:
        """The time that each sample stands for, in s."""
        found: Floats = np.diff(self.bounds)
        return found

    @property
    def bounds(self) -> Floats:
        """Where the time of each sample begins, and where that of the last one ends; of two samples at least."""
        if self.widths is not None:
            return np.append(self.seconds - self.widths / 2, self.seconds[-1] + self.widths[-1] / 2)
        middles = (self.seconds[:-1] + self.seconds[1:]) / 2
        first, last = 2 * self.seconds[0] - middles[0], 2 * self.seconds[-1] - middles[-1]
        return np.concatenate(([first], middles, [last]))

    def between(self, begin: float, end: float) -> Trace:
        """Return the part of it from one moment of its clock to another."""
        low, high = np.searchsorted(self.seconds, (begin, end))

        def cut(values: NDArray[np.generic] | None) -> NDArray[np.generic] | None:
            return None if values is None else values[low:high]

        return Trace(*(cut(getattr(self, name)) for name in Trace.__struct_fields__))  # type: ignore[arg-type]


class Reading(msgspec.Struct, frozen=True):
    """What somebody read off a meter during one window."""

    amps: float
    step: float
    """The last digit that the meter shows, A."""
    volts: float


class Activity(msgspec.Struct, frozen=True):
    """What a simulated chip did in one window, in cycles of its clock."""

    cycles: int
    """From the rise of the mark to its fall."""
    awake: tuple[int, ...]
    """Of them, those in which each core was awake."""
    hz: int
    """Cycles per second."""


class Currents(msgspec.Struct, frozen=True):
    """What a chip takes in each state: to make an estimate of what a simulated one did. Linear in the clock's rate."""

    name: str
    """Which chip, and by which figures."""
    volts: float
    """Of the supply that the currents are of."""
    both: tuple[float, float]
    """With both cores active: mA, and mA per MHz."""
    one: tuple[float, float]
    """With one."""
    asleep: tuple[float, float]
    """With none."""
    source: str
    """Where the figures are from."""
    leaves_out: str = ""
    """What they do not hold."""


Kind: TypeAlias = Literal["sampled", "read", "estimated"]


class Recording(msgspec.Struct, frozen=True, eq=False):
    """What is known of the energy of one measurement."""

    meter: str
    """Which meter, in words; of an estimate, which currents."""
    kind: Kind
    windows: tuple[Window, ...]
    """Those of the measurement, in the order of time."""
    trace: Trace | None = None
    """Of a meter that samples."""
    readings: tuple[Reading, ...] = ()
    """One for each window, of a meter that is read by eye."""
    activity: tuple[Activity, ...] = ()
    """One for each window, of a simulated chip."""
    currents: Currents | None = None
    """What activity is made into energy by."""
    besides: tuple[Besides, ...] = ()
    """The meter's path, as the user states it; empty if not stated."""
    missing: str = ""
    """Why there is no energy, as a clause; empty if there is."""


def path_in_words(besides: Sequence[Besides]) -> str:
    """Return what a meter's path holds as a condition has it: `chip`, `chip + regulator + led`, or `not stated`."""
    if not besides:
        return "not stated"
    return " + ".join((CHIP, *(one for one in besides if one != CHIP)))
