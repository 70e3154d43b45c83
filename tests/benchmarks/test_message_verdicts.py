"""What a run says of the findings of seed 003: planted times turn each verdict."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.message.report import report
from tests.benchmarks.message_data import campaign, line, run_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.record.measurement import Level, Measurement
    from intercore.view.exhibit import Outcome, Verdict

BOARD = "STM32H745"
SIZES = (4, 64, 1024)
OPTIMISED = {"O0": 2.0, "O3": 1.0, "Os": 1.02, "Ofast": 1.3}
ALIKE = {"O0": 1.0, "O3": 1.0, "Os": 1.02, "Ofast": 1.3}
PLACES = {"d1": 1.5, "d2": 1.0, "d3": 1.03}


def verdicts(measurements: list[Measurement]) -> dict[str, Verdict]:
    """The verdicts on all figures, by the finding's words."""
    shown = report(run_of(measurements)).exhibits
    return {one.finding: one for exhibit in shown for one in exhibit.verdicts}


def outcome(measurements: list[Measurement], words: str) -> Outcome:
    (found,) = (one for finding, one in verdicts(measurements).items() if words in finding)
    assert found.because.endswith(".")
    assert "nan" not in found.because
    return found.outcome


def measured(
    factors: Mapping[str, tuple[Level, ...]],
    times: Callable[..., float],
    *,
    measure: str = "latency",
    chip: str = BOARD,
    count: int = 9,
    noise: float = 0.0,
) -> list[Measurement]:
    """Messages both ways at all levels of some factors; `times` says how many times as long they take."""
    made: list[Measurement] = []
    for direction, levels in itertools.product(((0, 1), (1, 0)), itertools.product(*factors.values())):
        setting = dict(zip(factors, levels, strict=True))
        factor = times(to=direction[1], **setting)
        made += campaign(
            lambda size, factor=factor: (10.0 + size / 100) * factor, SIZES, count=count, noise=noise,
            conditions={"chip": chip}, measure=measure, from_=direction[0], to=direction[1], **setting,
        )  # fmt: skip
    return made


def by(table: Mapping[str, float], factor: str) -> Callable[..., float]:
    return lambda **setting: table[setting[factor]]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (OPTIMISED, "agrees"),
        (OPTIMISED | {"Ofast": 1.0}, "agrees"),
        (OPTIMISED | {"Ofast": 0.98}, "agrees"),
        (OPTIMISED | {"Ofast": 0.9}, "contradicts"),
        (OPTIMISED | {"Os": 1.2}, "agrees"),
        (OPTIMISED | {"Os": 1.2, "O3": 1.2, "Ofast": 1.0}, "contradicts"),
        (OPTIMISED | {"O0": 1.1}, "contradicts"),
        ({"O3": 1.0, "Os": 1.0}, "cannot tell"),
    ],
)
def test_the_best_and_the_worst_optimisation(table: dict[str, float], expected: Outcome) -> None:
    known = measured({"opt": tuple(table)}, by(table, "opt"))
    assert outcome(known, "has the lowest latency") == expected


