"""Fakes of esptool, idf.py and QEMU on the PATH, and what they were told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent


class Fakes:
    """Programs that stand for Espressif's."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        self.flash = folder / "flash.bin"
        """What was written to the chip."""
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.packages = folder / "packages"
        (self.packages / "esptool").mkdir(parents=True)
        for name in ("__init__.py", "__main__.py"):
            (self.packages / "esptool" / name).symlink_to(HERE / "esptool" / name)
        self.install_esptool("5.6.0")
        self.cache = folder / "cache"

    def install_esptool(self, version: str) -> None:
        """Have esptool found in this version."""
        for old in self.packages.glob("*.dist-info"):
            (old / "METADATA").unlink()
            old.rmdir()
        info = self.packages / f"esptool-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: esptool\nVersion: {version}\n")

    def install(self, name: str) -> Path:
        """Put a fake on the PATH: idf.py or qemu-system-xtensa."""
        script = {"idf.py": "idf.py", "qemu-system-xtensa": "qemu.py"}[name]
        path = self.bin / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE / script}" "$@"\n')
        path.chmod(0o755)
        return path

    @property
    def environment(self) -> dict[str, str]:
        """For a program that is to find them, and nothing of what this machine may have."""
        return {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "PYTHONPATH": f"{self.packages}:{HERE.parents[1] / 'src'}",
            "FAKE_LOG": str(self.log),
            "FAKE_FLASH": str(self.flash),
            "XDG_CACHE_HOME": str(self.cache),
            "IDF_TOOLS_PATH": str(self.cache / "no-tools"),
            "IDF_PATH": "",
            "IDF_PYTHON_ENV_PATH": "",
        }

    def calls(self, program: str) -> list[Mapping[str, Any]]:
        """What one of them was told, call by call."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [call for call in map(json.loads, lines) if call["program"] == program]


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    """The fakes, of which esptool is installed."""
    folder = tmp_path / "fakes"
    folder.mkdir()
    return Fakes(folder)


@pytest.fixture
def here(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> Fakes:
    """The fakes, found by this process."""
    for name, value in fakes.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(fakes.packages))
    return fakes
