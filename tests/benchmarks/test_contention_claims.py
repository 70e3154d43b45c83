"""What a run says of the findings of seed 001: planted data turns each verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.contention.analysis import analyse
from intercore.benchmarks.contention.charge import ChargeRow, published_charges
from intercore.benchmarks.contention.claims import CLAIMS, Evidence
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.published import published
from intercore.statistics.intervals import Interval
from tests.benchmarks.test_contention import PRESET_ROWS, measurement, own

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.measurement import Measurement
    from intercore.view.exhibit import Outcome

_ROWS = (("task0", "task1", "main"), ("task0", "main"), ("task0", "task1"), ("task1", "main"), ("main",), ("task0",))
NAMES = (*_ROWS, ("task1",))


def table() -> ContentionPublication:
    (found,) = (one for one in published(ContentionPublication) if one.id == "seed-001")
    return found


def rows(**changed: float) -> Measurement:
    """The rows as published, but for some parts: `r1_task0=0.5` is that of the first one."""
    parts: list[dict[str, float]] = [dict(row) for row in PRESET_ROWS]
    for name, part in changed.items():
        number, _, who = name.partition("_")
        parts[int(number[1:]) - 1][f"{who}.{0 if who == 'task0' else 1}"] = part
    return measurement(parts, {"preset": "qiita-table"})


def held(
    *measurements: Measurement,
    main_loop: str = "",
    charges: Sequence[ChargeRow] = (),
    estimated: str = "",
) -> Evidence:
    contests = analyse(measurements).contests
    return Evidence(
        table(),
        {tuple(worker.name for worker in one.workers): one for one in contests if one.row is not None},
        [one for one in contests if one.row is None],
        main_loop,
        charges,
        estimated,
    )


def currents(*milliamps: float, volts: float = 5.0, towers: int = 119, error: float = 0.01) -> list[ChargeRow]:
    """What a meter saw of the rows in their order."""
    return [
        ChargeRow(names, ", ".join(names), False, known, volts, 10.0, towers, 20,
                Interval(*(10 * one / towers for one in (known.value, known.low or 0, known.high or 0))), None)
        for names, ma in zip(NAMES, milliamps, strict=False)
        for known in [Interval(ma / 1e3, ma * (1 - error) / 1e3, ma * (1 + error) / 1e3)]
    ]  # fmt: skip


FREE = {"free0.0": 1.0, "free1.1": 0.5}
SPINS = {"free": 2, "main": "spin"}
PUBLISHED_MA = (50, 50, 50, 10, 10, 40, 10)

TURNED: dict[str, dict[Outcome, Evidence]] = {
    "core-0-alone": {
        "agrees": held(rows()),
        "contradicts": held(rows(r1_task0=0.8)),
        "cannot tell": held(rows(r1_task0=0.95)),
    },
    "shared-in-halves": {
        "agrees": held(rows()),
        "contradicts": held(rows(r4_task1=0.8, r4_main=0.2)),
        "cannot tell": held(rows(r4_task1=0.55, r4_main=0.45)),
    },
    "half-beside-idle-loop": {
        "agrees": held(rows()),
        "contradicts": held(rows(r7_task1=0.99)),
        "cannot tell": held(rows(r7_task1=0.45, r3_task1=0.4499)),
    },
    "kept-for-main": {"cannot tell": held(rows(), own({"task1.1": 0.99}, task1="work", main="delay"))},
    "main-has-core-1": {
        "agrees": held(rows()),
        "contradicts": held(rows(r5_main=0.5)),
        "cannot tell": held(rows(r5_main=0.949)),
    },
    "main-on-core-1": {
        "agrees": held(rows(), main_loop="loop() of the Arduino core"),
        "contradicts": held(
            measurement([{**row, **({"main.0": 0.1} if "main.1" in row else {})} for row in PRESET_ROWS],
                        {"preset": "qiita-table"}),
            main_loop="loop() of the Arduino core",
        ),
        "cannot tell": held(rows(), main_loop="none: a task of the benchmark's own stands in"),
    },
    "twice": {
        "agrees": held(rows()),
        "contradicts": held(rows(r2_main=0.6)),
        "cannot tell": held(rows(r2_main=0.9)),
    },
    "no-affinity": {
        "agrees": held(rows(), own(FREE, **SPINS)),
        "contradicts": held(rows(), own({"free0.0": 0.5, "free1.1": 0.5}, **SPINS)),
        "cannot tell": held(rows(), own({"free0.0": 1.0}, free=1, main="spin")),
    },
    "core-0-takes": {
        "agrees": held(rows(), charges=currents(*PUBLISHED_MA)),
        "contradicts": held(rows(), charges=currents(50, 50, 50, 45, 45, 40, 45)),
        "cannot tell": held(rows(), charges=currents(*PUBLISHED_MA), estimated="an RP2040's"),
    },
    "against-the-pi": {
        "agrees": held(rows(), charges=currents(*PUBLISHED_MA)),
        "contradicts": held(rows(), charges=currents(500, 50)),
        "cannot tell": held(rows(), charges=currents(*PUBLISHED_MA, volts=3.3)),
    },
}  # fmt: skip


@pytest.mark.parametrize(("claim", "outcome"), [(claim, outcome) for claim, some in TURNED.items() for outcome in some])
def test_planted_data_turns_each_verdict(claim: str, outcome: Outcome) -> None:
    said = CLAIMS[claim](TURNED[claim][outcome])
    assert said.outcome == outcome, said.because
    assert said.because.endswith(".")


def test_tolerances_are_told() -> None:
    run = held(rows())
    for claim, words in (
        ("core-0-alone", "up to 5 % of a core counts as none"),
        ("shared-in-halves", "45 to 55 % counts as half"),
        ("half-beside-idle-loop", "45 to 55 % counts as half"),
        ("main-has-core-1", "at least 95 % counts as all"),
        ("twice", "1.9 to 2.1 counts as twice"),
    ):
        assert words in CLAIMS[claim](run).because


def test_the_two_baselines_of_twice_are_told_apart() -> None:
    known = CLAIMS["twice"](held(rows(r6_task0=0.96)))
    assert "2.04" in known.because, "of the rows' towers, as in the article"
    assert "Total 2.00 in the table has another baseline" in known.because


def test_every_finding_of_the_article_is_held_against_a_run() -> None:
    assert {one.id for one in table().claims} == CLAIMS.keys() == TURNED.keys()


@pytest.mark.parametrize(
    ("part", "main", "answer"),
    [(0.5, "block", "the rest may be kept"), (0.99, "delay", "no half is kept"), (0.99, "spin", "An answer needs")],
)
def test_a_question_is_answered_and_neither_confirmed_nor_refuted(part: float, main: str, answer: str) -> None:
    run = rows(), own({"task1.1": part}, task1="work", main=main)
    said = CLAIMS["kept-for-main"](held(*run))
    assert said.outcome == "cannot tell"
    assert answer in said.because
    if main != "spin":
        assert "no Arduino main loop" in said.because
        assert "no Arduino main loop" not in CLAIMS["kept-for-main"](held(*run, main_loop="loop()")).because


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_run_without_a_row_cannot_tell(claim: str) -> None:
    assert CLAIMS[claim](held()).outcome == "cannot tell"


@pytest.mark.parametrize("claim", ["core-0-takes", "against-the-pi"])
def test_an_estimate_cannot_tell(claim: str) -> None:
    one = held(rows(), charges=currents(*PUBLISHED_MA), estimated="an RP2040's")
    assert CLAIMS[claim](one).outcome == "cannot tell"


def test_a_charge_between_the_two_of_the_pi_cannot_tell() -> None:
    between = held(rows(), charges=currents(150))
    assert CLAIMS["against-the-pi"](between).outcome == "cannot tell", "12.6 mA·s, between 9.5 and 16"


def test_the_charge_of_a_tower_is_the_articles_own_arithmetic() -> None:
    known = list(published_charges(table().figures))
    milli = [(one.label, round(1e3 * one.coulombs.value, 2)) for one in known]
    assert milli[0] == ("task0, task1, main", 4.2), "50 mA * 10 s / 119"
    assert milli[-2:] == [("Raspberry Pi Zero W", 15.87), ("Raspberry Pi Zero W", 9.52)]
    assert [one.cores for one in known] == [(0, 1)] * 3 + [(1,), (1,), (0,), (1,), (0,), (0,)], "as in its table"
    assert len(known) == 9
    assert all(one.joules is None and one.volts is None for one in known), "the article states no voltage"


def test_towers_of_fewer_discs_are_scaled_by_their_moves() -> None:
    (one, *_) = currents(50)
    small = one._replace(discs=10)
    assert small.of_discs(small.coulombs, 20).value == pytest.approx(one.coulombs.value * (2**20 - 1) / (2**10 - 1))
