"""Histograms: every sample is in a bin, ticks do not alias, one sample in a million is seen, and pages stay small."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.distribution import distribution
from intercore.view.distribution import MOST_HISTOGRAMS, bin_edges, distribution_columns, histogram_figure

pytestmark = pytest.mark.filterwarnings("error")


def drawn(figure: dict[str, Any]) -> list[int]:
    """Samples in the bars of each trace."""
    return [sum(trace["y"]) for trace in figure["data"]]


@given(
    st.lists(
        st.lists(st.floats(-1e9, 1e9, allow_nan=False, allow_subnormal=False), min_size=1, max_size=60),
        min_size=1,
        max_size=4,
    )
)
def test_every_sample_is_drawn_in_finite_numbers(samples: list[list[float]]) -> None:
    figure = histogram_figure("h", "H", {f"s{i}": values for i, values in enumerate(samples)}, "")
    assert drawn(figure) == [len(values) for values in samples]
    json.dumps(figure, allow_nan=False)


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
    (trace,) = histogram_figure("h", "H", {"a": ticks}, "")["data"]
    inner = np.asarray(trace["y"][1:-1])
    assert inner.min() == inner.max()


def test_bins_follow_the_sample_that_varies_least() -> None:
    rng = np.random.default_rng(1)
    figure = histogram_figure("h", "H", {"a": rng.normal(5, 0.1, 5000), "b": rng.normal(9, 0.1, 5000)}, "")
    assert all(len(trace["x"]) > 10 for trace in figure["data"])


def test_a_long_tail_gets_a_logarithmic_axis_and_the_caption_says_what_that_does_to_bins() -> None:
    tailed = np.concatenate((np.random.default_rng(2).uniform(1, 2, 10_000), [1000]))
    figure = histogram_figure("h", "H", {"a": tailed}, "All.")
    assert figure["layout"]["xaxis"]["type"] == "log"
    assert figure["data"][0]["y"][-1] == 1
    assert "1/16" in figure["caption"]
    assert "type" not in histogram_figure("h", "H", {"a": tailed - 1.5}, "")["layout"]["xaxis"]


def test_the_page_stays_small_however_many_samples_there_are() -> None:
    rng = np.random.default_rng(3)
    samples = {str(i): rng.pareto(0.8, 100_000) + 1e-3 for i in range(8)}
    assert len(json.dumps(histogram_figure("h", "H", samples, ""))) < 400_000


def test_a_single_sample_shows_on_the_axis_of_counts() -> None:
    figure = histogram_figure("h", "H", {"a": [1, 1, 1, 2]}, "")
    low, high = figure["layout"]["yaxis"]["range"]
    assert low < 0 < np.log10(3) < high


def test_two_samples_are_overlaid_and_more_stand_one_above_the_other() -> None:
    two = histogram_figure("h", "H", {"a": [1, 2], "b": [3, 4]}, "")
    assert two["layout"]["showlegend"]
    assert {trace["yaxis"] for trace in two["data"]} == {"y"}
    three = histogram_figure("h", "H", {"a": [1, 2], "b": [3, 4], "<b>": [5]}, "")
    assert [trace["yaxis"] for trace in three["data"]] == ["y", "y2", "y3"]
    assert three["layout"]["xaxis"]["anchor"] == "y3"
    assert [note["text"] for note in three["layout"]["annotations"]] == ["a", "b", "&lt;b&gt;"]


def test_what_is_left_out_is_said() -> None:
    figure = histogram_figure("h", "H", {str(i): [i, i + 1] for i in range(10)} | {"none": []}, "Counts.")
    assert len(figure["data"]) == MOST_HISTOGRAMS
    assert "The first 8 of 10 are drawn." in figure["caption"]


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


def test_equal_samples_beside_others_are_a_narrow_bar_where_they_are_and_no_axis_goes_below_zero() -> None:
    others = np.linspace(0.39, 5.75, 100)
    figure = histogram_figure("h", "H", {"equal": [0.392] * 100, "others": others}, "", tick_us=0.008)
    equal, _ = figure["data"]
    assert equal["y"] == [100]
    assert equal["x"] == pytest.approx([0.392e-6])
    assert equal["width"][0] < 0.05e-6
    low, high = figure["layout"]["xaxis"]["range"]
    assert 0 <= low <= 0.392e-6
    assert 5.75e-6 <= high < 9e-6
