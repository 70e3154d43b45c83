"""`intercore run TARGET suite`: every benchmark in one run, one document, one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.cli.test_json import check
from tests.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from tests.cli.tool import Tool

KEYS = {
    *("speedup", "overhead_us", "break_even", "quantised"),
    *("contention", "switch", "jitter", "irq", "api", "rhealstone", "threadmetric", "lock", "memory", "clock"),
    "message",
}
DISTURBED = ("wrong", "migrated", "lost")


def suite(tool: Tool, target: str) -> dict[str, Any]:
    """Run the suite as people do, in an empty folder; return the document after holding it against its schema."""
    shown: dict[str, Any] = tool("run", target, "suite", "--format", "json", kill_after=400).succeeded().json
    check(shown)
    assert shown["complete"]
    assert set(shown["analysis"]) == KEYS
    page = (tool.directory / f"{target}-suite.html").read_text()
    for key in (
        "contention",
        "switch",
        "jitter",
        "irq",
        "api",
        "rhealstone",
        "threadmetric",
        "lock",
        "memory",
        "message",
        "clock",
    ):
        assert shown["analysis"][key]["sentences"], key
        assert f"({key})</h2>" in page
    return shown


def test_the_suite_measures_everything_on_this_machine(tool: Tool) -> None:
    shown = suite(tool, "host")
    assert not shown["simulated"]


def test_the_suite_measures_everything_on_the_simulated_chip_undisturbed(tool: Tool) -> None:
    need_tools()
    shown = suite(tool, "pico-sim")
    assert shown["simulated"]
    for one in shown["measurements"]:
        assert not any(one["checks"].get(name) for name in DISTURBED), one
    jitter = [one for one in shown["measurements"] if one["benchmark"] == "jitter"]
    moved = [one["checks"] for one in jitter if "asked" in one["checks"]]
    assert moved
    assert all(checks["moved"] == checks["asked"] > 0 for checks in moved)


def test_levels_are_refused(tool: Tool) -> None:
    assert "leave out n, or name one benchmark" in tool("run", "host", "suite", "n=5").failed(2).error