def test_what_samples_do_not_tell_apart_is_no_verdict() -> None:
    known = measured({"opt": tuple(OPTIMISED)}, by(OPTIMISED | {"Ofast": 1.0}, "opt"), noise=0.5, count=5)
    assert outcome(known, "has the lowest latency") == "cannot tell"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (ALIKE, "agrees"),
        (ALIKE | {"O0": 2.0}, "contradicts"),
        (ALIKE | {"O0": 1.25}, "contradicts"),
        (ALIKE | {"O0": 1.1}, "cannot tell"),
        ({"O3": 1.0, "O0": 1.0}, "cannot tell"),
        ({"O3": 1.0, "Ofast": 1.3}, "cannot tell"),
    ],
)
def test_the_level_of_the_lowest_rate(table: dict[str, float], expected: Outcome) -> None:
    known = measured({"opt": tuple(table)}, by(table, "opt"), measure="throughput")
    assert outcome(known, "has the lowest data rate") == expected


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (PLACES, "agrees"),
        (PLACES | {"d3": 1.2}, "cannot tell"),
        (PLACES | {"d3": 0.9}, "contradicts"),
        (PLACES | {"d3": 0.995}, "cannot tell"),
        (PLACES | {"d1": 0.9}, "contradicts"),
        (PLACES | {"d1": 1.01}, "contradicts"),
        (PLACES | {"d1": 1.03}, "cannot tell"),
        ({"sram4": 1.0, "sram5": 1.1}, "cannot tell"),
    ],
)
def test_the_place_of_the_shared_memory(table: dict[str, float], expected: Outcome) -> None:
    known = measured({"region": tuple(table)}, by(table, "region"))
    assert outcome(known, "D2 is best overall") == expected
    both = [
        one
        for place, times in table.items()
        for one in measured({"region": (place,), "shared": (place,)}, lambda times=times, **_: times)
    ]
    assert outcome(both, "D2 is best overall") == expected


def test_places_that_samples_do_not_tell_apart_are_no_verdict() -> None:
    known = measured({"region": tuple(PLACES)}, by(PLACES, "region"), noise=0.5, count=5)
    assert outcome(known, "D2 is best overall") == "cannot tell"


@pytest.mark.parametrize(
    ("slower", "faster", "expected"),
    [(3.0, 1.1, "agrees"), (1.1, 3.0, "contradicts"), (1.5, 1.45, "cannot tell")],
)
def test_the_clock_that_determines_a_message(slower: float, faster: float, expected: Outcome) -> None:
    def times(*, m4_mhz: int, m7_mhz: int, to: int) -> float:
        return (slower if m4_mhz == 60 else 1.0) * (faster if m7_mhz == 120 else 1.0) * (1 + to / 10)

    known = measured({"m7_mhz": (120, 400), "m4_mhz": (60, 120)}, times)
    assert outcome(known, "clock of the slower core") == expected


def test_a_chip_of_one_clock_cannot_tell_which_clock_matters() -> None:
    known = measured({"clock_mhz": (48, 133)}, lambda clock_mhz, **_: 133 / clock_mhz, chip="RP2040")
    assert outcome(known, "clock of the slower core") == "cannot tell"


@pytest.mark.parametrize(
    ("bent", "chip", "expected"),
    [(1.0, BOARD, "agrees"), (1.5, BOARD, "contradicts"), (1.0, "RP2040", "agrees"), (1.5, "RP2040", "cannot tell")],
)
def test_how_far_a_line_is_off(bent: float, chip: str, expected: Outcome) -> None:
    """Another chip may show the same, and refutes nothing."""
    known = [
        one
        for place in ("d1", "d2")
        for one in campaign(
            lambda size: (10 + size / 100) * (bent if size == 64 else 1.0),
            (4, 16, 64, 256, 1024),
            region=place,
            conditions={"chip": chip},
        )
    ]
    assert outcome(known, "A line that is fitted") == expected


def cached(code: float, data: float, *, chip: str = BOARD, measure: str = "latency") -> list[Measurement]:
    """Messages with each cache on and off; without it they take so many times as long."""

    def times(*, icache: str, dcache: str, to: int) -> float:
        return (code if icache == "off" else 1.0) * (data if dcache == "off" else 1.0) * (1 + to / 10)

    return measured({"icache": ("on", "off"), "dcache": ("on", "off")}, times, chip=chip, measure=measure)


@pytest.mark.parametrize(
    ("code", "data", "expected"), [(1.1, 1.2, "agrees"), (1.1, 0.9, "contradicts"), (1.0, 1.2, "cannot tell")]
)
def test_what_caches_do_to_the_latency(code: float, data: float, expected: Outcome) -> None:
    assert outcome(cached(code, data), "improves the latency") == expected
    assert outcome(cached(code, data, chip="RP2040"), "improves the latency") == "cannot tell"


