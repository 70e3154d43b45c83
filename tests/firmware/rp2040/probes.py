"""What the simulator's probes see of a program: where its functions return, and in which cycles."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import numpy as np

from intercore.sim import Symbol

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from intercore.sim import Probe

    Cycles = npt.NDArray[np.int64]

SPREAD = 2
"""Cycles by which measured minus true intervals may vary."""


def returns(elf: Path, function: Symbol) -> list[int]:
    """The addresses of a function's last instructions: those that return."""
    span = (f"--start-address={function.address}", f"--stop-address={function.address + function.size}")
    shown = subprocess.run(["arm-none-eabi-objdump", "-d", *span, elf], capture_output=True, text=True, check=True)
    found = re.findall(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t(?:bx\tlr|pop\t\{.*pc\})", shown.stdout, re.MULTILINE)
    assert found, f"no return: {shown.stdout}"
    return [int(address, 16) for address in found]


def cycles(probes: list[Probe], core: int) -> Cycles:
    """When a core passed any of the probes, in order."""
    hits = np.concatenate([probe.hits() for probe in probes])
    return np.sort(hits["cycle"][hits["core"] == core].astype(np.int64))
