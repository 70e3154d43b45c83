"""Programs for this machine that are built from the firmware for a test alone."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from intercore.board.build import SANITIZE_VARIABLE
from intercore.board.sources import firmware_sources
from tests.built_once import ROOT, alone_in

if TYPE_CHECKING:
    from pathlib import Path


def build(target: str) -> Path:
    """Build a target of firmware/CMakeLists.txt, with the sanitizers that the environment asks for.

    All are built in one folder, which is kept, so that what they share is compiled once.
    """
    sanitize = os.environ.get(SANITIZE_VARIABLE, "")
    folder = ROOT / "build" / f"test-host-{sanitize.replace(',', '-') or 'plain'}"
    with alone_in(folder):
        configure = ["cmake", "-S", str(firmware_sources()), "-B", str(folder), f"-DIC_SANITIZE={sanitize}"]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        command = ["cmake", "--build", str(folder), "--target", target, "--parallel"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / target
