"""How many samples of a message are enough, from a pilot: as seed 003 chose its 1024 from 65536."""

from __future__ import annotations

import numpy as np
import pytest

from intercore.benchmarks.message import analysis as message
from intercore.benchmarks.message.findings import (
    MessagePilotRepetitions,
    MessagePilotSamples,
    MessagePilotTwoLevels,
)
from intercore.benchmarks.message.pilot import PILOT, pilot_results
from intercore.benchmarks.message.report import report
from tests.benchmarks.message_data import campaign, measurement, run_of


def test_samples_follow_from_a_pilot_by_setting_and_size() -> None:
    known = [
        *campaign(lambda size: 10 + 0.01 * size, (4, 64), noise=0.1, count=8000),
        *campaign(lambda size: 10 + 0.01 * size, (4, 64), noise=0.02, count=8000, transport="rpmsg"),
    ]
    ours = message.analyse(known).pilots
    assert [(one.setting["transport"], one.bytes, one.samples) for one in ours] == [
        ("ring", 4, 8000), ("ring", 64, 8000), ("rpmsg", 4, 8000), ("rpmsg", 64, 8000)
    ]  # fmt: skip
    for one in ours:
        scatter = 0.1 if one.setting["transport"] == "ring" else 0.02
        assert one.for_mean == pytest.approx((1.96 * scatter / 0.01) ** 2, rel=0.1)
        assert one.for_median == pytest.approx((1.96 * scatter / 0.01) ** 2 * np.pi / 2, rel=0.25)
        assert one.median_within["1024"] == pytest.approx(1.96 * scatter * np.sqrt(np.pi / 2 / 1024), rel=0.15)


def test_what_is_asked_for_is_the_users() -> None:
    known = campaign(lambda _: 10.0, (4,), noise=0.1, count=8000)
    (tight,) = message.analyse(known, 0.005).pilots
    (loose,) = message.analyse(known, 0.02).pilots
    assert tight.for_mean == pytest.approx(16 * (loose.for_mean or 0), rel=0.01)
    found = report(run_of(known), 0.02)
    assert any("±2.0 %" in table.title for table in found.section.tables)
    assert [one.within for one in found.findings if isinstance(one, MessagePilotSamples)] == [0.02]


def test_few_samples_are_no_pilot() -> None:
    assert message.analyse(campaign(lambda _: 10.0, (4,), count=PILOT - 1)).pilots == ()


def test_repetitions_that_differ_are_said_to_need_more_of_them_and_not_more_samples() -> None:
    rng = np.random.default_rng(1)
    known = [
        measurement(10 * (1 + 0.1 * number) * (1 + 0.001 * rng.normal(size=500)), repetition=number)
        for number in range(4)
    ]
    analysis = message.analyse(known)
    (one,) = analysis.pilots
    assert (one.repetitions, one.samples) == (4, 2000)
    assert one.repetitions_within is not None
    assert one.repetitions_within > 0.1
    worst = MessagePilotRepetitions(apart=1, asked=1, within=one.repetitions_within)
    assert worst in pilot_results(analysis.pilots)


def test_between_two_levels_no_number_is_enough() -> None:
    known = [measurement(np.repeat([10.0, 20.0], 1000))]
    analysis = message.analyse(known)
    assert [one.for_median for one in analysis.pilots] == [None]
    assert any(isinstance(one, MessagePilotTwoLevels) for one in pilot_results(analysis.pilots))
    (table,) = (one for one in report(run_of(known)).section.tables if one.title.startswith("Samples needed"))
    assert "none do" in [column.text(table.rows[0]) for column in table.columns]
