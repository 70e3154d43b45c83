"""The module and the command intercore-sim are the same chip."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from intercore.sim import Reason, Simulator
from tests.sim.firmware import SIM, example

if TYPE_CHECKING:
    from pathlib import Path


def command(image: Path, *options: str, text: str = "") -> tuple[str, str]:
    """What intercore-sim, of the build that `cargo test` uses, prints on standard output and on standard error."""
    build = ["cargo", "run", "--quiet", "--locked", "--bin", "intercore-sim", "--", "--max-cycles", "1e8"]
    done = subprocess.run(
        [*build, *options, image], cwd=SIM, input=text, capture_output=True, text=True, timeout=280, check=True
    )
    return done.stdout, done.stderr


@pytest.mark.parametrize("name", ["both_cores", "bank_conflict", "fifo_interrupt", "spinlock"])
@pytest.mark.parametrize("memory", ["sram", "flash"])
def test_an_image_takes_the_same_cycles_and_says_the_same(name: str, memory: str) -> None:
    image = example(name, memory)
    simulator = Simulator(image)
    assert simulator.run(100_000_000).reason is Reason.EXIT
    said, statistics = command(image, "--stats")
    assert simulator.take_uart().decode() == said
    assert re.findall(r"(\d+) cycles of clk_sys", statistics) == [str(simulator.now)]
    counted = re.findall(r"core (\d): (\d+) instructions, (\d+) exceptions, (\d+) cycles asleep", statistics)
    cores = [simulator.statistics(core) for core in (0, 1)]
    assert counted == [
        (str(number), str(core.instructions), str(core.exceptions), str(core.asleep))
        for number, core in enumerate(cores)
    ]


def test_input_leads_to_the_same_answers() -> None:
    image = example("uart_echo")
    said, _ = command(image, "--input-after", "ready\n", text="hello\n")
    simulator = Simulator(image)
    simulator.run(text="ready\n")
    simulator.send(b"hello\n")
    assert simulator.run().reason is Reason.EXIT
    assert simulator.take_uart().decode() == said
