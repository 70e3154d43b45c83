"""The published currents of seed 001's rows, what a linear model makes of them, and one's own beside them."""

from __future__ import annotations

import msgspec
import pytest

from intercore.benchmarks.contention.currents import published_model
from intercore.benchmarks.reports import reports
from intercore.record.measurement import Run
from intercore.record.meter_recording import Reading, Recording, Window
from tests.fakes import esp32

MILLIAMPS = {"task0, main": 62.0, "main": 41.0, "task0 (main spins)": 60.4, "task1 (main spins)": 40.0}


def test_the_published_rows_tell_what_core_0_adds_and_nothing_of_core_1() -> None:
    model = published_model()
    first, second = model.cores
    assert first.amps is not None
    assert 1e3 * first.amps.value == pytest.approx(37.5), "(50 + 50 + 50 + 40) / 4 - 10"
    assert second.amps is None
    assert second.always, "with its task, with the main loop's work, or with a loop that spins"
    assert 1e3 * model.rest.value == pytest.approx(10.0)
    assert [round(1e3 * row.residual, 6) for row in model.rows] == [2.5, 2.5, 2.5, 0, 0, -7.5, 0]
    blocked = model.predicted((True, False))
    assert blocked is not None
    assert (1e3 * (blocked.low or 0), 1e3 * (blocked.high or 0)) == pytest.approx((37.5, 47.5))


def read_by_eye(run: Run) -> Run:
    """The run, with a reading for each of its seven rows."""
    labels = ("task0, task1, main", "task0, main", "task0, task1 (main spins)", "task1, main", "main")
    labels += ("task0 (main spins)", "task1 (main spins)")
    windows = tuple(Window(label, 10.0, 59, "tower", "towers", 2 if "task0" in label else 1) for label in labels)
    readings = tuple(
        Reading(MILLIAMPS.get(label, 63.0 if "task0" in label else 42.0) / 1e3, 1e-3, 5.0) for label in labels
    )
    recording = Recording("read by eye", "read", windows, readings=readings)
    measured = tuple(
        msgspec.structs.replace(one, recording=recording)
        if one.benchmark == "contention" and one.factors.get("preset") == "qiita-table"
        else one
        for one in run.measurements
    )
    return msgspec.structs.replace(run, measurements=measured)


def test_ones_own_currents_and_their_model_stand_beside_the_published_ones() -> None:
    found = {report.benchmark: report for report in reports(read_by_eye(esp32.run())).reports}
    tables = {table.title.split(",")[0].split(":")[0]: table for table in found["contention"].section.tables}
    beside = tables["Currents of a USB meter"]
    cells = [[column.text(row) for column in beside.columns] for row in beside.rows]
    assert [row[4] for row in cells[:7]] == [
        "63.0 mA", "62.0 mA", "63.0 mA", "42.0 mA", "41.0 mA", "60.4 mA", "40.0 mA",
    ]  # fmt: skip
    adds = tables["What a busy core adds"]
    published, own = ([column.text(row) for column in adds.columns] for row in adds.rows)
    assert published[2].startswith("37.5 mA")
    assert own[2].startswith("21.1 mA"), (
        "(63 + 62 + 63 + 60.4) / 4 - (42 + 41 + 40) / 3 = 21.1, on no border of rounding"
    )
    assert own[3] == published[3] == "part of rest: busy in every row"
    names = [figure.name for figure in found["contention"].section.figures]
    assert "currents" in names
    assert found["energy"].section.tables


def test_a_run_without_a_meter_says_nothing_of_energy() -> None:
    assert "energy" not in {report.benchmark for report in reports(esp32.run()).reports}