@pytest.mark.parametrize(
    ("code", "data", "to_faster", "to_slower"),
    [
        (1.01, 1.03, "agrees", "agrees"),
        (1.01, 1.2, "contradicts", "agrees"),
        (1.01, 1.1, "cannot tell", "agrees"),
        (1.2, 1.1, "contradicts", "contradicts"),
        (1.07, 1.1, "cannot tell", "cannot tell"),
        (1.0, 0.97, "agrees", "contradicts"),
    ],
)
def test_what_caches_do_to_the_rate(code: float, data: float, to_faster: Outcome, to_slower: Outcome) -> None:
    known = cached(code, data, measure="throughput")
    assert outcome(known, "improve the data rate only marginally") == to_faster
    assert outcome(known, "the data cache improves the data rate somewhat") == to_slower


def test_the_conclusion_is_as_good_as_its_parts() -> None:
    def times(*, opt: str, region: str, icache: str, dcache: str, m7_mhz: int, m4_mhz: int, to: int) -> float:
        caches = (1.1 if icache == "off" else 1.0) * (1.1 if dcache == "off" else 1.0)
        clocks = (3.0 if m4_mhz == 60 else 1.0) * (1.02 if m7_mhz == 120 else 1.0)
        return OPTIMISED[opt] * PLACES[region] * caches * clocks * (1 + to / 10)

    factors: dict[str, tuple[Level, ...]] = {
        "opt": ("O0", "O3"),
        "region": tuple(PLACES),
        "icache": ("on", "off"),
        "dcache": ("on", "off"),
        "m7_mhz": (120, 400),
        "m4_mhz": (60, 120),
    }
    assert outcome(measured(factors, times, count=2), "Best overall") == "agrees"
    factors["region"] = ("d1", "d2")
    assert outcome(measured(factors, times, count=2), "Best overall") == "cannot tell"
    for table, expected in ((ALIKE, "cannot tell"), (OPTIMISED | {"Ofast": 0.9}, "contradicts")):
        known = measured({"opt": tuple(table)}, by(table, "opt"))
        assert outcome(known, "Best overall") == expected, "another level is the best only in the second"


def test_a_figure_is_shown_where_its_factor_varies_and_of_the_levels_nearest_to_it() -> None:
    factors: dict[str, tuple[Level, ...]] = {"opt": ("O0", "O3"), "m7_mhz": (120, 400), "transport": ("ring", "rpmsg")}
    shown = {one.name: one for one in report(run_of(measured(factors, lambda **_: 1.0))).exhibits}
    assert set(shown) == {"Figure 3", "Figure 4"}
    (figure,) = shown["Figure 3"].figures
    assert [panel.title for panel in figure.panels] == ["0 → 1", "1 → 0"]
    assert figure.series_names == ["opt=O0", "opt=O3"]
    assert "transport=rpmsg" in figure.caption
    assert "m7_mhz=400" in figure.caption
    assert "m4_mhz=50" in shown["Figure 3"].untested
    factors["m7_mhz"] = (120, 480)
    assert not next(iter(report(run_of(measured(factors, lambda **_: 1.0))).exhibits)).untested
    assert report(run_of(campaign(lambda _: 1.0, SIZES))).exhibits == []
    on_one_core = [one for name in ("O0", "O3") for one in campaign(lambda _: 1.0, SIZES, from_=1, to=1, opt=name)]
    assert report(run_of(on_one_core)).exhibits == []


def test_a_plot_says_how_many_settings_are_points_without_a_line() -> None:
    known = [*campaign(line(1.0, 20.0), region="a"), *campaign(line(2.0, 20.0), (64,), region="b")]
    (figure,) = (one for one in report(run_of(known)).section.figures if one.name == "message-latency")
    assert "1 of 2 settings" in figure.caption
    (whole,) = (one for one in report(run_of(known[:-1])).section.figures if one.name == "message-latency")
    assert "without a line" not in whole.caption
