"""The firmware for the RP2040 at each level of optimisation, and the simulated chip to run it on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.board.factors import OPT_LEVELS
from intercore.board.sources import firmware_sources
from intercore.record.measurement import Measurement, Series
from intercore.sim import Simulator
from tests.built_once import ROOT, alone_in

if TYPE_CHECKING:
    from collections.abc import Sequence

CLK_SYS_HZ = 125_000_000
PROGRAMS = ("intercore-target", "intercore-port-test", "intercore-stress", "intercore-transport-stress")
of_all_benchmarks = pytest.mark.measures(
    "api",
    "clock",
    "contention",
    "hartstone",
    "irq",
    "jitter",
    "launch",
    "lock",
    "memory",
    "message",
    "outage",
    "rhealstone",
    "speedup",
    "switch",
    "threadmetric",
)
"""What is said of the program as it is: how large it is, and which of its lines share a set of the cache."""
NEEDED = ("arm-none-eabi-gcc", "cmake", "cargo")


def need_tools() -> None:
    """Skip the test where tools are missing, or fail where none may."""
    missing = [tool for tool in NEEDED if shutil.which(tool) is None]
    if missing and os.environ.get("INTERCORE_NO_SKIP"):
        pytest.fail(f"missing: {', '.join(missing)}")
    if missing:
        pytest.skip(f"missing: {', '.join(missing)}")


EVERY_DAY = ("O2",)
"""The usual level of optimisation; the others take as long to build, each."""


def every_day(opt: str) -> str:
    """Return the level; skip the test if it is built by INTERCORE_SLOW=1 alone."""
    if opt not in EVERY_DAY and "INTERCORE_SLOW" not in os.environ:
        pytest.skip("another level: INTERCORE_SLOW=1")
    return opt


def built(opt: str) -> Path:
    """Return the folder with the programs, built at that level with all warnings as errors."""
    need_tools()
    folder = ROOT / "build" / "test-rp2040" / opt
    with alone_in(folder):
        _build(folder, PROGRAMS, opt=opt)
    return folder


def built_amp(opt: str) -> Path:
    """Return the folder with the benchmark program for a kernel on each core, built as `built` does."""
    need_tools()
    folder = ROOT / "build" / "test-rp2040-amp" / opt
    with alone_in(folder):
        _build(folder, ["intercore-target"], board="rp2040_amp", opt=opt)
    return folder


def built_with(**levels: str | int) -> Path:
    """Return the benchmark program with these levels of the target's factors, all others at their defaults.

    It is kept in the cache like a user's, so that all tests that need one build it once.
    """
    need_tools()
    with alone_in(ROOT / "build" / "test-rp2040" / "images"):
        return board_image(PICO, levels, lambda _: None).elf


def _build(folder: Path, programs: Sequence[str], board: str = "rp2040", **levels: str | int) -> None:
    defines = [f"-DIC_{name.upper()}={level}" for name, level in levels.items()]
    configure = ["cmake", "-S", str(firmware_sources()), "-B", str(folder), f"-DIC_BOARD={board}", *defines]
    build = ["cmake", "--build", str(folder), "--parallel", "--target", *programs]
    for command in (configure, build):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session", params=OPT_LEVELS)
def any_level(request: pytest.FixtureRequest) -> Path:
    return built(every_day(request.param))


@pytest.fixture(scope="session")
def o2() -> Path:
    return built("O2")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, for commands of the tool that store what they measure."""
    need_tools()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INTERCORE_STORE", raising=False)


class Board:
    """The benchmark program on the simulated chip, with a person at its console."""

    def __init__(self, program: Path | Simulator, clk_sys_hz: int = CLK_SYS_HZ) -> None:
        self.chip = program if isinstance(program, Simulator) else Simulator(program)
        self.clk_sys_hz = clk_sys_hz
        self._rest = b""

    def run(self, seconds: float) -> list[dict[str, Any]]:
        """Let time pass; return what the program has said, after checking the form and CRC of every line."""
        self.chip.run(round(seconds * self.clk_sys_hz))
        *lines, self._rest = (self._rest + self.take()).split(b"\r\n")
        found = []
        for line in filter(None, (line.strip(b"\r") for line in lines)):
            text, star, crc = line.rpartition(b" *")
            assert star
            assert int(crc, 16) == zlib.crc32(text)
            found.append(json.loads(text))
        return found

    def ask(self, command: str, patience: float = 20.0, step: float = 0.1) -> list[dict[str, Any]]:
        """Type a command; return all that is said up to the end of its answer, looked for after each `step` seconds."""
        self.type(command.encode() + b"\n")
        return self.hear(patience, step)

    def hear(self, patience: float = 20.0, step: float = 0.1) -> list[dict[str, Any]]:
        """Return all that is said up to the end of an answer."""
        said: list[dict[str, Any]] = []
        for _ in range(round(patience / step)):
            said += self.run(step)
            if said and said[-1]["type"] in ("end", "error", "rate"):
                return said
        raise AssertionError(f"no answer within {patience} s, only {said}")

    def take(self) -> bytes:
        """Return what has left on the console's line."""
        return self.chip.take_uart()

    def type(self, text: bytes) -> None:
        """Put text on the console's line."""
        self.chip.send(text)


@pytest.fixture
def board(o2: Path) -> Board:
    board = Board(o2 / "intercore-target")
    assert board.run(0.65)[-1]["type"] == "end", "the unasked hello is not complete"
    return board


def measurement(answer: list[dict[str, Any]], benchmark: str) -> Measurement:
    """Return what an answer to `run` holds."""
    assert answer[-1]["type"] == "end", answer[-1]
    heads = [line for line in answer if line["type"] == "series"]
    return Measurement(
        benchmark=benchmark,
        factors={line["name"]: line["value"] for line in answer if line["type"] == "factor"},
        repetition=0,
        series=tuple(
            Series(head["name"], head["clock"], head["hz"], np.array(series(answer, head["name"]), np.int64))
            for head in heads
        ),
        conditions={},
        checks=answer[-1]["checks"],
        started="",
    )


def checks_of(answer: list[dict[str, Any]]) -> dict[str, int]:
    """Return the checks of an answer, which is whole and right."""
    end = answer[-1]
    assert end.get("status") == "ok", end
    checks: dict[str, int] = end["checks"]
    assert [checks[name] for name in ("wrong", "migrated", "lost", "preempted")] == [0, 0, 0, 0]
    return checks


def series(answer: list[dict[str, Any]], name: str) -> list[int]:
    """Return the samples of a series."""
    return [
        value for line in answer if line["type"] == "samples" and line["series"] == name for value in line["values"]
    ]
