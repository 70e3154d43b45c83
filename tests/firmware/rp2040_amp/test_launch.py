"""What goes wrong while core 0 launches core 1 by words of the FIFOs, and what the desk is told of a launch of its own.

All of it is simulated, at cycles that are chosen: the same in every run. What goes wrong later does so on other chips,
too (tests/firmware/amp).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest

from intercore.errors import UsageError
from intercore.link.exchange import TargetRestartedError
from intercore.link.session import Session
from intercore.sim import Reason, Simulator
from intercore.target.simulated_port import SimulatedPort
from tests.firmware.amp.console import AmpConsole
from tests.firmware.rp2040.conftest import CLK_SYS_HZ

if TYPE_CHECKING:
    from pathlib import Path

Amp: TypeAlias = AmpConsole[Simulator]
MS = CLK_SYS_HZ // 1000
"""Cycles of a millisecond, which is a tick."""
HELLO = 0.9
"""Seconds within which the program has said hello, and launched core 1 at the second attempt."""
PATIENCE = 5.0
"""Seconds for which core 0 waits for core 1 to come up (PORT_AMP_PATIENCE_MS)."""


@pytest.fixture
def program(amp: Path) -> Path:
    return amp / "intercore-target"


@pytest.fixture
def fresh(program: Path) -> Amp:
    """Just switched on."""
    return AmpConsole(Simulator(program), CLK_SYS_HZ, "fifo", "word")


def test_a_core_1_that_is_too_late_is_told_and_waited_for_again(fresh: Amp) -> None:
    fresh.have(f"off:core=1@0..{round((PATIENCE + 0.5) * CLK_SYS_HZ)}")
    heard = fresh.hear(PATIENCE + 0.5 + HELLO)
    assert heard.logs == ["core 1 has not come up in time"]
    assert fresh.chip.clocks.seconds < PATIENCE + 0.5 + HELLO
    fresh.is_well()


def launched(console: Amp) -> None:
    """Run to where core 1 begins with its image; core 0 has not met it."""
    stop = console.chip.run(CLK_SYS_HZ, address="core_1.port_amp_start_core_1", core=1)
    assert stop.reason is Reason.ADDRESS


@pytest.mark.parametrize(("core", "milliseconds"), [(1, 1000), (0, 50)])
def test_a_core_that_dawdles_between_launch_and_rendezvous_is_waited_for(
    fresh: Amp, core: int, milliseconds: int
) -> None:
    launched(fresh)
    fresh.have(f"stuck:core={core}@+1..+{milliseconds * MS}")
    assert fresh.hear(milliseconds / 1000 + HELLO).logs == []
    fresh.is_well()


def test_a_core_1_that_is_launched_and_does_not_come_up_is_started_again(fresh: Amp) -> None:
    launched(fresh)
    fresh.have("stuck:core=1@+1")
    assert fresh.hear(PATIENCE + HELLO).logs == ["core 1 has not come up in time"]
    fresh.is_well()


def test_a_core_0_that_stops_after_the_launch_is_started_again_by_core_1(fresh: Amp) -> None:
    launched(fresh)
    fresh.have("stuck:core=0@+1")
    heard = fresh.hear(0.2 + HELLO)
    assert heard.logs == ["core 0 has stopped"]
    fresh.is_well()


@pytest.mark.parametrize("to", [0, 1])
@pytest.mark.parametrize("word", [1, 3, 6])
def test_a_launch_of_which_a_word_or_its_echo_is_lost_is_tried_again(fresh: Amp, to: int, word: int) -> None:
    fresh.have(f"fifo:to={to},word={word}")
    assert fresh.hear(HELLO).logs == []
    assert fresh.doorbells_lost() == 1
    fresh.is_well()


@pytest.mark.parametrize(("core", "transport"), [(0, "ring"), (1, "message-buffer")])
def test_the_desk_is_told_of_a_core_that_is_reset_and_measures_again(program: Path, core: int, transport: str) -> None:
    chip = Simulator(program)
    session = Session(SimulatedPort(chip, 115200))
    session.info()
    setting = {"transport": transport, "samples": 200, "dither_us": 100}
    undisturbed = session.measure("message", setting)
    chip.set_faults([f"reset:core={core}@{chip.now + 15 * MS}"])
    said = ".*core 1 has stopped" if core == 1 else ""
    with pytest.raises(TargetRestartedError, match=f"restarted during `run`{said}\\."):
        session.measure("message", setting)
    answer = session.measure("message", setting)
    assert (answer.status, answer.checks) == ("ok", undisturbed.checks)
    before, after = (np.median(one.series[-1].ticks) for one in (undisturbed, answer))
    assert abs(before - after) <= 8, "cycles"


def test_the_desk_refuses_a_message_that_the_buffer_cannot_hold(program: Path) -> None:
    session = Session(SimulatedPort(Simulator(program), 115200))
    with pytest.raises(UsageError, match="the largest message that fits this transport and its buffer has"):
        session.measure("message", {"transport": "message-buffer", "buffer": 256, "size": 256})
