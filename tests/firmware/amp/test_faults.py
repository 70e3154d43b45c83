"""What goes wrong between two kernels, each with a core: one is late, reset or stuck, a receiver is slow, buffers and
mailboxes are full, doorbells are lost. It ends well or with a sentence that says what happened; nothing is corrupted.

All of it is simulated, at ticks that are chosen: the same in every run.
"""

from __future__ import annotations

import os
import struct
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from intercore.benchmarks import registry
from intercore.link.exchange import TargetSilentError
from intercore.sim import CoreState
from intercore.target.connection import Connection
from intercore.target.simulated_chip import SimulatedChip
from tests.firmware.amp.conftest import CHIPS, HELLO, Amp, greeted

SILENCE_MS = 100
"""After which a core misses the other's ticks (PORT_AMP_SILENCE_TICKS)."""
WATCHDOG_MS = {"pico-amp": 0, "stm32h745": 8192}
"""Until the watchdog ends what core 1 cannot: of an STM32H745, a core 0 that is stuck (stm32h745_watchdog.h)."""
ORDERS = 32
"""That a mailbox has room for (mailbox.c)."""
SENT = 4
"""An order for the other end of a message buffer (PORT_AMP_SENT)."""
LATE = 2.1e-3
"""Seconds that a message may take at most if its doorbell is lost: it is found by the second tick."""
LATENCY = "run message measure=latency samples=60 dither_us=100"
SMALL = {"message-buffer": 256, "ring": 256, "ring-zero-copy": 256, "rpmsg": 4096, "rpmsg-zero-copy": 4096}
"""Bytes of a buffer, by transport, that holds some messages of a small size and is soon full."""


# A core that starts late


def test_the_console_waits_for_a_core_1_that_is_late(fresh: Amp) -> None:
    fresh.have(f"off:core=1@0..{500 * fresh.ms}")
    assert fresh.run(0.5).lines == []
    heard = fresh.hear(HELLO)
    assert (heard.lines[0]["type"], heard.logs, heard.cut) == ("hello", [], 0)
    fresh.is_well()


def test_the_desk_is_told_of_a_core_1_that_never_comes_up(fresh: Amp) -> None:
    chip = SimulatedChip(fresh.chip, 115200, ["off:core=1@0"])
    session = Connection(chip.port, chip).session()
    with pytest.raises(TargetSilentError, match=r"core 1 has not come up in time \(.*core 1 off"):
        session.info()


# A core that stops in mid-run


FAULTS = {
    "reset": ("reset:core={core}@+{at}", {0: [], 1: ["core 1 has stopped"]}),
    "stuck": ("stuck:core={core}@+{at}", {0: ["core 0 has stopped"], 1: ["core 1 has stopped"]}),
    "off": ("off:core={core}@+{at}..+{until}", {0: ["core 0 has stopped"], 1: ["core 1 has stopped"]}),
}


@pytest.mark.parametrize("core", [0, 1])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_core_that_stops_in_mid_run_is_told_and_the_chip_starts_again(
    chip: str, ready: Amp, kind: str, core: int
) -> None:
    fault, logs = FAULTS[kind]
    began = ready.chip.now
    ready.have(fault.format(core=core, at=5 * ready.ms, until=400 * ready.ms))
    heard = ready.ask(LATENCY)
    assert heard.restarted
    assert "begin" not in {line["type"] for line in heard.lines[-40:]}, "the run is not gone on with"
    assert (heard.logs, heard.end["type"], heard.end["id"]) == (logs[core], "end", 0)
    ended = SILENCE_MS + (WATCHDOG_MS[chip] if core == 0 else 0)
    assert ready.chip.now - began < (5 + ended + HELLO * 1000) * ready.ms
    ready.is_well()


@pytest.mark.parametrize("core", [0, 1])
def test_a_core_that_is_stuck_for_less_than_is_noticed_makes_messages_late_and_no_more(ready: Amp, core: int) -> None:
    began = ready.chip.now
    ready.have(f"stuck:core={core}@+{5 * ready.ms}..+{55 * ready.ms}")
    heard = ready.ask(LATENCY)
    assert "recovered_doorbells" not in heard.checks()
    assert heard.cut == 0
    assert ready.chip.now - began > 55 * ready.ms
    ready.is_well()


def test_a_chip_that_is_reset_by_its_pin_starts_again(ready: Amp) -> None:
    ready.have(f"reset@+{5 * ready.ms}")
    heard = ready.ask(LATENCY)
    assert heard.restarted
    assert (heard.end["type"], heard.end["id"], heard.logs) == ("end", 0, [])
    ready.is_well()


# A receiver that is slower than the sender


def slow(console: Amp, core: int, windows: int) -> list[str]:
    """Return faults in which a core stands still for 2 of every 3 ms, from 3 ms from now on."""
    return [f"stuck:core={core}@+{3 * i * console.ms}..+{(3 * i + 2) * console.ms}" for i in range(1, windows + 1)]


