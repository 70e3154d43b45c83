"""The target pico2-riscv-sim: benchmarks on the simulated RISC-V cores of a Pico 2, from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.built_once import pico2_program_once

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.tool import Tool

TARGET = "pico2-riscv-sim"
SETTINGS = 4
"""Of each of the following."""
SAMPLES = 20
OUTAGES = 2
OUTAGE = ("outage", "op=erase,both", "safe=lockout", "other=ram", "from=0,1", f"samples={OUTAGES}")
SWITCH = ("switch", "primitive=binary-semaphore,notification", "from=0", "to=0,1", f"samples={SAMPLES}")
MESSAGE = ("message", "measure=latency", "transport=ring,queue", "size=4,64", "from=0", "to=1", f"samples={SAMPLES}")
IRQ = ("irq", "path=gpio-handler,gpio-task", "from=0", "to=0,1", "interrupted=kernel", f"samples={SAMPLES}")


@pytest.fixture(scope="module", autouse=True)
def built() -> Path:
    """The image, built before anything is timed out."""
    return pico2_program_once()


@pytest.mark.parametrize(
    ("words", "samples"),
    [
        pytest.param(SWITCH, SAMPLES, marks=pytest.mark.measures("switch"), id="switch"),
        pytest.param(MESSAGE, SAMPLES, marks=pytest.mark.measures("message"), id="message"),
        pytest.param(IRQ, SAMPLES, marks=pytest.mark.measures("irq"), id="irq"),
        pytest.param(OUTAGE, OUTAGES, marks=pytest.mark.measures("outage"), id="outage"),
    ],
)
def test_a_benchmark_comes_to_its_end_and_all_checks_are_right(
    tool: Tool, words: tuple[str, ...], samples: int
) -> None:
    tool("run", TARGET, *words, "--repetitions", "1").succeeded()
    document = tool("show", "--format", "json").succeeded().json
    rows = document["measurements"]
    assert (document["simulated"], document["conditions"]["chip"]) == (True, "RP2350")
    assert len({str(sorted(row["factors"].items())) for row in rows}) == SETTINGS
    assert {(row["n"], row["checks"]["wrong"], *row["failed"]) for row in rows} == {(samples, 0)}
