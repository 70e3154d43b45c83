"""Published tables beside one's own, for the three seeds on the ESP32: what is whose, and what it is.

The own numbers are those of tests/fakes/esp32.py: made up.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console

from intercore.benchmarks.reports import reports
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Bars, Cells, Line, Points
from tests.benchmarks.esp32_report import cells, page, report
from tests.fakes import esp32 as fake_esp32

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("origin", "label"), [("simulated", "SIMULATED"), ("emulated", "FUNCTION ONLY")])
def test_the_tables_fit_a_terminal_and_say_what_was_not_measured(origin: str, label: str) -> None:
    for found in reports(fake_esp32.run(**{origin: True})).reports:
        for table in found.section.tables:
            out = io.StringIO()
            print_table(table, Console(file=out, width=100))
            assert max(map(len, out.getvalue().splitlines())) <= 100
            if table.title.startswith("Short work:"):
                continue  # all of it was published, nothing is this run's
            said = [table.title, *(column.text(row) for row in table.rows for column in table.columns)]
            assert any(label in text for text in said)


@pytest.mark.measures("speedup")
def test_table_1_of_seed_000_stands_beside_ours_size_by_size_with_its_last_digits() -> None:
    rows = cells(report("speedup"), "Table 1 of Quách")
    assert [row[0] for row in rows] == [f"{10**size:,}" for size in range(3, 8) for _ in range(3)]
    assert [row[1] for row in rows[:3]] == ["published", "fake-esp32 join=notify", "fake-esp32 join=poll-tick"]
    assert rows[0][2:] == ["4.14", "2.97", "1.3909", "", "69.55%", "69.5%", "0.97 ms"]
    assert rows[3][2:] == ["40.63", "21.98", "1.8484", "", "92.42%", "92.5%", "0.98 ms"], "E is not S / P"
    assert rows[-3][2:] == ["40,760.67", "20,426.98", "1.9954", "", "99.77%", "99.7%", "0.98 ms"]
    polled = [row for row in rows if row[1].endswith("poll-tick")]
    assert {row[-1] for row in polled} == {"0.98 ms"}, "what polls ends at one phase of the tick"
    assert len({row[-1] for row in rows if row[1].endswith("notify")}) > 2, "what waits does not"


@pytest.mark.measures("speedup")
def test_a_run_without_a_published_size_has_no_such_table() -> None:
    whole = fake_esp32.run()
    other = msgspec.structs.replace(whole.measurements[0], factors=whole.measurements[0].factors | {"n": 1234})
    few = msgspec.structs.replace(whole, measurements=(other,))
    (found,) = (one for one in reports(few).reports if one.benchmark == "speedup")
    assert not any(table.title.startswith("Table 1") for table in found.section.tables)


@pytest.mark.measures("contention")
def test_the_currents_of_seed_001_stand_by_the_cores_that_never_rest_and_by_the_mark() -> None:
    found = report("contention")
    rows = cells(found, "Currents of a USB meter")
    assert [row[2] for row in rows[:7]] == ["50 mA", "50 mA", "50 mA", "10 mA", "10 mA", "40 mA", "10 mA"]
    assert [row[1] for row in rows[:7]] == ["0 1", "0 1", "0 1", "1", "1", "0 1", "1"], "an empty main loop spins"
    assert rows[7] == ["Raspberry Pi Zero W, likely with USB, HDMI", "0", "200 mA", "+100 mA on 100"]
    assert rows[8] == ["Raspberry Pi Zero W, likely without", "0", "120 mA", "+100 mA on 20"]
    assert rows[5][3] == "+30 mA"
    (title,) = [table.title for table in found.section.tables if table.title.startswith("Currents")]
    assert "windows are marked on GPIO4" in title


@pytest.mark.measures("switch")
def test_the_switches_of_seed_002_stand_beside_ours_and_are_called_what_they_are() -> None:
    rows = cells(report("switch"), "The tables of Arm")
    assert [row[0] for row in rows].count("published") == 2
    one_core, across = (row for row in rows if row[0] == "published")
    assert one_core[2:] == ["0.0120", "0.0120", "0.0120", "0.0000", "as printed"]
    assert across[2:] == ["190.3340", "190.3300", "190.7140", "0.0040", "as printed"]
    ours = {(row[1], row[-1]): float(row[2]) for row in rows if row[0] != "published"}
    assert ours["1 → 0", "FALSE: two counters apart"] == pytest.approx(190.344, abs=0.001)
    assert ours["0 → 1", "FALSE: two counters apart"] == pytest.approx(-190.316, abs=0.001)
    assert ours["0 → 1", "a wake-up, one clock"] == pytest.approx(0.0141, abs=0.0001)
    assert ours["0 → 0", "a wake-up, one counter"] == pytest.approx(0.0121, abs=0.0001), "one core has one counter"


@pytest.mark.measures("switch")
def test_without_raw_counters_the_published_switches_are_drawn_as_well() -> None:
    whole = fake_esp32.run()
    true = tuple(one for one in whole.measurements if one.factors.get("time") == "common")
    said = reports(msgspec.structs.replace(whole, measurements=true)).reports
    (found,) = (one for one in said if one.benchmark == "switch")
    (drawn,) = [one for one in found.section.figures if one.name == "switch-false-time"]
    texts = {one.name: one.words for one in drawn.panels[0].series if isinstance(one, Points)}
    assert texts["published"] == ["12.0 µs", "190.3 ms"]
    assert texts["raw counters"] == []
    assert any("190.334 ms" in note for note in found.section.notes)


@pytest.mark.measures("switch")
def test_what_is_said_of_seed_002_is_inferred_and_names_what_speaks_against_it() -> None:
    said = " ".join(report("switch").section.notes)
    assert "likely the difference of two counters" in said
    assert "on a simulated Pico (RP2040), on Linux, and on an emulated ESP32" in said
    assert "None of these is a chip of the paper's" in said
    assert "do not agree" not in said, "4.5 µs are of another function than the one count"
    assert "gives 4.5 µs as the time of the synchronization function" in said
    assert "86 to 109" in said, "how many values there likely were"


@pytest.mark.measures("switch")
def test_counters_that_agree_are_not_called_false() -> None:
    """As on Linux, where the counters of all cores are one."""
    whole = fake_esp32.run()
    agree = [one for one in whole.measurements if one.factors.get("time") == "common"]
    agree += [msgspec.structs.replace(one, factors=one.factors | {"time": "raw-counter"}) for one in agree]
    said = reports(msgspec.structs.replace(whole, measurements=tuple(agree))).reports
    (found,) = (one for one in said if one.benchmark == "switch")
    rows = [row for row in cells(found, "The tables of Arm") if row[0] != "published" and row[1] == "0 → 1"]
    assert [row[-1] for row in rows] == ["a wake-up, one clock", "two counters, not aligned"]


@pytest.mark.measures("speedup", "contention", "switch")
def test_the_page_draws_all_that_was_published_in_grey(tmp_path: Path) -> None:
    text, figures = page(tmp_path)
    of = {
        name: [one for panel in drawn.panels for one in panel.series if one.name.startswith("published")]
        for name, drawn in figures.items()
    }
    t1 = pytest.approx([each / 1e3 for each in (4.14, 40.63, 406.22, 4068.19, 40760.67)])
    tp = pytest.approx([each / 1e3 for each in (2.97, 21.98, 203.98, 2038.98, 20426.98)])
    assert [list(one.values("y"))[:5] for one in of["durations-over-size"]] == [tp, t1, tp]
    line, phases = of["beyond-whole-ticks"]
    assert isinstance(line, Line), "its ends are quantised"
    assert list(phases.values("y")) == pytest.approx([0.97, 0.98, 0.98, 0.98, 0.98])
    assert sum(len(one.boxes) for one in of["contention"] if isinstance(one, Bars)) == 12
    assert list(of["switch-false-time"][0].values("x")) == pytest.approx([12e-6, 0.190334])
    assert {one.colour for one in of["durations-over-size"] if not isinstance(one, Cells)} == {"published"}
    assert "Table 1 of Quách &amp; Nguyễn 2026, ESP32, and the same sizes on fake-esp32" in text
    assert "975 to 978 cycles at 240 MHz" in text, "what is not comparable"
    assert "1.8484 / 2 is 92.42 %" in text
    assert "Short work: the text of Quách &amp; Nguyễn 2026, ESP32" in text
    assert all(text.count(f"{side} ms") == 1 for side in ("below 3.00", "below 4.00", "above 10.0"))
    assert "Currents of a USB meter, probably makotaka, ESP32" in text
    assert "FALSE: two counters apart" in text
    assert "likely the difference of two counters" in text, "in a note alone"
    assert "SIMULATED" not in text.split("<script>")[0]


@pytest.mark.measures("speedup")
def test_polled_ends_are_told_from_awaited_ones(tmp_path: Path) -> None:
    _, figures = page(tmp_path, simulated=True)
    phases = figures["beyond-whole-ticks-simulated"]
    (panel,) = phases.panels
    kinds = {
        name: {type(one) for one in panel.series if one.name == name}
        for name in figures["beyond-whole-ticks-simulated"].series_names
    }
    assert kinds["created tasks, join poll-tick (SIMULATED)"] == {Line, Points}
    assert kinds["created tasks, join notify (SIMULATED)"] == {Points}
