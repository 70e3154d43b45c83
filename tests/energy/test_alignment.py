"""Windows are found by the mark, else by their pattern, else refused with what would help."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.energy.alignment import align
from intercore.energy.mark import pulses
from intercore.energy.placement import RefusedError
from intercore.energy.window_energy import at_rest, of_trace
from intercore.record.meter_recording import Trace, Window
from tests.energy.made_up import VOLTS, seen, window

RNG = np.random.default_rng(11)
BEGINS = np.array([0.0, 0.15, 0.30])
LENGTHS = np.array([0.1, 0.1, 0.1])
LEVELS = np.array([0.05, 0.01, 0.04])
WINDOWS = tuple(window(0.1, None if not number else 0.05) for number in range(3))


def made(*, mark: bool, noise: float = 1e-4, levels: np.ndarray = LEVELS, hz: float = 5000.0) -> Trace:
    return seen(BEGINS, LENGTHS, levels, 0.008, hz, noise, 50.0, np.random.default_rng(5), mark=mark)


@settings(max_examples=40)
@given(st.floats(-0.02, 0.02), st.floats(-0.02, 0.02), st.integers(0, 1000))
def test_windows_that_began_a_little_off_are_found_each_by_its_own_rise(first: float, second: float, seed: int) -> None:
    begins = BEGINS + np.cumsum([0.0, first, second])
    trace = seen(begins, LENGTHS, LEVELS, 0.002, 20_000.0, 1e-4, 0.0, np.random.default_rng(seed), mark=False)
    windows = tuple(window(0.1, None if not number else 0.05, 0.021) for number in range(3))
    found = align(trace, windows)
    assert found.clock.drift_ppm is None, "gaps that are not known tell nothing of it"
    for one, level, place, begin in zip(windows, LEVELS, found.places, begins, strict=True):
        assert place.begin == pytest.approx(3.0 + begin, abs=2e-4)
        assert of_trace(trace, one, place).joules.value == pytest.approx(VOLTS * level * 0.1, rel=0.005)


def test_a_tower_that_ends_behind_its_window_is_not_in_it() -> None:
    begins, lengths = np.array([0.0, 0.2]), np.array([0.13, 0.13])
    trace = seen(begins, lengths, np.array([0.05, 0.05]), 0.008, 20_000.0, 1e-4, 0.0, RNG, mark=False)
    windows = (window(0.1, None), window(0.1, 0.1, 0.04))
    for one, place in zip(windows, align(trace, windows).places, strict=True):
        assert of_trace(trace, one, place).joules.value == pytest.approx(VOLTS * 0.05 * 0.1, rel=0.005)


def test_a_mark_that_falls_while_the_target_reports_is_one_window_all_the_same() -> None:
    trace = made(mark=True)
    (place,) = align(trace, (Window("switch", None, 300, "wake-up", "switch", 2, whole=True),)).places
    took = of_trace(trace, Window("switch", None, 300, "wake-up", "switch", 2, whole=True), place)
    assert took.seconds == pytest.approx(0.3, rel=0.01)
    assert took.joules.value == pytest.approx(VOLTS * 0.1 * LEVELS.sum(), rel=0.01)
    assert took.joules_each is not None
    assert took.joules_each.value == pytest.approx(took.joules.value / 300)


def test_power_at_rest_is_what_is_taken_outside_of_windows() -> None:
    trace = made(mark=True)
    rest = at_rest(trace, align(trace, WINDOWS).places)
    assert rest is not None
    assert rest.value == pytest.approx(VOLTS * 0.008, rel=0.01)


def test_a_pulse_that_the_recording_does_not_hold_whole_is_none() -> None:
    trace = made(mark=True)
    first = pulses(trace)[0]
    assert len(pulses(trace.between(first.mean(), 99.0))) == 2
    assert len(pulses(trace.between(0.0, first.mean()))) == 0


# Refused


def changed(**fields: object) -> tuple[Window, ...]:
    return tuple(msgspec.structs.replace(one, **fields) for one in WINDOWS)


@pytest.mark.parametrize(
    ("trace", "windows", "said"),
    [
        (made(mark=True), WINDOWS[:2], "there were 2 measured windows"),
        (made(mark=True), changed(seconds=0.2), r"its measured window lasts 0\.2 s"),
        (made(mark=False), changed(seconds=None), "the mark pin"),
        (made(mark=False), changed(gap_s=None), "time between the measured windows is unknown"),
        (made(mark=False), changed(seconds=9.0), r"3\.7 s, but the measured windows"),
        (made(mark=False, noise=0.5), WINDOWS, "does not change visibly"),
        (made(mark=False, levels=np.full(3, 0.008)), WINDOWS, "does not change visibly"),
        (made(mark=True), (), "no measured window"),
    ],
    ids=["too many pulses", "too long", "no length", "no gap", "too short", "noise", "flat", "nothing"],
)
def test_what_cannot_be_found_is_refused_with_what_would_help(
    trace: Trace, windows: tuple[Window, ...], said: str
) -> None:
    with pytest.raises(RefusedError, match=said):
        align(trace, windows)


@pytest.mark.parametrize("mark", [True, False])
def test_windows_that_are_too_short_are_refused_with_the_least_and_that_is_enough(mark: bool) -> None:
    with pytest.raises(RefusedError, match=r"use window_ms=(\d+) or more") as refused:
        align(made(mark=mark, hz=60.0), WINDOWS)
    least = int(str(refused.value).split("window_ms=")[1].split()[0]) / 1e3
    length = 1.2 * least  # what the edges leave open is known only when they are found
    begins = np.arange(3) * (length + 0.5)
    trace = seen(begins, np.full(3, length), LEVELS, 0.002, 60.0, 1e-5, 0.0, RNG, mark=mark, tail=1.0)
    windows = tuple(window(length, None if not number else 0.5) for number in range(3))
    assert len(align(trace, windows).places) == 3
