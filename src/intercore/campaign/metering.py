"""A power meter at the target: its data is stored with each measurement, and its failures never lose a measurement.

If the meter fails, the time samples are kept, the reason for the missing energy is stored, and the meter is opened
again before the next measurement.
"""

from __future__ import annotations

import contextlib
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks.windows import windows_of
from intercore.energy.alignment import align
from intercore.energy.mark import pulses
from intercore.energy.placement import RefusedError
from intercore.errors import IntercoreError
from intercore.meter.registry import opened
from intercore.record.meter_recording import Recording, path_in_words
from intercore.record.plan import setting_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercore.meter.meter import Meter, MeterData
    from intercore.record.measurement import Measurement, Run
    from intercore.record.meter_recording import Activity, Besides, Currents, Kind, Trace, Window
    from intercore.record.plan import Setting

NOT_YET = "the meter's data is not available yet"
_ROUGH_S, _ROUGH_SHARE = 0.5, 0.25
"""Permitted difference between the distance of the first windows of two measurements and that of their requests:
seconds, and a fraction of it, whichever is less."""


class Metering:
    """The meter of a run, open until this is closed."""

    def __init__(
        self, url: str, besides: Sequence[Besides], say: Callable[[str], None], *, required: bool = True
    ) -> None:
        """Open the meter that a user names; `say` reports later failures.

        Raises IntercoreError if it is absent; unless it is `required`, that is also reported later.
        """
        self._url = url
        self._besides = tuple(besides)
        self._say = say
        self._meter: Meter | None = None
        self.description = url
        self.is_afterwards = self.asks = False
        try:
            meter = self._opened()
        except IntercoreError:
            if required:
                raise
        else:
            self.description, self.is_afterwards, self.asks = meter.description, meter.afterwards, meter.asks

    def close(self) -> None:
        """Close the meter."""
        if self._meter is not None:
            self._meter.close()
            self._meter = None

    def measure_with_meter(self, measure: Callable[[], Measurement]) -> Measurement:
        """Measure while the meter records. Raises only what `measure` raises."""
        failure = NOT_YET if self.is_afterwards else self._begin()
        measurement = measure()
        windows = windows_of(measurement)
        recording = self._missing(windows, failure) if failure else self._ended(windows)
        if recording.missing and recording.missing != NOT_YET:
            self._say(f"the energy is missing: {recording.missing}")
        conditions = {**measurement.conditions, **self.conditions}
        return msgspec.structs.replace(measurement, recording=recording, conditions=conditions)

    @property
    def conditions(self) -> dict[str, str]:
        """Its conditions for measurements."""
        return {"host.meter": self.description, "host.meter_path": path_in_words(self._besides)}

    def after(self, windows: Sequence[Window]) -> MeterData:
        """Return the data of a whole run from a meter that is read afterwards. Raises IntercoreError."""
        return self._opened().end(windows)

    def recording(
        self, windows: Sequence[Window], trace: Trace | None, seen: MeterData | None, missing: str
    ) -> Recording:
        """Return a recording of this meter."""
        readings = () if seen is None else seen.readings
        kind: Kind = "read" if readings else "sampled"
        return Recording(
            self.description,
            kind,
            tuple(windows),
            trace=trace,
            readings=readings,
            besides=self._besides,
            missing=missing,
        )

    def _begin(self) -> str:
        """Start recording; return the reason if that fails, else an empty text."""
        try:
            self._opened().begin()
        except IntercoreError as error:
            self._close_meter()
            return str(error)
        return ""

    def _opened(self) -> Meter:
        if self._meter is None:
            self._meter = opened(self._url)
        return self._meter

    def _ended(self, windows: Sequence[Window]) -> Recording:
        if self._meter is None:  # it has started
            raise IntercoreError("the meter is closed")
        try:
            seen = self._meter.end(windows)
        except IntercoreError as error:
            self._close_meter()
            return self._missing(windows, str(error))
        return self.recording(windows, seen.trace, seen, refusal(seen.trace, windows))

    def _missing(self, windows: Sequence[Window], why: str) -> Recording:
        return self.recording(windows, None, None, why)

    def _close_meter(self) -> None:
        with contextlib.suppress(IntercoreError):
            self.close()
        self._meter = None


def refusal(trace: Trace | None, windows: Sequence[Window]) -> str:
    """Return why the windows cannot be located in a trace; empty if they can, or if there is no trace."""
    try:
        if trace is not None:
            align(trace, windows)
    except RefusedError as error:
        return str(error)
    return ""


