"""Histograms: every sample is in a bin, ticks do not alias, one sample in a million is seen, and pages stay small."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.distribution import distribution
from intercore.view.distribution import MOST_HISTOGRAMS, bin_edges, distribution_columns, histogram_figure
from intercore.view.figure import Bars
from intercore.view.svg import drawn

if TYPE_CHECKING:
    from intercore.view.figure import Figure

pytestmark = pytest.mark.filterwarnings("error")


def bars_of(figure: Figure) -> list[Bars]:
    """The bars of each sample."""
    return [one for panel in figure.panels for one in panel.series if isinstance(one, Bars)]


def counts_of(bars: Bars) -> list[float]:
    return [count for *_, count in bars.boxes]


@given(
    st.lists(
        st.lists(st.floats(-1e9, 1e9, allow_nan=False, allow_subnormal=False), min_size=1, max_size=60),
        min_size=1,
        max_size=4,
    )
)
def test_every_sample_is_drawn_in_finite_numbers(samples: list[list[float]]) -> None:
    figure = histogram_figure("h", "H", {f"s{i}": values for i, values in enumerate(samples)}, "")
    assert [sum(counts_of(bars)) for bars in bars_of(figure)] == [len(values) for values in samples]
    assert all(math.isfinite(end) for bars in bars_of(figure) for box in bars.boxes for end in box)


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=60),
    st.sampled_from([1e-3, 0.008, 1.0]),
)
def test_a_bin_holds_whole_ticks_and_none_lies_on_an_edge(ticks: list[int], tick: float) -> None:
    edges, _ = bin_edges([np.asarray(ticks) * tick], tick)
    in_ticks = edges / tick + 0.5
    assert np.allclose(in_ticks, np.rint(in_ticks), atol=1e-6)
    assert np.all(np.diff(in_ticks) > 0.9)
    counts, _ = np.histogram(np.asarray(ticks) * tick, edges)
    assert counts.sum() == len(ticks)


def test_evenly_spread_ticks_fill_bins_evenly() -> None:
    ticks = np.tile(np.arange(1000, 2000), 50) * 0.008
    (bars,) = bars_of(histogram_figure("h", "H", {"a": ticks}, ""))
    inner = np.asarray(counts_of(bars)[1:-1])
    assert inner.min() == inner.max()


def test_bins_follow_the_sample_that_varies_least() -> None:
    rng = np.random.default_rng(1)
    figure = histogram_figure("h", "H", {"a": rng.normal(5, 0.1, 5000), "b": rng.normal(9, 0.1, 5000)}, "")
    assert all(len(bars.boxes) > 10 for bars in bars_of(figure))


def test_long_tail_has_a_logarithmic_axis_and_a_caption() -> None:
    tailed = np.concatenate((np.random.default_rng(2).uniform(1, 2, 10_000), [1000]))
    figure = histogram_figure("h", "H", {"a": tailed}, "All.")
    assert figure.panels[0].x.log
    assert counts_of(bars_of(figure)[0])[-1] == 1
    assert "1/16" in figure.caption
    assert not histogram_figure("h", "H", {"a": tailed - 1.5}, "").panels[0].x.log


def test_the_page_stays_small_however_many_samples_there_are() -> None:
    rng = np.random.default_rng(3)
    samples = {str(i): rng.pareto(0.8, 100_000) + 1e-3 for i in range(8)}
    assert len(drawn(histogram_figure("h", "H", samples, ""))) < 150_000


def test_a_single_sample_shows_on_the_axis_of_counts() -> None:
    figure = histogram_figure("h", "H", {"a": [1, 1, 1, 2]}, "")
    axis = figure.panels[0].y
    assert 0 < (axis.at(1) or 0) < (axis.at(3) or 1) < 1


def test_two_samples_are_overlaid_and_more_stand_one_above_the_other() -> None:
    two = histogram_figure("h", "H", {"a": [1, 2], "b": [3, 4]}, "")
    assert (two.legend, len(two.panels)) == (True, 1)
    three = histogram_figure("h", "H", {"a": [1, 2], "b": [3, 4], "<b>": [5]}, "")
    assert [panel.title for panel in three.panels] == ["a", "b", "<b>"]
    assert not three.legend
    assert len({panel.x for panel in three.panels}) == len({panel.y for panel in three.panels}) == 1


def test_what_is_left_out_is_said() -> None:
    figure = histogram_figure("h", "H", {str(i): [i, i + 1] for i in range(10)} | {"none": []}, "Counts.")
    assert len(figure.panels) == MOST_HISTOGRAMS
    assert "The first 8 of 10 are drawn." in figure.caption


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(ValueError, match="no sample"):
        histogram_figure("h", "H", {"a": []}, "")


def test_columns_show_what_the_samples_can_tell() -> None:
    few, many = distribution([[1.5] * 5]), distribution([np.linspace(1000, 2000, 10_001)])
    columns = distribution_columns(lambda row: row)
    cells = {column.title: (column.text(few), column.text(many)) for column in columns}
    assert cells == {
        "samples": ("5", "10,001"),
        "min": ("1.50 µs", "1.00 ms"),
        "median": ("1.50 µs", "1.50 ms"),
        "95 %": ("–", "1.49 – 1.51"),
        "p99": ("–", "1.99 ms"),
        "p99.9": ("–", "2.00 ms"),
        "max": ("1.50 µs", "2.00 ms"),
    }


def test_histogram_of_equal_samples_has_a_narrow_bar_and_no_negative_axis() -> None:
    others = np.linspace(0.39, 5.75, 100)
    figure = histogram_figure("h", "H", {"equal": [0.392] * 100, "others": others}, "", tick_us=0.008)
    ((begin, end, _, count),) = bars_of(figure)[0].boxes
    assert count == 100
    assert (begin + end) / 2 == pytest.approx(0.392e-6)
    assert end - begin < 0.05e-6
    axis = figure.panels[0].x
    assert 0 <= axis.low <= 0.392e-6
    assert 5.75e-6 <= axis.high < 9e-6
