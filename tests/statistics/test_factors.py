"""Analysis of variance: the same as textbooks' where these have an answer, and one where grids have holes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.statistics import factors
from intercore.statistics.factors import Candidate, Observation, analyse_factors, cell_means, ranking


def grid(noise: float = 0.02, seed: int = 0, *, holes: bool = False, repeated: int = 1) -> list[Observation]:
    """Time of transports, loads and sizes: ratios 1 : 4 : 0.5, 1 : 1.2, and 1 + size / 100."""
    rng = np.random.default_rng(seed)
    made = []
    for transport, load, size, _ in itertools.product(
        ("ring", "queue", "fifo"), ("none", "both"), (4, 64, 1024), range(repeated)
    ):
        if holes and transport == "fifo" and size > 4:
            continue
        time = {"ring": 1, "queue": 4, "fifo": 0.5}[transport] * (1 + size / 100) * (1.2 if load == "both" else 1)
        made.append(
            Observation({"transport": transport, "load": load, "size": size}, time * math.exp(noise * rng.normal()))
        )
    return made


def test_it_agrees_with_statsmodels_on_a_complete_grid_that_is_not_balanced() -> None:
    import pandas as pd  # noqa: PLC0415 - a dependency of statsmodels
    import statsmodels.api as sm  # noqa: PLC0415
    import statsmodels.formula.api as smf  # noqa: PLC0415

    observations = [*grid(), *grid(seed=1)[:7]]
    found = analyse_factors(observations)
    assert found is not None
    frame = pd.DataFrame([{**one.levels, "y": math.log(one.value)} for one in observations])
    model = smf.ols("y ~ (C(transport, Sum) + C(load, Sum) + C(size, Sum)) ** 2", frame).fit()
    table = sm.stats.anova_lm(model, typ=2)
    names = {"C(transport, Sum)": "transport", "C(load, Sum)": "load", "C(size, Sum)": "size"}
    expected = {frozenset(names[name] for name in row.split(":")): table.loc[row] for row in table.index[:-1]}
    assert found.residual_freedom == table.loc["Residual", "df"]
    assert {frozenset(one.factors) for one in found.effects} == set(expected)
    total = float(np.sum((frame["y"] - frame["y"].mean()) ** 2))
    for one in found.effects:
        row = expected[frozenset(one.factors)]
        assert one.freedom == row["df"]
        assert one.f == pytest.approx(row["F"], rel=1e-6)
        assert one.p_value == pytest.approx(row["PR(>F)"], rel=1e-5)
        assert one.eta_squared == pytest.approx(row["sum_sq"] / total, rel=1e-6)
        assert one.partial_eta_squared == pytest.approx(
            row["sum_sq"] / (row["sum_sq"] + table.loc["Residual", "sum_sq"]), rel=1e-6
        )


def test_in_a_balanced_grid_shares_add_up_and_levels_do_what_they_do() -> None:
    found = analyse_factors(grid(noise=0.001))
    assert found is not None
    assert sum(one.eta_squared for one in found.effects) == pytest.approx(1, abs=1e-4)
    transport = next(one for one in found.effects if one.factors == ("transport",))
    times = {level.level: level.times.value for level in transport.levels}
    mean = (1 * 4 * 0.5) ** (1 / 3)
    assert times == pytest.approx({"ring": 1 / mean, "queue": 4 / mean, "fifo": 0.5 / mean}, rel=0.01)
    load = next(one for one in found.effects if one.factors == ("load",))
    assert load.levels[1].times.value / load.levels[0].times.value == pytest.approx(1.2, rel=0.01)
    assert load.partial_omega_squared is not None
    assert load.partial_omega_squared > 0.99


def test_intervals_of_levels_cover_the_truth() -> None:
    covered, trials = 0, 60
    for seed in range(trials):
        found = analyse_factors(grid(noise=0.1, seed=seed, repeated=2))
        assert found is not None
        load = next(one for one in found.effects if one.factors == ("load",))
        low, high = load.levels[1].times.low, load.levels[1].times.high
        assert low is not None
        assert high is not None
        covered += low <= math.sqrt(1.2) <= high
    assert covered >= 52


def test_holes_in_the_grid_cost_degrees_of_freedom_and_nothing_else() -> None:
    found = analyse_factors(grid(noise=0.001, holes=True))
    assert found is not None
    by_name = {one.factors: one for one in found.effects}
    assert by_name["transport", "size"].freedom == 2  # of 4: what fifo does with two of the sizes is not known
    load = by_name[("load",)]
    assert load.levels[1].times.value / load.levels[0].times.value == pytest.approx(1.2, rel=0.01)
    times = {level.level: level.times.value for level in by_name[("transport",)].levels}
    assert times["fifo"] / times["ring"] == pytest.approx(0.5, rel=0.01)


def test_factors_that_always_change_together_are_one() -> None:
    both = [
        Observation({**one.levels, "from": int(one.levels["load"] == "both"), "to": 0}, one.value) for one in grid()
    ]
    found = analyse_factors(both)
    assert found is not None
    assert ("load, from",) in {one.factors for one in found.effects}
    assert found.constant == {"to": 0}


def test_a_factor_of_one_level_and_too_few_observations_say_nothing() -> None:
    assert analyse_factors([]) is None
    assert analyse_factors([Observation({"a": 1}, 1.0)]) is None
    assert analyse_factors([Observation({"a": 1}, 1.0), Observation({"a": 1}, 2.0)]) is None
    assert analyse_factors([Observation({"a": 1}, 1.0), Observation({"a": 2}, 1.0)]) is None
    found = analyse_factors([Observation({"a": 1, "b": "x"}, 1.0), Observation({"a": 2, "b": "x"}, 2.0)])
    assert found is not None
    (effect,) = found.effects
    assert effect.eta_squared == pytest.approx(1)
    assert (effect.f, effect.partial_omega_squared, found.constant) == (None, None, {"b": "x"})
    assert effect.levels[0].times.low is None


def test_a_response_without_noise_is_explained_in_full() -> None:
    found = analyse_factors(grid(noise=0.0))
    assert found is not None
    assert found.r_squared == pytest.approx(1)
    assert all(one.f is None or one.f > 0 for one in found.effects)
    interaction = next(one for one in found.effects if set(one.factors) == {"transport", "load"})
    assert interaction.partial_eta_squared == 0


def test_a_response_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        analyse_factors([Observation({"a": 1}, 0.0), Observation({"a": 2}, 1.0)])


def test_too_many_levels_leave_their_interactions_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "MOST_COLUMNS", 100)
    rng = np.random.default_rng(0)
    many = [
        Observation({"size": size, "load": load, "receiver": receiver}, (size + 10) * math.exp(0.01 * rng.normal()))
        for size in range(1, 50)
        for load in ("none", "both")
        for receiver in ("polling", "blocked")
    ]
    found = analyse_factors(many)
    assert found is not None
    assert found.effects[0].factors == ("size",)
    assert {one.factors for one in found.effects if len(one.factors) == 2} == {("load", "receiver")}


@settings(max_examples=20)
@given(unit=st.sampled_from([1e-9, 7.0, 1e9]), seed=st.integers(0, 1000))
def test_neither_the_order_nor_the_unit_of_observations_matters(unit: float, seed: int) -> None:
    observations = grid(holes=True)
    order = np.random.default_rng(seed).permutation(len(observations))
    one = analyse_factors(observations)
    other = analyse_factors([Observation(observations[i].levels, observations[i].value * unit) for i in order])
    assert one is not None
    assert other is not None
    shares = [{frozenset(each.factors): each.eta_squared for each in found.effects} for found in (one, other)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-6, abs=1e-9)


def test_means_of_pairs_are_free_of_what_else_was_measured_with_them() -> None:
    means = cell_means(grid(noise=0.0, holes=True), "transport", "load")
    assert means["fifo", "none"] / means["ring", "none"] == pytest.approx(
        0.5, rel=1e-6
    )  # though fifo had short ones only
    assert means["ring", "both"] / means["ring", "none"] == pytest.approx(1.2, rel=1e-6)


def test_the_margin_of_the_best_has_an_interval_that_covers_the_truth() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        values = [(name, math.exp(math.log(truth) + 0.02 * rng.normal())) for name, truth in (("a", 1.0), ("b", 1.5))]
        ranked = ranking([Candidate({"x": name}, value, 0.02) for name, value in values])
        assert [one.candidate.levels["x"] for one in ranked] == ["a", "b"]
        low, high = ranked[1].behind.low, ranked[1].behind.high
        assert low is not None
        assert high is not None
        covered += low <= 1.5 <= high
    assert covered >= 180
    exact = ranking([Candidate({"x": 2}, 4.0, 0.0), Candidate({"x": 1}, 2.0, 0.0)])
    assert [(one.candidate.levels["x"], one.behind.value) for one in exact] == [(1, 1.0), (2, 2.0)]


def test_a_candidate_of_which_next_to_nothing_is_known_has_wide_and_finite_bounds() -> None:
    first, second = ranking([Candidate({"x": 1}, 2.0, 0.1), Candidate({"x": 2}, 4.0, 1000.0)])
    low, high = second.behind.low, second.behind.high
    assert low is not None
    assert high is not None
    assert 0 < low < 1e-300
    assert 1e300 < high < math.inf
    assert first.behind.value == 1.0