@pytest.mark.parametrize("transport", SMALL)
def test_a_sender_faster_than_its_receiver_waits_and_nothing_is_lost(ready: Amp, transport: str) -> None:
    command = (
        f"run message measure=throughput messages=100 samples=4 transport={transport} size=48 buffer={SMALL[transport]}"
    )
    ready.have(*slow(ready, 1, 8))
    checks = ready.ask(command).checks()
    assert checks["checked"] >= 4 * 100, "each message is compared with what was sent"
    ready.is_well()


def mailbox(console: Amp, core: int) -> tuple[int, list[int]]:
    """Return how many orders a core was ever given, and what those in its mailbox are (`mail` in mailbox.c)."""
    box = 8 + 8 * ORDERS
    put, taken, *orders = struct.unpack(
        f"<II{2 * ORDERS}I", console.chip.read(console.chip.address("mail") + box * core, box)
    )
    return put, [orders[2 * (order % ORDERS)] & 0xFF for order in range(taken, put)]


def fill_mailbox(console: Amp) -> None:
    """Have core 1 stop in the middle of a stream whose buffer has room for far more messages than its mailbox."""
    console.chip.send(b"run message measure=throughput messages=400 samples=8 transport=message-buffer size=8\n")
    begun = mailbox(console, 1)[0]
    for _ in range(4000):
        console.chip.run(console.ms // 50)
        if mailbox(console, 1)[0] > begun + 2 * ORDERS:
            break
    console.have(f"stuck:core=1@+1..+{40 * console.ms}")
    console.chip.run(console.ms * 20)
    assert console.chip.registers(1).state is CoreState.STUCK


def test_a_sender_waits_for_room_in_a_full_mailbox_and_nothing_is_lost(ready: Amp) -> None:
    fill_mailbox(ready)
    assert mailbox(ready, 1)[1] == [SENT] * ORDERS
    ready.hear(10.0).checks()
    ready.is_well()


def test_a_sender_at_a_full_mailbox_notices_that_the_other_core_has_stopped(ready: Amp) -> None:
    fill_mailbox(ready)
    ready.have("stuck:core=1@+1")
    assert mailbox(ready, 1)[1] == [SENT] * ORDERS
    assert ready.hear(2.0).logs == ["core 1 has stopped"]
    ready.is_well()


# A message that does not fit


@pytest.mark.parametrize("transport", SMALL)
def test_a_message_that_the_buffer_cannot_hold_is_refused(ready: Amp, transport: str) -> None:
    buffer = SMALL[transport]
    setting = f"message transport={transport} buffer={buffer}"
    refused = ready.ask(f"run {setting} size={buffer}")
    assert (refused.end["type"], refused.end["code"]) == ("error", "out-of-range")
    largest = int(refused.end["text"].split(" has ")[1].split()[0])
    assert 0 < largest < buffer
    checked = ready.ask(f"check {setting} size={largest},{largest + 1},{buffer}")
    impossible = [line for line in checked.lines if line["type"] == "impossible"]
    assert len(impossible) == 2, "both that are too long, and not the one that just fits"
    assert ready.ask(f"run {setting} size={largest + 1}").end["type"] == "error"
    ready.ask(f"run {setting} size={largest} samples=5").checks()
    assert ready.ask("run message size=1000000").end["code"] == "out-of-range"
    ready.is_well()


# Doorbells that are lost


def heard_with(console: Amp, command: str, *faults: str) -> tuple[dict[str, int], list[float]]:
    """Return the checks of a run with lost doorbells, and its latencies in seconds."""
    console.have(*faults)
    answer = console.ask(command)
    checks = answer.checks()
    latency = answer.seconds("latency")
    assert len(latency) == checks["repetitions"]
    assert min(latency) > 5e-6, "as long as it takes at least"
    return checks, latency


def late(latency: list[float]) -> list[float]:
    """Return those that lasted longer than they do with a doorbell, where they differ by some microseconds."""
    return [one for one in latency if one > min(latency) + 50e-6]


@pytest.mark.parametrize("to", [0, 1])
@pytest.mark.parametrize("transport", SMALL)
def test_one_doorbell_in_a_hundred_is_lost(ready: Amp, transport: str, to: int) -> None:
    command = f"run message transport={transport} from={1 - to} to={to} samples=250 dither_us=10"
    checks, latency = heard_with(ready, command, *(ready.lost_doorbells(core, 0.01, core + 1) for core in (0, 1)))
    assert 1 <= checks["recovered_doorbells"] <= ready.doorbells_lost()
    assert len(late(latency)) <= checks["recovered_doorbells"]
    assert max(latency) <= LATE
    ready.is_well()


@pytest.mark.parametrize("to", [0, 1])
@pytest.mark.parametrize("number", [1, 2, 7, 19])
def test_one_doorbell_is_lost_the_first_or_another(ready: Amp, number: int, to: int) -> None:
    checks, latency = heard_with(ready, LATENCY, ready.lost_doorbell(to, number))
    assert ready.doorbells_lost() == 1
    assert checks.get("recovered_doorbells", 0) <= 1, "another one that follows soon may do for both"
    assert len(late(latency)) <= 1
    assert max(latency) <= LATE
    ready.is_well()


def test_without_a_single_doorbell_all_is_slow_and_right(ready: Amp) -> None:
    checks, latency = heard_with(ready, LATENCY, ready.lost_doorbells(0), ready.lost_doorbells(1))
    assert checks["recovered_doorbells"] >= 60
    assert np.median(latency) > 1e-3, "a tick or two, as the one before"
    assert max(latency) <= LATE
    ready.is_well()


# Anything, at any time


class Fault(NamedTuple):
    """Any fault, whatever the chip."""

    kind: str
    core: int
    at_us: int
    for_us: int

    def of(self, console: Amp) -> str:
        """Return what asks for it from now on."""
        core, at, until = self.core, self.at_us * console.ms // 1000, (self.at_us + self.for_us) * console.ms // 1000
        return {
            "reset": f"reset:core={core}@+{at}",
            "stuck": f"stuck:core={core}@+{at}",
            "stuck for a while": f"stuck:core={core}@+{at}..+{until}",
            "off": f"off:core={core}@+{at}..+{until}",
            "chip": f"reset@+{at}",
            "doorbell": console.lost_doorbell(core, 1, at),
            "doorbells": console.lost_doorbells(core, 0.3, self.at_us, at),
        }[self.kind]


FAULTS_AT_ANY_TIME = st.builds(
    Fault,
    st.sampled_from(["reset", "stuck", "stuck for a while", "off", "chip", "doorbell", "doorbells"]),
    core=st.integers(0, 1),
    at_us=st.integers(1000, 60_000),
    for_us=st.integers(1, 300_000),
)
"""After a command was typed, which is on its way for less than a millisecond, to behind the end of the run."""
COMMANDS = st.sampled_from(
    [
        command
        for command in (
            "run message transport=ring samples=40 dither_us=100",
            "run message transport=message-buffer samples=40 from=1 to=0 dither_us=100",
            "run message transport=ring-zero-copy measure=throughput messages=50 samples=10 buffer=512",
            "run message transport=message-buffer measure=throughput messages=50 samples=10 size=8",
            "run message transport=rpmsg measure=throughput messages=50 samples=10 size=8",
            "run switch primitive=notification from=1 to=0 samples=40 dither_us=100",
            "run irq samples=40 dither_us=100",
            "run speedup n=20 samples=4 mode=create",
        )
        if command.split()[1] in registry.names()
    ]
)
TOLD = {"core 0 has stopped", "core 1 has stopped", "core 1 has not come up in time"}
"""The last one where a launch is tried again and again, and each time some doorbells are lost."""


def nothing_worse(chip: str, console: Amp, command: str, faults: list[Fault]) -> None:
    """Check that a run with faults ends well, or is told to be over; and that the next is well."""
    console.have(*(fault.of(console) for fault in faults))
    heard = console.ask(f"{command} id=7", 10.0)  # as the desk does: a person gets a table besides
    assert set(heard.logs) <= TOLD, heard.logs
    if heard.end["id"] == 0:
        assert heard.end == {"type": "end", "id": 0, "i": heard.end["i"], "status": "ok", "checks": {}}, "a greeting"
    elif heard.end["type"] != "error":  # a core that is back when it has just been missed may still end the run
        heard.checks()
    console.run(HELLO)  # for what happens after the end
    console.have()
    console.run(WATCHDOG_MS[chip] / 1000 + HELLO)
    console.ask("run message transport=ring samples=5").checks()
    assert console.mistakes() == []


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(chip=st.sampled_from(sorted(CHIPS)), command=COMMANDS, fault=FAULTS_AT_ANY_TIME)
def test_a_fault_at_any_time_ends_well_or_is_told(chip: str, command: str, fault: Fault) -> None:
    nothing_worse(chip, greeted(chip)(), command, [fault])


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("opt", ["O0", "O3"])
@pytest.mark.parametrize("chip", CHIPS)
def test_many_faults_at_any_time_end_well_or_are_told(chip: str, opt: str) -> None:
    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(command=COMMANDS, faults=st.lists(FAULTS_AT_ANY_TIME, min_size=1, max_size=3))
    def check(command: str, faults: list[Fault]) -> None:
        # Nothing frees a core that is stuck for good in the boot ROM: the watchdog does not run yet.
        assume(len(faults) == 1 or all(fault.kind != "stuck" for fault in faults))
        nothing_worse(chip, greeted(chip, opt)(), command, faults)

    check()
