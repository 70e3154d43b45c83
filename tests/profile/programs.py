"""Programs whose profiles are known, and a reader of callgrind's files."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from intercore.profile.recorded import Profile, take
from intercore.profile.recording import Recording
from intercore.profile.summary import ProfileAnalysis, analysed
from intercore.sim import Reason, Simulator
from tests.sim.firmware import SIM

CYCLES = 3_000_000


class Functions(NamedTuple):
    """What a callgrind file says."""

    own: Counter[str]
    """Cycles by object and function, without callees."""
    calls: Counter[tuple[str, str]]
    """By caller and callee."""
    summary: list[int]


def profiled(image: str | Path | bytes, cycles: int = CYCLES, timed: str | None = None) -> tuple[Profile, Simulator]:
    """Return the profile of the first cycles of a program, with the calls of a function timed."""
    simulator = Simulator(image)
    simulator.start_profile(None if timed is None else simulator.address(timed))
    stop = simulator.run(cycles)
    return take(simulator, "image", str(stop), simulator.seconds, timed), simulator


def variant(name: str, old: str, new: str, folder: Path) -> Path:
    """Return an ELF image of an example with another text in its source."""
    text = (SIM / "examples" / f"{name}.c").read_text()
    assert text.count(old) == 1
    (source := folder / "variant.c").write_text(text.replace(old, new))
    compiler = shutil.which("arm-none-eabi-gcc")
    assert compiler is not None
    flags = ("-mcpu=cortex-m0plus", "-mthumb", "-O2", "-std=c11", "-ffreestanding", "-g", "-I.")
    linking = ("-nostartfiles", "-static", "-Wl,--no-warn-rwx-segments", "-L.", "-T", "sram.ld")
    made = ("chip.c", source, "-lgcc", "-o", folder / "variant.elf")
    subprocess.run([compiler, *flags, *linking, *made], cwd=SIM / "examples", check=True)
    return folder / "variant.elf"


def part(image: Path, begin: str, end: str) -> ProfileAnalysis:
    """Return the profile of a program between two functions, as `intercore profile --from --to` makes it."""
    simulator = Simulator(image)
    recording = Recording(simulator, 0.1, lambda _: None)
    recording.reach(simulator.address(begin), begin)
    profile, stop = recording.record(image.name, simulator.address(end), None)
    assert stop.reason is Reason.ADDRESS
    return analysed(profile)


def stripped(image: Path, folder: Path) -> Path:
    """Return a copy without symbols and debug information."""
    copy = folder / "stripped.elf"
    strip = shutil.which("arm-none-eabi-strip")
    assert strip is not None
    subprocess.run([strip, "--strip-all", "-o", copy, image], check=True)
    return copy


def read_callgrind(text: str) -> Functions:
    """Read a file as its specification says, by other means than those it was written with."""
    own: Counter[str] = Counter()
    calls: Counter[tuple[str, str]] = Counter()
    summary: list[int] = []
    core = function = callee = ""
    is_call = False
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "ob":
            core = value
        elif key == "fn":
            function = f"{core}:{value}"
        elif key == "cfn":
            callee = f"{core}:{value}"
        elif key == "calls":
            calls[function, callee] += int(value.split()[0])
            is_call = True
        elif line.startswith("summary: "):
            summary = [int(word) for word in line.split()[1:]]
        elif re.match(r"0x[0-9a-f]+ \d+ \d", line):
            if not is_call:
                own[function] += int(line.split()[2])
            is_call = False
    return Functions(own, calls, summary)
