"""Log-linear histograms: the firmware and the desk agree on which values are in which bin, and each is narrow."""

from __future__ import annotations

import ctypes

from hypothesis import example, given
from hypothesis import strategies as st

from intercore.statistics.histogram import STEPS, bin_bounds
from tests.firmware.portable.layout import Series

BINS = 896
LARGEST = 2**32 - 1


def bin_of(core: ctypes.CDLL, value: int) -> tuple[int, bool]:
    """Count one value in an empty histogram; return its bin and whether it fitted."""
    counts = (ctypes.c_int64 * BINS)()
    histogram = Series(ticks=ctypes.cast(counts, ctypes.POINTER(ctypes.c_int64)), count=0, capacity=BINS)
    core.ic_histogram_add.restype = ctypes.c_bool
    fits = bool(core.ic_histogram_add(ctypes.byref(histogram), ctypes.c_uint64(value)))
    (number,) = [number for number, count in enumerate(counts) if count]
    assert counts[number] == 1
    assert histogram.count == number + 1
    return number, fits


@given(st.integers(0, LARGEST) | st.integers(0, 32).flatmap(lambda bits: st.integers(0, 2**bits - 1)))
@example(0)
@example(2 * STEPS - 1)
@example(2 * STEPS)
@example(LARGEST)
def test_a_value_is_in_its_bin_which_is_narrow(core: ctypes.CDLL, value: int) -> None:
    number, fits = bin_of(core, value)
    low, high = (int(bounds[number]) for bounds in bin_bounds(BINS))
    assert fits
    assert low <= value <= high
    assert high - low <= low / STEPS


@given(st.integers(LARGEST + 1, 2**64 - 1))
def test_what_is_too_large_is_told_and_counted_last(core: ctypes.CDLL, value: int) -> None:
    assert bin_of(core, value) == (BINS - 1, False)


def test_bins_follow_each_other_without_gaps() -> None:
    low, high = bin_bounds(BINS)
    assert (low[0], high[-1]) == (0, LARGEST)
    assert (low[1:] == high[:-1] + 1).all()


def test_without_memory_there_is_no_histogram(core: ctypes.CDLL) -> None:
    core.ic_samples_reset()
    core.ic_histogram_open.restype = ctypes.c_void_p
    assert core.ic_histogram_open(b"late.counts") is None
