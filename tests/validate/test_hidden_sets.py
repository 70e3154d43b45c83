"""Whether a simulated chip with hidden costs is told by what it measures."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.validate import campaign, explanation
from intercore.validate.campaign import Model, differences
from intercore.validate.costs import COSTS, Cost, faults, hidden
from intercore.validate.explanation import suspects
from intercore.validate.quantities import BUILD, QUANTITIES
from tests.firmware.rp2040.conftest import need_tools
from tests.firmware.rp2040.tool_in_process import command

SLOW = "INTERCORE_SLOW" in os.environ
slow = pytest.mark.skipif(not SLOW, reason="simulates minutes of a chip: set INTERCORE_SLOW=1")
SEEDS = range(1, 61)
"""Of which nine in ten must be told."""
ALTERED = {"line": 6, "flash_miss": 8}


def nothing(_: str) -> None:
    """Say nothing."""


@pytest.fixture(scope="module")
def model() -> Model:
    need_tools()
    return Model(board_image(PICO, BUILD, nothing).elf, nothing)


@pytest.mark.measures("irq", "switch", "jitter", "memory", "launch")
def test_the_differences_of_an_altered_chip_give_its_costs(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the effects of the two alone; others are ruled out in the slow test, which simulates all of them.

    Without flash that is written, which takes most of the time and depends on neither.
    """
    quick = tuple(quantity for quantity in QUANTITIES if quantity.benchmark != "outage")
    for module in (campaign, explanation):
        monkeypatch.setattr(module, "QUANTITIES", quick)
    simulated = model.measure({}, nothing)

    def moved_by(altered: dict[str, int]) -> list[float]:
        return differences(model.measure(altered, nothing), simulated)

    none = [0.0] * len(simulated)
    effects = [moved_by({one.name: one.assumed + one.step}) if one.name in ALTERED else none for one in COSTS]
    found = suspects(moved_by(ALTERED), effects)
    assert {one.name for one in found if one.needed} == set(ALTERED)
    for one in found[: len(ALTERED)]:
        assert one.instead == pytest.approx(ALTERED[one.name], abs=0.5)


@pytest.mark.parametrize("cost", COSTS, ids=[cost.name for cost in COSTS])
def test_a_chip_can_have_the_least_of_a_cost_and_no_less(model: Model, cost: Cost) -> None:
    simulator = model.simulator
    simulator.set_faults(faults({cost.name: cost.least}))
    with pytest.raises(ValueError, match=rf"{cost.name} is a whole number from {cost.least} "):
        simulator.set_faults(faults({cost.name: cost.least - 1}))


@slow
@pytest.mark.timeout(1800)
def test_the_altered_costs_are_among_the_first_three_suspects(model: Model) -> None:
    simulated = model.measure({}, nothing)
    effects = model.effects(simulated, nothing)
    for cost, moved in zip(COSTS, effects, strict=True):
        assert any(moved), f"no quantity depends on {cost.name}"
    told = 0
    for seed in SEEDS:
        altered = hidden(seed)
        measured = model.measure(altered, nothing)
        found = suspects(differences(measured, simulated), effects)
        told += {one.name for one in found[:3]} >= set(altered)
    assert told >= 0.9 * len(SEEDS)


@slow
def test_a_board_at_the_other_end_of_a_line_is_told_by_its_costs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The board is intercore-sim in another process, which knows nothing of the campaign."""
    need_tools()
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"127.0.0.1:{server.getsockname()[1]}"
    words = ["--uart", f"tcp:{place}", "--fault", *faults(ALTERED), str(board_image(PICO, BUILD, nothing).elf)]
    simulator = str(Path(sys.executable).with_name("intercore-sim"))
    with subprocess.Popen([simulator, *words], stderr=subprocess.PIPE, text=True) as chip:
        assert chip.stderr is not None
        chip.stderr.readline()  # it listens
        found = command(monkeypatch, capsys, "validate", "pico", "--port", f"socket://{place}")
        chip.kill()
    assert found["validation"]["origin"] == "board"
    assert {one["name"] for one in found["suspects"] if one["needed"]} == set(ALTERED)
    for one in found["suspects"][: len(ALTERED)]:
        assert one["instead"] == pytest.approx(ALTERED[one["name"]], abs=0.5)
