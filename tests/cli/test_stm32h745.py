"""The target stm32h745-sim: what a user does, without a board. FUNCTION ONLY: nothing is concluded from its times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from intercore.record.origin import CAUTION, LABELS
from intercore.record.store import Store
from tests.firmware.stm32h745.conftest import SLOWEST, images_at
from tests.firmware.stm32h745.planted import without_barrier

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.tool import Tool

LABEL = LABELS["emulated"]
LEVELS = tuple(f"{name}={level}" for name, level in SLOWEST.items())
MESSAGES = ("message", "transport=ring", "measure=latency", "size=64", "from=0,1", "to=0,1", "samples=3", *LEVELS)
A_TIME = re.compile(r"\d\s(ns|µs|ms|s)\b|\d\s?%|\bmedian")
"""What is read as a result of one: a number with its unit, or a share."""
FOR_A_BOARD = f"""
[[target]]
name = "stm32h745"
port = "/dev/no-such-port"
[[experiment]]
benchmark = "message"
targets = ["stm32h745"]
[experiment.factors]
transport = ["ring", "message-buffer"]
region = ["d1", "d3"]
samples = 2
{chr(10).join(f"{name} = {level if level.isdigit() else repr(level)}" for name, level in SLOWEST.items())}
"""


@pytest.fixture(scope="module", autouse=True)
def images() -> tuple[Path, ...]:
    """Both images, built before anything is timed out."""
    return images_at(SLOWEST)


def test_a_run_says_everywhere_that_times_mean_nothing(tool: Tool) -> None:
    result = tool("run", "stm32h745-sim", *MESSAGES, "--report", "page.html").succeeded()
    shown = " ".join(result.out.split())
    assert LABEL in shown.partition("from=")[0], "in the title of the table"
    assert CAUTION in shown
    assert not A_TIME.search(shown)
    document = tool("show", "--format", "json").succeeded().json
    assert (document["simulated"], document["emulated"], document["warnings"][0]) == (False, True, CAUTION)
    assert document["analysis"] == {}
    assert {row["summary"] for row in document["measurements"]} == {None}
    assert {row["checks"]["wrong"] for row in document["measurements"]} == {0}
    assert not [row for row in document["measurements"] if "mistakes" in row["checks"]]
    assert document["conditions"]["emulated"].endswith("a simulation that counts no cycles: times mean nothing")
    page = (tool.directory / "page.html").read_text()
    body = page[page.index("<body>") :].partition('<section id="method">')[0]
    assert LABEL in page[: page.index("</title>")]
    assert body.count(f'<span class="label simulated">{LABEL}</span>') >= 2
    assert not A_TIME.search(body)
    assert "worst case" not in body


def test_a_mistake_of_the_program_fails_the_measurement_though_every_result_is_right(
    tool: Tool, images: tuple[Path, ...]
) -> None:
    """No DSB before a semaphore is given back: the tool finds such a program in its cache."""
    cache = tool.directory / "cache"
    folder = cache / images[0].parent.relative_to(images[0].parents[3])
    folder.mkdir(parents=True)
    for name, image in zip(("intercore-target", "intercore-target-core1"), without_barrier(images), strict=True):
        (folder / name).write_bytes(image)
    words = ("run", "stm32h745-sim", "switch", "primitive=counting-semaphore", "from=0", "to=1", "samples=3", *LEVELS)
    failed = tool(*words, environment={"XDG_CACHE_HOME": str(cache)})
    assert failed.status == 1
    assert "measurements failed: 1 because of checks on the target. See the warnings above" in failed.error
    assert "neither DMB nor DSB" in " ".join(failed.out.split())
    with Store(tool.store) as store:
        (measurement,) = store.run().measurements
    assert (measurement.checks["wrong"], measurement.checks["mistakes"] > 0) == (0, True)
    assert "gives a hardware semaphore back" in measurement.conditions["host.mistakes"]


def test_a_plan_for_a_board_is_carried_out_without_one_and_in_part(tool: Tool) -> None:
    (tool.directory / "plan.toml").write_text(FOR_A_BOARD)
    words = ("sweep", "plan.toml", "--target", "stm32h745-sim", "--fraction", "50%", "--no-estimate", "--jobs", "1")
    dry = tool(*words, "--dry-run", "--format", "json").succeeded().json
    assert [(row["target"], row["measurements"], row["omitted"]) for row in dry] == [(f"stm32h745-sim ({LABEL})", 2, 2)]
    tool(*words, "--report", "page.html").succeeded()
    page = (tool.directory / "page.html").read_text()
    assert "intercore sweep plan.toml --target stm32h745-sim --fraction 50%" in page
    with Store(tool.store) as store:
        (summary,) = store.runs()
        run = store.run()
    assert (run.plan.target, run.plan.emulated, summary.complete) == ("stm32h745-sim", True, True)
    assert {one.conditions["clock.m7_hz"] for one in run.measurements} == {"60000000"}
    assert run.plan.file_options == ("--target", "stm32h745-sim", "--fraction", "50%")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("stm32h745-simm", "there is no target 'stm32h745-simm'; did you mean 'stm32h745-sim'?"),
        ("pico", "pico needs a port, but plan.toml"),
        ("pico-sim", "plan.toml:13: pico-sim has no build factor 'm7_mhz'"),
    ],
)
def test_a_plan_is_not_carried_out_where_it_cannot_be(tool: Tool, name: str, says: str) -> None:
    (tool.directory / "plan.toml").write_text(FOR_A_BOARD)
    assert says in tool("sweep", "plan.toml", "--target", name, "--dry-run").failed(2).error
