"""Currents that are made up, so that what each window took is known exactly, as a meter with its own clock sees them.

A meter averages over each of its sampling intervals. Its clock begins `OFFSET_S` before the first window and runs
faster than the target's by some parts per million.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from intercore.record.meter_recording import Trace, Window

OFFSET_S = 3.0
VOLTS = 3.3


class Case(NamedTuple):
    trace: Trace
    windows: tuple[Window, ...]
    joules: tuple[float, ...]
    """What each window took in truth."""
    drift_ppm: float


def window(seconds: float, gap_s: float | None, slack_s: float = 0.0, label: str = "work") -> Window:
    return Window(label, seconds, 10, "tower", "tower", 1, gap_s, slack_s)


def seen(
    begins: np.ndarray,
    lengths: np.ndarray,
    levels: np.ndarray,
    base: float,
    hz: float,
    noise: float,
    drift_ppm: float,
    rng: np.random.Generator,
    *,
    mark: bool,
    tail: float = 0.3,
) -> Trace:
    """Return what a meter sees of windows that begin and last so, by the target's clock, at these levels in A."""
    rate = 1 + drift_ppm * 1e-6
    edges = OFFSET_S + rate * np.column_stack((begins, begins + lengths)).ravel()
    end = edges[-1] + tail
    count = int(end * hz)
    bounds = np.arange(count + 1) / hz
    steps = np.concatenate(([0.0], edges, [end + 1]))
    currents = np.full(len(edges) + 1, base)
    currents[1::2] = levels
    charge = np.concatenate(([0.0], np.cumsum(currents * np.diff(steps))))
    amps = np.diff(np.interp(bounds, steps, charge)) * hz + rng.normal(0, noise, count)
    middle = (bounds[:-1] + bounds[1:]) / 2
    # An input is sampled at a moment, and not averaged.
    high = np.searchsorted(edges, middle, side="right") % 2 == 1 if mark else None
    return Trace(middle, amps, np.full(count, VOLTS), None, high)


def case(seed: int, *, mark: bool) -> Case:
    """One of many cases: 1 kHz to 100 kHz, windows of 60 samples and more, three to six of them."""
    rng = np.random.default_rng((seed, mark))
    hz = 10 ** rng.uniform(3, 5)
    count = int(rng.integers(3, 7))
    lengths = np.round(rng.uniform(60, 200, count) / min(hz, 2000), 3)
    gaps = np.round(rng.uniform(0.03, 0.09, count), 3)
    begins = np.concatenate(([0.0], np.cumsum(lengths[:-1] + gaps[1:])))
    base = rng.uniform(0.002, 0.015)
    levels = base + rng.uniform(0.01, 0.06, count)
    noise = 0.01 * levels.min() * rng.uniform(0.1, 1.0)
    drift = float(rng.choice([-100.0, 100.0]))
    trace = seen(begins, lengths, levels, base, hz, noise, drift, rng, mark=mark)
    windows = tuple(
        window(float(length), None if not number else float(gaps[number])) for number, length in enumerate(lengths)
    )
    return Case(trace, windows, tuple(VOLTS * levels * lengths), drift)
