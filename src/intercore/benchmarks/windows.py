"""The windows of the energy mark in a measurement, in the order of time, and the operations in them.

The part of each benchmark is in `intercore.benchmarks.benchmark.EnergyWindows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks import registry
from intercore.record.meter_recording import Window

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.record.measurement import Measurement, Series

_NOT_OF_THE_WORK = ("seed", "samples", "dither_us", "rest_ms", "mark")


def windows_of(one: Measurement) -> tuple[Window, ...]:
    """Return the windows of a measurement."""
    own = registry.benchmark(one.benchmark).energy.windows
    found = None if own is None else own(one)
    return _whole(one) if found is None else found


def work_of(one: Measurement, without: Iterable[str] = ()) -> str:
    """Return the work of a measurement as text: its benchmark and the factors that affect it."""
    left_out = {*_NOT_OF_THE_WORK, *without}
    return " ".join(
        (one.benchmark, *(f"{name}={level}" for name, level in one.factors.items() if name not in left_out))
    )


def of_samples(
    one: Measurement, series: Series, label: str, operations: int, cores: int, work: str
) -> tuple[Window, ...]:
    """Return the windows that a series timed, one for each sample: their lengths are known, and not their distances."""
    lengths = series.ns / 1e9
    return tuple(
        Window(label, float(length), operations, _operation(one), work, cores) for length in lengths if length > 0
    )


def _whole(one: Measurement) -> tuple[Window, ...]:
    """Return the one window that all repetitions are together."""
    count = registry.benchmark(one.benchmark).energy.operations
    operations = max(one.checks.get("done", 0), 0) if count is None else count(one)
    cores = 2 if one.factors.get("from") != one.factors.get("to") else 1
    return (Window(one.benchmark, None, operations, _operation(one), work_of(one), cores, whole=True),)


def _operation(one: Measurement) -> str:
    return registry.benchmark(one.benchmark).energy.operation
