"""The simulated times beside published ones: none moves without docs/accuracy.md, and none is off without a cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.accuracy.__main__ import NUMBERS, PAGE, as_toml, page
from intercore.accuracy.figures import Figure, compare, compared, published, simulated, value
from intercore.accuracy.page import unexplained
from intercore.accuracy.programs import compiler_version, numbers_of, programs
from intercore.errors import IntercoreError
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", programs())
def test_a_program_takes_what_the_page_says(name: str, tmp_path: Path) -> None:
    need_tools()
    program, stored = programs()[name], simulated()
    if not program.available:
        pytest.skip(f"set {program.needs} to the folder of its sources")
    if compiler_version() != stored.compiler:
        pytest.skip(f"the numbers are those of GCC {stored.compiler}: this one makes other code")
    assert numbers_of(name, program, tmp_path) == stored.programs[name], "write them with: python -m intercore.accuracy"


def test_the_page_is_made_of_the_numbers() -> None:
    stored = simulated()
    assert NUMBERS.read_text("utf-8") == as_toml(stored)
    assert PAGE.read_text("utf-8") == page(stored), "write it with: python -m intercore.accuracy"


def test_there_are_forty_figures_each_with_an_address_and_a_program() -> None:
    assert len(compared()) >= 40
    assert sum(programs()[one.figure.measured.partition(":")[0]].needs == "" for one in compared()) >= 40
    assert all(one.source.address.startswith("https://") for one in compared())
    ids = [one.figure.id for one in compared()]
    assert len(ids) == len(set(ids))


def test_what_is_off_by_more_than_5_percent_names_a_cause() -> None:
    assert unexplained(compared()) == []


def test_a_number_that_moves_moves_the_difference_and_asks_for_a_cause() -> None:
    numbers = {**simulated().numbers, "two_cores: 100 NOPs": 110}
    moved = compare(published(), numbers)
    assert [round(one.difference, 9) for one in moved if one.figure.id == "nops-alone"] == [0.1]
    assert unexplained(moved) == ["nops-alone"]


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        ({"unit": "cycles", "per": 2, "minus": 100}, 450),
        ({"unit": "us", "clock_mhz": 100.0}, 10),
        ({"unit": "ns", "clock_mhz": 100.0, "per": 1000}, 10),
        ({"unit": "ms", "clock_mhz": 10.0}, 0.1),
        ({"unit": "MHz", "clock_mhz": 250.0, "per": 4}, 1),
        ({"unit": "MHz", "clock_mhz": 250.0, "window": 5000}, 50),
        ({"unit": "1/s", "clock_mhz": 125.0, "per": 8}, 1e6),
        ({"unit": "ratio", "over": "other: it", "per": 2}, 6),
    ],
)
def test_a_number_of_cycles_is_brought_to_the_unit_of_the_figure(figure: dict[str, object], expected: float) -> None:
    named = {"id": "x", "quantity": "x", "category": "DMA", "published": 1.0, "measured": "mine: it", **figure}
    assert value(Figure(**named), {"mine: it": 1000, "other: it": 3000}) == pytest.approx(expected)  # type: ignore[arg-type]


def test_a_program_that_finds_a_result_wrong_has_no_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intercore.accuracy.programs._output", lambda _: "1000 turns: 7\nwrong\n")
    with pytest.raises(IntercoreError, match="compute found a result wrong"):
        numbers_of("compute", programs()["compute"], tmp_path)
