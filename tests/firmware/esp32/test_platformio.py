"""The PlatformIO library and project: PlatformIO's own checks of them, and what those do not see."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import tarfile
from pathlib import Path, PurePosixPath

import pytest

from intercore.board.arduino_library import arduino_library
from intercore.board.sources import firmware_sources

FIRMWARE = firmware_sources()
ROOT = Path(__file__).parents[3]
PYTHON = ROOT / "build" / "platformio" / "bin" / "python"
"""`make build/platformio/.installed` puts it there."""
MANIFEST = json.loads((FIRMWARE / "library.json").read_text())
PROJECT = FIRMWARE / "board" / "esp32"


def platformio(core: Path, *words: str | Path) -> str:
    """Run a program in PlatformIO's Python and return what it says."""
    if not PYTHON.exists():
        assert "INTERCORE_NO_SKIP" not in os.environ, "there is no PlatformIO here: make build/platformio/.installed"
        pytest.skip("there is no PlatformIO here: make build/platformio/.installed")
    variables = {"PLATFORMIO_CORE_DIR": str(core), "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no"}
    ran = subprocess.run(
        [PYTHON, *words], env={**os.environ, **variables}, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_platformio_accepts_the_manifest_and_packs_all_that_the_library_is_made_of(tmp_path: Path) -> None:
    packed = tmp_path / "intercore.tar.gz"
    platformio(tmp_path / "core", Path(__file__).with_name("pio_pkg_pack.py"), "-o", packed, FIRMWARE)
    with tarfile.open(packed) as archive:
        names = {PurePosixPath(name) for name in archive.getnames()}
    assert {PurePosixPath(name) for name in ("library.json", "LICENSE", "README.md")} <= names
    sources = {path.name for path in arduino_library() if path.suffix in {".c", ".cpp"}}
    assert sources <= {"_".join(name.parts) for name in names}
    for folder in MANIFEST["build"]["flags"]:
        assert any(name.parent == PurePosixPath(folder.removeprefix("-I ")) for name in names if name.suffix == ".h")
    assert not any(
        part in {"posix", "rp2040", "freertos_amp", "build", ".pio"} for name in names for part in name.parts
    )


def test_platformio_reads_the_project(tmp_path: Path) -> None:
    said = platformio(tmp_path / "core", "-m", "platformio", "project", "config", "-d", PROJECT, "--json-output")
    environments = dict(json.loads(said))
    assert {"env:esp32dev", "env:esp32-s3"} < environments.keys()
    for name, board in (("env:esp32dev", "esp32dev"), ("env:esp32-s3", "esp32-s3-devkitc-1")):
        options = dict(environments[name])
        assert (options["board"], options["framework"]) == (board, ["arduino"])
        assert int(options["monitor_speed"]) == 115200


def test_the_project_is_the_example_with_this_library() -> None:
    project = configparser.ConfigParser()
    project.read(PROJECT / "platformio.ini")
    sketch = PROJECT / project["platformio"]["src_dir"]
    assert [path.name for path in sketch.iterdir()] == ["Benchmark.ino"]
    scheme, _, path = project["env"]["lib_deps"].partition("://")
    assert scheme == "symlink"
    assert (PROJECT / path / "library.json").samefile(FIRMWARE / "library.json")


def test_the_example_of_the_manifest_is_there() -> None:
    (example,) = MANIFEST["examples"]
    assert all((FIRMWARE / example["base"] / name).is_file() for name in example["files"])
    assert (FIRMWARE / MANIFEST["build"]["includeDir"] / MANIFEST["headers"][0]).is_file()
