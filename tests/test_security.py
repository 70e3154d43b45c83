"""docs/security.md has the bounds of the code, and no others.

`python -m tests.test_security` prints the table.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from intercore.campaign.plan_reader import MAX_LEVELS
from intercore.files import bounds
from intercore.files.bounds import Bound
from intercore.link.exchange import MAX_STALE
from intercore.link.link import FLOOD_BYTES, FLOOD_LINES, GARBAGE_BUDGET
from intercore.link.protocol import MAX_COMMAND, MAX_LINE, MAX_LINES
from intercore.record.plan import MAX_SETTINGS
from tests.built_once import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES_OF_A_LINE = 16


def simulator(constant: str) -> int:
    """Return a constant of the simulator's reader of images."""
    text = (ROOT / "sim/src/image.rs").read_text("utf-8")
    found = re.search(rf"pub const {constant}: u64 = (\d+) << (\d+);", text)
    assert found is not None
    return int(found[1]) << int(found[2])


def all_bounds() -> Iterator[Bound]:
    yield from (value for value in vars(bounds).values() if isinstance(value, Bound))
    yield Bound("levels of a factor in a plan", MAX_LEVELS, "levels")
    yield Bound("settings of a run, repetitions included", MAX_SETTINGS, "settings")
    yield Bound("images for a simulated RP2040", simulator("MAX_FILE"))
    yield Bound("a line to a target", MAX_COMMAND, "characters")
    yield Bound("a line of a target", MAX_LINE, "characters")
    yield Bound("one answer of a target", MAX_LINES, "lines")
    yield Bound("samples of a measurement, which follows", MAX_LINES * SAMPLES_OF_A_LINE, "samples")
    yield Bound("what a target sends without one valid line", GARBAGE_BUDGET)
    yield Bound("the same, if all of `--timeout` passes with it", FLOOD_BYTES)
    yield Bound("lines of a target that bring nothing new", MAX_STALE, "lines")
    yield Bound("the same, if all of `--timeout` passes with them", FLOOD_LINES, "lines")


def table() -> str:
    rows = [f"| {one.of} | {one} |" for one in all_bounds()]
    return "\n".join(["| what is read | at most |", "|---|---|", *rows]) + "\n"


def test_the_document_has_the_bounds_of_the_code() -> None:
    assert table() in (ROOT / "docs/security.md").read_text("utf-8")


def test_each_bound_is_used() -> None:
    sources = "\n".join(
        path.read_text("utf-8") for path in (ROOT / "src/intercore").rglob("*.py") if path.name != "bounds.py"
    )
    names = [name for name, value in vars(bounds).items() if isinstance(value, Bound)]
    assert len(names) > 10
    unused = [name for name in names if not re.search(rf"\b{name}\b", sources) and name != "TOML_DEPTH"]
    assert unused == []


if __name__ == "__main__":
    sys.stdout.write(table())
