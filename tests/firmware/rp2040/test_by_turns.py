"""Two programs by turns on the simulated chip: a difference of a single cycle is found, and told as that."""

from __future__ import annotations

import struct
from functools import partial
from typing import TYPE_CHECKING

import pytest

from intercore.campaign.kept_target import KeptTarget
from intercore.campaign.this_thread import carry_out
from intercore.comparison.analysis import Sides
from intercore.comparison.change import Change
from intercore.record.measurement import Part, Plan
from intercore.record.store import Store
from intercore.target.connection import Connection
from intercore.target.simulated_chip import SimulatedPico
from tests.firmware.rp2040.delay import SRAM4, Delay
from tests.firmware.rp2040.test_switch import SIGNALS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from intercore.record.measurement import Level

pytestmark = pytest.mark.measures("switch")
LAST = {"one cycle": 0xBF00, "two cycles": 0xE7FF}
"""NOP, and a branch to what follows it anyway: of one and of two cycles (Cortex-M0+ TRM r0p1, 3.3)."""


class Silent:
    """An observer to whom nothing matters."""

    def ignore(self, *_: object) -> None:
        """Do nothing."""

    begin = measuring = progress = show_message = chip_time = stored = ignore


def test_a_single_cycle_in_one_primitive_is_found_and_nothing_else(o2: Path, tmp_path: Path) -> None:
    def connect(plan: Plan, _build: Mapping[str, Level], _: object) -> Connection:
        chip = SimulatedPico(o2 / "intercore-target", plan.baud)
        Delay(chip.simulator, o2 / "intercore-target", SIGNALS["notification"])
        function = chip.simulator.read_word(SRAM4 + 20)
        # push {r0, r1}; ldr r0, function; mov r12, r0; pop {r0, r1}; nop or b .+2; bx r12
        detour = struct.pack("<6H", 0xB403, 0x4804, 0x4684, 0xBC03, LAST[str(plan.kernel)], 0x4760)
        chip.simulator.write(SRAM4, detour + bytes(8) + struct.pack("<L", function))
        return Connection(chip.port, chip)

    levels: dict[str, list[Level]] = {"primitive": ["notification", "queue"], "from": [0], "to": [0, 1], "samples": [8]}
    part = Part("switch", {**levels, "target": ["idle"], "seed": [1]})
    first, second = (Plan("pico-sim", None, "switch", (part,), simulated=True, kernel=kernel) for kernel in LAST)
    with Store(tmp_path / "store.db") as store:
        pair = store.create_pair(first, second, (4, 4))
        targets = [KeptTarget(plan, partial(connect, plan), 60.0) for plan in (first, second)]
        carry_out(store, dict(zip(pair, targets, strict=True)), Silent())
        found = Sides(*([store.run(number)] for number in pair)).compare(change=Change(is_in_place=True))
    longer = {
        (pair.series, str(pair.setting["primitive"]), pair.setting["to"]): (pair.cycles, pair.verdict)
        for pair in found.pairs
    }
    assert longer.pop(("call", "notification", 0)) == longer.pop(("switch", "notification", 0)) == (1, "slower")
    assert longer.pop(("call", "notification", 1)) == (1, "slower")
    # What the other core sees begins at its own next poll or interrupt, and may fall a cycle earlier or later.
    assert longer.pop(("switch", "notification", 1))[1] == "slower"
    assert set(longer.values()) == {(0, "same")}
