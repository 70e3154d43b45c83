"""Whether durations fall on whole ticks of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.statistics.intervals import rayleigh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.speedup.points import SpeedupSetting

_MIN_PHASES = 4  # with fewer, not even identical phases reach the level below
_QUANTISED_P = 0.01


class Quantisation(msgspec.Struct, frozen=True):
    """Whether TP falls on whole kernel ticks over the sizes of a group: phase = TP modulo tick.

    Tells polled completion from awaited completion. Sizes with TP below half a tick are left out: their phases are
    concentrated whatever the join.
    """

    tick_us: float
    sizes: int
    """Sizes tested, at least 4."""
    resultant: float
    """Mean resultant length of the phases of TP, 0 to 1."""
    p_value: float
    """Rayleigh's test of uniform phases of TP."""
    phase_us: float
    """Mean phase of TP, -tick/2 to tick/2, µs."""
    t1_p_value: float
    """The same test of T1. Sizes that make even T1 whole ticks show nothing about the join."""
    quantised: bool
    """Whether the phases of TP are concentrated (p < 0.01) and those of T1 are not."""


def quantisation_of(settings: Sequence[SpeedupSetting]) -> Quantisation | None:
    """Test the phases of a group; None if too little is known."""
    frequencies = {setting.tick_hz for setting in settings}
    tick_hz = frequencies.pop() if len(frequencies) == 1 else None
    if tick_hz is None:
        return None
    tick_us = 1e6 / tick_hz
    t1, tp = np.stack([setting.medians[:, 0] for setting in settings], axis=1)
    tested = tp >= tick_us / 2
    sizes = int(np.count_nonzero(tested))
    if sizes < _MIN_PHASES:
        return None
    t1_test = rayleigh(t1[tested] % tick_us / tick_us)
    tp_test = rayleigh(tp[tested] % tick_us / tick_us)
    return Quantisation(
        tick_us=tick_us,
        sizes=sizes,
        resultant=tp_test.resultant,
        p_value=tp_test.p_value,
        phase_us=tp_test.phase * tick_us,
        t1_p_value=t1_test.p_value,
        quantised=tp_test.p_value < _QUANTISED_P <= t1_test.p_value,
    )
