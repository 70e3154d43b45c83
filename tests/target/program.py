"""Programs for this machine that are built from the firmware for a test alone."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from intercore.build import SANITIZE_VARIABLE, firmware_sources

if TYPE_CHECKING:
    from pathlib import Path


def build(target: str, folder: Path) -> Path:
    """Build a target of firmware/CMakeLists.txt in `folder`, with the sanitizers that the environment asks for."""
    sanitize = os.environ.get(SANITIZE_VARIABLE, "")
    configure = ["cmake", "-S", str(firmware_sources()), "-B", str(folder), f"-DIC_SANITIZE={sanitize}"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "--target", target], check=True, stdout=subprocess.DEVNULL)
    return folder / target
