"""What came back from a target: the types that link, store, analysis and view share. All of them are immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec
import numpy as np

from intercore.errors import IntercoreError
from intercore.record.explanation import Explanation
from intercore.record.meter_recording import Besides, Currents, Recording
from intercore.record.own_work import OwnWork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from intercore.record.origin import Origin

Level: TypeAlias = int | str
"""One value of a factor: an integer, or the name of a choice."""

Unit: TypeAlias = Literal["tick", "moment", "count", "core"]
"""What the samples of a series are: differences of two readings of its clock, in its ticks, which most often are
durations (`tick`); readings of the clock, in ticks since some moment, of which only differences mean something
(`moment`); how often something was done or found (`count`); numbers of cores (`core`)."""

TIMESTAMP_OVERHEAD_PREFIX = "timestamp_overhead."
"""Series named `timestamp_overhead.<core>` hold the timestamp overhead: empty timestamp pairs taken on that core."""
MACHINE_PREFIX = "machine."
MACHINE_COMPUTE: Final = "machine.compute"
MACHINE_HAND_OVER: Final = "machine.hand_over"
"""Series that the tool adds to measurements on this machine: the time of a fixed work before and after each."""
MISTAKES: Final = "mistakes"
"""Check that the host adds, if there are any: mistakes of the program that a simulated chip reports and that a real one
would not tolerate. The condition `host.mistakes` describes the first ones."""
SpoilingCheck: TypeAlias = Literal["wrong", "migrated", "lost", "mistakes"]
SPOILING_CHECKS: tuple[SpoilingCheck, ...] = ("wrong", "migrated", "lost", MISTAKES)
"""Checks that make a measurement `failed` when they are not 0."""


class Series(msgspec.Struct, frozen=True, eq=False):
    """Raw samples of one quantity: integers as the target sent them, most often in ticks of a named clock."""

    name: str
    """What was measured, e.g. `t1`, `tp` or `timestamp_overhead.0`; unique in its measurement."""
    clock: str
    """Name of the clock whose ticks are counted, e.g. `common`; meaningless if the unit is `count` or `core`."""
    hz: int
    """Ticks per second of that clock, at least 1."""
    ticks: NDArray[np.int64]
    """The samples in the order in which they were taken, in `unit`; shape (count,)."""
    unit: Unit = "tick"

    @property
    def is_beside(self) -> bool:
        """Whether it is none of the benchmark's: timestamp overhead, or the state of the machine."""
        return self.name.startswith((TIMESTAMP_OVERHEAD_PREFIX, MACHINE_PREFIX))

    @property
    def is_time(self) -> bool:
        """Whether the samples are ticks of the clock, so that they convert to seconds."""
        return self.unit in ("tick", "moment")

    @property
    def ns(self) -> NDArray[np.float64]:
        """The samples in nanoseconds, shape (count,). Not rounded; nothing is subtracted.

        IntercoreError if they are no times.
        """
        if not self.is_time:
            raise IntercoreError(
                f"series {self.name} is needed in ns, but its unit is {self.unit}: the target's firmware is of "
                "another version, so build the firmware with this version of Intercore"
            )
        ns: NDArray[np.float64] = self.ticks.astype(np.float64) * (1e9 / self.hz)
        return ns


