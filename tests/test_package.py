"""The package carries what it needs to work outside of a checkout."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import intercore
from intercore.board.sources import firmware_sources


def test_the_firmware_is_inside_the_package() -> None:
    # src/intercore/firmware is a link that the wheel has as a folder: see pyproject.toml.
    assert firmware_sources() == Path(intercore.__file__).parent / "firmware"
    assert (firmware_sources() / "CMakeLists.txt").exists()


def test_what_makes_an_arduino_library_is_inside_the_package() -> None:
    for name in ("library.json", "LICENSE", "board/esp32/arduino/library.properties", "core/run.h"):
        path = firmware_sources() / name
        assert path.is_file()
        assert not path.is_symlink(), "a wheel has files, and the link to firmware/ is made one by pyproject.toml alone"


def test_the_version_is_that_of_the_workspace_in_sim() -> None:
    manifest = (Path(__file__).parents[1] / "sim" / "Cargo.toml").read_text()
    assert f'[workspace.package]\nversion = "{intercore.__version__}"\n' in manifest
    assert metadata.version("intercore") == intercore.__version__
