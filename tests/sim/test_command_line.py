"""The module and the command intercore-sim are the same chip."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from intercore.sim import Reason, Simulator
from tests.signals import not_ignored
from tests.sim.firmware import FOREVER, SIM, SRAM, example, raw

PROFILE = "module"


@cache
def built() -> Path:
    """Return intercore-sim as `make test` builds it with the Rust tests: in another profile, or with features of other
    packages, all crates would be compiled once more.
    """
    packages = ["--package", "intercore-sim-tests", "--package", "intercore-sim-python"]
    build = ["cargo", "test", "--quiet", "--locked", "--profile", PROFILE, "--no-run", *packages]
    done = subprocess.run(build, cwd=SIM, capture_output=True, text=True, timeout=580, check=False)
    assert done.returncode == 0, done.stderr
    target = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    return SIM / target / PROFILE / "intercore-sim-tested"


def command(image: Path, *options: str, text: str = "", code: int = 0) -> tuple[str, str]:
    """What intercore-sim prints on standard output and on standard error."""
    done = subprocess.run(
        [built(), *options, image], cwd=SIM, input=text, capture_output=True, text=True, timeout=580, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


INSTALLED = Path(sys.executable).with_name("intercore-sim")
"""The command that comes with the package."""
BEGUN_S = 1.0
"""Seconds of a processor after which it surely runs: it needs a third of that to start."""


def test_the_package_brings_the_command() -> None:
    image = example("both_cores")
    done = subprocess.run([INSTALLED, "--hash", image], capture_output=True, text=True, timeout=60, check=False)
    said, told = command(image, "--hash")
    assert (done.returncode, done.stdout) == (0, said)
    [hashed] = [line for line in told.splitlines() if "hash" in line]
    assert hashed in done.stderr
    refused = subprocess.run([INSTALLED, "no.elf"], capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith("intercore-sim: cannot read no.elf: ")


def processor_time(pid: int) -> float:
    """Return the seconds of a processor that a process has had (proc(5), /proc/pid/stat: utime and stime)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="signals, and /proc")
def test_ctrl_c_ends_the_command_of_the_package_in_good_order(tmp_path: Path) -> None:
    image = tmp_path / "forever.bin"
    image.write_bytes(raw(0x3001, 0xE7FD))  # adds r0, #1; b back to it: a loop that only polls would end by itself
    statistics = tmp_path / "run.json"
    with not_ignored():
        run = subprocess.Popen(
            [INSTALLED, image, "--base", hex(SRAM), "--stats", statistics], stderr=subprocess.PIPE, text=True
        )
    while run.poll() is None and processor_time(run.pid) < BEGUN_S:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in told
    assert json.loads(statistics.read_text())["end"] == "interrupted"


@pytest.mark.parametrize("name", ["both_cores", "bank_conflict", "fifo_interrupt", "spinlock"])
@pytest.mark.parametrize("memory", ["sram", "flash"])
def test_an_image_takes_the_same_cycles_and_says_the_same(name: str, memory: str, tmp_path: Path) -> None:
    image = example(name, memory)
    simulator = Simulator(image)
    assert simulator.run(100_000_000).reason is Reason.EXIT
    hashed = simulator.trace_hash()
    said, _ = command(image, "--quiet", "--hash", "--stats", str(tmp_path / "run.json"), "--max-cycles", "1e8")
    assert simulator.take_uart().decode() == said
    told: dict[str, Any] = json.loads((tmp_path / "run.json").read_text())
    assert told["cycles"] == simulator.now
    for number, core in enumerate(told["cores"]):
        counted = simulator.statistics(number)
        assert core["instructions"] == counted.instructions
        assert core["exceptions"] == counted.exceptions
        assert core["asleep_cycles"] == counted.asleep
    assert told["hash"] == f"{hashed:016x}" == f"{simulator.trace_hash():016x}", "taken output stays part of it"


def test_input_leads_to_the_same_answers() -> None:
    image = example("uart_echo")
    said, _ = command(image, "--input-after", "ready\n", "--max-cycles", "1e8", text="hello\n")
    simulator = Simulator(image)
    simulator.run(text="ready\n")
    simulator.send(b"hello\n")
    assert simulator.run().reason is Reason.EXIT
    assert simulator.take_uart().decode() == said


@pytest.mark.parametrize(
    "cycles",
    [
        30_000_000,
        pytest.param(
            1_000_000_000,
            marks=[
                pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes a minute: set INTERCORE_SLOW=1"),
                pytest.mark.timeout(1200),
            ],
        ),
    ],
)
def test_both_have_the_same_hash_of_everything_that_happened(cycles: int, tmp_path: Path) -> None:
    image = tmp_path / "forever.bin"
    image.write_bytes(raw(*FOREVER))
    simulator = Simulator(image, base=SRAM)
    assert simulator.run(cycles).reason is Reason.LIMIT
    options = ["--quiet", "--hash", "--base", hex(SRAM), "--max-cycles", str(cycles)]
    _, told = command(image, *options, code=1)
    assert f"hash: {simulator.trace_hash():016x}" in told
