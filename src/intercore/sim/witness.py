"""What the simulator sees of a measurement while the firmware takes it: the truth that the firmware is judged by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from intercore.errors import IntercoreError
from intercore.record.measurement import Series, Truth

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from intercore.record.measurement import Level
    from intercore.sim import Simulator

    Hits = npt.NDArray[np.void]
    Cycles = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]


_HANDLING = 400
"""Cycles for which an interrupt keeps a core busy: the kernel's tick takes some 270."""

_SWITCHING = (11, 14, 16 + 15, 16 + 16)
"""Exceptions by which the kernel switches tasks: SVCall, PendSV, and the doorbells between the cores (DS 2.3.2)."""


class Witness(ABC):
    """Sees the measurements of one benchmark from outside. Looking on takes none of the chip's time."""

    @abstractmethod
    def forget(self) -> None:
        """Forget all that was seen so far."""

    @abstractmethod
    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return what was seen of the measurement since `forget`.

        Raises IntercoreError if the target has reported others than were seen.
        """


class Passages:
    """When either core passed the beginning of a function, in its own image where each core has one."""

    OTHER = "core_1."
    """What the names of core 1's image begin with in an image that holds it (firmware/board/rp2040_amp)."""

    def __init__(self, chip: Simulator, *places: int | str) -> None:
        """Watch addresses, or functions by name."""
        names = [name for name in places if isinstance(name, str)]
        others = [other for name in names if (other := f"{self.OTHER}{name}") in chip.symbols]
        self._probes = [chip.watch_execution(place) for place in (*places, *others)]

    def take(self) -> None:
        """Forget."""
        for probe in self._probes:
            probe.take()

    def cycles(self, core: int) -> Cycles:
        """Return the cycles in which a core passed, in order."""
        hits = [probe.hits() for probe in self._probes]
        return np.sort(np.concatenate([_cycles(found[found["core"] == core]) for found in hits]))


class Stamps:
    """When a clock of the firmware was read, by either core."""

    def __init__(self, chip: Simulator, function: str) -> None:
        """Watch a function of the firmware that reads a clock: its first instruction, the reading, its last one."""
        self.calls = Passages(chip, function)
        self.moments = Passages(chip, f"{function}_reads")
        self.returns = Passages(chip, f"{function}_returns")

    def take(self) -> None:
        """Forget."""
        for passages in (self.calls, self.moments, self.returns):
            passages.take()


class Handlers:
    """When either core took an interrupt."""

    def __init__(self, chip: Simulator, besides: Collection[int] = ()) -> None:
        """Watch all handlers but those of the exceptions `besides`, by number."""
        self._passages = Passages(chip, *_handlers(chip, besides))

    def take(self) -> None:
        """Forget."""
        self._passages.take()

    def disturbed(self, core: int, since: Cycles, until: Cycles) -> Flags:
        """Tell whether the core took an interrupt, or the other was busy with one, in each of some spans of time."""
        here, there = (self._passages.cycles(which) for which in (core, 1 - core))
        own: Flags = np.searchsorted(here, until) > np.searchsorted(here, since)
        other: Flags = np.searchsorted(there, until) > np.searchsorted(there, since - _HANDLING)
        return own | other


class _ClockFactors(msgspec.Struct, frozen=True):
    """Between which cores an interval is."""

    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")
    time: Literal["common", "counter"] = "common"


