"""Which activations of very many are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from intercore.benchmarks.jitter.report import _MOST_POINTS, _selection

pytestmark = pytest.mark.measures("jitter")


@pytest.mark.parametrize("distinct", [1, 2, 50, 10**6])
@pytest.mark.parametrize("count", [1, _MOST_POINTS // 4, _MOST_POINTS, 3 * _MOST_POINTS + 1])
def test_the_latest_and_an_even_choice_of_the_others_are_drawn(count: int, distinct: int) -> None:
    late = np.random.default_rng(count).integers(0, distinct, count) / 1e6
    latest = np.argsort(late, kind="stable")[count - min(count, _MOST_POINTS // 4) :]
    others = np.setdiff1d(np.arange(count), latest)
    even = np.linspace(0, len(others) - 1, min(len(others), _MOST_POINTS - len(latest))).astype(np.intp)
    assert _selection(late).tolist() == sorted([*latest.tolist(), *others[even].tolist()])
