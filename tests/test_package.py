"""The package carries what it needs to work outside of a checkout."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

import intercore
from intercore.board.sources import firmware_sources
from intercore.cli.main import app
from tests.built_once import ROOT


def test_the_firmware_is_inside_the_package() -> None:
    # src/intercore/firmware is a link that the wheel has as a folder: see pyproject.toml.
    assert firmware_sources() == Path(intercore.__file__).parent / "firmware"
    assert (firmware_sources() / "CMakeLists.txt").exists()


def test_what_makes_an_arduino_library_is_inside_the_package() -> None:
    for name in ("library.json", "LICENSE", "board/esp32/arduino/library.properties", "core/run.h"):
        path = firmware_sources() / name
        assert path.is_file()
        assert not path.is_symlink(), "a wheel has files, and the link to firmware/ is made one by pyproject.toml alone"


RELEASED = {
    "CHANGELOG.md": r"^## \[?(\d+\.\d+\.\d+)\b",
    "firmware/core/version.h": r'^#define IC_VERSION "(.*)"$',
    "CITATION.cff": r"^version: (.*)$",
    "firmware/board/esp32/arduino/library.properties": r"^version=(.*)$",
    "firmware/library.json": r'^  "version": "(.*)",$',
    "idf_component.yml": r'^version: "(.*)"$',
    "sim/Cargo.toml": r'^\[workspace\.package\]\nversion = "(.*)"$',
}
"""Where each file states the version. The first heading of CHANGELOG.md that has a number is the newest release."""


@pytest.mark.parametrize("name", RELEASED)
def test_release_files_have_the_version_of_the_package(name: str) -> None:
    found = re.search(RELEASED[name], (ROOT / name).read_text("utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == intercore.__version__


def test_version_option_prints_the_version_of_the_wheels_metadata() -> None:
    assert metadata.version("intercore") == intercore.__version__
    shown = CliRunner().invoke(app, ["--version"])
    assert shown.output == f"intercore {intercore.__version__}\n"