def with_estimate(measurement: Measurement, activity: Sequence[Activity], currents: Currents) -> Measurement:
    """Return a measurement of a simulated chip with its cores' activity in each window, to estimate energy."""
    windows = windows_of(measurement)
    if [one.whole for one in windows] == [True] and activity:
        awake = tuple(sum(each) for each in zip(*(one.awake for one in activity), strict=True))
        activity = [msgspec.structs.replace(activity[0], cycles=sum(one.cycles for one in activity), awake=awake)]
    missing = ""
    if len(activity) != len(windows):
        missing = f"the mark pin was high {len(activity)} times, but there were {len(windows)} windows"
    recording = Recording(
        f"ESTIMATED by currents of {currents.name}",
        "estimated",
        windows,
        activity=() if missing else tuple(activity),
        currents=currents,
        missing=missing,
    )
    return msgspec.structs.replace(measurement, recording=recording)


# A meter whose program has recorded the whole run


def attached(run: Run, metering: Metering) -> Iterator[tuple[Setting, Recording]]:
    """Return the energy of each measurement of a run that lacks it, from a recording of the whole run."""
    lacking = [one for one in run.measurements if one.recording is None or one.recording.missing]
    if not lacking:
        return
    each = [windows_of(one) for one in run.measurements]
    try:
        seen = metering.after([window for windows in each for window in windows])
        cuts = [] if seen.trace is None else _cuts(seen.trace, run.measurements, each)
    except IntercoreError as error:
        for one, windows in zip(run.measurements, each, strict=True):
            if one in lacking:
                yield setting_of(run.plan, one), metering.recording(windows, None, None, str(error))
        return
    for number, (one, windows) in enumerate(zip(run.measurements, each, strict=True)):
        if one in lacking and seen.trace is not None:
            part = seen.trace.between(cuts[number], cuts[number + 1])
            yield setting_of(run.plan, one), metering.recording(windows, part, seen, refusal(part, windows))


def _cuts(trace: Trace, measurements: Sequence[Measurement], each: Sequence[Sequence[Window]]) -> list[float]:
    """Return where the part of each measurement begins in the recording of a run, and where the last one ends.

    Located by the mark pin, pulse by pulse; else by the pattern of all windows and the times of their requests. Raises
    RefusedError.
    """
    spans = _spans_by_mark(trace, each) if trace.mark is not None else _spans_by_pattern(trace, measurements, each)
    between = [(before[1] + after[0]) / 2 for before, after in pairwise(spans)]
    end = float(trace.seconds[-1]) + trace.interval_s
    return [float(trace.seconds[0]), *between, end]


def _spans_by_mark(trace: Trace, each: Sequence[Sequence[Window]]) -> list[tuple[float, float]]:
    found = pulses(trace)
    wanted = sum(map(len, each))
    if any(one.whole for windows in each for one in windows) and len(each) > 1:
        raise RefusedError(
            "this benchmark changes the mark pin several times in each measurement, so the pulses in a recording of "
            "the whole run are ambiguous: measure one setting at a time, with --repetitions 1"
        )
    if len(each) == 1 and len(found):
        return [(float(found[0, 0]), float(found[-1, 1]))]
    if len(found) != wanted:
        raise RefusedError(
            f"the recording has {len(found)} pulses of the mark pin, but the run has {wanted} measured windows: "
            "record only this run, from before its start until after its end"
        )
    ends = np.cumsum([len(windows) for windows in each])
    return [(float(found[end - len(some), 0]), float(found[end - 1, 1])) for end, some in zip(ends, each, strict=True)]


def _spans_by_pattern(
    trace: Trace, measurements: Sequence[Measurement], each: Sequence[Sequence[Window]]
) -> list[tuple[float, float]]:
    windows: list[Window] = []
    before: Measurement | None = None
    took = 0.0
    for one, some in zip(measurements, each, strict=True):
        first, *others = some
        if before is not None:
            apart = (datetime.fromisoformat(one.started) - datetime.fromisoformat(before.started)).total_seconds()
            rough = min(_ROUGH_S, _ROUGH_SHARE * apart)
            first = msgspec.structs.replace(first, gap_s=max(apart - took, 0.0), slack_s=rough)
        windows += [first, *others]
        took = sum((one.seconds or 0.0) + (one.gap_s or 0.0) for one in some) - (some[0].gap_s or 0.0)
        before = one
    places = align(trace, windows).places
    ends = np.cumsum([len(some) for some in each])
    return [(places[end - len(some)].begin, places[end - 1].end) for end, some in zip(ends, each, strict=True)]
