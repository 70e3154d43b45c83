"""The page of a recorded measurement: the timeline, labelled, and nothing of a target's text as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from intercore.page.trace_page import write_trace_page
from intercore.record.trace_recording import Recording
from intercore.trace.history import History
from intercore.trace.path import path_of
from intercore.trace.report import analysed
from intercore.trace.shares import traced
from intercore.trace.timeline import timeline
from intercore.trace.window import windows
from tests.trace.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path


def page(path: Path, names: dict[int, str] | None = None) -> str:
    machine = Machine()
    for across in (True, False):
        machine.wake(range(10, 30), across=across, disturbed=False)
    whole = machine.recording()
    history = History(Recording(whole.hz, whole.rings, names or whole.names))
    series = traced(history, machine.series, {one.name: one for one in machine.series})
    lines = [timeline(history, one, path_of(history, one)) for one in windows(history, machine.series)]
    for _ in range(2):  # the second one replaces the first
        write_trace_page(analysed(history, series, "pico-sim", "simulated", "wake", "wake.pftrace"), lines, path)
    return path.read_text()


def test_a_page_shows_lanes_parts_and_arrows_and_says_that_it_is_simulated(tmp_path: Path) -> None:
    text = page(tmp_path / "wake.html")
    start = text.index('<svg class="timeline"')
    picture = ElementTree.fromstring(text[start : text.index("</svg>", start) + len("</svg>")])  # noqa: S314 - ours
    assert [one.text for one in picture.iter("text") if one.get("class") == "name"] == [
        "measured", "core 0", "its interrupts", "core 1", "its interrupts",
    ]  # fmt: skip
    titles = {one.text or "" for one in picture.iter("title")}
    assert {title.partition(":")[0] for title in titles} >= {"signal", "kernel", "woken 104", "IDLE 102"}
    assert any(one.get("class") == "arrow" for one in picture.iter("path"))
    assert "0" in [one.text for one in picture.iter("text") if one.get("class") == "tick"]
    assert text.count("SIMULATED") >= 4
    assert "<script" not in text
    assert "default-src 'none'" in text


def test_what_a_target_calls_its_tasks_is_text(tmp_path: Path) -> None:
    text = page(tmp_path / "wake.html", {1: "IDLE", 2: "<b>x</b>", 3: "woken"})
    assert "<b>" not in text
    assert "&lt;b&gt;x" in text
