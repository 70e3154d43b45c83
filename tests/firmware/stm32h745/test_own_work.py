"""A work of the user's own is in the program of each core, from one build."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.built_once import ROOT
from tests.firmware.rp2040.conftest import need_tools

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds two programs: INTERCORE_SLOW=1 runs it")
def test_a_work_is_built_into_the_program_of_each_core(tmp_path: Path) -> None:
    need_tools()
    own = ("-DIC_OWN=crc", f"-DIC_OWN_FILES={ROOT / 'examples' / 'workloads' / 'crc.c'}")
    for words in (
        ["cmake", "-S", str(ROOT / "firmware"), "-B", str(tmp_path), "-DIC_BOARD=stm32h745", *own],
        ["cmake", "--build", str(tmp_path), "--parallel", "--target", "intercore-target"],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    for program in ("intercore-target", "intercore-target-core1"):
        symbols = subprocess.run(
            ["arm-none-eabi-nm", str(tmp_path / program)], capture_output=True, text=True, check=True
        ).stdout
        assert " R intercore_workload_crc\n" in symbols
        assert " T crc\n" in symbols
