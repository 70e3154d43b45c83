"""What the documents claim of targets and of the simulated chip is no more than is known, and has its source."""

from __future__ import annotations

import re

import pytest

from intercore.target.targets import TARGETS, BoardTarget
from tests.built_once import ROOT
from tests.test_repository import documents, source

SIMULATOR = (ROOT / "docs/simulator.md").read_text("utf-8")
ARMV6M = {
    "A2": 5, "A2.2": 1, "A2.3": 3, "A5": 3, "A5.2": 6, "A5.3": 1, "A6": 7, "A6.7": 77, "B1": 5, "B1.4": 7, "B1.5": 19,
    "B3": 5, "B3.1": 1, "B3.2": 12, "B3.3": 6, "B3.4": 7, "B4": 2, "B4.1": 1,
}  # fmt: skip
"""How many numbered sections a chapter or section has in the ARMv6-M Architecture Reference Manual, DDI 0419E, of those
that we cite."""


def test_every_kind_of_board_in_the_readme_says_that_it_has_not_been_tried() -> None:
    rows = [line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    for name in (target.name for target in TARGETS if isinstance(target, BoardTarget)):
        (row,) = (row for row in rows if f"`{name}`" in row.split("|")[1])
        assert re.search(r"[Nn]ot (yet )?(been )?tried( on a board| yet)", row), row


@pytest.mark.parametrize("claim", ["exact in time", "sections? numbers? (are|is) from memory", "not yet looked up"])
def test_nothing_claims_more_of_the_simulated_chip_than_that_it_counts_and_repeats(claim: str) -> None:
    claiming = [
        str(path.relative_to(ROOT))
        for path in (*documents(), *source(), ROOT / "sim/Cargo.toml")
        if re.search(claim, path.read_text("utf-8")) and path.name != "test_claims.py"
    ]
    assert not claiming


def assumptions() -> list[tuple[str, str]]:
    """The file below sim/src and the name in it, of each assumption that docs/simulator.md lists."""
    (section,) = re.findall(r"^## What is assumed\n(.*?)^## ", SIMULATOR, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\|[^|]+\| `([\w/]+\.rs)` `(\w+)` \|", section, re.MULTILINE)


def test_every_assumption_that_is_listed_is_in_the_source() -> None:
    assert len(assumptions()) >= 19
    for file, name in assumptions():
        assert name in (ROOT / "sim/src" / file).read_text("utf-8"), (file, name)


def test_every_file_of_the_simulated_chip_that_assumes_something_is_listed() -> None:
    chip = ROOT / "sim/src"
    for_function_only = ("stm32h745", "isa/armv7em")
    assuming = {
        str(path.relative_to(chip))
        for path in source()
        if path.is_relative_to(chip) and re.search(r"assum", path.read_text("utf-8"), re.IGNORECASE)
    }
    assuming = {file for file in assuming if not file.startswith(for_function_only)}
    assert assuming <= {file for file, _ in assumptions()}


def test_every_section_cited_of_the_arm_manual_exists_in_it() -> None:
    """An earlier issue has other chapters: special registers are in B4.1.1 and not in B5.1.1."""
    cited = {
        (number, path.name)
        for path in (*source(), ROOT / "docs/simulator.md")
        if path.is_relative_to(ROOT / "sim") or path.name == "simulator.md"
        for number in re.findall(r"\b([AB][1-6](?:\.\d+)+)\b", path.read_text("utf-8"))
    }
    assert len(cited) > 30
    for number, file in cited:
        above, _, last = number.rpartition(".")
        assert int(last) <= ARMV6M.get(above, 0), f"{file}: {number}"
