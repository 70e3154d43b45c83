"""The report on the made-up run of an ESP32 (tests/fakes/esp32.py), as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.reports import reports
from intercore.page.page import write_page
from tests.fakes import esp32 as fake_esp32
from tests.page_figures import figures_drawn

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.view.figure import Figure
    from intercore.view.section import Report


def report(benchmark: str, *, simulated: bool = False) -> Report:
    (found,) = (one for one in reports(fake_esp32.run(simulated=simulated)).reports if one.benchmark == benchmark)
    return found


def cells(found: Report, title: str) -> list[list[str]]:
    (table,) = [one for one in found.section.tables if one.title.startswith(title)]
    return [[column.text(row) for column in table.columns] for row in table.rows]


def page(folder: Path, *, simulated: bool = False) -> tuple[str, dict[str, Figure]]:
    path = folder / "page.html"
    with figures_drawn() as figures:
        write_page([reports(fake_esp32.run(simulated=simulated))], path)
    return path.read_text(encoding="utf-8"), {one.name: one for one in figures}
