"""Decodes samples of Nordic's Power Profiler Kit II from bytes to a trace.

Formula and filter are those of Nordic's program (pc-nrfconnect-ppk, src/device/serialDevice.ts, getAdcResult): the
first samples after a change of range are invalid, and a running mean replaces them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from intercore._native import running_mean
from intercore.meter.meter import MeterError
from intercore.record.meter_recording import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

HZ = 100_000
RANGES = 5
_VOLTS_PER_STEP = 1.8 / 163840
_ADC_FACTOR = 4
_ALPHA, _ALPHA_OF_LARGEST = 0.18, 0.06
_AFTER_CHANGE, _HELD = 3, 2
"""Samples after a change of range that the mean replaces; and those of the largest range that it excludes."""
_TURN = 64  # period of the counter
_MOST_LOST = 0.01
_MOST_APART = 0.05
_SETTLE_S = 0.5


class Calibration(NamedTuple):
    """The calibration of a kit, by range."""

    r: tuple[float, ...]
    """Resistance, Ω."""
    gs: tuple[float, ...]
    gi: tuple[float, ...]
    o: tuple[float, ...]
    s: tuple[float, ...]
    i: tuple[float, ...]
    ug: tuple[float, ...]

    @classmethod
    def default(cls) -> Calibration:
        """Return the default calibration."""
        ones, zeros = (1.0,) * RANGES, (0.0,) * RANGES
        return cls((1031.64, 101.65, 10.15, 0.94, 0.043), ones, ones, zeros, zeros, zeros, ones)


def trace_of(
    data: bytes, calibration: Calibration, volts: float, mark: int | None, every: int, took: float, description: str
) -> Trace:
    """Decode a recording, with means of `every` samples; `mark` is the number of the mark pin's input.

    `took` is the duration of the recording in seconds by this machine's clock. Raises MeterError if there are no
    samples, if they are invalid, or if more than a hundredth is lost, which makes the times of the others unknown.
    """
    words = _words(data, description)
    index = _index(words, description)
    seconds = float(index[-1] + 1) / HZ
    if abs(seconds - took) > max(_MOST_APART * took, _SETTLE_S):
        raise MeterError(
            f"{description} sent {seconds:.2f} s of samples in {took:.2f} s: some samples were lost in transfer. "
            "Check that this machine is not too busy"
        )
    amps = _amps(words, calibration, volts)
    level = None if mark is None else (words >> (24 + mark)) & 1
    block = index // every
    first = np.flatnonzero(np.diff(block, prepend=block[0] - 1))
    counts = np.diff(np.append(first, len(block)))

    def means(values: NDArray[np.generic]) -> Floats:
        found: Floats = np.add.reduceat(values.astype(np.float64), first) / counts
        return found

    moments = (block[first] + 0.5) * every / HZ
    return Trace(
        moments, means(amps), np.full(len(moments), volts), None, None if level is None else means(level) > 0.5
    )


def _words(data: bytes, description: str) -> NDArray[np.uint32]:
    """Return the samples, aligned to the first complete one."""
    for begin in range(4):
        whole = (len(data) - begin) // 4
        if whole < 2:
            break
        words = np.frombuffer(data, "<u4", whole, begin)
        if np.mean(_steps(words) == 1) > 1 - _MOST_LOST:
            return words
    if len(data) < 12:
        raise MeterError(f"{description} sent no samples: check its connection")
    raise MeterError(f"{description} sent data that is not samples: check that the device is a Power Profiler Kit II")


def _steps(words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the increments of the counter from each sample to the next, 0 to 63."""
    counter = ((words >> 18) & (_TURN - 1)).astype(np.int64)
    found: NDArray[np.int64] = np.diff(counter) % _TURN
    return found


def _index(words: NDArray[np.uint32], description: str) -> NDArray[np.int64]:
    """Return the index of each sample, counting lost ones."""
    steps = _steps(words)
    if np.any(steps == 0):
        raise MeterError(f"{description} repeated a sample, or lost a multiple of 64 samples: measure again")
    lost = int(steps.sum()) - len(steps)
    if lost > _MOST_LOST * len(steps):
        raise MeterError(
            f"{description} lost {lost} of {len(steps) + lost + 1} samples: check that this machine is not too busy"
        )
    return np.concatenate(([0], np.cumsum(steps)))


def _amps(words: NDArray[np.uint32], calibration: Calibration, volts: float) -> Floats:
    which = np.minimum((words >> 14) & 7, RANGES - 1).astype(np.intp)
    value = (words & 0x3FFF).astype(np.float64) * _ADC_FACTOR
    r, gs, gi, o, s, i, ug = (np.asarray(each)[which] for each in calibration)
    plain = (value - o) * (_VOLTS_PER_STEP / r)
    amps: Floats = ug * (plain * (gs * plain + gi) + (s * volts + i))
    return _without_spikes(amps, which)


def _without_spikes(amps: Floats, which: NDArray[np.intp]) -> Floats:
    changes = np.flatnonzero(np.diff(which)) + 1
    if not len(changes):
        return amps
    after = np.unique((changes[:, None] + np.arange(_AFTER_CHANGE)).ravel())
    after = after[after < len(amps)]
    held = np.unique((changes[:, None] + np.arange(_HELD)).ravel())
    held = held[held < len(amps)]
    held = held[which[held] == RANGES - 1]
    found = amps.copy()
    for alpha, of_largest in ((_ALPHA, False), (_ALPHA_OF_LARGEST, True)):
        mean = np.frombuffer(running_mean(amps, alpha))
        if len(held):
            kept = amps.copy()
            kept[held] = mean[changes[np.searchsorted(changes, held, side="right") - 1] - 1]
            mean = np.frombuffer(running_mean(kept, alpha))
        places = after[(which[after] == RANGES - 1) == of_largest]
        found[places] = mean[places]
    return found
