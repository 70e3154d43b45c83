"""Drift, levels and bursts are said where they matter, with their cause; plain noise and trifles raise no alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.disturbance import (
    Bursts,
    Drift,
    Level,
    SeveralLevels,
    disturbances,
    is_drifting,
    levels,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Noise = Callable[[np.random.Generator, int], NDArray[np.float64]]

pytestmark = pytest.mark.filterwarnings("error")

NOISES: dict[str, Noise] = {
    "normal": lambda rng, n: rng.normal(100, 5, n),
    "normal around 0": lambda rng, n: rng.normal(0, 1, n),
    "exponential": lambda rng, n: 10 + rng.exponential(3, n),
    "log-normal": lambda rng, n: rng.lognormal(1, 0.7, n),
    "heavy tail": lambda rng, n: 1 + rng.pareto(1.5, n),
    "both tails heavy": lambda rng, n: rng.standard_cauchy(n),
    "uniform": lambda rng, n: rng.uniform(1, 2, n),
    "coarse ticks": lambda rng, n: np.rint(rng.normal(10, 1, n)),
    "two or three ticks": lambda rng, n: np.rint(rng.normal(10.4, 0.3, n)),
    "mostly one value": lambda rng, n: np.rint(rng.exponential(1, n)) + 50,
}


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize(("n", "trials"), [(20, 300), (100, 300), (3000, 60)])
def test_plain_noise_raises_an_alarm_in_less_than_1_percent_of_samples(noise: Noise, n: int, trials: int) -> None:
    rng = np.random.default_rng(11)
    alarms = sum(bool(disturbances([noise(rng, n)])) for _ in range(trials))
    assert alarms <= 0.01 * trials


@given(st.lists(st.floats(-1e9, 1e9, allow_nan=False), max_size=80))
def test_whatever_is_measured_is_answered_in_finite_numbers(values: list[float]) -> None:
    for found in disturbances([values]):
        assert "null" not in msgspec.json.encode(found).decode(), "as which JSON has what is not finite"
    assert sum(level.share for level in levels(values)) == pytest.approx(1 if values else 0)


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_equal_values_are_quiet(value: float) -> None:
    assert disturbances([np.full(1000, value)]) == ()


def test_a_drift_is_said_with_its_size() -> None:
    rng = np.random.default_rng(1)
    values = 10 + np.linspace(0, 1, 2000) + rng.normal(0, 0.2, 2000)
    first, second = (float(np.median(half)) for half in (values[:1000], values[1000:]))
    assert disturbances([values]) == (Drift(first=first, second=second),)
    assert is_drifting(values[::-1])


def test_a_significant_drift_that_is_small_is_not_shouted() -> None:
    rng = np.random.default_rng(2)
    tiny = 10 + np.linspace(0, 0.1, 100_000) + rng.normal(0, 0.01, 100_000)  # clear in the noise, 0.5 % of the median
    drowned = 10 + np.linspace(0, 1, 100_000) + rng.normal(0, 2, 100_000)  # 5 % of the median, a small effect in it
    assert disturbances([tiny]) == ()
    assert disturbances([drowned]) == ()


def test_levels_are_said_with_their_shares_and_that_they_alternate() -> None:
    rng = np.random.default_rng(3)
    values = rng.choice([20, 24], 3000, p=[0.7, 0.3]) + rng.normal(0, 0.3, 3000)
    (found,) = disturbances([values])
    assert isinstance(found, SeveralLevels)
    low, high = values[values < 22], values[values > 22]
    assert found.levels == tuple(Level(float(np.median(each)), len(each) / 3000) for each in (low, high))
    assert (found.change, found.changes) == ("often", np.count_nonzero(np.diff(values < 22)))
    assert levels(values) == found.levels


def test_a_step_is_two_levels_that_lie_apart_in_time_and_not_a_drift_as_well() -> None:
    rng = np.random.default_rng(4)
    values = np.concatenate((rng.normal(20, 0.3, 600), rng.normal(30, 0.3, 400)))
    both = Level(float(np.median(values[:600])), 0.6), Level(float(np.median(values[600:])), 0.4)
    assert disturbances([values]) == (SeveralLevels(levels=both, change="seldom", changes=1),)


def test_levels_between_repetitions_are_not_blamed_on_changes_within() -> None:
    rng = np.random.default_rng(8)
    repetitions = [rng.normal(centre, 0.3, 100) for centre in (20, 30, 20, 20, 30)]
    repetitions[0][3] = 30  # a stray changes nothing
    together = np.concatenate(repetitions)

    def changes(repetitions: Sequence[NDArray[np.float64]]) -> tuple[int, str]:
        (found,) = disturbances(repetitions)
        assert isinstance(found, SeveralLevels)
        return len(found.levels), found.change

    assert changes(repetitions) == (2, "between repetitions")
    assert changes([together]) == (2, "seldom")
    assert changes([rng.permutation(together) for _ in range(5)]) == (2, "often")


def test_three_levels_are_three_even_with_strays_between_them() -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate((rng.choice([10, 20, 40], 1000) + rng.normal(0, 0.2, 1000), rng.uniform(10, 40, 8)))
    rng.shuffle(values)
    assert [round(level.centre) for level in levels(values)] == [10, 20, 40]


def test_neighbouring_ticks_are_no_levels_unless_the_clock_is_finer() -> None:
    values = np.tile([100.0, 108.0], 500)
    assert disturbances([values]) == ()
    (found,) = disturbances([values], tick=1)
    assert isinstance(found, SeveralLevels)
    assert found.levels == (Level(100.0, 0.5), Level(108.0, 0.5))


def test_a_few_outliers_are_no_level() -> None:
    values = np.concatenate((np.random.default_rng(6).normal(10, 0.1, 990), np.full(10, 50.0)))
    assert len(levels(values)) == 1


def test_outliers_that_come_together_are_a_burst_and_scattered_ones_are_not() -> None:
    rng = np.random.default_rng(7)
    quiet = rng.normal(10, 0.1, 5000)
    burst, scattered = quiet.copy(), quiet.copy()
    burst[2000:2020] += 20
    burst[4100:4110] += 20
    scattered[rng.choice(5000, 30, replace=False)] += 20
    largest, median = float(burst.max()), float(np.median(burst))
    assert disturbances([burst]) == (Bursts(outliers=30, samples=5000, bursts=2, max=largest, median=median),)
    assert disturbances([scattered]) == ()


def test_few_values_tell_nothing() -> None:
    assert disturbances([[1.0] * 9 + [100.0] * 10]) == ()
    assert disturbances([]) == ()
    assert levels([]) == ()