class ClockWitness(Witness):
    """Sees, in the chip's one count of cycles, when the intervals of the benchmark `clock` begin and end.

    An interval truly begins with the first instruction of clock_hand_over() (firmware/bench/clock.c), which is the
    first one behind the first reading and what keeps its value, and ends with the first instruction of the second
    reading. Defined so, an empty pair of time stamps, which the target takes as its cost of looking, has a true
    interval of 0: what it measures should be exactly what a measured interval has more than a true one.

    An interrupt that comes between the moment of a reading and the interval's begin or end is not in the interval, but
    is in what is measured. One that the other core handles at that time takes the bus from the reader, for a few cycles
    at most. Both kinds of intervals are counted.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._hz = chip.clocks.sys
        self._stamps = Stamps(chip, "port_clock")
        self._hand_overs = Passages(chip, "clock_hand_over")
        self._handlers = Handlers(chip)

    def forget(self) -> None:
        """See Witness."""
        self._stamps.take()
        self._hand_overs.take()
        self._handlers.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true intervals as the series `true`, and as the check `interrupted` how many were.

        Of readings of counters there is nothing to be told.
        """
        cores = msgspec.convert(dict(factors), _ClockFactors)
        if cores.time != "common":
            return Truth()
        count = sum(len(series.ticks) for series in measured if series.name == "interval")
        seen = self._hand_overs.cycles(cores.first)
        elsewhere = self._hand_overs.cycles(1 - cores.first)
        moments = self._stamps.moments.cycles(cores.first)
        # An interrupt may have the first instruction begun twice, but there is one reading before it.
        _, once = np.unique(np.searchsorted(moments, seen), return_index=True)
        # The first of all is the warm-up.
        if len(once) != count + 1 or len(elsewhere):
            raise _contradiction(count, max(len(once) - 1, 0))
        begins = seen[once][1:]
        first_moments = _last_before(moments, begins)
        ends = _first_after(self._stamps.calls.cycles(cores.second), begins)
        second_moments = _first_after(self._stamps.moments.cycles(cores.second), ends)
        interrupted = self._handlers.disturbed(cores.first, first_moments, begins)
        interrupted |= self._handlers.disturbed(cores.second, ends, second_moments)
        ticks = ends - begins
        ticks.setflags(write=False)
        return Truth((Series("true", "simulator", self._hz, ticks),), {"interrupted": int(interrupted.sum())})


class _SwitchFactors(msgspec.Struct, frozen=True):
    """Between which cores a task is woken, and by which clock that is timed."""

    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")
    time: Literal["common", "aligned", "raw-counter"]


