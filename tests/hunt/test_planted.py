"""How many faults are planted, and how many are found: what docs/hunt.md says is what the other tests show."""

from __future__ import annotations

import re

import pytest

from tests.built_once import ROOT
from tests.hunt import test_faults, test_races, test_tasks, test_variation

FOLDER = ROOT / "sim" / "examples" / "faults"
RIGHT = {"waits": {"SERVER", "SLOW", "MUTEX"}, "chip_use": {"SAVES_DIVIDER"}}
"""Programs without a fault, beside those that are mended."""
FOUND = {
    "waits": {*(name for name, *_ in test_faults.WAITS), test_faults.NO_ALARM},
    "handlers": {name for name, *_ in test_faults.HANDLERS},
    "flash_busy": {name for name, *_ in test_faults.FLASH},
    "chip_use": {name for name, *_ in test_faults.CHIP},
    "stacks": {name for name, *_ in test_faults.STACKS},
    "races": {name for name, *_ in test_races.RACES},
    "tasks": {name for name, *_ in test_tasks.TASKS},
    "interleavings": set(test_variation.FAULTS),
}
MISSED = {"tasks": {test_tasks.MISSED}, "races": {test_races.VARIED}}
"""Those that are not found by default settings."""


def planted(file: str) -> set[str]:
    """Return the faults that a file has a program for."""
    text = (FOLDER / f"{file}.c").read_text("utf-8").replace("\\\n", " ")
    conditions = re.findall(r"^#(?:el)?if(?:n?def)?\b(.*)", text, re.MULTILINE)
    names = {name for one in conditions for name in re.findall(r"[A-Z][A-Z_0-9]+", one.split("//")[0])}
    return names - {"MENDED", "CORE_0"} - RIGHT.get(file, set())


@pytest.mark.parametrize("file", sorted(one.stem for one in FOLDER.glob("*.c")))
def test_each_planted_fault_is_hunted(file: str) -> None:
    assert planted(file) == FOUND[file] | MISSED.get(file, set())


def test_the_documentation_has_the_numbers() -> None:
    page = (ROOT / "docs" / "hunt.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)\.c`[^|]*\| (\d+) \| (\d+) \|", page, re.MULTILINE)
    assert {file: (int(all_), int(found)) for file, all_, found in rows} == {
        file: (len(planted(file)), len(planted(file) & FOUND[file])) for file in FOUND
    }


def test_of_forty_faults_thirty_eight_are_found() -> None:
    by_default = [file for file in FOUND if file != "interleavings"]
    found, every = (sum(map(len, one)) for one in ([FOUND[file] for file in by_default], map(planted, by_default)))
    assert every >= 40
    assert found / every >= 38 / 40
