"""Lines through points: known answers, intervals that cover the truth, pieces where there are some and only there."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.statistics.line import Fit, Points, best, held_out, line

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SIZES = 2.0 ** np.arange(2, 13)
STRAIGHT = (1.5, 0.02)


def straight(x: Floats) -> Floats:
    return STRAIGHT[0] + STRAIGHT[1] * x


def points(
    truth: Callable[[Floats], Floats],
    *,
    scatter: float = 0.0,
    error: float = 0.001,
    seed: int = 0,
    x: Floats = SIZES,
) -> Points:
    rng = np.random.default_rng(seed)
    y = truth(x)
    return Points.of(x, y * (1 + scatter * rng.normal(size=len(x))) + error * rng.normal(size=len(x)), x * 0 + error)


def fitted(found: Fit | None) -> Fit:
    assert found is not None
    return found


def test_an_exact_line_is_found_exactly() -> None:
    found = fitted(best(Points.of(SIZES, straight(SIZES), SIZES * 0 + 1e-3)))
    assert len(found.pieces) == 1
    assert found.pieces[0].intercept.value == pytest.approx(1.5, rel=1e-9)
    assert found.pieces[0].slope.value == pytest.approx(0.02, rel=1e-9)
    assert found.scatter == 0
    assert found.p_value == pytest.approx(1)
    assert float(np.max(np.abs(found.relative_errors))) == 0.0
    assert float(np.max(held_out(found.points, 0))) < 1e-9


def test_points_may_come_in_any_order() -> None:
    order = np.random.default_rng(3).permutation(len(SIZES))
    known = points(straight, scatter=0.01)
    shuffled = Points.of(known.x[order], known.y[order], known.error[order])
    assert fitted(best(shuffled)).pieces[0].slope == fitted(best(known)).pieces[0].slope


@pytest.mark.parametrize(("scatter", "error"), [(0.0, 0.05), (0.0, 0.001), (0.02, 0.001), (0.05, 0.02)])
def test_intervals_cover_the_truth_whatever_the_noise_is(scatter: float, error: float) -> None:
    covered = np.zeros(3)
    runs = 100
    for seed in range(runs):
        found = fitted(line(points(straight, scatter=scatter, error=error, seed=seed)))
        piece = found.pieces[0]
        new = 300.0
        another = straight(np.array([new]))[0] * (1 + scatter * np.random.default_rng(10_000 + seed).normal())
        predicted, _ = found.prediction(new)
        for place, (estimate, truth) in enumerate(
            [(piece.intercept, STRAIGHT[0]), (piece.slope, STRAIGHT[1]), (predicted, another)]
        ):
            assert estimate.low is not None
            assert estimate.high is not None
            covered[place] += estimate.low <= truth <= estimate.high
    assert covered.min() >= 0.88 * runs, covered  # of 95 % intervals; 3 standard deviations below are 88


def test_intervals_of_many_samples_per_size_do_not_shrink_to_nothing() -> None:
    """All samples of a size share what the line is off by there: more of them do not tell the line better."""
    rough = fitted(line(points(straight, scatter=0.03, error=0.01)))
    exact = fitted(line(points(straight, scatter=0.03, error=0.0001)))
    assert exact.scatter == pytest.approx(0.03, rel=0.5)
    widths = [found.pieces[0].slope.high - found.pieces[0].slope.low for found in (rough, exact)]  # type: ignore[operator]
    assert widths[1] > widths[0] / 3


def test_noise_is_no_breakpoint() -> None:
    found = [fitted(best(points(straight, scatter=0.02, seed=seed))) for seed in range(30)]
    assert sum(bool(each.breaks) for each in found) <= 3


@pytest.mark.parametrize(
    ("truth", "at"),
    [
        (lambda x: straight(x) + 0.03 * np.maximum(x - 256, 0), [256]),  # which lies on both lines
        (lambda x: straight(x) + 3.0 * (x > 300), [300]),
        (lambda x: straight(x) + 2.0 * (x > 50) + 15.0 * (x > 1000), [50, 1000]),
    ],
    ids=["knee", "step", "two steps"],
)
def test_a_knee_or_a_step_is_found_where_it_is(truth: Callable[[Floats], Floats], at: list[int]) -> None:
    def is_found(found: Fit) -> bool:
        pairs = zip(found.breaks, at, strict=False)
        return len(found.breaks) == len(at) and all(left <= x <= right for (left, right), x in pairs)

    assert sum(is_found(fitted(best(points(truth, scatter=0.003, seed=seed)))) for seed in range(15)) >= 13
    exact = fitted(best(Points.of(SIZES, truth(SIZES), SIZES * 0 + 1e-3)))
    assert is_found(exact)
    assert float(np.max(np.abs(exact.relative_errors))) < 0.01


def test_between_two_lines_a_prediction_holds_both() -> None:
    found = fitted(best(Points.of(SIZES, straight(SIZES) + 3.0 * (SIZES > 256), SIZES * 0 + 1e-3)))
    predicted, _ = found.prediction(300.0)
    assert predicted.low is not None
    assert predicted.high is not None
    assert predicted.low <= straight(np.array([300.0]))[0] + 1e-9
    assert predicted.high >= straight(np.array([300.0]))[0] + 3.0 - 1e-9


def test_a_line_that_is_off_by_less_than_a_hundredth_is_enough() -> None:
    found = fitted(best(Points.of(SIZES, straight(SIZES) * np.where(SIZES > 256, 1.006, 1.0), SIZES * 0 + 1e-6)))
    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert not found.breaks


def test_few_points_say_no_more_than_they_can() -> None:
    assert best(Points.of([4], [1.0], [0.1])) is None
    two = fitted(best(Points.of([4, 8], [1.0, 2.0], [0.1, 0.1])))
    assert two.pieces[0].slope.value == pytest.approx(0.25)
    assert (two.pieces[0].slope.low, two.p_value, two.prediction(6)[0].low) == (None, None, None)
    assert len(held_out(two.points, 0)) == 0
    three = fitted(best(Points.of([4, 8, 16], [1.0, 2.0, 4.0], [0.1] * 3)))
    assert three.pieces[0].slope.low is not None


@pytest.mark.parametrize("unit", [1e-9, 1e12])
@pytest.mark.parametrize(
    "truth", [straight, lambda x: straight(x) + 3.0 * (x > 256), lambda x: 0 * x, lambda x: 0 * x + 5]
)
def test_values_of_any_size_give_finite_numbers(truth: Callable[[Floats], Floats], unit: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fitted(best(Points.of(SIZES * unit, truth(SIZES) * unit, SIZES * 0)))
        numbers = [found.scatter, found.misfit, *found.relative_errors, *held_out(found.points, len(found.breaks))]
        numbers += [each for one in found.pieces for each in (one.intercept.value, one.slope.value, one.slope.low or 0)]
    assert np.all(np.isfinite(numbers))


@settings(max_examples=25)
@given(
    y=st.lists(st.floats(1, 1000), min_size=2, max_size=12),
    x_unit=st.sampled_from([1e-3, 1.0, 512.0]),
    y_unit=st.sampled_from([1e-6, 1.0, 1024.0]),
)
def test_units_change_nothing_but_units(y: list[float], x_unit: float, y_unit: float) -> None:
    x = np.arange(1.0, len(y) + 1)
    one = fitted(best(Points.of(x, y, x * 0 + 0.5)))
    other = fitted(best(Points.of(x * x_unit, np.array(y) * y_unit, (x * 0 + 0.5) * y_unit)))
    assert [left * x_unit for left, _ in one.breaks] == pytest.approx([left for left, _ in other.breaks])
    assert [piece.slope.value * y_unit / x_unit for piece in one.pieces] == pytest.approx(
        [piece.slope.value for piece in other.pieces], rel=1e-4, abs=1e-6 * y_unit / x_unit * max(y)
    )
    assert one.scatter == pytest.approx(other.scatter, rel=1e-3, abs=1e-6)


def test_thousands_of_points_are_looked_at_in_a_moment() -> None:
    x = np.arange(1.0, 3001.0)
    found = fitted(best(points(lambda x: straight(x) + 20.0 * (x > 1500), scatter=0.02, x=x)))
    ((left, right),) = found.breaks
    assert left <= 1520
    assert right >= 1480
