"""Least squares beside statsmodels, also where columns depend on each other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.least_squares import least_squares


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 30),
    st.integers(1, 5),
    st.booleans(),
    st.floats(1e-6, 1e6),
)
def test_it_agrees_with_statsmodels(seed: int, rows: int, columns: int, dependent: bool, scale: float) -> None:
    from statsmodels.regression.linear_model import WLS  # noqa: PLC0415 - takes a second, of each test process

    rng = np.random.default_rng(seed)
    design = np.column_stack((np.ones(rows), rng.normal(size=(rows, columns))))
    if dependent:
        design = np.column_stack((design, design[:, :1] + 2 * design[:, 1:2]))
    response, weights = scale * rng.normal(size=rows), rng.uniform(0.1, 10, rows)
    fit = least_squares(response, design, weights)
    with warnings.catch_warnings(action="ignore"):  # of designs with more columns than rows
        theirs = WLS(response, design, weights=weights).fit()
    assert fit.rank == np.linalg.matrix_rank(design)
    assert fit.freedom == theirs.df_resid
    assert fit.parameters == pytest.approx(theirs.params, rel=1e-6, abs=1e-9 * scale)
    assert fit.residuals == pytest.approx(theirs.resid, rel=1e-6, abs=1e-9 * scale)
    assert fit.covariance == pytest.approx(theirs.normalized_cov_params, rel=1e-6, abs=1e-9)
    if fit.freedom > 0:
        assert fit.squares == pytest.approx(theirs.ssr, rel=1e-6)
        new = rng.normal(size=(3, design.shape[1]))
        prediction = theirs.get_prediction(new)
        for of_another in (False, True):
            low, high = prediction.conf_int(obs=of_another, alpha=0.05).T
            assert 2 * fit.half_width(new, 0.95, of_another=of_another) == pytest.approx(high - low, rel=1e-5)


def test_a_response_without_scatter_has_no_width() -> None:
    fit = least_squares([1.0, 2.0, 3.0], [[1, 0], [1, 1], [1, 2]])
    assert fit.parameters == pytest.approx([1, 1])
    assert fit.half_width([1, 5], 0.95) == pytest.approx([0], abs=1e-12)
    assert least_squares([5.0], [[1.0]]).freedom == 0