class Measurement(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """One benchmark at one setting of its factors, complete and checked."""

    benchmark: str
    factors: Mapping[str, Level]
    """The setting in full, defaults included."""
    repetition: int
    """Counts from 0 when a plan asks for the same setting more than once."""
    series: tuple[Series, ...]
    conditions: Mapping[str, str]
    """What else was true: chip, clocks, compiler, scheduler policy, …; see docs/conditions.md."""
    checks: Mapping[str, int]
    """Counters that the target sent in `end`: `checked`, `wrong`, `migrated`, `preempted`, `lost`, …; and `bad_lines`,
    the lines that arrived damaged and were asked for again."""
    started: str
    """UTC time at which the measurement began, ISO 8601."""
    run: str = ""
    """Which run it is from, where several are analysed together: `3`, or `3.2` if run 3 was measured in several."""
    recording: Recording | None = None
    """The recording of a meter; None if none was requested."""
    explanation: Explanation | None = None
    """What the time of its longest sample went to, where that was found out."""

    @property
    def lacks_energy(self) -> bool:
        """Whether a meter was to see it and did not."""
        return self.recording is not None and bool(self.recording.missing)

    def samples(self, name: str) -> Series:
        """Return the series called `name`; KeyError if the measurement has none."""
        for series in self.series:
            if series.name == name:
                return series
        raise KeyError(name)

    @property
    def timestamp_overhead_ns(self) -> dict[int, float]:
        """Median timestamp overhead in ns, per core: what an empty pair of timestamps costs in place."""
        return {
            int(series.name.removeprefix(TIMESTAMP_OVERHEAD_PREFIX)): float(np.median(series.ns))
            for series in self.series
            if series.name.startswith(TIMESTAMP_OVERHEAD_PREFIX) and len(series.ticks)
        }


class Truth(msgspec.Struct, frozen=True, eq=False):
    """The ground truth of a measurement; only a simulated chip has it."""

    series: tuple[Series, ...] = ()
    """True values of what the target measured, sample for sample."""
    checks: Mapping[str, int] = {}
    """Counters, as those of the target."""


class Part(msgspec.Struct, frozen=True):
    """What a plan measures of one benchmark."""

    benchmark: str
    levels: dict[str, list[Level]]
    """Levels per factor; the settings are their full product. Includes the target's own factors, such as
    `opt` for targets that are built here (see `intercore.record.factors`)."""
    fraction: float = 1.0
    """Which part of these settings is measured: above 0, at most 1; the plan's seed chooses them at random."""
    skip: tuple[dict[str, Level], ...] = ()
    """Levels of some factors, of which no setting has all."""


class Excluded(msgspec.Struct, frozen=True):
    """Settings that a plan leaves out."""

    benchmark: str
    factors: dict[str, Level]
    """Those that all of them have."""
    why: str


class StopRule(msgspec.Struct, frozen=True):
    """When a setting has been measured often enough."""

    until: float
    """Once the 95 % interval of the median of each of its main series lies within this fraction of the median on either
    side; above 0, at most 1."""
    cap: int
    """Or once it has so many repetitions: at least those of the plan."""


class Plan(msgspec.Struct, frozen=True):
    """What a run measures and where: everything that is needed to resume it after any interruption."""

    target: str
    """Name of the target, e.g. `host`."""
    url: str | None
    """pyserial device or URL of the target if the user gave one."""
    name: str
    """What the user asked for: the name of a benchmark, or `suite` for all of them."""
    parts: tuple[Part, ...]
    """In the order of measuring. Parts of one benchmark name the same factors, so that its settings are
    distinguishable."""
    repetitions: int = 1
    """How often each setting is measured, at least 1, over all runs; with a stop rule, at least so often."""
    seed: int = 1
    """Seeds the order of the settings and the dither on the target."""
    simulated: bool = False
    """True when the target is a simulated chip; then every number is labelled so."""
    emulated: bool = False
    """True when the target is an emulated chip, whose times mean nothing; then every number is labelled so."""
    baud: int = 115200
    """Bits per second of a serial port, at first."""
    stop: StopRule | None = None
    """When to stop; None for a fixed number of repetitions."""
    excluded: tuple[Excluded, ...] = ()
    """Settings of the parts that the target cannot measure, and that the user did not name."""
    file: str | None = None
    """The plan file that it was made of, as the user named it. The settings of its parts are then mixed."""
    file_options: tuple[str, ...] = ()
    """Options of `intercore sweep`, as typed, by which it is another plan than the file alone makes."""
    image: str | None = None
    """The prebuilt image that an emulated chip runs, as the user named it; None if its program is built here."""
    firmware: str | None = None
    """Folder of the firmware's sources that its program is built from; None for what the tool carries."""
    kernel: str | None = None
    """Folder of the FreeRTOS kernel that its program is built with; None for the usual one."""
    own: OwnWork | None = None
    """A user's workload that its program is built with."""
    partner: int | None = None
    """Number of the run that it is measured by turns with, repetition beside repetition; None if it is measured alone.
    That run has the number of this one there."""
    meter: str | None = None
    """The meter of its measurements, as the user named it; None if there is none."""
    besides: tuple[Besides, ...] = ()
    """The meter's path, as the user states it."""
    currents: Currents | None = None
    """What a simulated chip's activity is made into ESTIMATED energy by."""
    runs: int = 1
    """In how many runs its repetitions are measured, in equal shares and one run after the other."""
    every: float = 0.0
    """Seconds from the start of one of these runs to that of the next, at least."""

    @property
    def origin(self) -> Origin:
        """Where its numbers come from."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks that are measured, each once."""
        return tuple(dict.fromkeys(part.benchmark for part in self.parts))


class Run(msgspec.Struct, frozen=True, eq=False):
    """One run as the store holds it: its plan and whatever has been measured of it so far."""

    id: int
    plan: Plan
    started: str
    """UTC time at which the run was created, ISO 8601."""
    tool: str
    """Version of Intercore that created the run."""
    total: int
    """Number of measurements that the plan needs; with a stop rule, if known, so it grows with them."""
    measurements: tuple[Measurement, ...]
    """Those that are complete, in the order in which they were taken."""
    failed: tuple[Measurement, ...] = ()
    """Those left out of the analysis: they appear in warnings only."""

    @property
    def title(self) -> str:
        """What it is called in a sentence: `run 3`."""
        return f"run {self.id}"

    @property
    def lacking_energy(self) -> int:
        """How many of its measurements a meter was to see and did not."""
        return sum(one.lacks_energy for one in self.measurements)

    @property
    def complete(self) -> bool:
        """Whether nothing of the plan is missing: no measurement, and the energy of none."""
        return len(self.measurements) >= self.total and not self.lacking_energy


@dataclass(frozen=True)
class RunInParts:
    """A run whose measurements are read one by one, so that its samples need not fit into memory."""

    id: int
    plan: Plan
    started: str
    """UTC time at which the run was created, ISO 8601."""
    tool: str
    """Version of Intercore that created the run."""
    headers: Callable[[], Iterator[Measurement]]
    """Reads the measurements, in the order in which they were taken, but not their series."""
    measurements: Callable[[], Iterator[Measurement]]
    """Reads the same measurements as a whole."""
