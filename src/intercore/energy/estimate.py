"""ESTIMATED energy of a simulated chip, which has no current: the activity of its cores times given currents.

    E = V · (t2 · I2 + t1 · I1 + t0 · I0)

with the times for which both cores, one and none were awake, and the currents for these states. A simulated chip counts
how long each core was awake, not how long both were. That is between the least and the largest possible overlap. The
estimate is the middle, and its interval has these bounds; it is not a confidence interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.energy.window_energy import of_power
from intercore.errors import IntercoreError
from intercore.statistics.intervals import Interval, scaled

if TYPE_CHECKING:
    from intercore.energy.window_energy import WindowEnergy
    from intercore.record.meter_recording import Activity, Currents, Window


def of_activity(activity: Activity, currents: Currents, window: Window) -> WindowEnergy:
    """Return the ESTIMATED energy of a window. Raises IntercoreError for a chip without two cores."""
    if len(activity.awake) != 2 or activity.cycles < 1:
        raise IntercoreError(
            f"the energy cannot be estimated: the currents of {currents.name} apply only to a chip with two cores, "
            "and only to a measured window of more than 0 cycles"
        )
    first, second = activity.awake
    most, least = min(first, second), max(0, first + second - activity.cycles)
    bounds = sorted(_amps(activity, currents, overlap) for overlap in (least, most))
    amps = Interval(sum(bounds) / 2, bounds[0], bounds[1])
    seconds = activity.cycles / activity.hz if window.seconds is None else window.seconds

    return of_power(window, seconds, scaled(amps, currents.volts), amps)


def resting_watts(currents: Currents, hz: int) -> Interval:
    """Return the ESTIMATED power with both cores asleep, at a clock of so many cycles per second."""
    fixed, per_mhz = currents.asleep
    return Interval(currents.volts * (fixed + per_mhz * hz / 1e6) / 1e3)


def _amps(activity: Activity, currents: Currents, both: int) -> float:
    """Return the mean current if both cores were awake together for so many cycles."""
    one = sum(activity.awake) - 2 * both
    none = activity.cycles - one - both
    mhz = activity.hz / 1e6
    states = ((both, currents.both), (one, currents.one), (none, currents.asleep))
    return sum(cycles * (fixed + per_mhz * mhz) for cycles, (fixed, per_mhz) in states) / activity.cycles / 1e3
