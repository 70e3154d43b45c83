"""The energy of a run from its meter: by window, by operation, and one core against several."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from intercore.benchmarks import registry
from intercore.benchmarks.grouping import varied_names
from intercore.energy.alignment import Alignment, Clock, How, align
from intercore.energy.economy import Economy, economies
from intercore.energy.estimate import of_activity, resting_watts
from intercore.energy.placement import RefusedError
from intercore.energy.pooled import Pooled, pooled
from intercore.energy.window_energy import WindowEnergy, at_rest, of_reading, of_trace
from intercore.record.measurement import Level
from intercore.record.meter_recording import CHIP, path_in_words
from intercore.record.plan import repetitions_by_setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from intercore.record.measurement import Measurement, Run
    from intercore.record.meter_recording import Recording
    from intercore.statistics.intervals import Interval

_POOLED = ("seed", "samples", "rest_ms", "dither_us")


class EnergyRow(msgspec.Struct, frozen=True):
    """Windows of one kind in all repetitions of a setting."""

    benchmark: str
    varied: dict[str, Level]
    """The factors with more than one level in the run that `label` does not contain, by name."""
    took: Pooled


class AlignedWindows(msgspec.Struct, frozen=True):
    """How the windows of one measurement were found."""

    benchmark: str
    repetition: int
    how: How
    clock: Clock


class BenchmarkEconomy(msgspec.Struct, frozen=True):
    """One core against several, of one benchmark."""

    benchmark: str
    found: Economy


class EnergyAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about energy."""

    kind: Literal["sampled", "read", "estimated"]
    """Sampled by a meter, read off one by eye, or ESTIMATED from a simulated chip's activity and stated currents."""
    meters: tuple[str, ...]
    path: str
    """The meter's path: `chip`, `chip + regulator`, `not stated`; of an estimate, whose currents."""
    of_chip: bool
    """Whether it is the chip's energy: the user states that nothing else is in the path."""
    rows: tuple[EnergyRow, ...]
    economies: tuple[BenchmarkEconomy, ...]
    alignments: tuple[AlignedWindows, ...]
    """None where there are no samples to align."""
    refused: tuple[str, ...]
    """Why the energy of some measurements is missing, each reason once."""
    missing: int
    """How many measurements lack their energy."""
    of: int
    """Of how many that were to have it."""


class _Took(NamedTuple):
    windows: tuple[WindowEnergy, ...]
    rest: Interval | None
    alignment: Alignment | None


@lru_cache(maxsize=2)
def analyse(run: Run) -> EnergyAnalysis | None:
    """Analyse the recordings of a run's meter; None without a meter."""
    metered = [one for one in run.measurements if one.recording is not None]
    if not metered:
        return None
    found = {id(one): took for one in metered if (took := _took(one)) is not None}
    rows = tuple(_rows(run, found))
    alignments = tuple(
        AlignedWindows(one.benchmark, one.repetition, took.alignment.how, took.alignment.clock)
        for one in metered
        if (took := found.get(id(one))) is not None and took.alignment is not None
    )
    recordings = [one.recording for one in metered if one.recording is not None]
    last = recordings[-1]
    missing = [one for one in metered if id(one) not in found]
    return EnergyAnalysis(
        kind=last.kind,
        meters=tuple(dict.fromkeys(one.meter for one in recordings)),
        path=last.currents.name if last.currents is not None else path_in_words(last.besides),
        of_chip=last.besides == (CHIP,),
        rows=rows,
        economies=tuple(_economies(rows)),
        alignments=alignments,
        refused=tuple(dict.fromkeys(_why(one) for one in missing)),
        missing=len(missing),
        of=len(metered),
    )


def by_label(run: Run, benchmark: str) -> dict[str, Pooled]:
    """Return the energy of a benchmark's windows, by label; of several settings with one label, the first."""
    analysis = analyse(run)
    found: dict[str, Pooled] = {}
    for row in () if analysis is None else analysis.rows:
        if row.benchmark == benchmark:
            found.setdefault(row.took.label, row.took)
    return found


def _economies(rows: Iterable[EnergyRow]) -> Iterator[BenchmarkEconomy]:
    by_benchmark: dict[str, list[Pooled]] = {}
    for row in rows:
        by_benchmark.setdefault(row.benchmark, []).append(row.took)
    for benchmark, some in by_benchmark.items():
        for found in economies(some):
            yield BenchmarkEconomy(benchmark, found)


def _why(one: Measurement) -> str:
    recording = one.recording
    if recording is not None and recording.missing:
        return recording.missing
    try:
        if recording is not None and recording.trace is not None:
            align(recording.trace, recording.windows)
    except RefusedError as error:
        return str(error)
    return "the meter recorded nothing of it"


def _took(one: Measurement) -> _Took | None:
    """Return the energy of the windows of a measurement; None if missing."""
    recording = one.recording
    if recording is None or recording.missing or not recording.windows:
        return None
    if recording.trace is None:
        return _untimed(recording)
    try:
        found = align(recording.trace, recording.windows)
    except RefusedError:
        return None
    pairs = zip(recording.windows, found.places, strict=True)
    windows = tuple(of_trace(recording.trace, window, place) for window, place in pairs)
    return _Took(windows, at_rest(recording.trace, found.places), found)


def _untimed(recording: Recording) -> _Took | None:
    if recording.readings:
        pairs = zip(recording.readings, recording.windows, strict=True)
        return _Took(tuple(of_reading(reading, window) for reading, window in pairs), None, None)
    if recording.activity and recording.currents is not None:
        currents = recording.currents
        done = zip(recording.activity, recording.windows, strict=True)
        rest = resting_watts(currents, recording.activity[0].hz)
        return _Took(tuple(of_activity(activity, currents, window) for activity, window in done), rest, None)
    return None


def _rows(run: Run, found: dict[int, _Took]) -> Iterator[EnergyRow]:
    for pool in repetitions_by_setting(run).values():
        known = [took for one in pool if (took := found.get(id(one))) is not None]
        if not known:
            continue
        varied = _varied(run, pool[0])
        rest = [took.rest for took in known if took.rest is not None]
        by_eye = any(one.recording is not None and one.recording.kind != "sampled" for one in pool)
        for label in dict.fromkeys(window.label for took in known for window in took.windows):
            repetitions = [[window for window in took.windows if window.label == label] for took in known]
            whole = [windows for windows in repetitions if windows]
            yield EnergyRow(pool[0].benchmark, varied, pooled(whole, rest, by_eye=by_eye))


def _varied(run: Run, one: Measurement) -> dict[str, Level]:
    ours = [other for other in run.measurements if other.benchmark == one.benchmark]
    names = varied_names(ours, (*_POOLED, *registry.benchmark(one.benchmark).energy.in_labels))
    return {name: one.factors[name] for name in names if name in one.factors}
