"""The page of a comparison: all its ratios as one picture."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, get_args

import msgspec
import numpy as np
import pytest

from intercore.comparison.analysis import compare_sides
from intercore.comparison.picture import FIRST, MOST_TICKS, SHAPES, picture, ticks
from intercore.comparison.verdicts import Verdict
from intercore.page.comparison_page import write_comparison_page
from tests.comparison.compared_runs import in_runs, measured, run

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.comparison.analysis import Comparison
    from intercore.record.measurement import Run

pytestmark = pytest.mark.measures("switch", "message")
PRIMITIVES = 100


def side(seed: int, factors: dict[int, float], *, simulated: bool = False) -> Run:
    """A run of many settings, some of which take longer by a factor."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(PRIMITIVES):
        for repetition in range(5):
            median = 10_000 * factors.get(number, 1.0) * (1 if simulated else np.exp(0.005 * rng.normal()))
            noise = np.zeros(30) if simulated else 50 * rng.normal(size=30)
            one = measured([round(median + each) for each in noise], primitive=f"p{number}")
            made.append(msgspec.structs.replace(one, repetition=repetition))
    return in_runs(run("host", *made, simulated=simulated))


@pytest.fixture(scope="module")
def compared() -> Comparison:
    """Three settings that have changed much, 97 that have not."""
    return compare_sides([side(1, {})], [side(2, {7: 1.5, 8: 0.6, 9: 3.0})])


def test_every_ratio_has_a_mark_and_the_largest_come_first(compared: Comparison) -> None:
    found = picture(compared)
    assert found is not None
    assert len(found.marks) == len(found.by_ratio) == PRIMITIVES
    assert [mark.setting for mark in found.first[:3]] == ["p9", "p8", "p7"]
    assert [mark.verdict for mark in found.first[:3]] == ["slower", "faster", "slower"]
    assert [mark.shape for mark in found.first[:3]] == ["up", "down", "up"]
    assert (len(found.first), len(found.rest)) == (FIRST, PRIMITIVES - FIRST)
    assert [mark.at for mark in found.by_ratio] == sorted(mark.at for mark in found.marks)
    assert all(0 <= mark.low <= mark.at <= mark.high <= 1 for mark in found.marks)
    assert sum(one.count for one in found.legend) == PRIMITIVES


def test_the_axis_is_logarithmic_and_has_the_place_of_no_change(compared: Comparison) -> None:
    found = picture(compared)
    assert found is not None
    at = {tick.label: tick.at for tick in found.ticks}
    assert at["× 1"] == pytest.approx(found.one)
    marks = {mark.setting: mark for mark in found.marks}
    above, below = marks["p7"].at - found.one, found.one - marks["p8"].at
    assert above / below == pytest.approx(np.log(1.5) / -np.log(0.6), rel=0.05)


def test_better_is_one_way_for_times_and_rates() -> None:
    before, after = (
        run(
            name,
            measured([ticks] * 6, "switch", "switch", primitive="queue"),
            measured([ticks] * 6, "message", "window", measure="throughput", messages=10, size=64),
        )
        for name, ticks in (("a", 1000), ("b", 500))
    )
    found = picture(compare_sides([before], [after]))
    assert found is not None
    time, rate = (
        next(mark for mark in found.marks if mark.quantity.startswith(name)) for name in ("switch", "message")
    )
    assert time.at == pytest.approx(rate.at)
    assert time.at < found.one
    assert {time.verdict, rate.verdict} == {"faster"}
    assert all(mark.low <= mark.at <= mark.high for mark in (time, rate))


def test_no_two_verdicts_look_alike() -> None:
    assert len(set(SHAPES.values())) == len(SHAPES) == len(get_args(Verdict))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.97, 1.04, [0.97, 0.98, 0.99, 1.0, 1.01, 1.02, 1.03, 1.04]),
        (0.8, 1.3, [0.8, 0.9, 1.0, 1.1, 1.2, 1.3]),
        (0.5, 20, [0.5, 1, 2, 5, 10, 20]),
        (0.001, 1000, [0.001, 0.01, 0.1, 1, 10, 100, 1000]),
    ],
)
def test_ticks_are_round_and_few(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)
    rng = np.random.default_rng(1)
    for ratio in 10 ** rng.uniform(-6, 6, 500):
        found = ticks(min(ratio, 1) * 0.99, max(ratio, 1) * 1.01)
        assert 2 <= len(found) <= MOST_TICKS
        assert 1 in found or max(ratio, 1 / ratio) > 1e8


def test_one_wide_interval_does_not_squeeze_the_others(compared: Comparison) -> None:
    (wide,) = [pair for pair in compared.pairs if pair.setting == {"primitive": "p7"}]
    assert wide.ratio is not None
    lost = msgspec.structs.replace(wide, ratio=msgspec.structs.replace(wide.ratio, low=1e-9, high=1e9))
    pairs = tuple(lost if pair is wide else pair for pair in compared.pairs)
    found = picture(msgspec.structs.replace(compared, pairs=pairs))
    assert found is not None
    mark = next(mark for mark in found.marks if mark.setting == "p7")
    assert (mark.low, mark.high) == (0, 1)
    before = picture(compared)
    assert before is not None
    assert [tick.label for tick in found.ticks] == [tick.label for tick in before.ticks]


class _Parts(HTMLParser):
    """What a page consists of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_loads_and_runs_nothing_and_tells_verdicts_in_words(compared: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_comparison_page(compared, path)
    write_comparison_page(compared, path)  # which replaces the first
    page = path.read_text("utf-8")
    parts = _Parts()
    parts.feed(page)
    assert not [tag for tag, _ in parts.tags if tag in {"script", "link", "img", "iframe"}]
    assert not re.findall(r"(?:src|href)=", page)
    policy = next(of["content"] for tag, of in parts.tags if tag == "meta" and "http-equiv" in of)
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline';")
    titles = len([tag for tag, _ in parts.tags if tag == "title"])
    assert titles == 1 + PRIMITIVES  # of the page, and of each mark in the picture
    words = " ".join(parts.text.split())
    assert re.search(r"slower in 2 faster in 1 ", words)
    assert f"{PRIMITIVES - FIRST} more quantities, the most certain and largest differences first" in words
    assert compared.answer[0] in words


def test_names_from_a_target_are_escaped(tmp_path: Path) -> None:
    def of(median: int) -> Run:
        one = measured([median] * 9, primitive="<script>alert(1)</script>")
        other = measured([median] * 9, primitive="b")
        return run("host", one, other)

    write_comparison_page(compare_sides([of(100)], [of(110)]), tmp_path / "page.html")
    assert "<script>" not in (tmp_path / "page.html").read_text("utf-8")


def test_numbers_of_a_simulated_chip_say_so_on_the_page(tmp_path: Path) -> None:
    write_comparison_page(
        compare_sides([side(1, {}, simulated=True)], [side(2, {3: 1.1}, simulated=True)]), tmp_path / "page.html"
    )
    page = (tmp_path / "page.html").read_text("utf-8")
    assert '<span class="label simulated">SIMULATED</span>' in page
    assert "<td>exact</td>" in page


def test_a_comparison_without_a_ratio_has_a_page_without_a_picture(compared: Comparison, tmp_path: Path) -> None:
    none = msgspec.structs.replace(compared, pairs=())
    assert picture(none) is None
    write_comparison_page(none, tmp_path / "page.html")
    assert 'class="picture"' not in (tmp_path / "page.html").read_text("utf-8")
