"""`intercore sweep` on a board whose factors a plan names: it is flashed for each build, and once only."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from intercore.board.boards import PICO
from intercore.board.build import CROSS_COMPILERS, board_image
from intercore.record.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Tool

EXPERIMENT = """
[[experiment]]
benchmark = "example"
[experiment.factors]
n = [10, 20, 30]
code = ["sram", "flash"]
"""
DRIVE = 'drive = "RPI-RP2"\n'
SRAM, FLASH = "intercore-pico-O2.uf2", "intercore-pico-O2-code-flash.uf2"


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """The images, built before anything is timed out."""
    if shutil.which(CROSS_COMPILERS["Arm"].program) is None:
        assert "INTERCORE_NO_SKIP" not in os.environ, f"there is no {CROSS_COMPILERS['Arm'].program} here"
        pytest.skip(f"no {CROSS_COMPILERS['Arm'].program} here: apt install gcc-arm-none-eabi")
    for code in ("sram", "flash"):
        board_image(PICO, {"code": code}, lambda _: None)


@pytest.fixture
def drive(tool: Tool) -> Path:
    folder = tool.directory / "RPI-RP2"
    folder.mkdir()
    (folder / "INFO_UF2.TXT").write_text("Board-ID: RPI-RP2\n")
    return folder


def plan(tool: Tool, board: FakeBoard, more: str = "", experiment: str = EXPERIMENT) -> None:
    text = f'[[target]]\nname = "pico"\nport = "{board.url}"\n{more}{experiment}'
    (tool.directory / "plan.toml").write_text(text)


def builds(tool: Tool) -> list[tuple[object, object]]:
    with Store(tool.store) as store:
        return [(one.factors["opt"], one.factors["code"]) for one in store.run().measurements]


def test_a_board_is_flashed_for_each_build_and_that_is_told(tool: Tool, board: FakeBoard, drive: Path) -> None:
    plan(tool, board, DRIVE)
    result = tool("sweep", "plan.toml", "--no-estimate").succeeded()
    assert sorted(path.name for path in drive.glob("*.uf2")) == sorted((SRAM, FLASH))
    measured = builds(tool)
    assert sorted(measured) == [("O2", "flash")] * 3 + [("O2", "sram")] * 3
    assert measured == sorted(measured, reverse=measured[0] == ("O2", "sram")), "one build after the other"
    with Store(tool.store) as store:
        images = {one.factors["code"]: one.conditions["image.digest"] for one in store.run().measurements}
    assert images == {code: board_image(PICO, {"code": code}, lambda _: None).digest for code in ("sram", "flash")}
    told = [line for line in result.err.splitlines() if "copying" in line]
    assert sorted(told) == sorted(f"pico at {board.url}: copying {name}" for name in (SRAM, FLASH))


@pytest.mark.usefixtures("drive")
def test_a_board_that_goes_away_is_not_flashed_again_for_the_same_build(tool: Tool, board: FakeBoard) -> None:
    plan(tool, board, DRIVE)
    board.behave("die", after=1)  # each time it is opened, it gets through one run
    result = tool("sweep", "plan.toml", "--no-estimate", "--patience", "0.4").succeeded()
    assert len(builds(tool)) == 6
    with Store(tool.store) as store:
        assert all("image.digest" in one.conditions for one in store.run().measurements)
    assert board.connections >= 6
    assert result.err.count("copying") == 2


def test_flashing_is_in_the_estimate_as_openings_are(tool: Tool, board: FakeBoard, drive: Path) -> None:
    plan(tool, board, DRIVE)
    (row,) = tool("sweep", "plan.toml", "--dry-run", "--format", "json").succeeded().json
    assert row["openings"] == 2
    assert len(list(drive.glob("*.uf2"))) == 1, "that the board is asked in"


def test_a_board_that_cannot_be_flashed_is_set_aside_with_what_to_do(tool: Tool, board: FakeBoard) -> None:
    plan(tool, board, 'drive = "nowhere"\n')
    failed = tool("sweep", "plan.toml", "--no-estimate", "--patience", "0.1", environment={"PATH": os.environ["PATH"]})
    assert failed.status == 2
    assert "nowhere is not the boot drive of a Pico" in failed.error


def test_no_setting_is_measured_with_what_another_was_flashed_with(tool: Tool, board: FakeBoard, drive: Path) -> None:
    """An experiment that names no factor of the board is measured with the usual build, not with the last one."""
    one = '[[experiment]]\nbenchmark = "example"\nfactors = {{ n = {n}{more} }}\n'
    plan(tool, board, DRIVE, one.format(n=10, more=', code = "flash"') + one.format(n=20, more=""))
    tool("sweep", "plan.toml", "--no-estimate").succeeded()
    assert sorted(path.name for path in drive.glob("*.uf2")) == sorted((SRAM, FLASH))
    assert sorted(builds(tool)) == [("O2", "flash"), ("O2", "sram")]


def test_without_factors_a_board_is_measured_as_it_is(tool: Tool, board: FakeBoard) -> None:
    plan(tool, board, experiment='[[experiment]]\nbenchmark = "example"\nfactors = { n = [10, 20] }\n')
    result = tool("sweep", "plan.toml", "--no-estimate").succeeded()
    assert "copying" not in result.err
    with Store(tool.store) as store:
        assert [set(one.factors) & {"opt", "code"} for one in store.run().measurements] == [set(), set()]


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ('name = "pico"\nport = "loop://"\nprobe = "0669FF"', "is flashed by its boot drive or picotool"),
        (
            'name = "stm32h745"\nport = "loop://"\ndrive = "x"',
            "is flashed by a debug probe",
        ),
        ('name = "host"\nwith = "openocd"', "'probe', 'with' and 'drive' apply only to boards that the tool flashes"),
        ('name = "serial"\nport = "loop://"\nprobe = 3', "in quotes, not 3"),
    ],
)
def test_a_way_to_flash_that_is_none_is_refused_with_its_line(tool: Tool, target: str, says: str) -> None:
    (tool.directory / "plan.toml").write_text(f'[[target]]\n{target}\n[[experiment]]\nbenchmark = "example"\n')
    error = tool("sweep", "plan.toml").failed(2).error
    assert says in error
    assert "plan.toml:" in error