class SwitchWitness(Witness):
    """Sees when the signals of the benchmark `switch` begin, and when the woken tasks read the clock.

    A switch truly begins with the last instruction of the reading before the signal, and ends with the first one of the
    reading behind the wait. So, as for `clock`, what is measured should have exactly more than the truth what an empty
    pair of time stamps measures, less the way from the one reading to the other: a constant.
    """

    _PREFIX = "switch_signal_"
    """Names of the functions that signal, in firmware/bench/switch.c."""

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._hz = chip.clocks.sys
        self._clock, self._counter = Stamps(chip, "port_clock"), Stamps(chip, "port_cycles")
        self._signals = Passages(chip, *(name for name in chip.symbols if name.startswith(self._PREFIX)))
        self._handlers = Handlers(chip, besides=_SWITCHING)

    def forget(self) -> None:
        """See Witness."""
        self._clock.take()
        self._counter.take()
        self._signals.take()
        self._handlers.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true durations as the series `true`, and as the check `interrupted` how many were."""
        setting = msgspec.convert(dict(factors), _SwitchFactors)
        stamps = self._clock if setting.time == "common" else self._counter
        count = sum(len(series.ticks) for series in measured if series.name == "switch")
        signals = self._signals.cycles(setting.first)
        # An interrupt may have a function's first instruction begun twice, but there is one reading behind it.
        begins = np.unique(_first_after(stamps.returns.cycles(setting.first), signals))
        if setting.first == setting.second:  # each second one is for the series `call`
            begins = begins[::2]
        if len(begins) != count + 1:
            raise _contradiction(count, max(len(begins) - 1, 0))
        begins = begins[1:]  # the first of all is the warm-up
        first_moments = _last_before(stamps.moments.cycles(setting.first), begins)
        ends = _first_after(stamps.calls.cycles(setting.second), begins)
        second_moments = _first_after(stamps.moments.cycles(setting.second), ends)
        interrupted = self._handlers.disturbed(setting.first, first_moments, begins)
        interrupted |= self._handlers.disturbed(setting.second, ends, second_moments)
        ticks = ends - begins
        ticks.setflags(write=False)
        return Truth((Series("true", "simulator", self._hz, ticks),), {"interrupted": int(interrupted.sum())})


class _MessageFactors(msgspec.Struct, frozen=True):
    """Between which cores messages go, and what of them is timed."""

    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")
    measure: Literal["latency", "throughput"]


class MessageWitness(Witness):
    """Sees when sends of the benchmark `message` begin, and when the receives end that belong to them.

    A latency truly begins with the last instruction of the reading before the call that sends, and ends with the first
    one of the reading behind the call that receives; the window of a stream is from the first of its messages to the
    last. So what is measured should exceed the truth by what an empty pair of time stamps measures, less the way from
    the one reading to the other, as for `switch`: a constant, whatever the transport.
    """

    _PREFIX = "message_send_"
    """Names of the functions in firmware/bench/message/ends.c that read the clock and send."""
    _UNTIMED = 2
    """Sends that are not in the samples: the one before and the one behind all others."""

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._hz = chip.clocks.sys
        self._stamps = Stamps(chip, "port_clock")
        self._sends = Passages(chip, *(name for name in chip.symbols if name.startswith(self._PREFIX)))
        self._handlers = Handlers(chip, besides=_SWITCHING)

    def forget(self) -> None:
        """See Witness."""
        self._stamps.take()
        self._sends.take()
        self._handlers.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true durations as the series `true`, and as the check `interrupted` how many were."""
        setting = msgspec.convert(dict(factors), _MessageFactors)
        name = "latency" if setting.measure == "latency" else "window"
        count = sum(len(series.ticks) for series in measured if series.name == name)
        sends = self._sends.cycles(setting.first)
        # An interrupt may have a function's first instruction begun twice, but there is one reading behind it.
        begins = np.unique(_first_after(self._stamps.returns.cycles(setting.first), sends))
        if len(begins) != count + self._UNTIMED:
            raise _contradiction(count, max(len(begins) - self._UNTIMED, 0))
        begins = begins[1:-1]
        first_moments = _last_before(self._stamps.moments.cycles(setting.first), begins)
        ends = _first_after(self._stamps.calls.cycles(setting.second), begins)
        second_moments = _first_after(self._stamps.moments.cycles(setting.second), ends)
        interrupted = self._handlers.disturbed(setting.first, first_moments, begins)
        interrupted |= self._handlers.disturbed(setting.second, ends, second_moments)
        ticks = ends - begins
        ticks.setflags(write=False)
        return Truth((Series("true", "simulator", self._hz, ticks),), {"interrupted": int(interrupted.sum())})


WITNESSES: Mapping[str, type[ClockWitness | SwitchWitness | MessageWitness]] = {
    "clock": ClockWitness,
    "switch": SwitchWitness,
    "message": MessageWitness,
}
"""By benchmark."""


def _contradiction(reported: int, seen: int) -> IntercoreError:
    return IntercoreError(
        f"the target reports {reported} intervals, and the simulator has seen {seen} begin: "
        "this is an error of Intercore, please report it"
    )


def _handlers(chip: Simulator, besides: Collection[int]) -> set[int]:
    """Return the addresses of exception handlers, by the tables of vectors that the image fills when it starts."""
    places = [place for name in ("", Passages.OTHER) if (place := chip.symbols.get(f"{name}vector_tables"))]
    words = np.concatenate(
        [np.frombuffer(chip.read(place.address, place.size), "<u4").reshape(2, -1) for place in places]
    )  # one for each core
    left_out = {int(word) for table in words for word in table[list(besides)]}
    return {int(word) for table in words for word in table if word % 2} - left_out  # without Thumb bit: a stack


def _cycles(hits: Hits) -> Cycles:
    return hits["cycle"].astype(np.int64)


def _first_after(cycles: Cycles, moments: Cycles) -> Cycles:
    found: Cycles = cycles[np.searchsorted(cycles, moments, side="right")]
    return found


def _last_before(cycles: Cycles, moments: Cycles) -> Cycles:
    found: Cycles = cycles[np.searchsorted(cycles, moments) - 1]
    return found
