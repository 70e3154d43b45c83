"""The tail: right where theory knows the answer, and full of caveats where extrapolation makes no sense."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.statistics.tail import FEWEST_EXCEEDANCES, Tail, _fit, tail

pytestmark = pytest.mark.filterwarnings("error")


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("shape", [-0.5, -0.2, 0.01, 0.3, 0.8, 1.2])
def test_the_fit_finds_shape_and_scale_as_well_as_maximum_likelihood_can(shape: float) -> None:
    drawn = np.sort(scipy.stats.genpareto.rvs(shape, scale=2, size=(200, 500), random_state=rng(1)), axis=1)
    shapes, scales = _fit(drawn)
    assert shapes.mean() == pytest.approx(shape, abs=0.02)
    assert scales.mean() == pytest.approx(2, rel=0.03)
    # The standard error of maximum likelihood, (1 + shape) / sqrt(n) (Smith 1987), reached where it is regular.
    assert shapes.std() < 1.25 * max(1 + shape, 0.6) / np.sqrt(500)


def test_the_fit_agrees_with_the_maximum_likelihood_of_scipy() -> None:
    drawn = np.sort(scipy.stats.genpareto.rvs(0.2, scale=3, size=800, random_state=rng(2)))
    shape, _, scale = scipy.stats.genpareto.fit(drawn, floc=0)
    ours = _fit(drawn[None, :])
    assert ours[0][0] == pytest.approx(shape, abs=0.02)
    assert ours[1][0] == pytest.approx(scale, rel=0.02)


@pytest.mark.parametrize(
    ("family", "arguments"),
    [("expon", (10, 3)), ("norm", (100, 5)), ("genpareto", (0.2,)), ("genpareto", (-0.3,)), ("lognorm", (0.5,))],
)
def test_the_interval_holds_the_value_that_truly_is_exceeded_once_in_so_many(
    family: str, arguments: tuple[float, ...]
) -> None:
    law = getattr(scipy.stats, family)(*arguments)
    generator = rng(3)
    truth = law.isf(1 / 100_000)
    held = 0
    for _ in range(30):
        (found,) = tail(law.rvs(4000, random_state=generator), (100_000,)).exceeded
        assert found.value.low is not None
        held += found.value.low <= truth <= (np.inf if found.value.high is None else found.value.high)
    assert held >= 25


def test_a_clean_tail_raises_no_doubt_and_says_that_it_is_no_guarantee() -> None:
    found = tail(rng(4).exponential(size=20_000) + 10, what="release")
    assert found.caveats == ()
    assert "one release in 1,000,000 exceeds about" in found.sentence
    assert "not a guarantee" in found.sentence
    assert found.p_value is not None
    assert found.p_value > 0.1
    assert found.exceeded[0].value.value == pytest.approx(10 + np.log(1e6), rel=0.1)
    assert found.exceedances == found.tried[0].exceedances == 1000
    assert found.tried[-1].exceedances >= FEWEST_EXCEEDANCES


def test_several_rarities_can_be_asked_for_and_rarer_ones_are_larger() -> None:
    values = rng(5).exponential(size=20_000)
    found = tail(values, (10, 1e4, 1e5, 1e6)).exceeded
    assert [one.once_in for one in found] == [10, 1e4, 1e5, 1e6]
    assert found[0].value.value == pytest.approx(np.quantile(values, 0.9))
    assert found[0].value.value < found[1].value.value < found[2].value.value < found[3].value.value


def test_the_same_samples_give_the_same_tail() -> None:
    values = rng(6).exponential(size=3000)
    assert tail(values) == tail(values)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "too few"),
        (np.arange(999.0), "999 samples are too few, at least 1000"),
        (np.full(5000, 3.0), "only 1 different value,"),
        (np.tile([100.0, 108.0, 109.0], 1000), "only 1 different value,"),
        (np.rint(rng(7).normal(10, 1, 5000)), "different values, so there is no tail"),
    ],
)
def test_no_tail_is_made_up(values: list[float], reason: str) -> None:
    found = tail(values)
    assert found.exceeded == ()
    assert found.shape is None
    assert found.threshold is None
    assert found.sentence.startswith("No rare value is estimated")
    assert reason in found.sentence


def test_a_tail_without_a_finite_mean_gives_no_value() -> None:
    found = tail(rng(8).pareto(0.7, 50_000))
    assert found.shape is not None
    assert found.shape.value > 1
    assert found.exceeded == ()
    assert "mean" in found.sentence


def test_exceedances_in_clusters_count_once() -> None:
    # The maximum of the last four of independent values is exceeded four times in a row: extremal index 1/4.
    base = scipy.stats.genpareto.rvs(0.05, size=40_003, random_state=rng(9))
    values = np.max([base[k : 40_000 + k] for k in range(4)], axis=0)
    found = tail(values)
    assert found.extremal_index == pytest.approx(0.25, abs=0.05)
    assert any("clusters" in doubt for doubt in found.caveats)
    truth = scipy.stats.genpareto.isf(1e-6, 0.05)
    assert found.exceeded[0].value.low < truth < found.exceeded[0].value.high  # type: ignore[operator]


def test_independent_exceedances_are_left_as_they_are() -> None:
    declustered = sum((tail(rng(seed).exponential(size=2000)).extremal_index or 0) < 1 for seed in range(30))
    assert declustered <= 2


@pytest.mark.parametrize(
    ("values", "doubt"),
    [
        (np.linspace(10, 10.8, 5000) + rng(10).normal(0, 0.4, 5000), "drift"),
        (rng(11).choice([10, 20], 5000, p=[0.9, 0.1]) + rng(12).normal(0, 0.3, 5000), "several levels"),
        (np.rint(rng(13).exponential(1.7, 100_000)), "too coarse"),
        (rng(14).exponential(size=2000), "far beyond the 2,000 samples"),
        (rng(15).pareto(1.7, 20_000), "as wide as the value itself"),
        (
            np.where(
                rng(16).uniform(size=20_000) < 0.004, 40 + rng(17).normal(size=20_000), rng(18).uniform(size=20_000)
            ),
            "no threshold",
        ),
    ],
    ids=["drift", "levels", "ticks", "far", "wide", "misfit"],
)
def test_the_sentence_says_when_not_to_believe_it(values: list[float], doubt: str) -> None:
    found = tail(values)
    assert any(doubt in one for one in found.caveats), found.caveats
    assert "Do not rely on it" in found.sentence
    assert doubt in found.sentence


def test_a_drift_that_leaves_too_few_peaks_is_named() -> None:
    found = tail(np.linspace(10, 15, 5000) + rng(10).normal(0, 0.3, 5000))
    assert found.exceeded == ()
    assert "clusters" in found.sentence
    assert "drift" in found.sentence


def test_ticks_of_a_clock_do_not_change_the_tail_much() -> None:
    values = rng(20).exponential(20, 20_000)
    smooth, ticks = tail(values), tail(np.rint(values))
    assert ticks.caveats == smooth.caveats == ()
    assert ticks.exceeded[0].value.value == pytest.approx(smooth.exceeded[0].value.value, rel=0.15)


def test_a_tail_goes_through_json() -> None:
    found = tail(rng(21).exponential(size=2000))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Tail) == found


@settings(max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-9, 1.0, 1e9]),
    st.sampled_from(["normal", "exponential", "standard_cauchy"]),
    st.booleans(),
)
def test_whatever_is_measured_is_answered_in_finite_numbers(seed: int, scale: float, law: str, rounded: bool) -> None:
    values = getattr(rng(seed), law)(size=1200) * scale
    found = tail(np.rint(values) if rounded else values)
    for one in found.exceeded:
        assert np.isfinite(one.value.value)
    assert "nan" not in found.sentence
    assert "inf " not in found.sentence
